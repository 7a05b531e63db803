"""The three pictures of a text, on the page, with what a click on them chooses."""

from collections.abc import Callable
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from mha_viz.figures.arcs import ArcRow, spotlight_rows
from mha_viz.figures.head_grid import head_grid
from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.theme import DARK, LIGHT, PLOTLY_CONFIG, Theme
from mha_viz.ui import state
from mha_viz.ui.view import View
from mha_viz.ui.window import Window

# Pixels: three small maps stand side by side on a wide page, two on a narrow one.
SMALL_MAP, LARGE_MAP = 375, 620
MOST_WORDS_SMALL = 20


def theme() -> Theme:
    """The colours that fit the page as this person sees it."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def spotlights(view: View) -> None:
    """The chosen heads, stacked: one row a head, each with its tokens and its arcs."""
    colours, window, summaries = theme(), view.window, view.overview.summaries
    if not view.selection.heads:
        st.info(
            "Choose one or more heads above, or click one of the small maps below.",
            icon=":material/touch_app:",
        )
        return
    rows = [
        ArcRow(
            _name(view, head),
            _shown(view, head),
            colours.head_colour(index),
            note=summaries[view.selection.layer, head],
            row_totals=view.weights[head, window.slice].sum(axis=-1),
        )
        for index, head in enumerate(view.selection.heads)
    ]
    query_texts, key_texts = _texts(view)
    figure = spotlight_rows(
        rows,
        query_texts,
        None if _is_square(view) else key_texts,
        title=_title("Where each word looks", window),
        theme=colours,
        query=_within(view.selection.query, window),
        caption="" if window.is_whole else "Arcs to words outside this part are not drawn.",
    )
    said = [
        f"{_name(view, head)}: {summaries[view.selection.layer, head]}"
        for head in view.selection.heads
    ]
    _draw(
        figure,
        "spotlights",
        " ".join(said),
        lambda data: _choose_query(int(data[2]) + window.start),
    )


def heatmaps(view: View) -> None:
    """The weights of the chosen heads side by side, one colour scale for all."""
    window, masked = view.window, view.stream.fully_masked(view.selection.layer)
    query_texts, key_texts = _texts(view)
    width = SMALL_MAP if len(key_texts) <= MOST_WORDS_SMALL else LARGE_MAP
    with st.container(horizontal=True, key="heatmaps"):
        for index, head in enumerate(view.selection.heads):
            name = _name(view, head)
            figure = attention_heatmap(
                _shown(view, head),
                query_texts,
                key_texts,
                title=name,
                theme=theme(),
                query=_within(view.selection.query, window),
                fully_masked=masked[head % len(masked)][window.slice],
                show_scale=index == 0,
                width=width,
            )
            summary = f"{name}: {view.overview.summaries[view.selection.layer, head]}"
            _draw(
                figure,
                f"heatmap {name}",
                summary,
                lambda data: _choose_query(int(data[0]) + window.start),
                "content",
            )


def all_heads(view: View) -> None:
    """Every head of every layer in one picture; a click opens one."""
    overview = view.overview
    figure = head_grid(
        overview.maps,
        title="All heads",
        theme=theme(),
        selected={
            (view.selection.layer, head): theme().head_colour(index)
            for index, head in enumerate(view.selection.heads)
        },
        pooled=overview.pooled,
        summaries=overview.summaries,
    )
    summary = f"All {len(overview.summaries)} heads, one small map each: rows are layers, columns are heads."
    _draw(
        figure,
        "all heads",
        summary,
        lambda data: state.change(layer=int(data[0]), heads=(int(data[1]),)),
    )


def table(view: View) -> None:
    """The numbers of the heatmaps behind a switch, a row for each word that looks."""
    if not st.toggle("Show these numbers as a table"):
        return
    query_texts, key_texts = _texts(view)
    rows = [f"{view.window.start + position} {text}" for position, text in enumerate(query_texts)]
    first_key = view.window.start if _is_square(view) else 0
    columns = [f"{first_key + position} {text}" for position, text in enumerate(key_texts)]
    for head in view.selection.heads:
        st.caption(f"{_name(view, head)}: rows look, columns are looked at")
        numbers = pd.DataFrame(_shown(view, head), index=rows, columns=columns)
        st.dataframe(numbers.style.format("{:.2f}"), key=f"table {head}")


def _draw(
    figure: go.Figure,
    key: str,
    summary: str,
    pick: Callable[[list], None],
    width: Literal["stretch", "content"] = "stretch",
) -> None:
    st.plotly_chart(
        figure,
        width=width,
        theme=None,
        key=key,
        config=PLOTLY_CONFIG,
        alt=summary,
        on_select=state.on_pick(key, pick),
        selection_mode="points",
    )


def _name(view: View, head: int) -> str:
    return f"L{view.selection.layer} H{head}"


def _shown(view: View, head: int) -> np.ndarray:
    """The part of a map that the window holds; across to another text all keys stay."""
    rows = view.weights[head, view.window.slice]
    return rows[:, view.window.slice] if _is_square(view) else rows


def _texts(view: View) -> tuple[list[str], list[str]]:
    """What is written for the queries and the keys that are shown."""
    key_part = view.window.slice if _is_square(view) else slice(None)
    queries = [token.text for token in view.stream.query_tokens[view.window.slice]]
    return queries, [token.text for token in view.stream.key_tokens[key_part]]


def _is_square(view: View) -> bool:
    """Whether the tokens that look are those that are looked at."""
    return view.stream.query_tokens == view.stream.key_tokens


def _within(query: int | None, window: Window) -> int | None:
    return None if query is None or not window.holds(query) else query - window.start


def _choose_query(position: int) -> None:
    """Choose a word; choosing it again frees it."""
    state.change(query=None if state.selection().query == position else position)


def _title(words: str, window: Window) -> str:
    return (
        words
        if window.is_whole
        else f"{words}: tokens {window.start} to {window.stop - 1} of {window.total}"
    )
