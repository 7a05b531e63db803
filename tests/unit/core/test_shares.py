"""A hundred percent shared out among marked words, and its text in a link."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.core.shares import (
    give,
    maps_from_text,
    maps_to_text,
    most,
    row_from_text,
    row_to_text,
    share_equally,
    weights_of,
)
from mha_viz.errors import ChoiceError

N_KEY = 7
marked_keys = st.sets(st.integers(0, N_KEY - 1))


@given(marked_keys)
def test_marked_words_share_equally_to_the_last_percent(marked: set[int]):
    row = share_equally(marked, N_KEY)
    assert {key for key, share in enumerate(row) if share} == marked
    if marked:
        shares = [row[key] for key in marked]
        assert sum(shares) == 100
        assert max(shares) - min(shares) <= 1


@given(marked_keys.filter(lambda marked: len(marked) > 1), st.data())
def test_word_given_a_share_has_it_and_the_others_make_room(marked: set[int], data: st.DataObject):
    row = share_equally(marked, N_KEY)
    for _ in range(3):
        key = data.draw(st.sampled_from(sorted(marked)))
        percent = data.draw(st.integers(1, most(row)))
        row = give(row, key, percent)
        assert row[key] == percent
        assert sum(row) == 100
        assert {key for key, share in enumerate(row) if share} == marked


def test_others_make_room_in_proportion():
    assert give((0, 60, 30, 10), 1, 20) == (0, 20, 60, 20)


@pytest.mark.parametrize("percent", [-5, 0, 100, 1000])
def test_share_out_of_range_leaves_one_percent_to_each(percent: int):
    row = give((50, 0, 50), 0, percent)
    assert sorted(row) == [0, 1, 99]
    assert row[0] == (1 if percent < 1 else 99)


def test_word_alone_keeps_everything():
    assert give((0, 100, 0), 1, 3) == (0, 100, 0)


def test_word_that_is_not_marked_is_given_nothing():
    with pytest.raises(ChoiceError, match="mark it first"):
        give((0, 100), 0, 50)


def test_row_of_weights_sums_to_one_and_nothing_marked_is_even():
    weights = weights_of([(0, 25, 75, 0), (0, 0, 0, 0)])
    np.testing.assert_allclose(weights, [[0, 0.25, 0.75, 0], [0.25] * 4])


@given(st.lists(st.lists(marked_keys, min_size=N_KEY, max_size=N_KEY), min_size=1, max_size=3))
def test_maps_when_written_are_read_back(heads: list[list[set[int]]]):
    maps = tuple(tuple(share_equally(marked, N_KEY) for marked in rows) for rows in heads)
    assert maps_from_text(maps_to_text(maps), len(maps), N_KEY) == maps


def test_row_is_a_few_characters():
    assert row_to_text((0, 0, 0, 50, 0, 50)) == "3.50_5.50"
    assert row_from_text("", 5) == (0,) * 5


@pytest.mark.parametrize(
    "text",
    ["x", "3", "3.50", "7.100", "-1.100", "1.50_1.50", "1.50_2.51", "1.-5_2.105", "1.0_2.100", "_"],
)
def test_text_that_is_no_row_is_refused(text: str):
    with pytest.raises(ChoiceError, match="mark the words anew"):
        row_from_text(text, N_KEY)


@pytest.mark.parametrize("text", ["", "-", "--~-", "--~--~--", "9.100--~--"])
def test_text_that_is_no_maps_is_refused(text: str):
    with pytest.raises(ChoiceError):
        maps_from_text(text, 2, 3)
