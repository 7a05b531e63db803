"""Partners in two texts, and what of two maps can be compared."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from mha_viz.core.alignment import align, align_tokens, aligned_maps, row_distances
from mha_viz.core.record import Token
from mha_viz.errors import ShapeError
from tests.unit.core.maps import looks_at, random_maps

TEXTS = st.lists(st.sampled_from("abc"), max_size=7)


def is_part(part: tuple[str, ...], whole: list[str]) -> bool:
    """Whether the words of `part` stand in `whole`, in that order."""
    rest = iter(whole)
    return all(word in rest for word in part)


@given(first=TEXTS, second=TEXTS)
@settings(deadline=None)
def test_pairs_are_equal_words_in_ascending_order_and_as_many_as_can_be(first, second):
    found = align(first, second)
    assert all(first[one] == second[other] for one, other in found.pairs)
    for (one, other), (next_one, next_other) in pairwise(found.pairs):
        assert one < next_one
        assert other < next_other
    parts = (part for size in range(len(first) + 1) for part in combinations(first, size))
    assert len(found.pairs) == max(len(part) for part in parts if is_part(part, second))


@given(first=TEXTS, second=TEXTS)
@settings(deadline=None)
def test_every_word_has_a_partner_or_is_alone(first, second):
    found = align(first, second)
    assert sorted(found.first + found.alone_in_first) == list(range(len(first)))
    assert sorted(found.second + found.alone_in_second) == list(range(len(second)))


@given(text=TEXTS)
def test_text_against_itself_is_all_pairs(text):
    assert align(text, text).pairs == tuple((place, place) for place in range(len(text)))


def test_minimal_pair_leaves_the_one_word_alone():
    found = align(["it", "is", "too", "big", "."], ["it", "is", "too", "small", "."])
    assert found.alone_in_first == found.alone_in_second == [3]


def test_tokens_of_two_models_are_partners_without_capitals_and_marks_of_spaces():
    first = [Token("[CLS]", special=True), Token("the"), Token("cat")]
    second = [Token("The"), Token("␣cat"), Token("·s")]
    assert align_tokens(first, second).pairs == ((1, 0), (2, 1))


def test_aligned_maps_are_the_cells_of_partners():
    alignment = align("abcd", "axcdy")
    first, second = random_maps(3, 4, 4, seed=1), random_maps(3, 5, 5, seed=2)
    one, other = aligned_maps(first, second, alignment, alignment)
    for head in range(3):
        for row, (query, its_query) in enumerate([(0, 0), (2, 2), (3, 3)]):
            for column, (key, its_key) in enumerate([(0, 0), (2, 2), (3, 3)]):
                assert one[head, row, column] == first[head, query, key]
                assert other[head, row, column] == second[head, its_query, its_key]


def test_maps_of_other_texts_are_refused():
    words = align("abc", "abd")
    with pytest.raises(ShapeError, match=r"expected a map of 3 × 3 tokens, got \(5, 5\)"):
        aligned_maps(random_maps(5, 5), random_maps(3, 3), words, words)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_row_distances_equal_those_of_scipy_with_the_rest_as_one_more_key(seed):
    alignment = align("abcdefg", "abxdeyg")
    first, second = random_maps(2, 7, 7, seed=seed), random_maps(2, 7, 7, seed=seed + 1)
    distances = row_distances(first, second, alignment, alignment)
    kept = [0, 1, 3, 4, 6]
    for head in range(2):
        for place, query in enumerate(kept):
            rows = [
                [*maps[head, query, kept], 1 - maps[head, query, kept].sum()]
                for maps in (first, second)
            ]
            assert distances[head, place] == pytest.approx(jensenshannon(*rows, base=2), abs=1e-7)


@given(seed=st.integers(0, 2**32 - 1))
def test_same_map_is_at_a_distance_of_exactly_zero(seed):
    maps = random_maps(3, 5, 5, seed=seed).astype(np.float32)
    maps[:, 2] = 0
    words = align("abcde", "abcde")
    assert not row_distances(maps, maps.copy(), words, words).any()


def test_rows_with_nothing_in_common_are_at_a_distance_of_one():
    words = align("abc", "abc")
    distances = row_distances(looks_at([0, 0, 0]), looks_at([1, 1, 2]), words, words)
    assert distances.tolist() == [1, 1, 1]


def test_maps_from_one_text_to_another_are_aligned_on_both_sides():
    queries, keys = align("ab", "xab"), align("cdefg", "cefyz")
    first, second = random_maps(2, 5, seed=3), random_maps(3, 5, seed=4)
    one, other = aligned_maps(first, second, queries, keys)
    np.testing.assert_array_equal(one, first[[0, 1]][:, [0, 2, 3]])
    np.testing.assert_array_equal(other, second[[1, 2]][:, [0, 1, 2]])
    expected = [
        jensenshannon([*mine, 1 - mine.sum()], [*theirs, 1 - theirs.sum()], base=2)
        for mine, theirs in zip(one, other, strict=True)
    ]
    np.testing.assert_allclose(row_distances(first, second, queries, keys), expected, atol=1e-7)
