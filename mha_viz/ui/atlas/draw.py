"""Draw to find: sketch where a head should look, and all heads are ranked by how much of their weight lies there."""

import numpy as np
import pandas as pd
import streamlit as st

from mha_viz.core.all_heads import all_heads
from mha_viz.core.head_masks import (
    MOST_PAINTED,
    Rows,
    halves,
    painting_from_text,
    painting_to_text,
)
from mha_viz.core.pattern_search import Matches, search_pattern
from mha_viz.errors import ChoiceError
from mha_viz.figures.history import head_name
from mha_viz.figures.text import shown_text
from mha_viz.figures.theme import Theme
from mha_viz.ui import messages, state
from mha_viz.ui.atlas import measured
from mha_viz.ui.atlas.choices import Atlas
from mha_viz.ui.atlas.chosen import chosen_head, open_head
from mha_viz.ui.atlas.measured import Measured
from mha_viz.ui.atlas.shown_roles import said_role
from mha_viz.ui.painting import paint_cells
from mha_viz.ui.view import View


def draw_to_find(view: View, theme: Theme) -> None:
    """The empty grid, and the heads that look as it says."""
    n_query, n_key = len(view.stream.query_tokens), len(view.stream.key_tokens)
    if max(n_query, n_key) > MOST_PAINTED:
        messages.notice(
            f"a sketch is drawn for texts of at most {MOST_PAINTED} tokens, and this one has "
            f"{max(n_query, n_key)}: shorten it"
        )
        return
    sketch = _sketch(n_query, n_key)
    st.markdown("Sketch where a head should look. All heads are ranked by it at once.")
    _presets(n_query, n_key)
    _one_link(view)
    with st.container(horizontal=True, gap="large", key="grid_and_table"):
        with st.container(key="grid_side"):
            paint_cells(
                (view.stream.query_texts, view.stream.key_texts),
                sketch,
                _keep,
                key="sketch",
                label="Where a head should look",
                states=("should look", "does not matter"),
                theme=theme,
            )
            st.caption(
                "**Press and drag** over the cells; a row is a word that looks, a column a word that is looked at. "
                "Only rows with a mark count. By keyboard: arrow keys and Enter."
            )
        with st.container(key="table_side"):
            if np.any(sketch):
                _ranked(view, np.array(sketch, dtype=float))
            else:
                st.caption("Nothing is drawn yet. Try **Before**: it finds L0 H2 in MiniLM.")


def _sketch(n_query: int, n_key: int) -> Rows:
    """What is drawn; an empty grid if that was for another text."""
    empty = ((False,) * n_key,) * n_query
    try:
        return painting_from_text(state.own(Atlas).sketch, n_query, n_key).get(0, empty)
    except ChoiceError:
        messages.notice("what was drawn does not fit this text: draw anew")
        return empty


def _keep(rows: Rows, query: int | None = None, key: int | None = None) -> None:
    """What was drawn takes the place of a link that was named, and the other way round."""
    drawn = any(map(any, rows))
    state.change_own(
        sketch=painting_to_text({0: rows}) if drawn else "", link_query=query, link_key=key
    )


def _presets(n_query: int, n_key: int) -> None:
    shape = (n_query, n_key)
    block = np.zeros(shape)
    for queries, keys in zip(halves(n_query), halves(n_key), strict=True):
        block[np.ix_(list(queries), list(keys))] = 1
    first = np.zeros(shape)
    first[:, 0] = 1
    presets = {
        "Diagonal": (np.eye(*shape), "Each word at itself."),
        "Before": (np.eye(*shape, k=-1), "Each word at the one before it."),
        "After": (np.eye(*shape, k=1), "Each word at the one after it."),
        "First column": (first, "All words at the first token."),
        "Block": (block, "Each half of the text at itself."),
        "Empty": (np.zeros(shape), "Wipe everything."),
    }
    with st.container(horizontal=True, gap="small", key="presets"):
        for title, (cells, says) in presets.items():
            rows = tuple(tuple(map(bool, row)) for row in cells.tolist())
            st.button(title, key=f"preset {title}", help=says, on_click=_keep, args=(rows,))


def _one_link(view: View) -> None:
    chosen = state.own(Atlas)
    queries, keys = view.stream.query_texts, view.stream.key_texts
    ends = {
        "link_query": chosen.link_query if chosen.link_query in range(len(queries)) else None,
        "link_key": chosen.link_key if chosen.link_key in range(len(keys)) else None,
    }

    def choose(name: str, place: int | None) -> None:
        link = ends | {name: place}
        query, key = link["link_query"], link["link_key"]
        if query is None or key is None:
            state.change_own(**link)
            return
        _keep(
            tuple(
                tuple((q, k) == (query, key) for k in range(len(keys))) for q in range(len(queries))
            ),
            query,
            key,
        )

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="one_link"):
        for label, name, texts in (
            ("Or one link: from …", "link_query", queries),
            ("… to", "link_key", keys),
        ):
            st.selectbox(
                label,
                range(len(texts)),
                index=None,
                placeholder="any word",
                format_func=lambda place, texts=texts: f"{place} · {shown_text(texts[place])}",
                width=220,
                **state.bound(name, ends[name], lambda place, name=name: choose(name, place)),
            )


def _ranked(view: View, sketch: np.ndarray) -> None:
    stream, found = view.stream, measured.of_this_text(view)
    shape = (len(stream.query_tokens), len(stream.key_tokens))
    may_attend = np.tri(*shape, dtype=bool) if stream.causal else None
    matches = search_pattern(all_heads(stream).weights, sketch, may_attend)
    ranking = matches.ranking.tolist()
    best = ranking[0]
    st.markdown(
        f"**{head_name(found.places[best])}** comes first: {matches.shares[best]:.2f} of the weight of the marked rows lies in the "
        f"sketch. By chance it would be {matches.low[best]:.2f} to {matches.high[best]:.2f}."
    )
    key = f"ranked {hash((ranking[0], sketch.tobytes(), view.source))}"
    st.dataframe(
        ranking_table(found, matches),
        key=key,
        hide_index=True,
        height=420,
        on_select=state.on_row(key, lambda row: open_head(*found.places[ranking[row]])),
        selection_mode="single-row",
        column_config={
            "head": "Head",
            "role": "Role",
            "match": st.column_config.ProgressColumn(
                "In the sketch",
                help="Weight inside the sketch, mean over the marked rows.",
                format="%.2f",
                min_value=0.0,
                max_value=1.0,
            ),
            "chance": st.column_config.TextColumn(
                "By chance",
                help="The same head with the weights of each row in random order: 90 % of 200 draws.",
            ),
            "beyond": st.column_config.CheckboxColumn("Beyond chance"),
        },
        alt="Every head, those first that look most as it was drawn.",
    )
    chosen_head(view, found, "over this text")


def ranking_table(found: Measured, matches: Matches) -> pd.DataFrame:
    """A row a head, the best first."""
    said = found.roles
    return pd.DataFrame(
        [
            (
                head_name(found.places[place]),
                float(matches.shares[place]),
                f"{matches.low[place]:.2f}–{matches.high[place]:.2f}",
                bool(matches.shares[place] > matches.high[place]),
                said_role(said[place]),
            )
            for place in matches.ranking.tolist()
        ],
        columns=["head", "match", "chance", "beyond", "role"],
    )
