"""Scores of guesses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.core.guessing import chance, even, guess_score, total_variation
from mha_viz.errors import ShapeError

N_KEY = 7
rows = (
    st.lists(st.integers(0, 100), min_size=N_KEY, max_size=N_KEY)
    .filter(any)
    .map(lambda counts: np.array(counts) / sum(counts))
)


@given(rows)
def test_perfect_guess_scores_one(truth: np.ndarray):
    assert guess_score(truth, truth) == 1


@given(rows)
def test_even_guess_is_scored_as_chance(truth: np.ndarray):
    assert guess_score(np.full(N_KEY, 1 / N_KEY), truth) == chance(truth)


@given(rows, rows)
def test_score_is_the_weight_that_both_rows_have(guess: np.ndarray, truth: np.ndarray):
    """What is put where it belongs: the overlap of the two."""
    assert guess_score(guess, truth) == pytest.approx(np.minimum(guess, truth).sum())
    assert guess_score(guess, truth) == guess_score(truth, guess)


def test_guess_beside_everything_scores_nothing():
    assert guess_score(np.array([1.0, 0, 0]), np.array([0, 0.25, 0.75])) == 0


def test_score_by_hand():
    assert guess_score(np.array([0.5, 0.5, 0]), np.array([0.2, 0.5, 0.3])) == pytest.approx(0.7)
    assert chance(np.array([1.0, 0, 0, 0, 0])) == pytest.approx(0.2)
    np.testing.assert_allclose(even(4), 0.25)


def test_rows_over_other_keys_are_refused():
    with pytest.raises(ShapeError, match="same keys"):
        total_variation(np.ones(3), np.ones(5))
