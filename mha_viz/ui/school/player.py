"""The step of the training: a slider, and a button that moves it on by itself until it is pressed again."""

from time import monotonic

import streamlit as st

from mha_viz.ui import state
from mha_viz.ui.school.choices import STEPS, School

# Seconds that a step stays on the screen while it plays.
PACE = 1.4
_MOVED = "the step moved at"


def is_playing() -> bool:
    """Whether the step moves by itself."""
    return state.kept(_MOVED) is not None


def stop() -> None:
    """Let the step stay where it is."""
    state.keep(_MOVED, None)


def move_on() -> None:
    """While it plays, take the next step once the one before has been seen; stop at the last."""
    moved = state.kept(_MOVED)
    # The browser asks about once a pace; what comes sooner is something else that was chosen meanwhile.
    if moved is None or monotonic() - moved < PACE / 2:
        return
    place = STEPS.index(state.own(School).step)
    if place + 1 < len(STEPS):
        state.change_own(step=STEPS[place + 1])
        state.keep(_MOVED, monotonic())
    if place + 2 >= len(STEPS):
        stop()


def controls() -> None:
    """The button and the slider."""
    playing, step = is_playing(), state.own(School).step
    st.button(
        "Stop" if playing else "Play",
        key="play",
        type="primary",
        icon=":material/stop:" if playing else ":material/play_arrow:",
        help="Stay at this step."
        if playing
        else "Go through the training step by step, until the end or until you stop it.",
        width=110,
        on_click=_stop if playing else _play,
    )
    st.select_slider(
        f"Training step, {STEPS[0]:,} to {STEPS[-1]:,}",
        STEPS,
        format_func=lambda at: f"{at:,}",
        **state.bound("step", step, _go_to),
    )


def _play() -> None:
    state.touch()
    if state.own(School).step == STEPS[-1]:
        state.change_own(step=STEPS[0])
    state.keep(_MOVED, monotonic())


def _stop() -> None:
    state.touch()
    stop()


def _go_to(step: int) -> None:
    stop()
    state.change_own(step=step)
