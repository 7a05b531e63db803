"""The part of the page on which a person trains a small model of their own, and switches its heads off."""

from dataclasses import replace

import streamlit as st

from mha_viz.errors import BusyError
from mha_viz.figures.history import head_name
from mha_viz.school.live import FULL, HEADS, N_LAYERS, SHORT, Plan
from mha_viz.ui import messages, state
from mha_viz.ui.pictures import theme
from mha_viz.ui.school import trained
from mha_viz.ui.school.trainings import LONGEST_SECONDS, MOST_AT_ONCE, TRAININGS, RunningTraining
from mha_viz.ui.seed_and_temperature import MOST_SEED

# Seconds between two looks at a training that runs.
PACE = 1.0

_PLAN, _LIVE, _REFUSED = "training plan", "live training", "training refused"
_FINISHED, _NOTED = "trainings so far", "training that was noted last"
_LENGTHS = {SHORT: f"Short: {SHORT:,} steps", FULL: f"Full: {FULL:,} steps"}
_WHAT_HAPPENS = f"""
Two layers of heads start from random numbers. All they read is blocks of letters, each said again and again in pieces that begin
and end anywhere, and all they learn is which letter is next. Press **Start** and watch for the moment when a head finds the
trick: look for the last time the same letter stood there, and take the letter after it. That is an **induction head**. The full
training takes about a minute on a free core and {LONGEST_SECONDS // 60} minutes at most; at most {MOST_AT_ONCE} trainings run
on this server at once.
"""


def train_here() -> None:
    """All of it; while a training runs only this part of the page is drawn anew."""
    st.subheader("Train it here", anchor=False)
    st.markdown(_WHAT_HAPPENS)
    watching = _is_running()
    st.fragment(_part, run_every=PACE if watching else None)(watching=watching)


def _part(*, watching: bool) -> None:
    """One look at the training.

    Args:
        watching: Whether the browser asks for the next look by itself.
    """
    live = _live()
    if live is not None and not live.is_running and state.kept(_NOTED) is not live:
        state.keep(_NOTED, live)
        state.keep(_FINISHED, trained.with_result(state.kept(_FINISHED) or (), live))
    if _is_running() != watching:
        # Only the whole page can begin or end that a part of it is asked for again and again.
        st.rerun()
    if live is not None:
        live.ask()
    _choices(running=watching)
    if refused := state.kept(_REFUSED):
        messages.show(refused)
    if live is None:
        return
    trained.progress(live)
    trained.pictures(live, theme())
    if not watching:
        trained.reached(live)
        if live.without_heads:
            trained.head_table(live)
            _train_without(live)
    trained.results(state.kept(_FINISHED) or ())


def _choices(*, running: bool) -> None:
    plan = _plan()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="train_row"):
        st.number_input(
            "Seed",
            min_value=0,
            max_value=MOST_SEED,
            step=1,
            width=120,
            disabled=running,
            help="What the first weights and the letters are drawn from: the same seed, the same training.",
            **_tied("seed", plan.seed),
        )
        st.segmented_control(
            "Heads in each layer",
            HEADS,
            required=True,
            width="content",
            disabled=running,
            **state.bound(
                "train n_heads", plan.n_heads, lambda n: _change(n_heads=n, without=None)
            ),
        )
        st.segmented_control(
            "How long",
            list(_LENGTHS),
            format_func=_LENGTHS.__getitem__,
            required=True,
            width="content",
            disabled=running,
            **_tied("n_steps", plan.n_steps),
        )
        if _live() is not None:
            _without_picker(plan, running=running)
        st.toggle(
            "Positions",
            disabled=running,
            help="Whether the model is told where each letter stands.",
            **_tied("positions", plan.positions),
        )
        st.button(
            "Stop" if running else "Start",
            key="train start",
            type="primary",
            icon=":material/stop:" if running else ":material/play_arrow:",
            width=110,
            on_click=_stop if running else _start,
        )


def _without_picker(plan: Plan, *, running: bool) -> None:
    heads = [(layer, head) for layer in range(N_LAYERS) for head in range(plan.n_heads)]
    st.selectbox(
        "Without head",
        heads,
        index=None,
        placeholder="none",
        format_func=head_name,
        width=130,
        disabled=running,
        help="A head that is off from the first step to the last.",
        **_tied("without", plan.without),
    )


def _train_without(live: RunningTraining) -> None:
    """The best head, gone from the start."""
    _, head = trained.best(live.measurements[-1].induction)
    if live.plan.without is None and (live.plan.n_heads > 1 or head[0] > 0):
        st.button(
            f"Train again without {head_name(head)}",
            key="train without",
            icon=":material/restart_alt:",
            help="The same seed and the same letters, with this head off from the first step: does another head do its work?",
            on_click=_start,
            args=(replace(live.plan, without=head),),
        )


def _start(plan: Plan | None = None) -> None:
    """Start what is chosen, or another plan, which is then what is chosen."""
    state.touch()
    plan = plan or _plan()
    state.keep(_PLAN, plan)
    state.keep(_REFUSED, None)
    try:
        state.keep(_LIVE, TRAININGS.start(plan, instead_of=_live()))
    except BusyError as error:
        state.keep(_REFUSED, error)


def _stop() -> None:
    state.touch()
    if (live := _live()) is not None:
        live.stop()


def _plan() -> Plan:
    return state.kept(_PLAN) or Plan()


def _live() -> RunningTraining | None:
    return state.kept(_LIVE)


def _is_running() -> bool:
    live = _live()
    return live is not None and live.is_running


def _change(**changes: object) -> None:
    state.keep(_PLAN, replace(_plan(), **changes))


def _tied(name: str, value: object) -> state.Bound:
    return state.bound(f"train {name}", value, lambda chosen: _change(**{name: chosen}))
