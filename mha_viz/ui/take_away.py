"""The numbers of the pictures as a table, and what is shown as files: each is made when it is asked for."""

import json
from functools import partial

import pandas as pd
import streamlit as st

from mha_viz.figures.offline_page import offline_page
from mha_viz.figures.theme import Theme
from mha_viz.ui import spotlight, state
from mha_viz.ui.csv_button import csv_button
from mha_viz.ui.pictures import WIDTH, Picture, opaque, pictures, theme
from mha_viz.ui.view import View

# A file has no fonts of its own: words keep their room only in a font that every computer has.
FILE_FONT = "Arial, Helvetica, sans-serif"


def take_away(view: View) -> None:
    """A switch that shows the numbers as a table, and buttons that save what is shown."""
    if not view.maps:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="take_away"):
        wanted = st.toggle("Show these numbers as a table", key="show table", on_change=state.touch)
        csv_button(
            "Numbers (CSV)",
            "weights.csv",
            partial(weights_table, view),
            "The weights that are shown, a row a cell.",
        )
        st.download_button(
            "Pictures (HTML)",
            partial(_page_of, view, opaque(theme())),
            file_name="heads.html",
            mime="text/html",
            icon=":material/download:",
            on_click="ignore",
            help="All figures in one file that opens in any browser, with no network.",
        )
        _one_picture(view, opaque(theme()))
    if wanted:
        _tables(view)


def weights_table(view: View) -> pd.DataFrame:
    """The weights that are shown, one row a cell; positions count in the whole text."""
    queries, keys = _numbered(view)
    return pd.DataFrame(
        [
            (view.selection.layer, _head(view, index), *query, *key, weight)
            for index in view.maps
            for query, row in zip(queries, view.shown_weights[index].tolist(), strict=True)
            for key, weight in zip(keys, row, strict=True)
        ],
        columns=["layer", "head", "query", "looks", "key", "looked at", "weight"],
    )


def _page_of(view: View, colours: Theme) -> bytes:
    note = f"{view.record.model_name}, layer {view.selection.layer}. {view.record.verified.capitalize()}."
    return offline_page(
        [picture.draw(view, colours) for picture in pictures(view)],
        title=view.record.text,
        note=f"{note} {view.said_of_hidden}".strip(),
        theme=colours,
    ).encode("utf-8", "replace")


def _one_picture(view: View, colours: Theme) -> None:
    """Choose a figure, and let the browser save it."""
    by_title = {picture.title: picture for picture in pictures(view)}
    with st.popover("Picture (PNG, SVG)", icon=":material/image:"):
        # Pills: a box to choose from would go through all that the session keeps, at every run.
        title = st.pills(
            "Figure",
            by_title,
            required=True,
            default=next(iter(by_title)),
            key="picture to save",
            on_change=state.touch,
        )
        with st.container(horizontal=True):
            pressed = [
                kind
                for kind in ("png", "svg")
                if st.button(kind.upper(), key=f"save {kind}", on_click=state.touch)
            ]
    for kind in pressed:
        _save(by_title[title], view, colours, kind)


def _save(picture: Picture, view: View, colours: Theme, kind: str) -> None:
    figure = picture.draw(view, colours).update_layout(font_family=FILE_FONT)
    spotlight.save(
        json.loads(figure.to_json()),
        kind=kind,
        name=picture.file_name,
        width=figure.layout.width or WIDTH,
        height=figure.layout.height,
    )


def _tables(view: View) -> None:
    """A row for each word that looks."""
    queries, keys = _numbered(view)
    rows = [f"{position} {text}" for position, text in queries]
    columns = [f"{position} {text}" for position, text in keys]
    for index in view.maps:
        st.caption(f"{view.name(index)}: rows look, columns are looked at")
        numbers = pd.DataFrame(view.shown_weights[index], index=rows, columns=columns)
        if view.reading.sink is not None:
            numbers["sink"] = view.reading.sink[index, view.query_window.slice]
        st.dataframe(numbers.style.format("{:.2f}"), key=f"table {index}")


def _numbered(view: View) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """The words that are shown, each with its position in the whole text."""
    queries, keys = view.shown_texts
    windows = (view.query_window, view.key_window)
    first, second = (
        [line.position(place) for place in range(window.start, window.stop)]
        for line, window in zip((view.queries, view.keys), windows, strict=True)
    )
    return list(zip(first, queries, strict=True)), list(zip(second, keys, strict=True))


def _head(view: View, index: int) -> int | str:
    return index if index in view.selection.heads else "mean"
