"""When in a training a score rises, and whether what came of it can be called a head of its own."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from mha_viz.errors import ChoiceError, ShapeError
from mha_viz.school.checkpoints import History
from mha_viz.school.scores import HeadScore

# From this score on, a head gives most of its weight to the word that belongs to its query.
CLEAR = 0.5
# A rise is called sudden if half of it takes at most this share of the training.
SUDDEN_SHARE = 0.05
FOUND, WEAK, NONE = "found", "weak", "none"


@dataclass(frozen=True)
class Rise:
    """The shortest stretch of a training in which a score gains half of all that it gains.

    Attributes:
        start: The measured step at which the stretch begins.
        end: The measured step at which it ends.
        sudden: Whether it takes no more than a twentieth of the training.
    """

    start: int
    end: int
    sudden: bool


def rise(steps: Int[np.ndarray, " n_steps"], values: Float[np.ndarray, " n_steps"]) -> Rise | None:
    """Where a score rises fastest; None for one that ends no higher than it began.

    Of stretches that are equally short, the one with the largest gain; of those, the first.

    Args:
        steps: When it was measured, ascending.
        values: What was measured.

    Raises:
        ShapeError: If there are fewer than two measurements.
    """
    if len(values) < 2:
        raise ShapeError(
            f"expected at least two measurements to tell a rise, got {len(values)}; train further"
        )
    half = (values[-1] - values[0]) / 2
    if half <= 0:
        return None
    gains = values[None, :] - values[:, None]  # (start, end)
    lengths = steps[None, :] - steps[:, None]
    # A hair less than half: what was rounded to four digits may miss it by the last one.
    starts, ends = np.nonzero((lengths > 0) & (gains >= half - 1e-6))
    best = np.lexsort((-gains[starts, ends], lengths[starts, ends]))[0]
    start, end = int(starts[best]), int(ends[best])
    length, whole = steps[end] - steps[start], steps[-1] - steps[0]
    return Rise(
        int(steps[start]),
        int(steps[end]),
        bool(length <= SUDDEN_SHARE * whole),
    )


def measured_steps(history: History) -> Int[np.ndarray, " n_steps"]:
    """When the scores were measured."""
    return np.array([entry.step for entry in history.entries])


def scores_of(history: History, name: str) -> Float[np.ndarray, "n_steps n_layers n_heads"]:
    """A score of every head over the training."""
    return np.stack([entry.card.heads[name].heads for entry in history.entries])


def losses_of(history: History) -> Float[np.ndarray, " n_steps"]:
    """The training loss, NaN where none was measured yet."""
    return np.array(
        [np.nan if entry.loss is None else entry.loss for entry in history.entries], dtype=float
    )


def until(history: History, step: int) -> History:
    """A history as it was when it had got to a step, to be held against a shorter one.

    Raises:
        ChoiceError: If nothing was measured by then.
    """
    entries = tuple(entry for entry in history.entries if entry.step <= step)
    if not entries:
        raise ChoiceError(
            f"nothing was measured by step {step}; the first measurement is at step "
            f"{history.entries[0].step if history.entries else 'none'}"
        )
    return History(history.recipe, entries)


def standing(score: HeadScore) -> str:
    """Whether the best head can be pointed at: "found", "weak", or "none" where a blind head is as good."""
    if score.value <= score.null:
        return NONE
    return FOUND if score.value >= CLEAR else WEAK
