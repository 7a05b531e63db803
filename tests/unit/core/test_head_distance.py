"""Distances of heads against SciPy's, and a plane of them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from mha_viz.core.head_distance import SMOOTHING, head_distances, map_of_heads, nearest_heads
from mha_viz.errors import ChoiceError, ShapeError
from tests.unit.core.maps import even, looks_back, random_maps


def test_distance_of_opposite_rows_is_ln_two_up_to_smoothing():
    distance = head_distances(np.array([[[1.0, 0.0]], [[0.0, 1.0]]]))[0, 1]
    assert distance == pytest.approx(math.log(2), abs=0.005)
    assert distance < math.log(2)


@given(seed=st.integers(0, 2**32 - 1), dtype=st.sampled_from([np.float32, np.float64]))
@settings(deadline=None)
def test_distances_equal_those_of_scipy_row_by_row(seed, dtype):
    maps = random_maps(5, 3, 7, seed=seed).astype(dtype)
    maps[0] = np.eye(7)[:3]
    distances = head_distances(maps)
    smooth = (1 - SMOOTHING) * maps + SMOOTHING / 7
    for first in range(5):
        for second in range(5):
            rows = zip(smooth[first], smooth[second], strict=True)
            expected = sum(jensenshannon(p, q) ** 2 for p, q in rows)
            assert distances[first, second] == pytest.approx(expected, abs=5e-6)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_distances_are_symmetric_and_within_their_bounds(seed):
    sharp = np.eye(7)[np.random.default_rng(seed).integers(7, size=(5, 3))]
    distances = head_distances(sharp)
    assert (distances == distances.T).all()
    assert (np.diagonal(distances) == 0).all()
    assert ((distances >= 0) & (distances <= 3 * math.log(2))).all()


def test_distance_of_equal_heads_is_zero_even_where_they_see_nothing():
    maps = np.stack([looks_back(5)] * 2)
    maps[:, 2] = 0
    assert (head_distances(maps) == 0).all()


def test_nearest_heads_come_in_order_without_the_head_itself():
    distances = np.array([[0.0, 3, 1, 2], [3, 0, 1, 1], [1, 1, 0, 5], [2, 1, 5, 0]])
    assert nearest_heads(distances, 0).tolist() == [2, 3, 1]
    assert nearest_heads(distances, 3, n=2).tolist() == [1, 0]
    with pytest.raises(ChoiceError, match="head 4 does not exist: heads go from 0 to 3"):
        nearest_heads(distances, 4)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_map_of_points_of_a_plane_keeps_their_distances(seed):
    points = np.random.default_rng(seed).normal(size=(7, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=-1)
    found = map_of_heads(distances)
    again = np.linalg.norm(found.points[:, None] - found.points, axis=-1)
    np.testing.assert_allclose(again, distances, atol=1e-3)
    assert found.stress < 1e-3


def test_map_is_the_same_every_time_and_puts_like_beside_like():
    """Two heads look back, two evenly, one at itself."""
    maps = np.stack([looks_back(7), even(7), np.eye(7), looks_back(7), even(7)])
    distances = head_distances(0.99 * maps + 0.01 * random_maps(5, 7, 7))
    found = map_of_heads(distances)
    np.testing.assert_array_equal(found.points, map_of_heads(distances).points)
    apart = np.linalg.norm(found.points[:, None] - found.points, axis=-1)
    assert nearest_heads(apart, 0, n=1) == [3]
    assert nearest_heads(apart, 1, n=1) == [4]


def test_map_of_heads_that_are_all_the_same_is_one_point():
    found = map_of_heads(np.zeros((3, 3)))
    assert (found.points == 0).all()
    assert found.stress == 0


def test_map_of_two_heads_is_refused():
    with pytest.raises(ShapeError, match="got 2"):
        map_of_heads(np.zeros((2, 2)))
