"""When a score rises, and whether a head can be pointed at."""

from itertools import combinations

import numpy as np
import pytest

from mha_viz.errors import ChoiceError, ShapeError
from mha_viz.school import phases
from mha_viz.school.checkpoints import Entry, History
from mha_viz.school.scores import HeadScore, ScoreCard

SKILL = "previous token"


def shortest_half(steps: list[int], values: list[float]) -> tuple[int, int]:
    """By trying every pair: the shortest in time, then the steepest, then the first."""
    half = (values[-1] - values[0]) / 2
    fitting = [
        (steps[end] - steps[start], -(values[end] - values[start]), start, end)
        for start, end in combinations(range(len(steps)), 2)
        if values[end] - values[start] >= half - 1e-6
    ]
    *_, start, end = min(fitting)
    return steps[start], steps[end]


@pytest.mark.parametrize("seed", range(11))
def test_rise_of_any_curve_is_the_shortest_half(seed: int):
    generator = np.random.default_rng(seed)
    steps = np.cumsum(generator.integers(1, 7, 23))
    values = np.sort(generator.random(23)) + generator.normal(0, 0.05, 23)
    found = phases.rise(steps, values)
    assert found is not None
    assert (found.start, found.end) == shortest_half(steps.tolist(), values.tolist())


def test_rise_of_a_step_is_sudden_and_of_a_line_is_slow():
    steps = np.arange(0, 4100, 100)
    step = np.where(steps >= 1700, 0.9, 0.1)
    assert phases.rise(steps, step) == phases.Rise(1600, 1700, sudden=True)
    line = phases.rise(steps, steps / 4000)
    assert line is not None
    assert line.end - line.start == 2000
    assert not line.sudden


def test_rise_of_a_score_that_falls_is_none():
    assert phases.rise(np.array([0, 3, 5]), np.array([0.7, 0.9, 0.2])) is None


def test_rise_of_one_measurement_says_what_is_needed():
    with pytest.raises(ShapeError, match="at least two measurements"):
        phases.rise(np.array([0]), np.array([0.7]))


@pytest.mark.parametrize(
    ("value", "expected"), [(0.2, "none"), (0.3, "none"), (0.4, "weak"), (0.5, "found")]
)
def test_standing_of_a_head_depends_on_the_blind_one_and_on_half_the_weight(
    value: float, expected: str
):
    scores = np.zeros((2, 3), np.float32)
    scores[1, 2] = value
    assert phases.standing(HeadScore(scores, null=float(np.float32(0.3)))) == expected


def history(values: list[float]) -> History:
    """A training of one layer of two heads, measured every 50 steps."""
    entries = [
        Entry(
            50 * place,
            1.0 / place if place else None,
            ScoreCard({SKILL: HeadScore(np.array([[value, 0.01]], np.float32), 0.3)}, 0.5, 0.1),
        )
        for place, value in enumerate(values)
    ]
    return History({"seed": 7}, tuple(entries))


def test_arrays_of_a_history_are_what_was_measured():
    told = history([0.1, 0.2, 0.7])
    assert phases.measured_steps(told).tolist() == [0, 50, 100]
    np.testing.assert_allclose(phases.scores_of(told, SKILL)[:, 0, 0], [0.1, 0.2, 0.7], rtol=1e-6)
    np.testing.assert_allclose(phases.losses_of(told), [np.nan, 1.0, 0.5])


def test_history_until_a_step_knows_nothing_of_later():
    told = history([0.1, 0.2, 0.7, 0.9])
    assert [entry.step for entry in phases.until(told, 110).entries] == [0, 50, 100]
    with pytest.raises(ChoiceError, match="first measurement is at step 0"):
        phases.until(told, -1)
