"""The table of measures: a row a head, and a way back to its picture."""

from dataclasses import asdict

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from mha_viz.ui import cache, state
from mha_viz.ui.view import View

COLUMNS = {
    "layer": ("Layer", None),
    "head": ("Head", None),
    "entropy": (
        "Entropy",
        "How widely a word spreads its attention, in nats: 0 is one word alone.",
    ),
    "confidence": ("Confidence", "What a word's favourite gets, on average."),
    "mean_distance": ("Distance", "How many tokens away a word looks, on average."),
    "previous_share": ("Word before", "The share that goes to the token before."),
    "next_share": ("Word after", "The share that goes to the token after."),
    "self_share": ("Itself", "The share that stays on the token itself."),
    "first_token_share": ("First token", "The share that goes to the first token of the text."),
}


def measures_table(view: View) -> None:
    """Every head and its measures; a click on a row chooses the head for the other pages."""
    with st.spinner("Measuring every head …"):
        rows = [asdict(row) for row in cache.measures(view.source, view.stream)]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    st.caption(
        "Click a column's name to sort by it. Choose a row, and its head is what Spotlight shows."
    )

    def open_head(chosen: int) -> None:
        state.change(layer=rows[chosen]["layer"], heads=(rows[chosen]["head"],))

    # Another text has another table: a row that is chosen in one says nothing about the other.
    key = f"measures {hash(view.source)} {view.stream.name}"
    st.dataframe(
        table,
        key=key,
        hide_index=True,
        height=560,
        on_select=state.on_row(key, open_head),
        selection_mode="single-row",
        column_config={name: _column(name) for name in COLUMNS},
    )
    st.page_link("app.py", label="Show the chosen head in Spotlight", icon=":material/flare:")
    st.download_button(
        "Download as CSV",
        table.to_csv(index=False).encode(),
        file_name="heads.csv",
        mime="text/csv",
        icon=":material/download:",
    )


def _column(name: str) -> ColumnConfig:
    """Shares as bars, other numbers as numbers."""
    title, help_text = COLUMNS[name]
    if name == "confidence" or name.endswith("_share"):
        return st.column_config.ProgressColumn(
            title, help=help_text, format="%.2f", min_value=0.0, max_value=1.0
        )
    return st.column_config.NumberColumn(
        title, help=help_text, format="%d" if help_text is None else "%.2f"
    )
