"""The numbers of the pictures as a table, and what is shown as files: each is made when it is asked for."""

from functools import partial

import pandas as pd
import streamlit as st

from mha_viz.figures.offline_page import offline_page
from mha_viz.figures.theme import Theme
from mha_viz.ui import state
from mha_viz.ui.pictures import heatmap_figures, spotlight_figure, theme
from mha_viz.ui.view import View


def take_away(view: View) -> None:
    """A switch that shows the numbers as a table, and buttons that save what is shown."""
    if not view.selection.heads:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="take_away"):
        wanted = st.toggle("Show these numbers as a table", key="show table", on_change=state.touch)
        st.download_button(
            "Numbers (CSV)",
            partial(_csv_of, view),
            file_name="weights.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
            help="The weights that are shown, a row a cell.",
        )
        st.download_button(
            "Pictures (HTML)",
            partial(_page_of, view, theme()),
            file_name="heads.html",
            mime="text/html",
            icon=":material/download:",
            on_click="ignore",
            help="One file that opens in any browser, with no network. For a PNG, use the camera above a picture.",
        )
    if wanted:
        _tables(view)


def weights_table(view: View) -> pd.DataFrame:
    """The weights that are shown, one row a cell; positions count in the whole text."""
    queries, keys = view.shown_texts
    first_query, first_key = view.query_window.start, view.key_window.start
    return pd.DataFrame(
        [
            (view.selection.layer, head, first_query + q, query, first_key + k, key, weight)
            for head in view.selection.heads
            for q, (query, row) in enumerate(
                zip(queries, view.shown_weights[head].tolist(), strict=True)
            )
            for k, (key, weight) in enumerate(zip(keys, row, strict=True))
        ],
        columns=["layer", "head", "query", "looks", "key", "looked at", "weight"],
    )


def _csv_of(view: View) -> bytes:
    return weights_table(view).to_csv(index=False).encode("utf-8", "replace")


def _page_of(view: View, colours: Theme) -> bytes:
    return offline_page(
        [spotlight_figure(view, colours), *heatmap_figures(view, colours)],
        title=view.record.text,
        note=f"{view.record.model_name}, layer {view.selection.layer}. {view.record.verified.capitalize()}.",
        theme=colours,
    ).encode("utf-8", "replace")


def _tables(view: View) -> None:
    """A row for each word that looks."""
    queries, keys = view.shown_texts
    rows = [f"{view.query_window.start + place} {text}" for place, text in enumerate(queries)]
    columns = [f"{view.key_window.start + place} {text}" for place, text in enumerate(keys)]
    for head in view.selection.heads:
        st.caption(f"L{view.selection.layer} H{head}: rows look, columns are looked at")
        numbers = pd.DataFrame(view.shown_weights[head], index=rows, columns=columns)
        if view.sink is not None:
            numbers["sink"] = view.sink[head, view.query_window.slice]
        st.dataframe(numbers.style.format("{:.2f}"), key=f"table {head}")
