"""All heads as squares, layers down and heads across."""

import numpy as np
import streamlit as st

from mha_viz.figures.head_points import HeadPoint, grid_of_heads
from mha_viz.figures.theme import PLOTLY_CONFIG, Theme
from mha_viz.ui import state
from mha_viz.ui.atlas.choices import NUMBER, ROLE, SAME
from mha_viz.ui.atlas.chosen import chosen_place, open_of
from mha_viz.ui.atlas.measured import Measured
from mha_viz.ui.atlas.measures import MEASURES
from mha_viz.ui.atlas.shown_roles import role_colours, role_group, said_role
from mha_viz.ui.atlas.table import sequence
from mha_viz.ui.view import View


def grid(
    view: View,
    found: Measured,
    by: tuple[str, str, str],
    only: tuple[str, ...],
    over: str,
    theme: Theme,
) -> None:
    """Draw every head.

    Args:
        view: The head that is chosen.
        found: The numbers of all heads.
        by: By what they are coloured, sized and ordered.
        only: The groups of roles that are not faded; none for all.
        over: Over which texts, in words.
        theme: Colours.
    """
    colour, size, order = by
    sizes = np.ones(len(found.places)) if size == SAME else _relative(found.columns[size])
    chosen, said = chosen_place(view, found), found.roles
    taken: dict[int, int] = {}
    points = []
    for place in sequence(found, order):
        layer, head = found.places[place]
        rank = taken.setdefault(layer, 0)
        taken[layer] += 1
        role = said[place]
        value = role.share if role is not None else None
        if colour != ROLE:
            number = found.columns[colour][place]
            value = None if np.isnan(number) else float(number)
        number = "–" if value is None else f"{value:.2f}"
        points.append(
            HeadPoint(
                layer,
                head,
                x=head if order == NUMBER else rank,
                y=layer,
                group=role_group(role),
                value=value,
                size=float(sizes[place]),
                label=number if order == NUMBER else f"H{head} {number}",
                says=_says(found, place, by),
                shown=not only or role_group(role) in only,
                framed=place == chosen,
            )
        )
    shows = "its role and the share that says so" if colour == ROLE else "that number"
    captions = [f"A square is a head with {shows}, {over}.", "Click one to choose it."]
    if size != SAME:
        captions[1] += f" Size: {MEASURES[size].title.lower()}."
    figure = grid_of_heads(
        points,
        title="Every head by what it does"
        if colour == ROLE
        else f"Every head by {MEASURES[colour].title.lower()}",
        captions=captions,
        colours=role_colours([point.group for point in points], theme) if colour == ROLE else None,
        measure="" if colour == ROLE else MEASURES[colour].title,
        in_order=order != NUMBER,
        theme=theme,
    )
    st.plotly_chart(
        figure,
        key="heads",
        theme=None,
        config=PLOTLY_CONFIG,
        selection_mode="points",
        on_select=state.on_pick("heads", lambda data: open_of(found, data)),
        alt=f"Every head of the model, layers down and heads across, {over}; the table holds the numbers.",
    )


def _says(found: Measured, place: int, by: tuple[str, str, str]) -> str:
    role = found.roles[place]
    numbers = [
        f"{MEASURES[name].title.lower()} {found.columns[name][place]:.2f}"
        for name in dict.fromkeys(by)
        if name in found.columns
    ]
    return ", ".join([said_role(role), *numbers])


def _relative(column: np.ndarray) -> np.ndarray:
    """From 0 to 1, the largest number; where there is none, 0."""
    largest = np.nanmax(column) if not np.isnan(column).all() else 0.0
    return np.nan_to_num(column / largest) if largest else np.zeros(len(column))
