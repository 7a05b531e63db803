"""Rules for who may look at whom."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.masks import (
    both,
    causal,
    check_boolean,
    check_fits,
    either,
    heads_see,
    padding,
    painted,
    window,
)
from mha_viz.errors import ChoiceError, ShapeError


def drawn(may_attend: torch.Tensor) -> list[str]:
    return ["".join("■" if cell else "⬚" for cell in row) for row in may_attend.tolist()]


# Causal


def test_causal_when_square_is_a_lower_triangle():
    assert drawn(causal(3)) == ["■⬚⬚", "■■⬚", "■■■"]


def test_causal_with_more_keys_lets_the_last_query_see_them_all():
    """AV-031: the queries are the last tokens of a text that is continued."""
    assert drawn(causal(2, 5)) == ["■■■■⬚", "■■■■■"]
    assert drawn(causal(1, 8)) == ["■" * 8]


def test_causal_with_fewer_keys_leaves_the_first_queries_nothing():
    assert drawn(causal(3, 2)) == ["⬚⬚", "■⬚", "■■"]


@given(n_before=st.integers(0, 5), n_query=st.integers(1, 5))
@settings(deadline=None)
def test_causal_with_more_keys_equals_the_last_rows_of_the_whole(n_before, n_query):
    whole = causal(n_before + n_query)
    assert torch.equal(causal(n_query, n_before + n_query), whole[n_before:])


# Padding


def test_padding_hides_the_columns_of_padding_from_all_heads_and_queries():
    may_attend = padding(torch.tensor([[True, True, False], [True, False, False]]))
    assert may_attend.shape == (2, 1, 1, 3)
    assert drawn(may_attend.expand(2, 7, 2, 3)[0, 6]) == ["■■⬚", "■■⬚"]
    assert drawn(may_attend.expand(2, 7, 2, 3)[1, 6]) == ["■⬚⬚", "■⬚⬚"]


def test_padding_without_batch_fits_the_weights_of_one_text():
    assert padding(torch.tensor([True, False])).shape == (1, 1, 2)


# Window


def test_window_sees_fewer_than_size_steps_on_both_sides():
    assert drawn(window(4, 4, 1)) == ["■⬚⬚⬚", "⬚■⬚⬚", "⬚⬚■⬚", "⬚⬚⬚■"]
    assert drawn(window(4, 4, 2)) == ["■■⬚⬚", "■■■⬚", "⬚■■■", "⬚⬚■■"]


def test_window_of_fewer_queries_stands_at_the_last_keys():
    assert drawn(window(2, 5, 2)) == ["⬚⬚■■■", "⬚⬚⬚■■"]


def test_window_when_causal_leaves_the_latest_keys():
    assert drawn(both(causal(5), window(5, 5, 3))) == ["■⬚⬚⬚⬚", "■■⬚⬚⬚", "■■■⬚⬚", "⬚■■■⬚", "⬚⬚■■■"]


def test_window_of_nothing_is_refused():
    with pytest.raises(ShapeError, match="size is 0"):
        window(5, 7, 0)


# Heads that see only some keys


def test_heads_see_restricts_the_named_heads_and_no_others():
    first, second, third = heads_see(3, 2, 4, {0: [0, 1], 2: range(2, 4)})
    assert drawn(first) == ["■■⬚⬚", "■■⬚⬚"]
    assert drawn(second) == ["■■■■", "■■■■"]
    assert drawn(third) == ["⬚⬚■■", "⬚⬚■■"]


def test_heads_see_with_no_keys_blinds_the_head():
    assert not heads_see(2, 3, 5, {1: []})[1].any()


@pytest.mark.parametrize("head", [-1, 3])
def test_heads_see_with_a_head_that_does_not_exist_lists_those_that_do(head):
    with pytest.raises(ChoiceError, match=f"head {head} does not exist: heads go from 0 to 2"):
        heads_see(3, 5, 7, {head: [0]})


@pytest.mark.parametrize("key", [-1, 7])
def test_heads_see_with_a_key_that_does_not_exist_lists_those_that_do(key):
    with pytest.raises(ChoiceError, match=f"key {key} does not exist: keys go from 0 to 6"):
        heads_see(3, 5, 7, {0: [key]})


# Painted masks


@pytest.mark.parametrize(
    "matrix",
    [
        [[True, False, True], [False, True, True]],
        [[1, 0, 1], [0, 1, 1]],
        ((1, False, 1), (0, True, 1)),
        np.array([[1, 0, 1], [0, 1, 1]], dtype=np.uint8),
        np.array([[True, False, True], [False, True, True]]),
        torch.tensor([[1, 0, 1], [0, 1, 1]]),
        torch.tensor([[True, False, True], [False, True, True]]),
    ],
    ids=["bools", "ints", "tuples", "numpy bytes", "numpy bools", "tensor ints", "tensor bools"],
)
def test_painted_reads_cells_of_any_kind(matrix):
    may_attend = painted(matrix)
    assert may_attend.dtype == torch.bool
    assert drawn(may_attend) == ["■⬚■", "⬚■■"]


def test_painted_keeps_the_axes_in_front():
    assert painted(np.ones((3, 5, 7), dtype=bool)).shape == (3, 5, 7)


def test_painted_is_a_copy():
    cells = np.ones((2, 3), dtype=bool)
    may_attend = painted(cells)
    cells[0, 0] = False
    assert may_attend.all()


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 0], [1]], "equal length"),
        ([["yes", "no"]], "True/False or 1/0"),
        ([[1, 0, 2]], "holds 2;"),
        ([[1, -1]], "holds -1;"),
        ([[1.0, 0.0]], "torch.float64.*convert it to bool"),
        (torch.zeros(2, 3), "torch.float32"),
        (torch.zeros(2, 3, requires_grad=True), "True/False or 1/0"),
        ([1, 0, 1], r"\(3,\).*one row per query"),
        (1, r"\(\).*one row per query"),
    ],
    ids=["ragged", "words", "two", "minus", "floats", "tensor", "gradient", "one row", "one cell"],
)
def test_painted_with_anything_else_is_refused(matrix, message):
    """AV-046: scores, or 0/1 as floats, are no mask."""
    with pytest.raises(ShapeError, match=message):
        painted(matrix)


# Combinations


def test_both_and_either_by_hand():
    left, right = painted([[1, 1, 0]]), painted([[1, 0, 0]])
    assert drawn(both(left, right)) == ["■⬚⬚"]
    assert drawn(either(left, right)) == ["■■⬚"]
    assert drawn(either(left, right, painted([[0, 0, 1]]))) == ["■■■"]
    assert drawn(both(left)) == ["■■⬚"]


@pytest.mark.parametrize("combine", [both, either])
def test_combined_masks_broadcast_from_the_last_axis(combine):
    is_real = torch.ones(2, 7, dtype=torch.bool)
    combined = combine(causal(5, 7), padding(is_real), heads_see(3, 5, 7, {}))
    assert combined.shape == (2, 3, 5, 7)


def test_both_with_broadcasting_equals_each_rule_in_its_own_cells():
    is_real = torch.tensor([[True, True, True], [False, True, True]])
    combined = both(causal(3), padding(is_real))
    assert drawn(combined[0, 0]) == ["■⬚⬚", "■■⬚", "■■■"]
    assert drawn(combined[1, 0]) == ["⬚⬚⬚", "⬚■⬚", "⬚■■"]


@given(cells=st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=2, max_size=2))
@settings(deadline=None)
def test_both_and_either_follow_de_morgan(cells):
    left, right = (torch.tensor(row).reshape(2, 3) for row in cells)
    assert torch.equal(~both(left, right), either(~left, ~right))


@pytest.mark.parametrize("combine", [both, either])
def test_combined_masks_when_sizes_do_not_fit_are_named(combine):
    with pytest.raises(ShapeError, match=r"\(5, 5\), \(7, 7\) do not fit"):
        combine(causal(5), causal(7))


@pytest.mark.parametrize("combine", [both, either])
def test_combined_masks_of_numbers_are_refused(combine):
    """AV-045: a mask of -inf and 0 would be read as its inverse."""
    additive = torch.zeros(5, 5).masked_fill(~causal(5), float("-inf"))
    with pytest.raises(ShapeError, match=r"boolean.*torch\.float32"):
        combine(causal(5), additive)


@pytest.mark.parametrize("combine", [both, either])
def test_combined_masks_need_at_least_one(combine):
    with pytest.raises(ShapeError, match="none was given"):
        combine()


# The two checks that attention shares


def test_check_boolean_says_what_is_expected_and_what_to_do():
    check_boolean(causal(3))
    with pytest.raises(ShapeError, match=r"True where a query may look.*torch\.int64.*== 1"):
        check_boolean(torch.tensor([[1, 0]]))


def test_check_fits_names_what_does_not_fit():
    scores = torch.zeros(3, 5, 7)
    check_fits("may_attend", causal(5, 7), scores)
    with pytest.raises(ShapeError, match=r"bias \(5, 3\) does not fit scores \(3, 5, 7\)"):
        check_fits("bias", torch.zeros(5, 3), scores)
