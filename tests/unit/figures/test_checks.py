"""Wrong inputs, given to the public functions as they run for a person: without the shape checks of the tests."""

from collections.abc import Callable
from inspect import unwrap
from typing import Any

import numpy as np
import pytest

from mha_viz.errors import ShapeError
from mha_viz.figures.arcs import ArcRow, spotlight_rows
from mha_viz.figures.head_grid import head_grid, pool_maximum
from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.summary import describe_head
from mha_viz.figures.theme import LIGHT

WORDS, KEYS = ["Hello", "world"], ["a", "b", "c"]
GOOD = np.full((2, 3), 1 / 3, np.float32)
NOT_FINITE = np.array([[0.5, np.nan, 0.5], [1, 0, np.inf]], np.float32)


def heatmap(weights: Any, **options: Any) -> object:
    return unwrap(attention_heatmap)(weights, WORDS, KEYS, title="", **options)


def arcs(weights: Any, **options: Any) -> object:
    row = object.__new__(ArcRow)
    unwrap(ArcRow.__init__)(row, "L0 H0", weights, LIGHT.head_colour(0))
    return unwrap(spotlight_rows)([row], WORDS, KEYS, title="", **options)


def grid(weights: Any) -> object:
    return unwrap(head_grid)([weights], title="")


def pooled(weights: Any) -> object:
    return unwrap(pool_maximum)(weights)


def summary(weights: Any) -> object:
    return unwrap(describe_head)(weights, KEYS)


OF_A_HEAD, OF_A_LAYER = [heatmap, arcs, summary], [grid, pooled]


@pytest.mark.parametrize("draw", [*OF_A_HEAD, *OF_A_LAYER])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([0.9, 0.1], "got a list"),
        (None, "got a NoneType"),
        (np.array([0.9, 0.1], np.float32), r"got shape \(2,\)"),
        (np.ones((1, 2, 3, 3), np.float32), r"got shape \(1, 2, 3, 3\)"),
        (np.ones((2, 3), bool), "got "),
    ],
    ids=["list", "nothing", "one axis", "four axes", "booleans"],
)
def test_weights_when_not_an_array_of_maps_are_refused(
    draw: Callable[[Any], object], given: Any, said: str
):
    """AV-004: a list of floats, or an output without attention."""
    if given is None and draw is grid:
        said = "got no layer with attention"
    with pytest.raises(ShapeError, match=said):
        draw(given)


@pytest.mark.parametrize("draw", OF_A_HEAD)
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (GOOD[None], r"as a NumPy array \(n_query, n_key\), got shape \(1, 2, 3\)"),
        (np.ones((2, 3), np.int64), "of floats, got int64"),
        (NOT_FINITE, "got 2 that are NaN or infinite"),
        (np.ones((0, 3), np.float32), r"got shape \(0, 3\)"),
    ],
    ids=["a layer", "integers", "not finite", "empty"],
)
def test_weights_when_not_one_map_of_numbers_are_refused(
    draw: Callable[[Any], object], given: Any, said: str
):
    with pytest.raises(ShapeError, match=said):
        draw(given)


@pytest.mark.parametrize("draw", OF_A_LAYER)
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (GOOD, r"as a NumPy array \(n_heads, n_query, n_key\), got shape \(2, 3\)"),
        (NOT_FINITE[None], "got 2 that are NaN or infinite"),
    ],
    ids=["a head", "not finite"],
)
def test_layers_when_not_maps_of_numbers_are_refused(
    draw: Callable[[Any], object], given: Any, said: str
):
    with pytest.raises(ShapeError, match=said):
        draw(given)


def test_layer_when_wrong_is_named():
    with pytest.raises(ShapeError, match="weights of layer 1"):
        unwrap(head_grid)([GOOD[None], GOOD], title="")


@pytest.mark.parametrize("draw", [heatmap, arcs])
@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"query": -1}, "a chosen query from 0 to 1, got -1"),
        ({"query": 2}, "a chosen query from 0 to 1, got 2"),
        ({"key": -1}, "a chosen key from 0 to 2, got -1"),
        ({"key": 3}, "a chosen key from 0 to 2, got 3"),
        ({"query": 0, "key": 0}, "one chosen word, got query 0 and key 0; give the query to see"),
    ],
)
def test_chosen_word_when_it_does_not_exist_or_is_not_the_only_one_is_refused(
    draw: Callable[..., object], chosen: dict[str, int], said: str
):
    with pytest.raises(ShapeError, match=said):
        draw(GOOD, **chosen)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sink": [0.1, 0.2]}, "the sink of one head .* got a list"),
        ({"sink": np.zeros(3, np.float32)}, r"sink .* each of 2 queries, got shape \(3,\)"),
        ({"sink": np.array([0, np.nan], np.float32)}, "got 1 that are NaN"),
        ({"fully_masked": np.zeros((2, 3), bool)}, r"fully_masked .* got shape \(2, 3\)"),
        ({"fully_masked": [True, False]}, "fully_masked .* got list"),
    ],
)
def test_sink_and_mask_when_not_one_entry_a_query_are_refused(options: dict[str, Any], said: str):
    with pytest.raises(ShapeError, match=said):
        heatmap(GOOD, **options)


def test_right_inputs_when_given_are_drawn():
    for draw, given in [(heatmap, GOOD), (arcs, GOOD), (grid, GOOD[None]), (pooled, GOOD[None])]:
        assert draw(given)
    assert summary(GOOD).startswith("spread")
