"""A table that is taken away as CSV."""

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st


def csv_button(
    label: str, file_name: str, table: Callable[[], pd.DataFrame], help: str = ""
) -> None:
    """A button that saves a table, which is made when it is pressed.

    Args:
        label: What the button says.
        file_name: Of the file.
        table: Makes it.
        help: What is in it.
    """
    st.download_button(
        label,
        partial(csv_of, table),
        file_name=file_name,
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        help=help or None,
    )


def csv_of(table: Callable[[], pd.DataFrame]) -> bytes:
    """The table as a file's bytes."""
    # Half a character, as a careless paste leaves it, has no UTF-8.
    return table().to_csv(index=False).encode("utf-8", "replace")
