"""What a change did to maps, output vectors and expectations."""

import math

import numpy as np
import pytest

from mha_viz.core.differences import OutputChange, expected_changes, map_difference
from mha_viz.core.predictions import Prediction
from mha_viz.errors import ShapeError


def vectors(seed: int, n_tokens: int = 5, width: int = 7) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n_tokens, width)).astype(np.float32)


def test_difference_of_maps_is_exactly_zero_where_nothing_changed():
    before = np.random.default_rng(0).random((2, 3, 5), dtype=np.float32)
    after = before.copy()
    after[1, 2, 3] += 0.25
    difference = map_difference(before, after)
    changed = np.zeros_like(before, bool)
    changed[1, 2, 3] = True
    assert ((difference != 0) == changed).all()
    assert difference[1, 2, 3] == pytest.approx(0.25)


def test_output_change_is_that_of_loops_over_numbers():
    before, after = vectors(1), vectors(2)
    change = OutputChange(before, after)
    for token, (one, other) in enumerate(zip(before.tolist(), after.tolist(), strict=True)):
        moved = math.sqrt(math.fsum((b - a) ** 2 for a, b in zip(one, other, strict=True)))
        lengths = [math.sqrt(math.fsum(a * a for a in vector)) for vector in (one, other)]
        product = math.fsum(a * b for a, b in zip(one, other, strict=True))
        assert change.norm[token] == pytest.approx(moved, rel=1e-9)
        assert change.length[token] == pytest.approx(lengths[0], rel=1e-9)
        assert change.cosine[token] == pytest.approx(product / lengths[0] / lengths[1], rel=1e-9)


def test_output_that_stays_moves_by_nothing_and_does_not_turn():
    change = OutputChange(vectors(1), vectors(1))
    assert not change.norm.any()
    np.testing.assert_allclose(change.cosine, 1, atol=1e-12)
    assert change.cosine.max() <= 1


def test_output_that_gets_longer_or_is_turned_round_has_the_cosine_of_it():
    before = vectors(3)
    np.testing.assert_allclose(OutputChange(before, 3 * before).cosine, 1)
    np.testing.assert_allclose(OutputChange(before, -before).cosine, -1)


def test_output_of_zeros_has_a_cosine_of_zero():
    change = OutputChange(vectors(1), np.zeros((5, 7), np.float32))
    assert not change.cosine.any()
    np.testing.assert_allclose(change.norm, change.length)


def test_other_shapes_cannot_be_compared():
    with pytest.raises(ShapeError, match="one shape"):
        map_difference(np.zeros((2, 3)), np.zeros((3, 2)))
    with pytest.raises(ShapeError, match="one shape"):
        OutputChange(np.zeros((2, 3)), np.zeros((2, 5)))


def test_expected_tokens_are_those_of_both_the_likeliest_first():
    before = Prediction(4, (11, 13, 17), (0.5, 0.3, 0.1), ("a", "b", "c"))
    after = Prediction(4, (13, 19, 11), (0.7, 0.2, 0.05), ("b", "d", "a"))
    rows = [(row.text, row.before, row.after) for row in expected_changes(before, after, most=2)]
    assert rows == [("b", 0.3, 0.7), ("a", 0.5, 0.05), ("d", None, 0.2)]
