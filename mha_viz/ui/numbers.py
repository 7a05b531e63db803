"""The table of measures: a row a head, and a way back to its picture."""

from dataclasses import asdict

import pandas as pd
import streamlit as st

from mha_viz.ui import state
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
    rows = [asdict(row) for row in view.overview.measures]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    st.caption(
        "Click a column's name to sort by it. Choose a row, and its head is what Spotlight shows."
    )

    def open_head(chosen: int) -> None:
        state.change(layer=rows[chosen]["layer"], heads=(rows[chosen]["head"],))

    st.dataframe(
        table,
        key="measures",
        hide_index=True,
        height=560,
        on_select=state.on_row("measures", open_head),
        selection_mode="single-row",
        column_config={
            name: st.column_config.NumberColumn(
                title, help=help_text, format="%d" if help_text is None else "%.2f"
            )
            for name, (title, help_text) in COLUMNS.items()
        },
    )
    st.download_button(
        "Download as CSV",
        table.to_csv(index=False).encode(),
        file_name="heads.csv",
        mime="text/csv",
        icon=":material/download:",
    )
