"""Means over many texts, of which only sums are kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.running import MeanMap, RunningMean, Variability
from mha_viz.errors import ChoiceError, ShapeError
from tests.unit.core.maps import looks_back, random_maps


def variability(texts: list[np.ndarray], n_positions: int) -> np.ndarray:
    means = MeanMap(n_positions)
    for text in texts:
        means.add(text)
    measured = Variability(means.mean)
    for text in texts:
        measured.add(text)
    return measured.value


@given(seed=st.integers(0, 2**32 - 1), n_texts=st.integers(1, 11))
@settings(deadline=None)
def test_running_mean_equals_the_mean_of_all_at_once(seed, n_texts):
    numbers = np.random.default_rng(seed).normal(size=(n_texts, 2, 3))
    numbers[numbers > 1] = np.nan
    running = RunningMean()
    for one in numbers:
        running.add({"share": one})
    known = np.ma.masked_invalid(numbers)
    np.testing.assert_allclose(running.means["share"], known.mean(axis=0).filled(np.nan))
    assert (running.counts["share"] == known.count(axis=0)).all()
    assert running.n_texts == n_texts


def test_running_mean_takes_other_names_from_text_to_text():
    """A text without punctuation has no share of it."""
    running = RunningMean()
    running.add({"a": np.array([1.0, 3.0])})
    running.add({"a": np.array([3.0, 5.0]), "b": np.array([7.0])})
    assert {name: mean.tolist() for name, mean in running.means.items()} == {
        "a": [2.0, 4.0],
        "b": [7.0],
    }


def test_running_mean_of_nothing_and_of_other_shapes_is_refused():
    running = RunningMean()
    with pytest.raises(ChoiceError, match="got none"):
        _ = running.means
    running.add({"share": np.zeros((2, 3))})
    with pytest.raises(ShapeError, match=r"share had shape \(2, 3\).*\(3, 2\)"):
        running.add({"share": np.zeros((3, 2))})


def test_variability_of_two_fixed_maps_equals_its_closed_form():
    assert variability([np.eye(8)[None], looks_back(8)[None]], 8) == pytest.approx(7 / 16)


def test_variability_of_the_same_map_every_time_is_zero():
    assert variability([looks_back(11)] * 3, 7) == 0


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_variability_equals_the_formula_and_leaves_short_texts_out(seed):
    texts = [random_maps(3, n, n, seed=seed + n) for n in (5, 7, 11, 13)]
    starts = np.stack([text[:, :7, :7] for text in texts[1:]])
    expected = np.abs(starts - starts.mean(axis=0)).sum((0, 2, 3)) / (2 * starts.sum((0, 2, 3)))
    measured = variability(texts, 7)
    np.testing.assert_allclose(measured, expected)
    assert ((measured >= 0) & (measured <= 1)).all()


def test_mean_map_says_how_many_texts_were_too_short():
    means = MeanMap(7)
    means.add(random_maps(3, 5, 5))
    assert (means.n_texts, means.n_short) == (0, 1)
    with pytest.raises(ChoiceError, match="7 tokens at least, got 1 shorter"):
        _ = means.mean
