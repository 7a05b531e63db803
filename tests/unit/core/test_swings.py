"""How far heads swing between two texts, with heads that do what they are told."""

import re

import numpy as np
import pytest
import torch

from mha_viz.core.layers import ReportedLayer
from mha_viz.core.record import Stream, Token
from mha_viz.core.swings import (
    LEAST_SWAPS,
    MOST_SWAPS,
    NEUTRAL_WORDS,
    head_swings,
    neutral_swaps,
    swings,
)
from tests.unit.core.maps import even, looks_at, looks_back

PAIR = "The cat saw the dog was big", "The cat saw the dog was small"
SIDE = 7


def read(text: str) -> Stream:
    """Three heads: one never moves, one moves with “big”, one with every “the” that is swapped."""
    words = text.split()
    assert len(words) == SIDE
    with_big = looks_back(SIDE) if "big" in words else even(SIDE)
    with_the = looks_at([words.count("the")] * SIDE)
    maps = torch.from_numpy(np.stack([even(SIDE), with_big, with_the]).astype(np.float32))
    return stream(words, maps)


def stream(words: list[str], maps: torch.Tensor) -> Stream:
    tokens = tuple(map(Token, words))
    return Stream("self", (None, ReportedLayer(maps)), tokens, tokens)


def test_identical_texts_swing_no_head():
    found = swings(read, PAIR[0], PAIR[0])
    assert [swing.distance for swing in found.heads] == [0, 0, 0]


def test_head_that_reads_the_word_comes_first_and_one_that_any_swap_moves_last():
    found = swings(read, *PAIR)
    assert [(swing.layer, swing.head) for swing in found.heads] == [(1, 1), (1, 0), (1, 2)]
    first, still, noisy = found.heads
    assert first.distance > 0.3
    assert first.floor == 0
    assert (still.distance, still.floor) == (0, 0)
    assert noisy.distance == 0
    assert noisy.floor == pytest.approx(1)
    assert noisy.above == pytest.approx(-1)


def test_swing_is_the_mean_over_the_aligned_rows():
    one, other = read(PAIR[0]), read(PAIR[1])
    distances = head_swings(one, other)
    assert set(distances) == {(1, 0), (1, 1), (1, 2)}
    assert 0 < distances[1, 1] < 1


def test_texts_without_a_common_token_swing_nothing():
    maps = torch.from_numpy(np.stack([even(3)]).astype(np.float32))
    assert head_swings(stream(list("abc"), maps), stream(list("xyz"), maps)) == {(1, 0): 0.0}


def test_swaps_replace_one_shared_neutral_word_by_another_of_its_list():
    text, other = "The cat of Anna saw my dog", "The dog of Anna saw a cat"
    swapped = neutral_swaps(text, other)
    assert len(set(swapped)) == len(swapped) == 10
    lists = [[word.casefold() for word in words] for words in NEUTRAL_WORDS]
    for sentence in swapped:
        changed = [
            (one, new)
            for one, new in zip(text.split(), sentence.split(), strict=True)
            if one != new
        ]
        ((one, new),) = changed
        assert one in ("The", "Anna")  # “my” is not in the other text
        assert new[0].isupper()
        assert any({one.casefold(), new.casefold()} <= set(words) for words in lists)


def test_swaps_are_bounded_and_evenly_chosen():
    text = " ".join(["the"] * 30)
    swapped = neutral_swaps(text, text)
    assert len(swapped) == MOST_SWAPS // 2
    places = [
        re.split(r"\s", one).index(next(w for w in one.split() if w != "the")) for one in swapped
    ]
    assert places[0] == 0
    assert places[-1] == 29


def test_too_few_swaps_give_no_floor():
    found = swings(
        lambda text: stream(text.split(), torch.full((1, 2, 2), 0.5)), "red cat", "red dog"
    )
    assert found.n_swaps == 0 < LEAST_SWAPS
    assert [swing.floor for swing in found.heads] == [0]
