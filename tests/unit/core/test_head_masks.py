"""Masks for some heads of a layer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.core.head_masks import (
    CAUSAL,
    HALVES,
    MOST_PAINTED,
    MOST_ROWS,
    NONE,
    OWN,
    WINDOW,
    head_masks,
    painting_from_text,
    painting_to_text,
)
from mha_viz.errors import ChoiceError


@pytest.mark.parametrize(
    ("n_key", "first", "second"), [(1, [0], []), (6, [0, 1, 2], [3, 4, 5]), (5, [0, 1, 2], [3, 4])]
)
def test_halves_when_given_to_two_heads_are_one_each(n_key: int, first: list, second: list):
    one, other = head_masks(HALVES, (3, 7), n_key, n_key, layer=2, stream="encoder")
    assert (one.layer, one.head, one.stream, list(one.keys)) == (2, 3, "encoder", first)
    assert (other.layer, other.head, other.stream, list(other.keys)) == (2, 7, "encoder", second)


def test_halves_when_given_to_several_heads_go_to_the_first_and_the_last_of_them():
    masks = head_masks(HALVES, (0, 1, 4, 5, 9), 4, 4, layer=0)
    assert [mask.keys for mask in masks] == [(0, 1)] * 3 + [(2, 3)] * 2


def test_causal_and_window_are_loops_over_positions():
    (causal,) = head_masks(CAUSAL, (1,), 5, 5, layer=0)
    (window,) = head_masks(WINDOW, (1,), 5, 5, layer=0, reach=2)
    for query in range(5):
        for key in range(5):
            assert causal.rows[query][key] == (key <= query)
            assert window.rows[query][key] == (abs(key - query) <= 2)


def test_causal_when_the_text_is_long_is_refused_with_a_way_out():
    n = MOST_ROWS + 1
    with pytest.raises(ChoiceError, match="choose halves"):
        head_masks(CAUSAL, (0,), n, n, layer=0)
    assert len(head_masks(HALVES, (0,), n, n, layer=0)) == 1


def test_no_mask_is_none():
    assert head_masks(NONE, (0, 1), 3, 3, layer=0) == ()


def test_painted_mask_is_used_and_a_head_without_one_starts_from_its_half():
    rows = ((True, False, False), (False, True, True))
    one, other = head_masks(OWN, (0, 5), 2, 3, layer=1, painting={0: rows})
    assert one.rows == rows
    assert other.rows == ((False, False, True),) * 2


sizes = st.tuples(st.integers(1, MOST_PAINTED), st.integers(1, MOST_PAINTED))


@given(sizes, st.sets(st.integers(0, 40), min_size=1, max_size=3), st.integers(0, 99))
def test_painting_when_written_and_read_is_the_same(size: tuple, heads: set, seed: int):
    cells = np.random.default_rng(seed).random((len(heads), *size)) < 0.5
    painting = {
        head: tuple(map(tuple, one))
        for head, one in zip(sorted(heads), cells.tolist(), strict=True)
    }
    text = painting_to_text(painting)
    assert painting_from_text(text, *size) == painting
    assert len(text) <= len(heads) * (MOST_PAINTED * MOST_PAINTED // 4 + 8)


@pytest.mark.parametrize(
    "text", ["x", "0.3.1", "0.3.ff", "0.4.12", "0.3.12~", "0.3.1g", "-1.3.12", "0.3.<b>"]
)
def test_painting_that_cannot_be_read_is_refused(text: str):
    with pytest.raises(ChoiceError, match="paint anew"):
        painting_from_text(text, 2, 3)


def test_painting_when_the_text_is_long_says_what_to_do():
    with pytest.raises(ChoiceError, match="shorten it"):
        head_masks(OWN, (0,), MOST_PAINTED + 1, MOST_PAINTED + 1, layer=0)
