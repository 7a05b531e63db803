"""More like this head: its nearest neighbours, and a map on which heads that look alike lie together."""

import math

import numpy as np
import pandas as pd
import streamlit as st

from mha_viz.core.head_distance import map_of_heads, nearest_heads
from mha_viz.figures.head_points import HeadPoint, map_of_points
from mha_viz.figures.history import head_name
from mha_viz.figures.theme import PLOTLY_CONFIG, Theme
from mha_viz.ui import cache, controls, messages, state
from mha_viz.ui.atlas import measured
from mha_viz.ui.atlas.choices import Atlas
from mha_viz.ui.atlas.chosen import chosen_head, chosen_place, open_head, open_of
from mha_viz.ui.atlas.measured import Measured
from mha_viz.ui.atlas.shown_roles import role_colours, role_group, said_role
from mha_viz.ui.view import View

N_NEAREST = 8
# Weights of all heads, of which several arrays are in memory at a time.
MOST_WEIGHTS = 10_000_000


def more_like_this(view: View, theme: Theme) -> None:
    """The chosen head, its neighbours, and the map if it is asked for."""
    stream, found = view.stream, measured.of_this_text(view)
    n_query = len(stream.query_tokens)
    if len(found.places) * n_query * len(stream.key_tokens) > MOST_WEIGHTS:
        messages.notice("heads are compared on shorter texts: this one has too many tokens")
        return
    place = chosen_place(view, found)
    layer, head = found.places[place]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        with st.container(width=110):
            controls.layer_picker(view)
        st.selectbox(
            "Head",
            range(stream.layer(layer).n_heads),
            width=110,
            **state.bound("like", head, lambda chosen: open_head(layer, chosen)),
        )
        st.toggle(
            "Map of all heads",
            **state.tied("map", state.own(Atlas).map),
        )
    with st.spinner("Comparing every head with every other …"):
        distances = cache.distances(view.source, stream)
    with st.container(horizontal=True, gap="large", key="grid_and_table"):
        with st.container(key="table_side"):
            _nearest(found, distances, place, n_query)
            nearest = nearest_heads(distances, place, 1).tolist()
            beside = found.places[nearest[0]] if nearest else None
            chosen_head(view, found, "over this text", beside)
        if state.own(Atlas).map and len(found.places) > 2:
            with st.container(key="grid_side"):
                _map(found, distances, place, theme)


def _nearest(found: Measured, distances: np.ndarray, place: int, n_query: int) -> None:
    nearest, said = nearest_heads(distances, place, N_NEAREST).tolist(), found.roles
    st.markdown(
        f"**Nearest to {head_name(found.places[place])}** · choose a row to go on from there."
    )
    most = n_query * math.log(2)
    key = f"nearest {place} {hash(distances.tobytes())}"
    st.dataframe(
        pd.DataFrame(
            [
                (
                    head_name(found.places[other]),
                    float(distances[place, other]),
                    said_role(said[other]),
                )
                for other in nearest
            ],
            columns=["head", "distance", "role"],
        ),
        key=key,
        hide_index=True,
        on_select=state.on_row(key, lambda row: open_head(*found.places[nearest[row]])),
        selection_mode="single-row",
        column_config={
            "head": "Head",
            "role": "Role",
            "distance": st.column_config.NumberColumn(
                "Distance",
                format="%.2f",
                help="Jensen–Shannon divergence, summed over the words that look, in nats: 0 is the same map.",
            ),
        },
        alt="The heads that look most like the chosen one.",
    )
    st.caption(
        f"Jensen–Shannon, summed over {n_query} rows: 0 is the same map, {most:.2f} nothing alike."
    )


def _map(found: Measured, distances: np.ndarray, place: int, theme: Theme) -> None:
    with st.spinner("Drawing the map …"):
        plane = map_of_heads(distances)
    nearest, said = set(nearest_heads(distances, place, N_NEAREST).tolist()), found.roles
    points = [
        HeadPoint(
            layer,
            head,
            x=float(plane.points[index, 0]),
            y=float(plane.points[index, 1]),
            group=role_group(said[index]),
            value=None,
            size=0.6 if index == place else 0.35 if index in nearest else 0.1,
            label=head_name((layer, head)) if index == place or index in nearest else "",
            says=said_role(said[index]),
            framed=index == place,
        )
        for index, (layer, head) in enumerate(found.places)
    ]
    figure = map_of_points(
        points,
        title="Heads that look alike lie together",
        captions=[
            f"A plane gets {plane.stress:.2f} of the distances wrong (stress: 0.1 is fair, 0.2 poor).",
            "Click a head to go on from there.",
        ],
        colours=role_colours([point.group for point in points], theme),
        theme=theme,
    )
    st.plotly_chart(
        figure,
        key="map of heads",
        theme=None,
        config=PLOTLY_CONFIG,
        selection_mode="points",
        on_select=state.on_pick("map of heads", lambda data: open_of(found, data)),
        alt="A map of all heads; the table names the nearest ones.",
    )
