"""Attention solved backwards, against the formula worked out with NumPy."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.removal import remove_head
from mha_viz.core.solving import (
    FLOOR,
    TOLERANCE,
    floored,
    solve_attention,
    solve_projection,
    solve_query_key,
)
from mha_viz.errors import ShapeError

N_HEADS, N_TOKENS, D_HEAD = 3, 5, 7
D_MODEL = N_HEADS * D_HEAD

# Rows that are all on one key, spread, or anything between.
shares = st.integers(0, 9)
rows = st.lists(shares, min_size=N_TOKENS, max_size=N_TOKENS).filter(any)
maps = st.lists(
    st.lists(rows, min_size=N_TOKENS, max_size=N_TOKENS), min_size=N_HEADS, max_size=N_HEADS
)


def tokens(seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(N_TOKENS, D_MODEL, generator=generator, dtype=torch.float64)


def stochastic(counts: object) -> torch.Tensor:
    targets = torch.tensor(counts, dtype=torch.float64)
    return targets / targets.sum(-1, keepdim=True)


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@settings(deadline=None, max_examples=40)
@given(maps)
def test_any_target_is_reached_by_a_real_computation(counts: list):
    targets, x = stochastic(counts), tokens()
    attention = solve_attention(x, targets)
    weights = attention(x).weights.numpy()
    np.testing.assert_allclose(weights, targets.numpy(), atol=TOLERANCE)
    np.testing.assert_allclose(weights, floored(targets).numpy(), atol=1e-9)
    for head in range(N_HEADS):
        part = slice(head * D_HEAD, (head + 1) * D_HEAD)
        query = x.numpy() @ attention.w_q.weight.numpy()[part].T
        key = x.numpy() @ attention.w_k.weight.numpy()[part].T
        np.testing.assert_allclose(softmax(query @ key.T / np.sqrt(D_HEAD)), weights[head])


@settings(deadline=None, max_examples=40)
@given(maps)
def test_causal_target_is_reached_without_a_mask(counts: list):
    causal = torch.tensor(counts, dtype=torch.float64).tril() + 1e-12 * torch.eye(N_TOKENS)
    targets = causal / causal.sum(-1, keepdim=True)
    weights = solve_attention(tokens(), targets)(tokens()).weights
    assert (weights - targets).abs().max() <= TOLERANCE


def test_query_that_prefers_nothing_is_zero():
    even = torch.full((N_TOKENS, N_TOKENS), 1 / N_TOKENS, dtype=torch.float64)
    query, key = solve_query_key(even, D_HEAD)
    torch.testing.assert_close(query, torch.zeros(N_TOKENS, D_HEAD, dtype=torch.float64))
    torch.testing.assert_close(key.norm(dim=-1), torch.full((N_TOKENS,), D_HEAD**0.5).double())


def test_zero_becomes_the_floor_and_a_row_still_sums_to_one():
    raised = floored(torch.tensor([[0.0, 1.0, 0.0]], dtype=torch.float64))
    torch.testing.assert_close(
        raised, torch.tensor([[FLOOR, 1, FLOOR]], dtype=torch.float64) / (1 + 2 * FLOOR)
    )


def test_same_seed_gives_the_same_output():
    targets = stochastic(np.ones((N_HEADS, N_TOKENS, N_TOKENS)))
    first, again, other = (
        solve_attention(tokens(), targets, seed=seed)(tokens()).output for seed in (1, 1, 2)
    )
    torch.testing.assert_close(first, again, rtol=0, atol=0)
    assert (first - other).abs().max() > 0.1


@pytest.mark.parametrize("row", [[0.5, 0.6], [1.5, -0.5], [0.0, 0.0], [float("nan"), 1.0]])
def test_row_that_is_no_distribution_is_refused(row: list[float]):
    with pytest.raises(ShapeError, match="divide each row by its sum"):
        floored(torch.tensor([row, [1.0, 0.0]], dtype=torch.float64))


def test_more_keys_than_a_head_is_wide_are_refused():
    even = torch.full((5, 5), 0.2, dtype=torch.float64)
    with pytest.raises(ShapeError, match="4 keys at most"):
        solve_query_key(even, 4)


def test_tokens_that_cannot_be_told_apart_are_refused():
    x = tokens()
    x[3] = x[1]
    with pytest.raises(ShapeError, match="got a rank of 4"):
        solve_projection(x, torch.ones(N_TOKENS, D_HEAD, dtype=torch.float64))


@pytest.mark.parametrize("head", range(N_HEADS))
def test_head_when_removed_takes_its_part_of_the_sum_away(head: int):
    targets, x = stochastic(np.eye(N_TOKENS) + np.ones((N_HEADS, 1, N_TOKENS))), tokens()
    attention = solve_attention(x, targets)
    removed = remove_head(attention, x, head)
    steps, part = attention(x), slice(head * D_HEAD, (head + 1) * D_HEAD)
    w_o = attention.w_o.weight.numpy()
    its_part = steps.head_outputs[head].numpy() @ w_o[:, part].T
    before, after = steps.output.numpy(), steps.output.numpy() - its_part
    np.testing.assert_allclose(removed.after, after, atol=1e-12)
    np.testing.assert_allclose(removed.norm, np.sqrt((its_part**2).sum(-1)))
    lengths = np.sqrt((before**2).sum(-1)) * np.sqrt((after**2).sum(-1))
    np.testing.assert_allclose(removed.cosine, (before * after).sum(-1) / lengths)
