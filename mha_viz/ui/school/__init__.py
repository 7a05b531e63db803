"""The page on which heads are born: the training to watch, heads to point at, and other seeds."""

import streamlit as st

from mha_viz.figures.theme import Theme
from mha_viz.ui import messages, state
from mha_viz.ui.school.claims import point_at_a_head
from mha_viz.ui.school.seeds import other_seeds
from mha_viz.ui.school.train_here import train_here
from mha_viz.ui.school.watch import watch


def page(theme: Theme) -> None:
    """All parts, from the one that moves to those that stay."""
    for sentence in state.notices():
        messages.notice(sentence)
    st.markdown(
        "A small model learned to predict the next word, and nothing else. Press **Play** and watch its heads being born."
    )
    watch(theme)
    point_at_a_head(theme)
    other_seeds()
    train_here()
