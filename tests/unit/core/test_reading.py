"""A layer as it is read, against the same sums and means in plain loops."""

import dataclasses
from itertools import product

import numpy as np
import pytest
import torch

from mha_viz.core.layers import ScoredLayer
from mha_viz.core.reading import LayerReading, Line, Manner, read_layer
from mha_viz.core.record import Stream, Token
from mha_viz.core.units import Units

N_HEADS, D_HEAD = 3, 2
# Tokens of each word, in the line that looks (7 tokens) and in the one that is looked at (11 tokens).
QUERY_SIZES, KEY_SIZES = (1, 3, 2, 1), (1, 2, 4, 1, 2, 1)
SINKS = torch.tensor([0.5, -1.0, 2.0])


def line_of_words(sizes: tuple[int, ...], manner: Manner) -> Line:
    """Words of these many pieces, the first and the last of them added by the model, as a Line reads them."""
    text = " ".join("x" * size for size in sizes[1:-1])
    tokens, start = [Token("[CLS]", special=True)], 0
    for word, size in enumerate(sizes[1:-1]):
        spans = [(start + piece, start + piece + 1) for piece in range(size)]
        tokens += [
            Token("x" if piece == 0 else "·x", span=span, piece_of_word=word)
            for piece, span in enumerate(spans)
        ]
        start += size + 1
    return Line.of([*tokens, Token("[SEP]", special=True)], text, manner)


def layer(n_query: int, n_key: int, **changes: object) -> ScoredLayer:
    generator = torch.Generator().manual_seed(1)
    usual = {
        "query": 3 * torch.randn(N_HEADS, n_query, D_HEAD, generator=generator),
        "key": torch.randn(N_HEADS, n_key, D_HEAD, generator=generator),
        "value": torch.randn(N_HEADS, n_key, D_HEAD, generator=generator),
        "scaling": 1.0,
        "may_attend": torch.ones(1, n_query, n_key, dtype=torch.bool),
    }
    return ScoredLayer(**(usual | changes))


def read(manner: Manner, **changes: object) -> tuple[np.ndarray, LayerReading, Line, Line]:
    """The weights of a layer token by token, and what is read of them."""
    queries, keys = line_of_words(QUERY_SIZES, manner), line_of_words(KEY_SIZES, manner)
    n_query, n_key = sum(QUERY_SIZES), sum(KEY_SIZES)
    tokens = [tuple(Token(f"t{place}") for place in range(count)) for count in (n_query, n_key)]
    stream = Stream("cross", (layer(n_query, n_key, **changes),), *tokens)
    weights = stream.weights(0)
    return weights, read_layer(stream, 0, weights, queries, keys, manner), queries, keys


def members(line: Line) -> list[list[int]]:
    """The tokens of each unit that is shown."""
    groups = line.units.groups
    return [
        [token for token, group in enumerate(groups) if group == unit]
        for unit in range(len(line.units.tokens))
        if line.kept[unit]
    ]


def expected(weights: np.ndarray, queries: Line, keys: Line, manner: Manner) -> np.ndarray:
    """What keys of a unit get is summed, what its queries give is averaged, all in double precision."""
    maps = [*weights.astype(float)]
    if manner.average:
        maps.append(sum(maps) / len(maps))
    result = []
    for one in maps:
        rows = []
        for asking in members(queries):
            row = [
                sum(one[query, key] for query in asking for key in asked) / len(asking)
                for asked in members(keys)
            ]
            whole = sum(one[query, key] for query in asking for key in range(one.shape[1]))
            if manner.rescale:
                row = [part * whole / len(asking) / sum(row) for part in row]
            rows.append(row)
        result.append(rows)
    return np.array(result)


every_manner = pytest.mark.parametrize(
    "manner",
    [
        Manner(*choices)
        for choices in product(
            ("token", "word", "sentence"),
            ((), ("special",), ("first",), ("first", "special")),
            (False, True),
            (False, True),
        )
    ],
    ids=lambda manner: "-".join(map(str, dataclasses.astuple(manner))),
)


@every_manner
def test_layer_when_read_in_any_manner_is_what_plain_loops_give(manner: Manner):
    weights, reading, queries, keys = read(manner)
    by_hand = expected(weights, queries, keys, manner)
    assert reading.weights.dtype == reading.hidden.dtype == np.float32
    assert reading.weights.shape == by_hand.shape
    np.testing.assert_allclose(reading.weights, by_hand, rtol=1e-5, atol=1e-6)


@every_manner
def test_rows_sum_to_one_with_what_is_hidden(manner: Manner):
    _, reading, queries, _ = read(manner)
    sums = reading.weights.sum(axis=-1, dtype=float)
    whole = sums if manner.rescale else sums + reading.hidden
    np.testing.assert_allclose(whole, 1, atol=1e-5)
    assert reading.hidden.shape == (N_HEADS + manner.average, queries.kept.sum())
    assert (reading.hidden.max() > 0) == bool(manner.hide)


@every_manner
def test_rows_of_a_model_with_sinks_lack_what_goes_there(manner: Manner):
    _, reading, _, _ = read(manner, sinks=SINKS)
    assert reading.sink is not None
    assert reading.sink.shape == reading.hidden.shape
    assert reading.sink.max() > 0.01
    sums = reading.weights.sum(axis=-1, dtype=float) + reading.sink
    np.testing.assert_allclose(sums if manner.rescale else sums + reading.hidden, 1, atol=1e-5)


def test_sink_of_a_word_is_the_mean_of_its_pieces_and_of_the_mean_row_that_of_the_heads():
    by_token = read(Manner(), sinks=SINKS)[1].sink
    by_word = read(Manner("word", average=True), sinks=SINKS)[1].sink
    np.testing.assert_allclose(by_word[:3, 1], by_token[:, 1:4].mean(axis=1), rtol=1e-5)
    np.testing.assert_allclose(by_word[3], by_word[:3].mean(axis=0), rtol=1e-5)


def test_model_without_sinks_has_none():
    assert read(Manner())[1].sink is None


def test_layer_read_as_it_is_is_not_copied_and_read_only():
    weights, reading, _, _ = read(Manner())
    assert reading.weights is weights
    with pytest.raises(ValueError, match="read-only"):
        reading.weights[0, 0, 0] = 1
    np.testing.assert_array_equal(reading.hidden, 0)


def masking(*pairs: tuple[int, int]) -> torch.Tensor:
    """Who may look at what, where these queries of these heads may look at nothing."""
    may_attend = torch.ones(N_HEADS, sum(QUERY_SIZES), sum(KEY_SIZES), dtype=torch.bool)
    for head, query in pairs:
        may_attend[head, query] = False
    return may_attend


def test_word_is_masked_if_all_of_its_pieces_are():
    """Pieces 1 to 3 are one word, 4 and 5 the next."""
    may_attend = masking((0, 1), (0, 2), (1, 1), (1, 2), (1, 3), (2, 4))
    _, reading, _, _ = read(Manner("word"), may_attend=may_attend)
    assert reading.masked.dtype == bool
    assert np.argwhere(reading.masked).tolist() == [[1, 1]]
    np.testing.assert_array_equal(reading.weights[1, 1], 0)


def test_mean_is_masked_where_all_heads_are():
    may_attend = masking((0, 1), (0, 2), (1, 2), (2, 2))
    _, reading, _, _ = read(Manner(average=True, hide=("special",)), may_attend=may_attend)
    assert np.flatnonzero(reading.masked[3]).tolist() == [1]
    assert np.flatnonzero(reading.masked[0]).tolist() == [0, 1]


def test_row_that_has_nothing_left_stays_empty_when_rescaled():
    may_attend = masking()
    may_attend[2, 3, 1:] = False  # this query may look at the first key alone
    _, reading, _, _ = read(Manner(hide=("first",), rescale=True), may_attend=may_attend)
    np.testing.assert_array_equal(reading.weights[2, 2], 0)
    np.testing.assert_allclose(reading.hidden[2, 2], 1, atol=1e-6)
    assert not reading.masked.any()


@pytest.mark.parametrize(
    ("hide", "shown"),
    [
        ((), [0, 1, 2, 3]),
        (("special",), [1, 2]),
        (("first",), [1, 2, 3]),
        (("special", "first"), [1, 2]),
    ],
)
def test_line_leaves_out_what_it_is_told_to(hide: tuple[str, ...], shown: list[int]):
    line = line_of_words(QUERY_SIZES, Manner("word", hide))
    assert np.flatnonzero(line.kept).tolist() == shown
    assert [unit.text for unit in line.tokens] == [
        ["[CLS]", "xxx", "xx", "[SEP]"][place] for place in shown
    ]
    assert len(line.tokens) + len(line.hidden) == 4


@pytest.mark.parametrize("hide", [("first",), ("special",)])
def test_line_of_which_nothing_would_be_left_is_shown_whole(hide: tuple[str, ...]):
    line = Line.of([Token("[CLS]", special=True)], "", Manner(hide=hide))
    assert line.kept.tolist() == [True]
    assert line.hidden == []


def test_positions_count_all_units_and_places_those_that_are_shown():
    line = line_of_words(KEY_SIZES, Manner("word", ("special",)))
    assert [line.place(position) for position in range(6)] == [None, 0, 1, 2, 3, None]
    assert [line.position(place) for place in range(4)] == [1, 2, 3, 4]


def test_memory_of_a_reading_is_that_of_its_arrays():
    reading = LayerReading(
        np.zeros((2, 3, 5), np.float32), np.zeros((2, 3), np.float32), np.zeros((2, 3), bool), None
    )
    assert reading.n_bytes == 4 * 30 + 4 * 6 + 6
    assert dataclasses.replace(reading, sink=reading.hidden).n_bytes == reading.n_bytes + 4 * 6


def test_line_of_no_words_is_empty():
    line = Line.of([], "", Manner())
    assert line == Line(Units((), ()), line.kept)
    assert line.tokens == line.hidden == []
