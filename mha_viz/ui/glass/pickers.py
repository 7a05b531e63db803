"""Whose numbers are followed, and how the small layer is made."""

from functools import partial

import streamlit as st

from mha_viz.core.costs import width_effect
from mha_viz.models.catalog import SCHOOL
from mha_viz.ui import examples, state
from mha_viz.ui.controls import pick_one
from mha_viz.ui.glass.choices import (
    HEADS,
    SOURCES,
    TASKS,
    WIDTHS,
    GlassChoices,
)
from mha_viz.ui.glass.followed import Followed
from mha_viz.ui.seed_and_temperature import seed_picker, temperature_picker

HEAD_WIDTHS = (1, 4, 16, 64, 256)
MOST_PILLS = 16


def task_picker() -> str:
    """To follow the numbers, or to guess first."""
    task = state.own(GlassChoices).task
    pick_one("What to do", TASKS, state.tied("task", task))
    return task


def source_picker() -> str:
    """A small layer of our own, or a layer of the model."""
    choices = state.own(GlassChoices)
    pick_one("Whose numbers", SOURCES, state.bound("source", choices.source, _choose_source))
    return choices.source


def _choose_source(source: str) -> None:
    """Whose numbers; whoever has chosen nothing yet meets the smallest model there is, with a sentence of its own."""
    state.change_own(source=source, cell="")
    if source == "model" and state.is_untouched():
        first, *_ = examples.SCHOOL_EXAMPLES
        state.change(model=SCHOOL, **first.view())
        state.change_own(head=first.heads[0])


def small_layer_pickers() -> None:
    """Sizes, mask, positions, temperature and seed."""
    choices = state.own(GlassChoices)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        for label, name, options in (("d_model", "d_model", WIDTHS), ("Heads h", "h", HEADS)):
            st.segmented_control(
                label,
                options,
                required=True,
                width="content",
                **state.tied(name, getattr(choices, name)),
            )
        seed_picker(choices.seed)
        temperature_picker("Temperature", choices.temperature, width=180)
        for label, name, help_text in (
            ("Causal mask", "causal", "A word may look only at itself and at words before it."),
            ("Positions", "positions", "A pattern of its position is added to each word's vector."),
            ("Divide by √d_k", "root", "Leave it out, and see what it does to the softmax."),
        ):
            st.toggle(label, help=help_text, **state.tied(name, getattr(choices, name)))


def head_picker(shown: Followed) -> None:
    """The head that is followed."""
    heads = list(range(shown.numbers.n_heads))
    picker = (
        partial(st.segmented_control, required=True) if len(heads) <= MOST_PILLS else st.selectbox
    )
    picker(
        "Follow head", heads, format_func=lambda head: f"H{head}", **state.tied("head", shown.head)
    )


def root_effect(shown: Followed) -> None:
    """What leaving √d_k out does to the softmax, as heads get wider."""
    if state.own(GlassChoices).root or state.own(GlassChoices).source == "model":
        return
    n_keys = len(shown.numbers.key_labels)
    effects = [width_effect(n_keys, width) for width in HEAD_WIDTHS]
    rows = [
        f"| {one.d_head} | {one.spread:.1f} | {one.with_root:.2f} | {one.without_root:.2f} |"
        for one in effects
    ]
    st.markdown(
        "**Without √d_k** the products grow with the width of a head, and the softmax gives nearly all to one word. Measured on "
        f"random queries and {n_keys} random keys:\n\n"
        "| $d_k$ | spread of $q \\cdot k$ | largest weight, divided by $\\sqrt{d_k}$ | largest weight, not divided |\n"
        "|---:|---:|---:|---:|\n" + "\n".join(rows)
    )
