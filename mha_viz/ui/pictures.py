"""What a view shows, as Plotly figures of exact numbers: for files, since the page itself draws in the browser."""

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from mha_viz.figures.arcs import ArcRow, spotlight_rows
from mha_viz.figures.head_grid import head_grid
from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.theme import DARK, LIGHT, Theme
from mha_viz.ui import cache
from mha_viz.ui.spotlight import contents
from mha_viz.ui.view import View
from mha_viz.ui.window import Window


def theme() -> Theme:
    """The colours that fit the page as this person sees it."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def spotlight_figure(view: View, colours: Theme) -> go.Figure:
    """The chosen heads as rows of words and arcs."""
    window, sink = view.query_window, view.reading.sink
    rows = [
        ArcRow(
            view.name(index),
            view.weights[index, window.slice],
            colours.head_colour(place),
            note=view.summaries[index],
            first_key=None if view.key_window.is_whole else view.key_window.start,
            sink=None if sink is None else float(sink[index].mean()),
        )
        for place, index in enumerate(view.maps)
    ]
    queries, keys = view.shown_texts
    return spotlight_rows(
        rows,
        queries,
        None if view.one_line else keys,
        title=_title("Where each word looks", window),
        theme=colours,
        share=view.selection.share / 100,
        query=view.query,
        caption=view.said_of_hidden,
        **_marks(view),
    )


def heatmap_figures(view: View, colours: Theme) -> list[go.Figure]:
    """The chosen heads as maps."""
    shown, reading = view.query_window.slice, view.reading
    queries, keys = view.shown_texts
    one_scale = view.selection.scale == "one"
    return [
        attention_heatmap(
            view.shown_weights[index],
            queries,
            keys,
            title=view.name(index),
            theme=colours,
            zmax=contents.scale_end(view, index),
            query=view.query,
            fully_masked=reading.masked[index, shown],
            sink=None if reading.sink is None else reading.sink[index, shown],
            show_scale=place == 0 or not one_scale,
            width=contents.map_width(view),
            **_marks(view),
        )
        for place, index in enumerate(view.maps)
    ]


def grid_figure(view: View, colours: Theme) -> go.Figure:
    """Every head of every layer."""
    overview = cache.overview(view.source, view.stream)
    return head_grid(
        overview.maps,
        title="All heads",
        theme=colours,
        selected={
            (view.selection.layer, index): colours.head_colour(place)
            for place, index in enumerate(view.selection.heads)
        },
        pooled=overview.pooled,
        summaries=overview.summaries,
    )


def _marks(view: View) -> dict[str, Any]:
    """Which of the shown words the model added, and which are special names that the person typed."""
    queries = contents.shown_words(view.queries.tokens, view.query_window).marks
    keys = contents.shown_words(view.keys.tokens, view.key_window).marks
    return {
        "special_queries": queries.special,
        "special_keys": keys.special,
        "typed_queries": queries.typed,
        "typed_keys": keys.typed,
    }


def _title(words: str, window: Window) -> str:
    """With the part of the text that is shown, where it is not all."""
    if window.is_whole:
        return words
    return f"{words}: {window.start} to {window.stop - 1} of {window.total}"
