"""The three pictures of a text, on the page, with what a click on them chooses."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import plotly.graph_objects as go
import streamlit as st

from mha_viz.core.record import Token
from mha_viz.figures.arcs import ArcRow, spotlight_rows
from mha_viz.figures.head_grid import head_grid
from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.theme import DARK, LIGHT, PLOTLY_CONFIG, Theme
from mha_viz.ui import cache, state
from mha_viz.ui.view import View
from mha_viz.ui.window import Window

# Pixels: three small maps stand side by side on a wide page, two on a narrow one.
SMALL_MAP, LARGE_MAP = 375, 620
MOST_WORDS_SMALL = 20
# Weights in all layers above which the picture of all heads takes seconds, and waits to be asked for.
MOST_WEIGHTS_AT_ONCE = 50_000_000


def theme() -> Theme:
    """The colours that fit the page as this person sees it."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def spotlights(view: View) -> None:
    """The chosen heads, stacked: one row a head, each with its tokens and its arcs."""
    if not view.selection.heads:
        st.info(
            "Choose one or more heads above, or click one of the small maps below.",
            icon=":material/touch_app:",
        )
        return
    said = " ".join(
        f"{_name(view, head)}: {view.summaries[head]}." for head in view.selection.heads
    )
    start = view.query_window.start
    _draw(
        spotlight_figure(view, theme()),
        "spotlights",
        said,
        lambda data: _choose_query(int(data[2]) + start),
    )


def heatmaps(view: View) -> None:
    """The weights of the chosen heads side by side, one colour scale for all."""
    start = view.query_window.start
    with st.container(horizontal=True, key="heatmaps"):
        for figure, head in zip(heatmap_figures(view, theme()), view.selection.heads, strict=True):
            name = _name(view, head)
            _draw(
                figure,
                f"heatmap {name}",
                f"{name}: {view.summaries[head]}.",
                lambda data: _choose_query(int(data[0]) + start),
                "content",
            )


def spotlight_figure(view: View, colours: Theme) -> go.Figure:
    """The chosen heads as rows of words and arcs."""
    window = view.query_window
    rows = [
        ArcRow(
            _name(view, head),
            view.weights[head, window.slice],
            colours.head_colour(index),
            note=view.summaries[head],
            first_key=None if view.key_window.is_whole else view.key_window.start,
            sink=None if view.sink is None else float(view.sink[head].mean()),
        )
        for index, head in enumerate(view.selection.heads)
    ]
    return spotlight_rows(
        rows,
        view.stream.query_texts[window.slice],
        None if view.stream.same_tokens else view.stream.key_texts[view.key_window.slice],
        title=_title("Where each word looks", window),
        theme=colours,
        share=view.selection.share / 100,
        query=view.query,
        **_marks(view),
    )


def heatmap_figures(view: View, colours: Theme) -> list[go.Figure]:
    """The chosen heads as maps on one colour scale."""
    shown, masked = view.query_window.slice, view.stream.fully_masked(view.selection.layer)
    query_texts, key_texts = view.shown_texts
    return [
        attention_heatmap(
            view.shown_weights[head],
            query_texts,
            key_texts,
            title=_name(view, head),
            theme=colours,
            query=view.query,
            fully_masked=masked[head, shown],
            sink=None if view.sink is None else view.sink[head, shown],
            show_scale=index == 0,
            width=SMALL_MAP if len(key_texts) <= MOST_WORDS_SMALL else LARGE_MAP,
            **_marks(view),
        )
        for index, head in enumerate(view.selection.heads)
    ]


def all_heads(view: View) -> None:
    """Every head of every layer in one picture; a click opens one."""
    stream = view.stream
    n_weights = sum(layer.n_heads for layer in stream.layers if layer is not None)
    n_weights *= len(stream.query_tokens) * len(stream.key_tokens)
    if n_weights > MOST_WEIGHTS_AT_ONCE and not st.toggle(
        "Draw all heads of this long text (takes a while)",
        key="draw all heads",
        on_change=state.touch,
    ):
        return
    with st.spinner("Looking at every head …"):
        overview = cache.overview(view.source, stream)
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
    said = f"All {len(overview.summaries)} heads, one small map each: rows are layers, columns are heads."
    _draw(
        figure,
        "all heads",
        said,
        lambda data: state.change(layer=int(data[0]), heads=(int(data[1]),)),
    )


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


def _marks(view: View) -> dict[str, Any]:
    """Which of the shown tokens the model added, and which are special names that the person typed."""
    queries = view.stream.query_tokens[view.query_window.slice]
    keys = view.stream.key_tokens[view.key_window.slice]

    def places(tokens: Sequence[Token], kind: str) -> list[int]:
        return [place for place, token in enumerate(tokens) if getattr(token, kind)]

    return {
        "special_queries": places(queries, "special"),
        "special_keys": places(keys, "special"),
        "typed_queries": places(queries, "typed_special"),
        "typed_keys": places(keys, "typed_special"),
    }


def _choose_query(position: int) -> None:
    """Choose a word; choosing it again frees it."""
    state.change(query=None if state.selection().query == position else position)


def _title(words: str, window: Window) -> str:
    """With the part of the text that is shown, where it is not all."""
    if window.is_whole:
        return words
    return f"{words}: tokens {window.start} to {window.stop - 1} of {window.total}"
