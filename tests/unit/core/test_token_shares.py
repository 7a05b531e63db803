"""Shares of kinds of tokens: values known in closed form, a slow oracle, and what counts as a kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.record import Token
from mha_viz.core.token_shares import (
    after_same,
    duplicate_share,
    is_punctuation,
    is_special,
    named_keys,
    pattern_share,
    same_elsewhere,
    share_on_keys,
    word_ids,
)
from mha_viz.errors import ShapeError
from tests.unit.core.maps import causal_even, even, looks_at, looks_back, random_maps

A, B, C = 3, 5, 7
ABCABC = [A, B, C, A, B, C]
# Where each token of ABCABC looks: those of the first block at themselves, those of the second at their first copy.
FINDS_DUPLICATES = looks_at([0, 1, 2, 0, 1, 2])

TOKENS = (
    Token("[CLS]", id=101, special=True),
    Token("he", id=B),
    Token("·'", id=A),
    Token("␣[SEP]", id=102, typed_special=True),
    Token("...", id=C),
    Token("$", id=2),
    Token("[SEP]", id=102, special=True),
)


def test_duplicate_share_of_a_perfect_duplicate_head_is_one_and_of_one_that_looks_back_none():
    assert duplicate_share(FINDS_DUPLICATES, ABCABC, earlier_only=True) == 1
    assert duplicate_share(looks_back(6), ABCABC) == 0


def test_duplicate_share_counts_later_positions_unless_only_earlier_ones_are_asked_for():
    finds_the_other = looks_at([3, 4, 5, 0, 1, 2])
    assert duplicate_share(finds_the_other, ABCABC) == 1
    looks_later = looks_at([3, 4, 5, 3, 4, 5])
    assert duplicate_share(looks_later, ABCABC) == 0.5
    assert duplicate_share(looks_later, ABCABC, earlier_only=True) == 0


def test_duplicate_share_when_no_token_comes_twice_is_nan():
    assert np.isnan(duplicate_share(even(3), [A, B, C]))


def test_duplicate_share_of_special_tokens_is_not_asked():
    assert same_elsewhere([None, A, None, A]).sum() == 2
    assert np.isnan(duplicate_share(even(3), [None, A, None]))


def test_share_of_the_first_key_of_a_causal_even_head():
    first = np.arange(4) == 0
    assert share_on_keys(causal_even(4), first) == pytest.approx(0.52083, abs=5e-6)


def test_share_on_keys_can_be_asked_of_some_queries_only():
    """What a separator gets from itself and what from the others."""
    weights = np.array([[0.2, 0.3, 0.5], [0.0, 0.4, 0.6], [0.0, 0.0, 1.0]])
    sep = np.array([False, False, True])
    assert share_on_keys(weights, sep, sep) == 1
    assert share_on_keys(weights, sep, ~sep) == pytest.approx(0.55)
    assert np.isnan(share_on_keys(weights, sep & ~sep))


def test_pattern_share_leaves_out_queries_that_see_nothing_and_takes_sinks_as_they_are():
    weights = looks_back(5)
    weights[0] = 0
    everything = np.ones((5, 5), dtype=bool)
    assert pattern_share(weights, everything) == 1
    assert pattern_share(weights / 2, everything) == 0.5
    assert np.isnan(pattern_share(np.zeros((5, 5)), everything))


def test_pattern_share_of_a_pattern_of_another_size_says_both_sizes():
    with pytest.raises(ShapeError, match=r"\(5, 7\).*\(7, 5\)"):
        pattern_share(random_maps(3, 5, 7), np.ones((7, 5), dtype=bool))


@given(
    seed=st.integers(0, 2**32 - 1), ids=st.lists(st.sampled_from([A, B, C]), min_size=7, max_size=7)
)
@settings(deadline=None)
def test_patterns_of_repeats_equal_those_found_pair_by_pair(seed, ids):
    places = range(7)
    again = [(q, k) for q in places for k in places if q != k and ids[q] == ids[k]]
    assert set(zip(*map(list, np.nonzero(same_elsewhere(ids))), strict=True)) == set(again)
    after = {(q, k + 1) for q, k in again if k < q}
    assert set(zip(*map(list, np.nonzero(after_same(ids))), strict=True)) == after
    weights = random_maps(2, 3, 7, 7, seed=seed)
    queries = {q for q, _ in again}
    share = duplicate_share(weights, ids)
    assert share.shape == (2, 3)
    if queries:
        expected = sum(weights[1, 2, q, k] for q, k in again) / len(queries)
        assert share[1, 2] == pytest.approx(expected)


@given(seed=st.integers(0, 2**32 - 1), order=st.permutations(range(6)))
@settings(deadline=None)
def test_duplicate_share_ignores_the_order_of_tokens(seed, order):
    weights = random_maps(6, 6, seed=seed)
    permuted = weights[np.ix_(order, order)]
    ids = [ABCABC[place] for place in order]
    assert duplicate_share(permuted, ids) == pytest.approx(duplicate_share(weights, ABCABC))


def test_kinds_of_tokens_are_told_apart():
    assert is_special(TOKENS).tolist() == [True, False, False, True, False, False, True]
    assert is_punctuation(TOKENS).tolist() == [False, False, True, False, True, False, False]
    assert word_ids(TOKENS) == [None, B, A, None, C, 2, None]


def test_punctuation_that_looks_like_a_mark_of_ours_is_punctuation():
    assert is_punctuation([Token("·"), Token("␣,"), Token("␣"), Token("")]).tolist() == [
        True, True, False, False
    ]  # fmt: skip


def test_special_tokens_are_found_by_their_names():
    assert {name: np.flatnonzero(keys).tolist() for name, keys in named_keys(TOKENS).items()} == {
        "[CLS]": [0],
        "␣[SEP]": [3],
        "[SEP]": [6],
    }
