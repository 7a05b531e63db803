"""What the examples tell people to look for is there, in the very numbers they name."""

import re

import numpy as np
import pytest

from mha_viz.core.record import AttentionRecord
from mha_viz.ui import cache
from mha_viz.ui.examples import EXAMPLES, Example

pytestmark = pytest.mark.model
BY_TITLE = {example.title: example for example in EXAMPLES}


def record_of(example: Example) -> AttentionRecord:
    return cache.record(cache.Source("minilm", example.text))


def weight(record: AttentionRecord, layer: int, head: int, looks: str, looked_at: str) -> float:
    texts = [token.text for token in record.tokens]
    return float(record.weights(layer, head)[texts.index(looks), texts.index(looked_at)])


@pytest.mark.parametrize(
    ("title", "layer", "head", "looks", "looked_at"),
    [
        ("Who is it?", 3, 1, "it", "animal"),
        ("If … then", 1, 3, "then", "if"),
        ("If … then", 1, 7, "at", "home"),
        ("Verb and subject", 3, 1, "are", "keys"),
    ],
)
def test_hint_names_the_weight_that_the_model_computed(
    title: str, layer: int, head: int, looks: str, looked_at: str
):
    example = BY_TITLE[title]
    computed = weight(record_of(example), layer, head, looks, looked_at)
    assert f"{computed:.2f}" in re.findall(r"\d\.\d\d", example.hint)
    assert f"“{looks}”" in example.hint
    assert f"“{looked_at}”" in example.hint
    assert f"head {head}" in example.hint


def test_animal_gets_more_than_street_as_the_hint_says():
    record = record_of(BY_TITLE["Who is it?"])
    assert weight(record, 3, 1, "it", "animal") > 5 * weight(record, 3, 1, "it", "street")


def test_heads_before_and_after_are_those_that_the_hint_names():
    record = record_of(BY_TITLE["The cat and the mouse"])
    assert np.diagonal(record.weights(0, 2), -1).min() > 0.999
    assert np.diagonal(record.weights(1, 8), 1).mean() > 0.5


def test_letters_make_the_staircase_that_the_hint_names():
    record = record_of(BY_TITLE["A B C D E F"])
    assert np.diagonal(record.weights(0, 2), -1).min() > 0.999
    assert weight(record, 0, 4, "c", "b") > 0.9


def test_each_cat_finds_the_other_cats_as_the_hint_says():
    record = record_of(BY_TITLE["Again and again"])
    texts = [token.text for token in record.tokens]
    cats = [position for position, text in enumerate(texts) if text == "cat"]
    weights = record.weights(2, 9)
    shares = [weights[cat, [other for other in cats if other != cat]].sum() for cat in cats]
    chance = (len(cats) - 1) / len(texts)
    assert min(shares) > 2 * chance


def test_examples_name_heads_and_words_that_exist():
    for example in EXAMPLES:
        record = record_of(example)
        assert example.layer < record.n_layers
        assert max(example.heads) < record.n_heads
        assert example.query is None or example.query < len(record.tokens)
