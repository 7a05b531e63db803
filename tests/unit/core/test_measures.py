"""Numbers about heads: values known in closed form, a slow oracle, and what is left out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.measures import (
    HeadMeasures,
    confidence,
    entropy,
    first_token_share,
    head_measures,
    mean_distance,
    next_share,
    previous_share,
    self_share,
)
from mha_viz.errors import ShapeError

MEASURES = [
    entropy, confidence, first_token_share, self_share, previous_share, next_share, mean_distance
]  # fmt: skip
POSITIONAL = [self_share, previous_share, next_share, mean_distance]


def uniform(n_tokens: int) -> np.ndarray:
    return np.full((n_tokens, n_tokens), 1 / n_tokens)


def causal_uniform(n_tokens: int) -> np.ndarray:
    triangle = np.tril(np.ones((n_tokens, n_tokens)))
    return triangle / triangle.sum(axis=-1, keepdims=True)


def looks_back(n_tokens: int) -> np.ndarray:
    """Each token looks at the one before it, the first at itself."""
    weights = np.eye(n_tokens, k=-1)
    weights[0, 0] = 1
    return weights


def looks_ahead(n_tokens: int) -> np.ndarray:
    return looks_back(n_tokens)[::-1, ::-1]


def random_weights(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(shape[-1]), size=shape[:-1])


# Closed forms


@pytest.mark.parametrize(
    ("measure", "weights", "expected"),
    [
        (entropy, uniform(4), 1.38629),
        (entropy, uniform(12), 2.484907),
        (entropy, causal_uniform(8), 1.32558),
        (entropy, causal_uniform(4), 0.79451),
        (entropy, np.array([[0.5, 0.5, 0.0]]), 0.693147),
        (entropy, np.eye(7), 0.0),
        (mean_distance, uniform(8), 2.625),
        (mean_distance, uniform(4), 1.25),
        (mean_distance, causal_uniform(4), 0.75),
        (mean_distance, np.eye(7), 0.0),
        (mean_distance, looks_back(4), 0.75),
        (mean_distance, looks_ahead(4), 0.75),
        (first_token_share, causal_uniform(4), 0.52083),
        (first_token_share, looks_back(4), 0.5),
        (previous_share, looks_back(4), 1.0),
        (previous_share, looks_ahead(4), 0.0),
        (previous_share, uniform(5), 0.2),
        (previous_share, causal_uniform(4), (1 / 2 + 1 / 3 + 1 / 4) / 3),
        (next_share, looks_ahead(4), 1.0),
        (next_share, looks_back(4), 0.0),
        (next_share, causal_uniform(4), 0.0),
        (self_share, np.eye(7), 1.0),
        (self_share, looks_back(4), 0.25),
        (self_share, causal_uniform(4), 0.52083),
        (confidence, uniform(4), 0.25),
        (confidence, causal_uniform(4), 0.52083),
        (confidence, np.eye(7), 1.0),
    ],
)
def test_measure_equals_its_closed_form(measure, weights, expected):
    """AV-094 among them: zeros beside [0.5, 0.5], and uniform over 12 keys."""
    assert measure(weights) == pytest.approx(expected, abs=5e-6)


def test_directions_on_three_tokens():
    """The middle token looks back with .7 and ahead with .2: which is which, in plain sight."""
    weights = np.array([[1.0, 0.0, 0.0], [0.7, 0.1, 0.2], [0.0, 0.0, 1.0]])
    assert previous_share(weights) == pytest.approx(0.7 / 2)
    assert next_share(weights) == pytest.approx(0.2 / 2)
    assert self_share(weights) == pytest.approx(2.1 / 3)


@pytest.mark.parametrize("measure", [entropy, mean_distance])
def test_measure_of_an_identity_head_is_never_negative_zero(measure):
    """AV-094."""
    assert f"{measure(np.eye(5)).item():.2f}" == "0.00"


# Against a slow oracle


def in_words(weights: np.ndarray) -> dict[str, float]:
    """Each measure of one square map, cell by cell."""
    n_tokens = len(weights)
    cells = [(q, k, float(weights[q, k])) for q in range(n_tokens) for k in range(n_tokens)]
    return {
        "entropy": -math.fsum(a * math.log(a) for _, _, a in cells if a > 0) / n_tokens,
        "confidence": math.fsum(max(row) for row in weights.tolist()) / n_tokens,
        "first_token_share": math.fsum(a for _, k, a in cells if k == 0) / n_tokens,
        "self_share": math.fsum(a for q, k, a in cells if k == q) / n_tokens,
        "previous_share": math.fsum(a for q, k, a in cells if k == q - 1) / (n_tokens - 1),
        "next_share": math.fsum(a for q, k, a in cells if k == q + 1) / (n_tokens - 1),
        "mean_distance": math.fsum(a * abs(q - k) for q, k, a in cells)
        / math.fsum(a for _, _, a in cells),
    }


@pytest.mark.parametrize("measure", MEASURES)
def test_measure_of_random_maps_equals_the_sum_cell_by_cell(measure):
    weights = random_weights(2, 3, 7, 7)
    measured = measure(weights)
    assert measured.shape == (2, 3)
    for text in range(2):
        for head in range(3):
            expected = in_words(weights[text, head])[measure.__name__]
            assert measured[text, head] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_measure_in_float32_agrees_with_float64(measure):
    weights = random_weights(3, 11, 11)
    measured = measure(weights.astype(np.float32))
    assert measured.dtype == np.float64
    np.testing.assert_allclose(measured, measure(weights), rtol=1e-5)


@given(seed=st.integers(0, 2**32 - 1), n_query=st.integers(1, 7), n_key=st.integers(1, 7))
@settings(deadline=None)
def test_entropy_and_confidence_stay_within_their_bounds(seed, n_query, n_key):
    weights = random_weights(3, n_query, n_key, seed=seed)
    assert (entropy(weights) >= 0).all()
    assert (entropy(weights) <= math.log(n_key) + 1e-12).all()
    assert (confidence(weights) >= 1 / n_key - 1e-12).all()
    assert (confidence(weights) <= 1).all()


@given(seed=st.integers(0, 2**32 - 1), order=st.permutations(range(5)))
@settings(deadline=None)
def test_entropy_confidence_and_self_share_ignore_the_order_of_tokens(seed, order):
    weights = random_weights(5, 5, seed=seed)
    permuted = weights[np.ix_(order, order)]
    for measure in (entropy, confidence, self_share):
        assert measure(permuted) == pytest.approx(measure(weights), rel=1e-12)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_previous_and_next_trade_places_when_the_text_is_reversed(seed):
    weights = random_weights(5, 5, seed=seed)
    reverse = weights[::-1, ::-1]
    assert previous_share(reverse) == pytest.approx(next_share(weights), rel=1e-12)
    assert mean_distance(reverse) == pytest.approx(mean_distance(weights), rel=1e-12)


# What is left out


@pytest.mark.parametrize("measure", MEASURES)
def test_measure_when_the_first_query_sees_nothing_leaves_its_row_out(measure):
    """AV-043: padding on the left; a row of zeros is no attention, and pulls no mean down."""
    weights = random_weights(7, 7)
    weights[0] = 0
    others = in_words(weights)[measure.__name__]
    divisors = {"previous_share": 1.0, "next_share": 6 / 5, "mean_distance": 1.0}
    assert measure(weights) == pytest.approx(others * divisors.get(measure.__name__, 7 / 6))


@pytest.mark.parametrize("measure", MEASURES)
def test_measure_when_no_query_sees_anything_is_nan(measure):
    assert np.isnan(measure(np.zeros((5, 5))))


@pytest.mark.parametrize("measure", [previous_share, next_share])
def test_neighbour_share_of_a_single_token_is_nan(measure):
    assert np.isnan(measure(np.ones((1, 1))))


def test_measures_with_a_sink_count_rows_as_they_are():
    """AV-013: half of each row went to the sink; shares are of the whole, distance of what is left."""
    half = 0.5 * looks_back(5)
    assert previous_share(half) == pytest.approx(0.5)
    assert confidence(half) == pytest.approx(0.5)
    assert entropy(half) == pytest.approx(0.5 * math.log(2))
    assert mean_distance(half) == pytest.approx(mean_distance(looks_back(5)))


@pytest.mark.parametrize("measure", POSITIONAL)
def test_positional_measure_of_a_rectangular_map_is_refused_with_both_sizes(measure):
    """AV-032."""
    with pytest.raises(ShapeError, match="5 queries and 7 keys"):
        measure(random_weights(3, 5, 7))


# The table


def test_head_measures_gives_one_row_a_head_in_order():
    layers = [random_weights(3, 5, 5), random_weights(2, 7, 7, seed=1)]
    rows = head_measures(iter(layers))
    assert [(row.layer, row.head) for row in rows] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    for row in rows:
        for name, expected in in_words(layers[row.layer][row.head]).items():
            assert getattr(row, name) == pytest.approx(expected, rel=1e-12), name


def test_head_measures_of_layers_without_attention_keep_their_numbers():
    """AV-024: the only map belongs to layer 1, not to layer 0."""
    rows = head_measures([None, random_weights(2, 5, 5)])
    assert [(row.layer, row.head) for row in rows] == [(1, 0), (1, 1)]


def test_head_measures_of_rectangular_maps_have_no_positions():
    """AV-032: cross-attention."""
    weights = random_weights(1, 5, 7)
    assert head_measures([weights]) == [
        HeadMeasures(
            layer=0,
            head=0,
            entropy=entropy(weights)[0],
            confidence=confidence(weights)[0],
            first_token_share=first_token_share(weights)[0],
            self_share=None,
            previous_share=None,
            next_share=None,
            mean_distance=None,
        )
    ]


def test_head_measures_between_different_texts_have_no_positions_even_if_square():
    """AV-032: as many target as source tokens is chance, not a diagonal."""
    (row,) = head_measures([np.eye(5)[None]], same_tokens=False)
    assert (row.self_share, row.mean_distance, row.confidence) == (None, None, 1.0)


def test_head_measures_of_a_head_that_sees_nothing_are_none():
    blind = np.stack([np.zeros((5, 5)), np.eye(5)])
    first, second = head_measures([blind])
    assert first == HeadMeasures(0, 0, *[None] * 7)
    assert second.self_share == 1.0


def test_head_measures_when_the_head_axis_is_missing_or_a_batch_is_there_says_which_layer():
    with pytest.raises(ShapeError, match=r"layer 1 .*\(5, 5\)"):
        head_measures([random_weights(3, 5, 5), random_weights(5, 5)])
    with pytest.raises(ShapeError, match=r"layer 0 .*\(2, 3, 5, 5\)"):
        head_measures([random_weights(2, 3, 5, 5)])


def test_head_measures_with_no_layers_is_empty():
    assert head_measures([]) == []
