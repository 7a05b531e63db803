"""What a training here has got to: its progress, its pictures, what was reached, and what each head is worth."""

import numpy as np
import pandas as pd
import streamlit as st

from mha_viz.figures.history import head_name
from mha_viz.figures.letter_maps import letter_maps
from mha_viz.figures.theme import Theme
from mha_viz.figures.training_curves import ScoreCurves, training_curves
from mha_viz.school.blocks import sample_letters
from mha_viz.school.live import Measurement
from mha_viz.school.phases import CLEAR
from mha_viz.ui.school import trainings
from mha_viz.ui.school.figure import figure
from mha_viz.ui.school.trainings import RunningTraining

# Pixels.
CURVES_WIDTH, MAPS_WIDTH = 640, 520
MOST_RESULTS = 10
_WHY = {
    trainings.STOPPED: "You stopped it.",
    trainings.UNWATCHED: f"It was ended because nobody watched it for {trainings.UNWATCHED_SECONDS} seconds: start it again, and "
    "stay on this page.",
    trainings.TOO_LONG: f"It was ended after {trainings.LONGEST_SECONDS // 60} minutes, the longest a training may take: "
    "the machine is busy, so try the short training, or try again later.",
    trainings.DIED: "It broke off before it was done: start it again. If that happens twice, whoever runs this server finds "
    "the reason in its log.",
}

# A result of a session, a row of the table of all.
Result = dict[str, object]


def best(scores: list[list[float]]) -> tuple[float, tuple[int, int]]:
    """The highest score and its head."""
    return max(
        (value, (at, head)) for at, row in enumerate(scores) for head, value in enumerate(row)
    )


def progress(live: RunningTraining) -> None:
    """How far it is."""
    n_steps = live.plan.n_steps
    if not live.measurements:
        if live.is_running:
            st.progress(0.0, text="Getting ready: this takes a few seconds …")
        return
    now = live.measurements[-1]
    st.progress(
        min(now.step / n_steps, 1.0),
        text=f"Step {now.step:,} of {n_steps:,}, {now.seconds:.0f} s",
    )


def pictures(live: RunningTraining, theme: Theme) -> None:
    """The curves so far, and beside them where the heads look now."""
    if not live.measurements:
        return
    measured = list(live.measurements)
    with st.container(horizontal=True, gap="medium", key="train_pictures"):
        with st.container(width=CURVES_WIDTH):
            _curves(measured, live, theme)
        with st.container(width=MAPS_WIDTH):
            _maps(measured[-1], theme)


def reached(live: RunningTraining) -> None:
    """Why it ended, and what was measured at the end."""
    if live.state in _WHY:
        st.info(_WHY[live.state], icon=":material/info:")
    if not live.measurements:
        return
    st.markdown(words(live))


def words(live: RunningTraining) -> str:
    """What was measured last, as sentences."""
    now, (null, equal) = live.measurements[-1], live.nulls
    value, head = best(now.induction)
    found = value >= CLEAR and value > null
    said = (
        f"Induction **{value:.2f}** by **{head_name(head)}** after {now.step:,} steps, {now.seconds:.0f} s; a head that sees "
        f"no letters reaches {null:.2f}. In blocks of lengths that it never trained on, the model "
        f"names the next letter correctly for **{now.continued:.0%}** of the letters in the second copy."
    )
    if found:
        said = f"**An induction head was born.** {said}"
    else:
        said = f"**No clear induction head this time** (clear is {CLEAR:.1f} or more). {said}"
        if now.continued >= CLEAR:
            said += (
                " So it found another way: no head of its own looks at the letter that followed."
            )
    if not live.plan.positions:
        previous, other = best(now.previous)
        said += (
            " This model is not told where letters stand, so “the letter just before” is hard to find: the best "
            f"previous-token score is {previous:.2f}, by {head_name(other)}, and sharing equally gives {equal:.2f}."
        )
    return said


def head_table(live: RunningTraining) -> None:
    """What is lost when a head of the trained model is switched off."""
    st.markdown(
        "**Switch a head off**: what the trained model can still do in the second half of unseen blocks."
    )
    rows = [
        {
            "Head that is off": "none" if row.head is None else head_name(row.head),
            "Loss": row.loss,
            "Next letter right": row.continued,
        }
        for row in live.without_heads
    ]
    st.dataframe(
        pd.DataFrame(rows),
        key="heads off",
        hide_index=True,
        width=460,
        column_config={
            "Loss": st.column_config.NumberColumn("Loss", format="%.2f"),
            "Next letter right": st.column_config.NumberColumn(
                "Next letter right", format="percent"
            ),
        },
    )


def with_result(results: tuple[Result, ...], live: RunningTraining) -> tuple[Result, ...]:
    """The results of a session with one more, if the training got to its end."""
    if live.state != trainings.DONE:
        return results
    plan, now = live.plan, live.measurements[-1]
    value, head = best(now.induction)
    row: Result = {
        "Seed": plan.seed,
        "Heads": plan.n_heads,
        "Positions": plan.positions,
        "Without": "none" if plan.without is None else head_name(plan.without),
        "Steps": now.step,
        "Seconds": now.seconds,
        "Induction": value,
        "By": head_name(head),
        "Previous token": best(now.previous)[0],
        "Next letter right": now.continued,
    }
    return (*results, row)[-MOST_RESULTS:]


def results(rows: tuple[Result, ...]) -> None:
    """The trainings of this session beside each other."""
    if len(rows) < 2:
        return
    st.markdown("**Your trainings so far**")
    number = st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(list(rows)),
        key="trainings so far",
        hide_index=True,
        column_config={
            "Seconds": number("Seconds", format="%.0f"),
            "Induction": number("Induction", format="%.2f"),
            "Previous token": number("Previous token", format="%.2f"),
            "Next letter right": number("Next letter right", format="percent"),
        },
    )


def _curves(measured: list[Measurement], live: RunningTraining, theme: Theme) -> None:
    induction_null, previous_null = live.nulls
    loss = [np.nan if one.loss is None else one.loss for one in measured]
    value, head = best(measured[-1].induction)
    drawn = training_curves(
        np.array([one.step for one in measured]),
        (
            ScoreCurves(
                "Induction: looks at what followed the same letter before",
                np.array([one.induction for one in measured]),
                induction_null,
            ),
            ScoreCurves(
                "Previous token: looks at the letter before",
                np.array([one.previous for one in measured]),
                previous_null,
            ),
        ),
        np.array(loss, dtype=float),
        last_step=live.plan.n_steps,
        title="Every head, while it learns",
        captions=[
            "Mean weight on the right letter, in blocks of unseen lengths. Dashed: a head that sees no letters."
        ],
        theme=theme,
    )
    figure(
        drawn,
        key="training curves",
        theme=theme,
        alt=f"Scores of every head and the loss until step {measured[-1].step}: best at induction is {head_name(head)} with {value:.2f}.",
    )


def _maps(now: Measurement, theme: Theme) -> None:
    drawn = letter_maps(
        [np.array(maps, dtype=np.float32) for maps in now.maps],
        sample_letters(),
        title=f"Where they look at step {now.step:,}",
        theme=theme,
        width=MAPS_WIDTH,
    )
    figure(
        drawn,
        key="training maps",
        theme=theme,
        alt=f"A small map of every head at step {now.step} on the letters {sample_letters()}.",
    )
    st.caption(
        f"The model reads **{' '.join(sample_letters())}**: seven letters, said twice. **Framed**: the cells that an induction head "
        "looks at. A previous-token head fills the stripe just beside the diagonal."
    )
