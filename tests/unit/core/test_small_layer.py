"""Our own small layer, and what attention costs."""

from dataclasses import replace

import numpy as np
import pytest

from mha_viz.core.costs import STEPS, cost, width_effect
from mha_viz.core.four_steps import trace_layer
from mha_viz.core.small_layer import (
    MOST_WORDS,
    SmallLayer,
    embeddings,
    module_steps,
    position_patterns,
    small_numbers,
    words_of,
)

WORDS = ("The", "cat", "saw", "the", "cat")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat, hungry.", ("The", "cat", ",", "hungry", ".")),
        ("A B C D E F", tuple("ABCDEF")),
        ("猫が好き", ("猫", "が", "好", "き")),
        ("नमस्ते दुनिया", ("नमस्ते", "दुनिया")),
        ("   ", ()),
    ],
)
def test_words_are_those_a_person_would_count(text: str, words: tuple[str, ...]):
    assert words_of(text) == (words, 0)


def test_long_text_is_cut_and_what_is_left_out_counted():
    words, left_out = words_of("w " * (MOST_WORDS + 7))
    assert (len(words), left_out) == (MOST_WORDS, 7)


def test_same_word_has_the_same_vector_wherever_it_stands():
    rows = embeddings(WORDS, SmallLayer(d_model=16))
    np.testing.assert_array_equal(rows[1], rows[4])
    assert not np.array_equal(rows[0], rows[3])
    assert not np.array_equal(rows, embeddings(WORDS, SmallLayer(d_model=16, seed=1)))


def test_numbers_have_two_decimals_so_that_they_can_be_checked_by_hand():
    numbers = small_numbers(WORDS, SmallLayer())
    for given in (numbers.x, *(part.weight for part in numbers.projections.values())):
        np.testing.assert_array_equal(given, given.round(2))


def test_matrices_are_the_same_for_any_number_of_heads():
    one, many = (small_numbers(WORDS, SmallLayer(n_heads=h)).projections for h in (1, 8))
    for what, part in one.items():
        np.testing.assert_array_equal(part.weight, many[what].weight)


def test_position_patterns_are_sines_and_cosines():
    patterns = position_patterns(5, 4)
    np.testing.assert_allclose(
        patterns[3], [np.sin(3), np.cos(3), np.sin(0.03), np.cos(0.03)], atol=0.006
    )


@pytest.mark.parametrize(
    "layer",
    [
        SmallLayer(),
        SmallLayer(d_model=16, n_heads=4, seed=3, causal=True, positions=True),
        SmallLayer(n_heads=1, root=False),
        SmallLayer(n_heads=8, temperature=0.25),
        SmallLayer(d_model=64, root=False, temperature=2.0, causal=True),
    ],
)
def test_trace_ends_in_the_output_of_multi_head_attention(layer: SmallLayer):
    numbers = small_numbers(WORDS, layer)
    for head in range(layer.n_heads):
        trace, steps = trace_layer(numbers, head), module_steps(numbers)
        np.testing.assert_allclose(trace.matrix("O").values, steps.output, atol=1e-12)
        np.testing.assert_allclose(trace.matrix("A").values, steps.weights[head], atol=1e-12)


def test_costs_are_the_same_for_any_number_of_heads_but_in_the_softmax():
    n_tokens, d_model = 7, 8
    counted = [cost(n_tokens, d_model, h, repeats=1) for h in (1, 2, 4, 8)]
    for one in counted:
        assert one.parameters["project"] == 3 * one.parameters["project back"] == 3 * 64
        assert one.operations["project"] == 7 * 8 * 24
        assert one.operations["scores"] == one.operations["values"] == 7 * 7 * 8
        assert one.operations["softmax"] == one.n_heads * 49
        assert one.multiply_adds == 4 * 7 * 64 + 2 * 49 * 8
        assert set(one.seconds) == set(STEPS)
        assert all(seconds > 0 for seconds in one.seconds.values())


def test_products_grow_with_the_width_of_a_head_and_the_root_undoes_it():
    narrow, wide = width_effect(11, 4), width_effect(11, 256)
    assert narrow.spread == pytest.approx(2, rel=0.1)
    assert wide.spread == pytest.approx(16, rel=0.1)
    assert wide.without_root > 0.8
    assert abs(wide.with_root - narrow.with_root) < 0.1


def test_seed_changes_nothing_but_the_numbers():
    first, second = (small_numbers(WORDS, replace(SmallLayer(), seed=seed)) for seed in (0, 1))
    assert first.query_labels == second.query_labels
    assert not np.array_equal(first.x, second.x)
