"""What is measured when: at once, when it is asked for, or by a longer run that is started by itself."""

from functools import partial

import streamlit as st

from mha_viz.ui.atlas import measured, runs
from mha_viz.ui.atlas.measured import Measured
from mha_viz.ui.atlas.measures import RUNS
from mha_viz.ui.atlas.texts import MOST_TEXTS
from mha_viz.ui.view import View

# Up to so many texts are read without being asked.
MOST_AT_ONCE = 6
_MAIN = "atlas texts"


def measured_over(view: View, texts: tuple[str, ...]) -> Measured | None:
    """The numbers over the texts; None while they are not asked for."""
    if texts == (view.source.text,):
        return measured.of_this_text(view)
    if not texts:
        st.caption(
            f"Paste a list or choose a file: every head is measured over all of it, up to {MOST_TEXTS:,} texts, each cut "
            "where the model's limit is."
        )
        return None
    about = measured.about(view, texts)
    run = runs.started(_MAIN, about)
    begin = (_MAIN, about, len(texts), partial(measured.over_texts, view, texts))
    if run is None and len(texts) <= MOST_AT_ONCE:
        run = runs.start(*begin)
    if run is None:
        st.button(
            f"Measure {len(texts):,} texts",
            type="primary",
            key="measure texts",
            on_click=runs.begin,
            args=begin,
        )
        return None
    return runs.result(_MAIN, run, "Reading texts")


def more_runs(view: View, texts: tuple[str, ...]) -> None:
    """The buttons that start longer runs."""
    about = measured.about(view, texts)
    with st.popover(
        "Measure more", icon=":material/more_time:", help="Measures that run the model many times."
    ):
        for kind, title in RUNS.items():
            if reason := measured.why_not(kind, view, texts):
                st.caption(f"{title}: {reason}.")
                continue
            n_steps = measured.n_steps(kind, view, texts)
            st.button(
                f"{title} ({n_steps:,} runs of the model)",
                key=f"run {kind}",
                disabled=runs.started(_name(kind), about) is not None,
                on_click=runs.begin,
                args=(
                    _name(kind),
                    about,
                    n_steps,
                    partial(measured.steps, kind, view, texts),
                ),
            )


def with_longer_runs(view: View, texts: tuple[str, ...], found: Measured) -> Measured:
    """With what was measured by the longer runs that were started."""
    about = measured.about(view, texts)
    for kind, title in RUNS.items():
        if (run := runs.started(_name(kind), about)) is not None:
            found = found.with_columns(runs.result(_name(kind), run, title))
    return found


def _name(kind: str) -> str:
    return f"atlas {kind}"
