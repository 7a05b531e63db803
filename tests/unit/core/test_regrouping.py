"""Maps read in other units."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mha_viz.core.regrouping import keep_positions, mean_of_heads, merge_positions
from mha_viz.errors import ShapeError


def rows(n_heads: int, n_query: int, n_key: int, seed: int = 0) -> np.ndarray:
    scores = np.random.default_rng(seed).normal(size=(n_heads, n_query, n_key))
    weights = np.exp(scores)
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


def test_pieces_merged_into_words_sum_their_keys_and_average_their_queries():
    """AV-066, by hand: pieces 1 and 2 are one word."""
    weights = np.array([[0.5, 0.2, 0.3], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4]])
    merged = merge_positions(weights, [0, 1, 1], [0, 1, 1])
    np.testing.assert_allclose(merged, [[0.5, 0.5], [0.2, 0.8]])


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=5),
    st.lists(st.integers(1, 4), min_size=1, max_size=5),
)
def test_rows_of_merged_maps_still_sum_to_one(query_sizes: list[int], key_sizes: list[int]):
    query_groups = np.repeat(np.arange(len(query_sizes)), query_sizes).tolist()
    key_groups = np.repeat(np.arange(len(key_sizes)), key_sizes).tolist()
    merged = merge_positions(rows(3, len(query_groups), len(key_groups)), query_groups, key_groups)
    assert merged.shape == (3, len(query_sizes), len(key_sizes))
    np.testing.assert_allclose(merged.sum(-1), 1, rtol=1e-5)


def test_every_position_its_own_group_changes_nothing():
    weights = rows(2, 5, 7)
    np.testing.assert_array_equal(merge_positions(weights, range(5), range(7)), weights)


@pytest.mark.parametrize("groups", [[0, 2, 3], [1, 2, 3], [0, 1, 0]])
def test_groups_with_gaps_or_out_of_order_are_refused(groups: list[int]):
    with pytest.raises(ShapeError, match="without gaps"):
        merge_positions(np.eye(3), groups, [0, 1, 2])


def test_groups_that_do_not_name_every_position_are_refused():
    with pytest.raises(ShapeError, match="5 queries and 7 keys, got 4 and 7"):
        merge_positions(rows(1, 5, 7), range(4), range(7))


def test_hidden_keys_leave_their_share_said_and_the_rest_as_it_was():
    weights = np.array([[0.5, 0.2, 0.3], [0.0, 0.0, 1.0], [0.25, 0.25, 0.5]])
    keep = np.array([True, True, False])
    kept, hidden = keep_positions(weights, np.array([True, True, True]), keep, renormalise=False)
    np.testing.assert_allclose(kept, weights[:, :2])
    np.testing.assert_allclose(hidden, [0.3, 1.0, 0.5])


def test_renormalised_rows_sum_to_what_they_summed_to_and_empty_ones_stay_zero():
    weights = np.array([[0.5, 0.2, 0.3], [0.0, 0.0, 1.0], [0.25, 0.25, 0.3]])
    keep = np.array([True, True, False])
    kept, hidden = keep_positions(weights, np.array([True, True, True]), keep, renormalise=True)
    np.testing.assert_allclose(kept.sum(-1), [1.0, 0.0, 0.8])
    np.testing.assert_allclose(kept[0], [5 / 7, 2 / 7])
    np.testing.assert_allclose(hidden, [0.3, 1.0, 0.3])


@given(arrays(bool, 5), arrays(bool, 7))
def test_kept_rows_and_hidden_share_together_are_the_whole(
    keep_query: np.ndarray, keep_key: np.ndarray
):
    weights = rows(3, 5, 7)
    kept, hidden = keep_positions(weights, keep_query, keep_key, renormalise=False)
    np.testing.assert_allclose(kept.sum(-1) + hidden, np.ones((3, keep_query.sum())), rtol=1e-5)


def test_mean_of_heads_is_a_distribution_of_its_own():
    """AV-097."""
    weights = rows(3, 5, 7)
    mean = mean_of_heads(weights)
    np.testing.assert_allclose(mean, (weights[0] + weights[1] + weights[2]) / 3, rtol=1e-6)
    np.testing.assert_allclose(mean.sum(-1), 1, rtol=1e-5)


def test_hidden_share_of_nothing_is_nothing_at_all():
    kept, hidden = keep_positions(
        rows(3, 97, 101), np.ones(97, bool), np.ones(101, bool), renormalise=False
    )
    assert kept.dtype == hidden.dtype == np.float32
    np.testing.assert_array_equal(hidden, 0)


def test_words_with_some_hidden_are_one_map_in_single_precision():
    """Merged, then thinned: against sums and means over explicit lists of tokens, in double precision."""
    weights = rows(3, 211, 223)
    query_groups, key_groups = np.arange(211) // 5, np.arange(223) // 7
    keep_query, keep_key = np.arange(43) % 11 != 0, np.arange(32) % 3 != 0
    merged = merge_positions(weights, query_groups.tolist(), key_groups.tolist())
    kept, hidden = keep_positions(merged, keep_query, keep_key, renormalise=True)
    expected = np.array(
        [
            [
                [
                    weights[head, query_groups == query][:, key_groups == key]
                    .sum(1, dtype=float)
                    .mean()
                    for key in range(32)
                ]
                for query in np.flatnonzero(keep_query)
            ]
            for head in range(3)
        ]
    )
    shares = expected[:, :, ~keep_key].sum(-1)
    assert kept.dtype == hidden.dtype == np.float32
    np.testing.assert_allclose(hidden, shares, atol=1e-6)
    np.testing.assert_allclose(kept.sum(-1, dtype=float), 1, atol=1e-6)
    np.testing.assert_allclose(kept, expected[:, :, keep_key] / (1 - shares[..., None]), atol=1e-6)
