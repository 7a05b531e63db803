"""What a view shows, as Plotly figures of exact numbers: for files, since the page itself draws in the browser."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
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

# Pixels, of a figure that could have any width.
WIDTH = 1000
# A file's name says which heads are in it, as long as it stays short.
MOST_NAMED = 12


@dataclass(frozen=True)
class Picture:
    """A figure that can be had as a file.

    Attributes:
        title: What a person chooses it by.
        file_name: Without an ending.
        draw: Makes the figure.
    """

    title: str
    file_name: str
    draw: Callable[[View, Theme], go.Figure]


def theme() -> Theme:
    """The colours that fit the page as this person sees it."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def opaque(colours: Theme) -> Theme:
    """The same colours on a ground of the page's: a file is also looked at where no page shows through."""
    return replace(colours, ground=colours.surface)


def pictures(view: View) -> list[Picture]:
    """Everything that is shown of a view, in the order of the page."""
    layer = f"L{view.selection.layer}"
    names = [f"H{index}" if index in view.selection.heads else "mean" for index in view.maps]
    heads = "-".join(names) if len(names) <= MOST_NAMED else f"{len(names)}-heads"
    maps = [
        Picture(view.name(index), f"{layer}-{name}", partial(heatmap_figure, index=index))
        for index, name in zip(view.maps, names, strict=True)
    ]
    return [
        Picture("Rows of words", f"heads-{layer}-{heads}", spotlight_figure),
        *maps,
        Picture("All heads", "all-heads", grid_figure),
    ]


def spotlight_figure(view: View, colours: Theme) -> go.Figure:
    """The chosen heads as rows of words and arcs."""
    sink = view.reading.sink
    rows = [
        ArcRow(
            view.name(index),
            view.weights[index],
            colours.head_colour(place),
            note=view.summaries[index],
            first_query=view.query_window.start,
            first_key=view.key_window.start,
            sink=None if sink is None else float(sink[index].mean()),
        )
        for place, index in enumerate(view.maps)
    ]
    queries, keys = view.shown_texts
    return spotlight_rows(
        rows,
        queries,
        None if view.one_line else keys,
        title=_title(view),
        theme=colours,
        share=view.selection.share / 100,
        by_key=view.by_key,
        caption=view.said_of_hidden,
        **_chosen(view),
        **_marks(view),
    )


def heatmap_figure(view: View, colours: Theme, index: int) -> go.Figure:
    """One of the maps that are shown."""
    shown, reading = view.query_window.slice, view.reading
    return attention_heatmap(
        view.shown_weights[index],
        *view.shown_texts,
        title=view.name(index),
        theme=colours,
        zmax=contents.scale_end(view, index),
        fully_masked=reading.masked[index, shown],
        sink=None if reading.sink is None else reading.sink[index, shown],
        width=contents.map_width(view),
        **_chosen(view),
        **_marks(view),
    )


def grid_figure(view: View, colours: Theme) -> go.Figure:
    """Every head of every layer, token by token."""
    overview = cache.overview(view.source, view.stream)
    figure = head_grid(
        overview.maps,
        title="All heads",
        theme=colours,
        selected={
            (view.selection.layer, index): colours.head_colour(place)
            for place, index in enumerate(view.selection.heads)
        },
        pooled=overview.pooled,
        summaries=overview.summaries,
        width=WIDTH,
    )
    # Beside other figures on a page, a figure without a width would shrink.
    return figure.update_layout(width=WIDTH)


def _chosen(view: View) -> dict[str, Any]:
    """The chosen word as its window counts, if it is shown there: one that looks, or one that is looked at."""
    place, window = view.chosen, _chosen_window(view)
    is_shown = place is not None and window.holds(place)
    return {"key" if view.by_key else "query": place - window.start if is_shown else None}


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


def _title(view: View) -> str:
    """With the part of the text that is shown, where it is not all."""
    words = "Who looks at each word" if view.by_key else "Where each word looks"
    window = _chosen_window(view)
    if window.is_whole:
        return words
    return f"{words}: {window.start} to {window.stop - 1} of {window.total}"


def _chosen_window(view: View) -> Window:
    return view.key_window if view.by_key else view.query_window
