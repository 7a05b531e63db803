"""Every number of every head in columns: values in closed form, a slow oracle, and what has no meaning."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.head_numbers import head_numbers
from mha_viz.core.layers import ReportedLayer
from mha_viz.core.record import Stream, Token
from tests.unit.core.maps import causal_even, even, looks_at, looks_back, random_maps

MEASURES = {
    "entropy", "confidence", "first_token_share", "self_share", "previous_share", "next_share",
    "mean_distance", "special_share", "punctuation_share", "duplicate_share",
}  # fmt: skip
# [CLS] a cat , a dog . — “a” comes twice.
WORDS = ("[CLS]", "a", "cat", ",", "a", "dog", ".")
IDS = (101, 5, 6, 7, 5, 8, 9)
SPECIAL, PUNCTUATION, TWICE = {0}, {3, 6}, {1: {4}, 4: {1}}


def tokens(*texts: str) -> tuple[Token, ...]:
    return tuple(Token(text, id=number) for number, text in enumerate(texts))


SENTENCE = tuple(
    Token(text, id=number, special=text == "[CLS]") for text, number in zip(WORDS, IDS, strict=True)
)


def stream_of(
    *layers: list[np.ndarray] | None,
    queries: tuple[Token, ...],
    keys: tuple[Token, ...] | None = None,
    causal: bool = False,
) -> Stream:
    made = tuple(
        None if maps is None else ReportedLayer(torch.from_numpy(np.stack(maps).astype(np.float32)))
        for maps in layers
    )
    return Stream("self", made, queries, queries if keys is None else keys, causal=causal)


def letters(n_tokens: int) -> tuple[Token, ...]:
    return tokens(*"abcdefghijk"[:n_tokens])


@pytest.mark.parametrize(
    ("head", "column", "expected"),
    [
        (even(4), "entropy", math.log(4)),
        (even(4), "confidence", 1 / 4),
        (even(4), "mean_distance", 1.25),
        (even(8), "mean_distance", 2.625),
        (causal_even(8), "entropy", 1.32558),
        (causal_even(4), "entropy", 0.79451),
        (causal_even(4), "mean_distance", 0.75),
        (causal_even(4), "first_token_share", 0.52083),
        (looks_back(4), "previous_share", 1.0),
        (looks_back(4), "mean_distance", 3 / 4),
        (looks_back(4), "entropy", 0.0),
        (np.eye(5), "self_share", 1.0),
        (np.eye(5), "mean_distance", 0.0),
        (looks_at([1, 2, 3, 4, 4]), "next_share", 1.0),
    ],
)
def test_column_of_a_known_head_has_its_closed_form(head: np.ndarray, column: str, expected: float):
    found = head_numbers(stream_of([head], queries=letters(len(head)))).measures[column]
    assert found == pytest.approx([expected], abs=5e-6)
    assert f"{found[0]:.2f}" != "-0.00"


def test_perfect_duplicate_head_and_perfect_induction_head_are_told_apart():
    twice = tuple(
        Token(text, id=number) for text, number in zip("ABCABC", [1, 2, 3] * 2, strict=True)
    )
    duplicates, induces = looks_at([0, 1, 2, 0, 1, 2]), looks_at([0, 1, 2, 1, 2, 3])
    found = head_numbers(stream_of([duplicates, induces], queries=twice, causal=True))
    assert found.measures["duplicate_share"].tolist() == [1, 0]


def cell_by_cell(weights: np.ndarray) -> dict[str, float]:
    """The columns of a head on the sentence, one cell after another."""
    n_tokens = len(WORDS)
    sums = dict.fromkeys(MEASURES, 0.0)
    for query in range(n_tokens):
        sums["confidence"] += max(weights[query]) / n_tokens
        for key in range(n_tokens):
            weight = float(weights[query, key])
            sums["entropy"] -= weight * math.log(weight) / n_tokens
            sums["mean_distance"] += weight * abs(query - key) / n_tokens
            sums["first_token_share"] += weight * (key == 0) / n_tokens
            sums["self_share"] += weight * (key == query) / n_tokens
            sums["previous_share"] += weight * (key == query - 1) / (n_tokens - 1)
            sums["next_share"] += weight * (key == query + 1) / (n_tokens - 1)
            sums["special_share"] += weight * (key in SPECIAL) / n_tokens
            sums["punctuation_share"] += weight * (key in PUNCTUATION) / n_tokens
            sums["duplicate_share"] += weight * (key in TWICE.get(query, ())) / len(TWICE)
    return sums


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_columns_equal_those_worked_out_cell_by_cell(seed: int):
    maps = random_maps(2, 3, 7, 7, seed=seed)
    found = head_numbers(stream_of(list(maps[0]), None, list(maps[1]), queries=SENTENCE))
    assert found.measures.keys() == MEASURES
    for place, weights in enumerate(maps.reshape(6, 7, 7)):
        for name, expected in cell_by_cell(weights).items():
            assert found.measures[name][place] == pytest.approx(expected, abs=1e-5), name


def test_places_name_layers_with_attention_and_their_own_numbers_of_heads():
    found = head_numbers(stream_of(None, [even(5)] * 3, None, [np.eye(5)] * 2, queries=letters(5)))
    assert found.places == ((1, 0), (1, 1), (1, 2), (3, 0), (3, 1))
    assert found.measures["self_share"] == pytest.approx([0.2, 0.2, 0.2, 1, 1])
    assert {len(column) for column in (found.measures | found.evidence).values()} == {5}


def test_text_with_nothing_of_a_kind_has_no_share_of_it():
    found = head_numbers(stream_of([even(5)], queries=letters(5)))
    missing = {name for name, column in found.measures.items() if np.isnan(column).all()}
    assert missing == {"special_share", "punctuation_share", "duplicate_share"}


def test_words_that_look_at_another_text_have_no_positions():
    found = head_numbers(stream_of([even(7)[:3]], queries=tokens("x", "y", "z"), keys=SENTENCE))
    missing = {name for name, column in found.measures.items() if np.isnan(column).all()}
    assert missing == {
        "self_share", "previous_share", "next_share", "mean_distance", "duplicate_share",
    }  # fmt: skip
    assert found.measures["special_share"] == pytest.approx([1 / 7])
    assert found.measures["punctuation_share"] == pytest.approx([2 / 7])


def test_head_that_sees_nothing_has_no_numbers_and_disturbs_no_other():
    found = head_numbers(stream_of([np.zeros((5, 5)), np.eye(5)], queries=letters(5)))
    assert np.isnan(found.measures["entropy"][0])
    assert found.measures["self_share"][1] == 1


def test_evidence_is_what_roles_rest_on():
    found = head_numbers(stream_of([looks_back(7), looks_at([0] * 7)], queries=SENTENCE))
    assert found.evidence["previous token"] == pytest.approx([1, 1 / 6])
    assert found.evidence["[CLS] sink"] == pytest.approx([2 / 7, 1])
