"""What takes many steps: each run goes on step by step, shows how far it is, and can be cancelled.

A click anywhere on the page interrupts a script; a run is kept in the session and goes on where it was.
"""

from collections.abc import Callable, Generator, Hashable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from mha_viz.ui import state

Steps = Generator[None, None, Any]


@dataclass
class Run:
    """A run of a known number of steps.

    Attributes:
        about: All that its result follows from.
        n_steps: How many steps it takes.
        steps: Yields after each step, and returns the result.
        n_done: How many are done.
        finished: Whether there is a result.
        result: What came out.
    """

    about: Hashable
    n_steps: int
    steps: Steps
    n_done: int = 0
    finished: bool = field(default=False, init=False)
    result: Any = field(default=None, init=False)

    def step(self) -> None:
        """Take one more step."""
        try:
            next(self.steps)
        except StopIteration as end:
            self.finished, self.result = True, end.value
        else:
            self.n_done += 1


def started(name: str, about: Hashable) -> Run | None:
    """The run of that name, if it was started about this very thing and not cancelled; one about another is dropped."""
    run = state.kept(name)
    if run is not None and run.about != about:
        state.keep(name, None)
        return None
    return run


def start(name: str, about: Hashable, n_steps: int, steps: Callable[[], Steps]) -> Run:
    """Begin a run; the one of that name before it is dropped."""
    run = Run(about, n_steps, steps())
    state.keep(name, run)
    return run


def begin(name: str, about: Hashable, n_steps: int, steps: Callable[[], Steps]) -> None:
    """Begin a run by a click."""
    state.touch()
    start(name, about, n_steps, steps)


def cancel(name: str) -> None:
    """Drop a run."""
    state.touch()
    state.keep(name, None)


def result(name: str, run: Run, doing: str) -> Any:  # noqa: ANN401 - whatever the run is for
    """Take the steps that are left, with a bar and a button that cancels; give what came out.

    Raises:
        MhaVizError: If a step fails; the run is dropped.
    """
    if run.finished:
        return run.result
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center", gap="medium"):
        bar = st.progress(0.0, width=420)
        st.button("Cancel", key=f"cancel {name}", on_click=cancel, args=(name,))
    while not run.finished:
        bar.progress(min(run.n_done / run.n_steps, 1.0), f"{doing}: {run.n_done} of {run.n_steps}")
        # A step that fails must not be met again at every click.
        state.keep(name, None)
        run.step()
        state.keep(name, run)
    place.empty()
    return run.result
