"""Heads of our own small model that matter: one click switches one off, and the model predicts something else."""

import streamlit as st

from mha_viz.core.head_masks import NONE
from mha_viz.models.catalog import SCHOOL
from mha_viz.ui import examples, next_tokens, state
from mha_viz.ui.examples import Example
from mha_viz.ui.lab import pictures
from mha_viz.ui.lab.bench import Compared
from mha_viz.ui.messages import literal


def lessons() -> None:
    """A button for each head."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lessons_row"):
        st.caption("Switch off a head of the school model:", width="content")
        for example in examples.SCHOOL_EXAMPLES:
            st.button(
                f"L{example.layer} H{example.off} {example.title}",
                key=f"lesson {example.title}",
                type="tertiary",
                help=literal(example.hint),
                on_click=_take,
                args=(example,),
            )


def what_is_predicted(compared: Compared) -> None:
    """In a line above the pictures, what the change does to the words that the model predicts."""
    if compared.changes:
        for _, rows in pictures.expected_tables(compared):
            next_tokens.changed_words(rows)


def _take(example: Example) -> None:
    state.change(model=SCHOOL, **example.view())
    state.change_own(source="model", preset=NONE, restricted=(), off=(example.off,), how="zero")
