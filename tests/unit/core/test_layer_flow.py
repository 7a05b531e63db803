"""Rollout and flow: closed forms that a wrong order, side or divisor would miss, and another flow algorithm."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.layer_flow import attention_flow, attention_rollout, largest_flows, mixing
from mha_viz.errors import ChoiceError, ShapeError
from tests.unit.core.maps import random_maps

FIRST = np.array([[[1.0, 0.0], [1.0, 0.0]]])
SECOND = np.array([[[0.0, 1.0], [0.0, 1.0]]])


def test_rollout_of_two_layers_has_the_later_one_on_the_left():
    """In the wrong order it would be [[.5, .5], [.25, .75]]."""
    rolled = attention_rollout([FIRST, SECOND])
    np.testing.assert_allclose(rolled[1], [[0.75, 0.25], [0.5, 0.5]])
    np.testing.assert_allclose(rolled[0], [[1, 0], [0.5, 0.5]])


def test_flow_of_two_layers_equals_its_closed_form():
    """On the transpose it would be another."""
    flows = [attention_flow([FIRST, SECOND], query) for query in range(2)]
    np.testing.assert_allclose(flows, [[2 / 3, 1 / 3], [1 / 2, 1 / 2]], atol=1e-7)


def test_rollout_and_flow_when_all_heads_look_at_themselves_change_nothing():
    layers = [np.stack([np.eye(5)] * 3)] * 2
    np.testing.assert_array_equal(attention_rollout(layers)[-1], np.eye(5))
    flows = [attention_flow(layers, query) for query in range(5)]
    np.testing.assert_allclose(flows, np.eye(5), atol=1e-7)


def test_direction_in_words():
    """Of three tokens only the last looks elsewhere, at the first: so the first is in the last, and not the reverse."""
    looks = np.array([[[1.0, 0, 0], [0, 1, 0], [1, 0, 0]]])
    rolled = attention_rollout([looks, looks])[-1]
    assert (rolled[2, 0], rolled[0, 2]) == (0.75, 0)
    assert attention_flow([looks, looks], 2)[0] > 0
    assert attention_flow([looks, looks], 0)[2] == 0


def test_mixing_divides_each_row_by_its_own_sum():
    """Rows of a sink and of a query that sees nothing sum to less: columns would be divided without keepdims."""
    weights = np.array([[[0.2, 0.3], [0.0, 0.0]]])
    np.testing.assert_allclose(mixing([weights]), [[[0.8, 0.2], [0.0, 1.0]]])


def test_mixing_takes_heads_by_their_mean_and_layers_with_other_numbers_of_heads():
    layers = [random_maps(3, 5, 5), random_maps(2, 5, 5, seed=1)]
    expected = [(layer.mean(0) + np.eye(5)) / 2 for layer in layers]
    np.testing.assert_allclose(mixing(iter(layers)), expected)


@given(seed=st.integers(0, 2**32 - 1), n_layers=st.integers(1, 3))
@settings(deadline=None)
def test_rollout_rows_are_shares(seed, n_layers):
    rolled = attention_rollout(random_maps(n_layers, 2, 5, 5, seed=seed))
    assert (rolled >= 0).all()
    np.testing.assert_allclose(rolled.sum(axis=-1), 1)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_largest_flows_equal_those_of_another_algorithm_and_are_at_most_one(seed):
    layers = random_maps(3, 2, 5, 5, seed=seed)
    graph = nx.DiGraph()
    for (layer, query, key), width in np.ndenumerate(mixing(layers)):
        graph.add_edge((layer + 1, query), (layer, key), capacity=width)
    flows = largest_flows(layers, 4)
    expected = [nx.maximum_flow_value(graph, (3, 4), (0, key)) for key in range(5)]
    np.testing.assert_allclose(flows, expected, atol=1e-6)
    assert (flows <= 1).all()
    assert attention_flow(layers, 4).sum() == pytest.approx(1)


def test_mixing_of_cross_attention_of_other_sizes_or_of_nothing_is_refused():
    with pytest.raises(ShapeError, match=r"\(3, 5\)"):
        mixing([random_maps(2, 3, 5)])
    with pytest.raises(ShapeError, match=r"\(3, 3\), \(5, 5\)"):
        mixing([random_maps(2, 3, 3), random_maps(2, 5, 5)])
    with pytest.raises(ShapeError, match="no layer"):
        mixing([])


def test_flow_from_a_query_that_does_not_exist_is_refused():
    with pytest.raises(ChoiceError, match="query 2 does not exist: queries go from 0 to 1"):
        attention_flow([FIRST], 2)
