"""The step of the training: a slider, and a button that moves it on by itself until it is pressed again."""

from time import monotonic

import streamlit as st

from mha_viz.ui import state
from mha_viz.ui.school.choices import STEPS, School

# Seconds that a step stays on the screen while it plays.
PACE = 1.4
# A browser that has not asked for so many paces has left the page, and whoever comes back has not pressed Play.
_PACES_AWAY = 10
_MOVED = "when the step moved, and to which"


def is_playing() -> bool:
    """Whether the step moves by itself."""
    return state.kept(_MOVED) is not None


def stop() -> None:
    """Let the step stay where it is."""
    state.keep(_MOVED, None)


def move_on() -> None:
    """While it plays, take the next step once the one before has been seen; stop at the last."""
    if not is_playing():
        return
    moved, to = state.kept(_MOVED)
    step, since = state.own(School).step, monotonic() - moved
    # A step that is another by now was chosen: by Reset, or by going back.
    if step != to or since > _PACES_AWAY * PACE:
        stop()
        return
    # The browser asks about once a pace; what comes sooner is something else that was chosen meanwhile.
    if since < PACE / 2:
        return
    place = STEPS.index(step)
    if place + 1 < len(STEPS):
        _move_to(STEPS[place + 1])
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
    step = state.own(School).step
    _move_to(STEPS[0] if step == STEPS[-1] else step)


def _move_to(step: int) -> None:
    state.change_own(step=step)
    state.keep(_MOVED, (monotonic(), step))


def _stop() -> None:
    state.touch()
    stop()


def _go_to(step: int) -> None:
    stop()
    state.change_own(step=step)
