"""The way from a head of the small model to its pictures in Spotlight."""

from collections.abc import Sequence

import streamlit as st

from mha_viz.models.catalog import AT_STEP, SCHOOL
from mha_viz.ui import state
from mha_viz.ui.selection import Selection


def open_in_spotlight(
    heads: Sequence[tuple[int, int]],
    text: str,
    *,
    label: str,
    step: int | None = None,
    query: int | None = None,
) -> None:
    """A link that opens heads of one layer.

    Args:
        heads: Layer and head of each.
        text: What is read there.
        label: What the link says.
        step: Of the training; None for its end.
        query: The word that is chosen there.
    """
    there = Selection(
        text=text,
        model=SCHOOL if step is None else f"{SCHOOL}{AT_STEP}{step}",
        layer=heads[0][0],
        heads=tuple(sorted(head for _, head in heads)),
        query=query,
        present=state.selection().present,
    )
    st.page_link("app.py", label=label, icon=":material/flare:", query_params=there.to_link())
