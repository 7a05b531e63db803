"""Heads ranked by a sketch, beside what chance gives."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.pattern_search import search_link, search_pattern
from mha_viz.errors import ChoiceError, ShapeError
from tests.unit.core.maps import causal_even, even, looks_back, random_maps


def test_staircase_brings_the_head_that_looks_back_first_and_far_above_chance():
    maps = np.stack([even(7), np.eye(7), looks_back(7), looks_back(7).T])
    found = search_pattern(maps, np.eye(7, k=-1))
    assert found.ranking[0] == 2
    assert found.shares[2] == 1
    assert found.high[2] < 0.6
    assert found.low[0] == pytest.approx(1 / 7)
    assert found.high[0] == pytest.approx(1 / 7)


def test_weighted_sketch_counts_each_row_relative_to_its_largest_cell():
    maps = random_maps(3, 5, 7)
    marked = np.zeros((5, 7))
    marked[1, [2, 3]] = 1
    whole = search_pattern(maps, marked)
    np.testing.assert_allclose(search_pattern(maps, marked / 2).shares, whole.shares)
    marked[1, 3] = 0.25
    expected = maps[:, 1, 2] + 0.25 * maps[:, 1, 3]
    np.testing.assert_allclose(search_pattern(maps, marked).shares, expected)


def test_band_of_one_link_lies_within_what_the_query_gives_to_keys_it_may_look_at():
    maps = np.stack([random_maps(5, 5)] * 3) * np.tri(5)
    found = search_link(maps, 3, 1, np.tri(5, dtype=bool))
    np.testing.assert_allclose(found.shares, maps[:, 3, 1])
    assert (found.low >= maps[0, 3, :4].min() - 1e-12).all()
    assert (found.low > 0).all()
    assert (found.high <= maps[0, 3, :4].max() + 1e-12).all()


def test_band_of_a_causal_map_keeps_to_what_may_be_attended():
    found = search_pattern(causal_even(5)[None], np.eye(5, k=-1), np.tri(5, dtype=bool))
    expected = np.mean([1 / 2, 1 / 3, 1 / 4, 1 / 5])
    assert found.low == pytest.approx(expected)
    assert found.high == pytest.approx(expected)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_band_lies_within_all_orders_of_the_keys(seed):
    maps = random_maps(2, 1, 5, seed=seed)
    sketch = np.array([[1.0, 0, 0.5, 0, 0]])
    found = search_pattern(maps, sketch)
    every = np.array([maps[:, 0, list(order)] @ sketch[0] for order in permutations(range(5))])
    assert (found.low >= every.min(axis=0) - 1e-12).all()
    assert (found.high <= every.max(axis=0) + 1e-12).all()
    assert (found.low <= np.quantile(every, 0.2, axis=0)).all()
    assert (found.high >= np.quantile(every, 0.8, axis=0)).all()


def test_search_gives_the_same_band_every_time():
    maps = random_maps(3, 7, 7)
    first, second = (search_pattern(maps, np.eye(7)) for _ in range(2))
    np.testing.assert_array_equal(first.high, second.high)


def test_head_that_sees_nothing_comes_last():
    found = search_pattern(np.stack([np.zeros((5, 5)), even(5)]), np.eye(5))
    assert found.ranking.tolist() == [1, 0]
    assert np.isnan(found.high[0])


@pytest.mark.parametrize("cell", [0.0, -1.0, np.nan, np.inf])
def test_sketch_of_nothing_or_of_no_shares_is_refused(cell):
    sketch = np.zeros((5, 5))
    sketch[1, 2] = cell
    with pytest.raises(ChoiceError, match="mark where"):
        search_pattern(random_maps(3, 5, 5), sketch)


def test_sketch_of_another_size_and_a_link_that_does_not_exist_are_refused():
    with pytest.raises(ShapeError, match=r"\(5, 7\).*\(7, 5\)"):
        search_pattern(random_maps(3, 5, 7), np.ones((7, 5)))
    with pytest.raises(ChoiceError, match="link 5 → 6 does not exist: queries go from 0 to 4"):
        search_link(random_maps(3, 5, 7), 5, 6)
