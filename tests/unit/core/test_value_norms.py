"""Weights times the length of what they bring, against our own attention module and pair by pair."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.attention import MultiHeadAttention
from mha_viz.core.value_norms import brought, norm_of_layer, norm_shares, norm_weighted
from mha_viz.errors import ShapeError
from tests.unit.core.maps import random_maps


def random_vectors(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def test_what_heads_bring_weighted_and_summed_is_the_output_of_attention():
    module = MultiHeadAttention(14, 2, bias=True).double()
    with torch.no_grad():
        steps = module(torch.randn(5, 14, dtype=torch.float64))
    output = module.w_o.weight.detach().numpy().T
    vectors = brought(steps.value.numpy(), output)
    summed = np.einsum("hqk,hkd->qd", steps.weights.numpy(), vectors)
    with_bias = summed + module.w_o.bias.detach().numpy()
    np.testing.assert_allclose(with_bias, steps.output.numpy(), atol=1e-12)


def test_value_heads_that_are_shared_serve_neighbouring_heads():
    value, output = random_vectors(2, 3, 5), random_vectors(4 * 5, 7)
    vectors = brought(value, output)
    assert vectors.shape == (4, 3, 7)
    for head in range(4):
        expected = value[head // 2] @ output[head * 5 : head * 5 + 5]
        np.testing.assert_allclose(vectors[head], expected)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_norms_equal_those_taken_pair_by_pair(seed):
    weights, vectors = random_maps(3, 5, 7, seed=seed), random_vectors(3, 7, 11, seed=seed)
    moved = weights[..., None] * vectors[:, None]
    lengths = norm_weighted(weights, vectors)
    np.testing.assert_allclose(lengths, np.linalg.norm(moved, axis=-1))
    layer = norm_of_layer(weights, vectors)
    np.testing.assert_allclose(layer, np.linalg.norm(moved.sum(axis=0), axis=-1))
    assert (layer <= lengths.sum(axis=0) + 1e-12).all()


@given(seed=st.integers(0, 2**32 - 1), factor=st.floats(0.01, 100))
@settings(deadline=None)
def test_norms_grow_with_the_vectors_and_shares_stay(seed, factor):
    weights, vectors = random_maps(2, 3, 5, seed=seed), random_vectors(2, 5, 7, seed=seed)
    lengths = norm_weighted(weights, vectors)
    np.testing.assert_allclose(norm_weighted(weights, factor * vectors), factor * lengths)
    shares = norm_shares(weights, vectors)
    np.testing.assert_allclose(norm_shares(weights, factor * vectors), shares)
    np.testing.assert_allclose(shares.sum(axis=-1), 1)


def test_key_with_a_value_of_zeros_brings_nothing_whatever_its_weight():
    weights, vectors = random_maps(2, 3, 5), random_vectors(2, 5, 7)
    vectors[:, 0] = 0
    assert (norm_shares(weights, vectors)[..., 0] == 0).all()
    assert (norm_of_layer(weights, vectors)[:, 0] == 0).all()


def test_heads_that_cancel_each_other_move_nothing_together():
    weights = np.stack([random_maps(3, 5)] * 2)
    vectors = random_vectors(1, 5, 7) * np.array([1, -1])[:, None, None]
    np.testing.assert_allclose(norm_of_layer(weights, vectors), 0, atol=1e-7)


def test_row_that_sees_nothing_stays_zeros():
    assert (norm_shares(np.zeros((2, 3, 5)), random_vectors(2, 5, 7)) == 0).all()


def test_projection_of_another_width_is_refused():
    with pytest.raises(ShapeError, match="a multiple of 2 heads, got 11 rows"):
        brought(random_vectors(2, 3, 5), random_vectors(11, 7))
