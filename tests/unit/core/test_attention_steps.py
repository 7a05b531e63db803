"""The four steps as functions, one by one."""

import math

import jaxtyping
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from mha_viz.core.attention import (
    attend_values,
    attention_scores,
    attention_weights,
    mask_scores,
    merge_heads,
    repeat_kv_heads,
    sees_nothing,
    soft_cap,
    split_heads,
)
from mha_viz.core.masks import causal
from mha_viz.errors import ShapeError
from tests.oracles import assert_same_numbers, random_tensor, sdpa_weights

BATCH, N_QUERY, N_KEY, N_HEADS, D_HEAD = 2, 5, 7, 3, 11


def random_query_key() -> tuple[torch.Tensor, torch.Tensor]:
    query = random_tensor(BATCH, N_HEADS, N_QUERY, D_HEAD)
    return query, random_tensor(BATCH, N_HEADS, N_KEY, D_HEAD, seed=1)


def random_mask(*shape: int) -> torch.Tensor:
    may_attend = random_tensor(*shape, seed=2) > 0
    may_attend[..., 0] = True
    return may_attend


# Split and merge


def test_split_heads_when_counted_up_gives_each_head_its_own_slice():
    x = torch.arange(2.0 * 6).reshape(2, 6)
    first, second, third = split_heads(x, 3)
    assert first.tolist() == [[0, 1], [6, 7]]
    assert second.tolist() == [[2, 3], [8, 9]]
    assert third.tolist() == [[4, 5], [10, 11]]


@pytest.mark.parametrize("lead", [(), (BATCH,), (BATCH, 13)], ids=["none", "batch", "two"])
def test_merge_heads_after_split_gives_the_tokens_back(lead):
    x = random_tensor(*lead, N_QUERY, N_HEADS * D_HEAD)
    heads = split_heads(x, N_HEADS)
    assert heads.shape == (*lead, N_HEADS, N_QUERY, D_HEAD)
    assert torch.equal(merge_heads(heads), x)


def test_split_heads_when_width_does_not_divide_names_both_numbers():
    with pytest.raises(ShapeError, match=r"33.* 4 heads.*: 1, 3, 11, 33"):
        split_heads(random_tensor(N_QUERY, 33), 4)


# Grouped heads


def test_repeat_kv_heads_repeats_in_blocks():
    """AV-021: neighbours share a key head; tiling would leave heads 0 and 3 right by luck."""
    key = random_tensor(BATCH, 2, N_KEY, D_HEAD)
    repeated = repeat_kv_heads(key, 4)
    for head, kv_head in enumerate([0, 0, 1, 1]):
        assert torch.equal(repeated[:, head], key[:, kv_head]), f"head {head}"


def test_repeat_kv_heads_equals_torch_grouped_attention_for_every_head():
    """AV-021."""
    query, key = (
        random_tensor(BATCH, 6, N_QUERY, D_HEAD),
        random_tensor(BATCH, 2, N_KEY, D_HEAD, seed=1),
    )
    weights = attention_weights(attention_scores(query, repeat_kv_heads(key, 6)))
    assert_same_numbers(weights, sdpa_weights(query, key, grouped=True))


def test_repeat_kv_heads_with_a_head_each_changes_nothing():
    key = random_tensor(N_HEADS, N_KEY, D_HEAD)
    assert torch.equal(repeat_kv_heads(key, N_HEADS), key)


@pytest.mark.parametrize("n_heads", [3, 5], ids=["fewer", "more"])
def test_repeat_kv_heads_when_heads_do_not_divide_names_both_numbers(n_heads):
    """AV-021."""
    with pytest.raises(ShapeError, match=rf"{n_heads} query heads cannot share 4 key"):
        repeat_kv_heads(random_tensor(4, N_KEY, D_HEAD), n_heads)


# Scores


def test_attention_scores_by_hand():
    query, key = torch.tensor([[1.0, 2, 3, 4]]), torch.tensor([[1.0, 1, 1, 1], [0, 0, 0, 3]])
    assert attention_scores(query, key).tolist() == [[5, 6]]
    assert attention_scores(query, key, scaling=1.0).tolist() == [[10, 12]]


def test_attention_scores_when_values_have_another_width_scales_by_the_width_of_the_queries():
    """AV-022: 12 wide for scores, 6 for values: 1/sqrt(12), not 1/sqrt(6)."""
    query, key, value = (
        random_tensor(N_QUERY, 12),
        random_tensor(N_KEY, 12, seed=1),
        random_tensor(N_KEY, 6, seed=2),
    )
    scores = attention_scores(query, key)
    assert_same_numbers(scores, attention_scores(query, key, scaling=0.2886751345948129))
    assert attend_values(attention_weights(scores), value).shape == (N_QUERY, 6)


@pytest.mark.parametrize("scaling", [None, 1.0, 0.125], ids=["default", "one", "eighth"])
@pytest.mark.parametrize("masked", [False, True], ids=["open", "masked"])
def test_weights_equal_torch_scaled_dot_product_attention(scaling, masked):
    query, key = random_query_key()
    may_attend = random_mask(BATCH, N_HEADS, N_QUERY, N_KEY) if masked else None
    scores = attention_scores(query, key, scaling=scaling)
    weights = attention_weights(mask_scores(scores, may_attend))
    expected = sdpa_weights(query, key, may_attend=may_attend, scaling=scaling)
    assert_same_numbers(weights, expected)


def test_attend_values_equals_torch_scaled_dot_product_attention():
    query, key = random_query_key()
    value = random_tensor(BATCH, N_HEADS, N_KEY, D_HEAD, seed=3)
    output = attend_values(attention_weights(attention_scores(query, key)), value)
    expected = torch.nn.functional.scaled_dot_product_attention(query, key, value)
    assert_same_numbers(output, expected)


def test_attend_values_by_hand_is_a_weighted_mean():
    weights, value = (
        torch.tensor([[0.25, 0.75], [1.0, 0.0]]),
        torch.tensor([[4.0, 0.0, 1.0], [8.0, 4.0, 1.0]]),
    )
    assert attend_values(weights, value).tolist() == [[7, 3, 1], [4, 0, 1]]


# Soft cap


def test_soft_cap_by_hand_flattens_the_weights():
    """AV-015."""
    scores = torch.tensor([[4.0, 0.0]])
    capped = attention_weights(soft_cap(scores, 2.0))
    assert_close(capped, torch.tensor([[0.87303, 0.12697]]), rtol=0, atol=5e-6)
    uncapped = attention_weights(soft_cap(scores, None))
    assert_close(uncapped, torch.tensor([[0.98201, 0.01799]]), rtol=0, atol=5e-6)


@given(score=st.floats(-1e3, 1e3), step=st.floats(0, 1e3), cap=st.floats(0.5, 100))
@settings(deadline=None)
def test_soft_cap_stays_within_the_cap_and_keeps_the_order(score, step, cap):
    scores = torch.tensor([[score, score + step]], dtype=torch.float64)
    low, high = soft_cap(scores, cap)[0].tolist()
    assert -cap <= low <= high <= cap
    assert abs(low) <= abs(score) + 1e-12


# Mask and bias


def test_mask_scores_sets_minus_infinity_exactly_where_not_allowed():
    scores = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    masked = mask_scores(scores, torch.tensor([[True, False], [True, True]]))
    assert masked.tolist() == [[1.0, -math.inf], [3.0, 4.0]]


def test_mask_scores_with_bias_adds_it_before_the_mask():
    """AV-016: relative positions come as a bias on unscaled scores."""
    scores = torch.tensor([[1.0, 2.0, 3.0]])
    bias = torch.tensor([[0.5, 0.0, 9.0]])
    masked = mask_scores(scores, torch.tensor([[True, True, False]]), bias)
    assert masked.tolist() == [[1.5, 2.0, -math.inf]]
    assert mask_scores(scores, None, bias).tolist() == [[1.5, 2.0, 12.0]]


@pytest.mark.parametrize(
    "shape",
    [
        (N_QUERY, N_KEY),
        (N_HEADS, N_QUERY, N_KEY),
        (BATCH, 1, 1, N_KEY),
        (BATCH, N_HEADS, N_QUERY, N_KEY),
    ],
    ids=["all heads", "per head", "padding", "per text and head"],
)
def test_mask_scores_broadcasts_from_the_last_axis(shape):
    may_attend = random_mask(*shape)
    masked = mask_scores(random_tensor(BATCH, N_HEADS, N_QUERY, N_KEY), may_attend)
    assert torch.equal(torch.isfinite(masked), may_attend.expand(BATCH, N_HEADS, N_QUERY, N_KEY))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64], ids=["float", "int"])
def test_mask_scores_with_zeros_and_ones_refuses_and_says_what_to_do(dtype):
    """AV-046: a 0/1 mask that is added to the scores would block nothing."""
    zeros_and_ones = torch.tril(torch.ones(3, 3)).to(dtype)
    with pytest.raises(ShapeError, match=rf"boolean.*{dtype}.*may_attend == 1.*attn_bias"):
        mask_scores(torch.zeros(3, 3), zeros_and_ones)


@pytest.mark.parametrize(
    "shape", [(N_KEY, N_QUERY), (BATCH, N_QUERY, N_KEY), (13, BATCH, N_HEADS, N_QUERY, N_KEY)],
    ids=["transposed", "batch in place of heads", "too many axes"],
)  # fmt: skip
def test_mask_scores_when_sizes_do_not_fit_names_both_sizes(shape):
    scores = random_tensor(BATCH, N_HEADS, N_QUERY, N_KEY)
    sizes = rf"\({', '.join(map(str, shape))}\) does not fit scores \(2, 3, 5, 7\)"
    with pytest.raises(ShapeError, match="may_attend " + sizes):
        mask_scores(scores, torch.ones(shape, dtype=torch.bool))
    with pytest.raises(ShapeError, match="attn_bias " + sizes):
        mask_scores(scores, None, torch.zeros(shape))


# Softmax, empty rows, sinks


def test_attention_weights_by_hand():
    scores = torch.tensor([[0.0, math.log(3)], [5.0, 5.0]])
    assert_close(attention_weights(scores), torch.tensor([[0.25, 0.75], [0.5, 0.5]]))


def test_attention_weights_with_large_scores_stay_finite():
    scores = torch.tensor([[1e4, 0.0], [-1e4, -1e4]])
    assert attention_weights(scores).tolist() == [[1, 0], [0.5, 0.5]]


def test_attention_weights_of_a_fully_masked_row_are_zeros_and_so_is_its_gradient():
    """AV-043: torch gives NaN here, and NaN spreads."""
    scores = torch.tensor([[-math.inf, -math.inf], [0.0, 0.0]], requires_grad=True)
    weights = attention_weights(scores)
    assert weights.tolist() == [[0, 0], [0.5, 0.5]]
    (weights * torch.tensor([1.0, 2.0])).sum().backward()
    assert scores.grad is not None
    assert scores.grad.tolist() == [[0, 0], [-0.25, 0.25]]
    assert sees_nothing(scores).tolist() == [True, False]


def test_attention_weights_with_nan_scores_are_not_repaired():
    assert attention_weights(torch.tensor([[math.nan, 0.0]])).isnan().all()


def test_attention_weights_with_sink_drop_its_share():
    """AV-013: two scores of 0 beside a sink of ln 2."""
    weights = attention_weights(torch.zeros(1, 1, 2), sinks=torch.tensor([math.log(2)]))
    assert_close(weights, torch.tensor([[[0.25, 0.25]]]))


def test_attention_weights_with_sinks_equal_the_formula_for_every_head():
    """AV-013: each head has its own sink; rows sum to less than 1."""
    scores, sinks = random_tensor(BATCH, N_HEADS, N_QUERY, N_KEY), random_tensor(N_HEADS, seed=1)
    weights = attention_weights(scores, sinks=sinks)
    for head in range(N_HEADS):
        exponentials = scores[:, head].exp()
        total = exponentials.sum(-1, keepdim=True) + sinks[head].exp()
        assert_same_numbers(weights[:, head], exponentials / total)
    assert (weights.sum(-1) < 1).all()


def test_attention_weights_with_sink_and_fully_masked_row_are_zeros():
    """AV-013, AV-043."""
    scores = torch.full((1, 1, 3), -math.inf)
    assert attention_weights(scores, sinks=torch.zeros(1)).tolist() == [[[0, 0, 0]]]


def test_attention_weights_in_half_precision_with_full_sinks_keep_their_precision():
    weights = attention_weights(torch.zeros(1, 1, 3, dtype=torch.bfloat16), sinks=torch.zeros(1))
    assert weights.dtype == torch.bfloat16
    assert weights.tolist() == [[[0.25, 0.25, 0.25]]]


def test_attention_weights_with_causal_mask_start_with_certainty():
    """AV-011, AV-096: nothing above the diagonal, and the first token sees only itself."""
    weights = attention_weights(mask_scores(random_tensor(N_HEADS, N_KEY, N_KEY), causal(N_KEY)))
    assert (weights.triu(1) == 0).all()
    assert weights[:, 0].tolist() == [[1, 0, 0, 0, 0, 0, 0]] * N_HEADS


SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 9)


@given(seed=SEEDS, n_query=SIZES, n_key=SIZES, scale=st.floats(0.1, 50), density=st.floats(0, 1))
@settings(deadline=None)
def test_attention_weights_sum_to_one_and_masked_keys_are_exactly_zero(
    seed, n_query, n_key, scale, density
):
    may_attend = random_tensor(n_query, n_key, seed=seed).sigmoid() < density
    scores = scale * random_tensor(n_query, n_key, seed=seed + 1)
    weights = attention_weights(mask_scores(scores, may_attend))
    assert (weights[~may_attend] == 0).all()
    assert (weights >= 0).all()
    assert_same_numbers(weights.sum(-1), may_attend.any(-1).double())


@given(seed=SEEDS, n_query=SIZES, n_key=SIZES, data=st.data())
@settings(deadline=None)
def test_attention_weights_when_keys_are_permuted_permute_their_columns(seed, n_query, n_key, data):
    order = data.draw(st.permutations(range(n_key)))
    query, key = (
        random_tensor(n_query, D_HEAD, seed=seed),
        random_tensor(n_key, D_HEAD, seed=seed + 1),
    )
    weights = attention_weights(attention_scores(query, key))
    permuted = attention_weights(attention_scores(query, key[order]))
    assert_same_numbers(permuted, weights[:, order])


@given(seed=SEEDS, shift=st.floats(-50, 50))
@settings(deadline=None)
def test_attention_weights_when_a_row_is_shifted_stay_the_same(seed, shift):
    scores = random_tensor(N_QUERY, N_KEY, seed=seed)
    assert_same_numbers(attention_weights(scores + shift), attention_weights(scores))


# Canary: the shape annotations are checked in tests


def test_shape_annotations_when_violated_raise():
    weights, value = random_tensor(N_QUERY, N_KEY), random_tensor(N_QUERY, D_HEAD)
    with pytest.raises(jaxtyping.TypeCheckError):
        attend_values(weights, value)
