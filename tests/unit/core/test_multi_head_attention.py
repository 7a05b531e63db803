"""The module: its steps, its masks, its errors, against torch's own."""

import dataclasses

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from mha_viz.core.attention import MultiHeadAttention
from mha_viz.core.masks import both, causal, padding
from mha_viz.errors import ShapeError
from tests.oracles import assert_same_numbers, random_tensor, torch_multi_head

BATCH, N_QUERY, N_KEY, N_HEADS, D_HEAD = 2, 5, 7, 3, 11
D_MODEL = N_HEADS * D_HEAD


def make_attention(*, bias: bool = False) -> MultiHeadAttention:
    torch.manual_seed(0)
    return MultiHeadAttention(D_MODEL, N_HEADS, bias=bias).double()


def with_weights_of(reference: nn.MultiheadAttention) -> MultiHeadAttention:
    ours = MultiHeadAttention(reference.embed_dim, reference.num_heads)
    projections = (*reference.in_proj_weight.chunk(3), reference.out_proj.weight)
    with torch.no_grad():
        for linear, weight in zip(
            (ours.w_q, ours.w_k, ours.w_v, ours.w_o), projections, strict=True
        ):
            linear.weight.copy_(weight)
    return ours


# Against torch


@pytest.mark.parametrize("bias", [False, True], ids=["no bias", "bias"])
@pytest.mark.parametrize("cross", [False, True], ids=["self", "cross"])
@pytest.mark.parametrize("masked", [False, True], ids=["open", "masked"])
def test_forward_equals_torch_multi_head_attention(bias, cross, masked):
    """AV-051: per head, where torch gives the mean over heads unless told otherwise."""
    attention, x = make_attention(bias=bias), random_tensor(BATCH, N_QUERY, D_MODEL)
    context = random_tensor(BATCH, N_KEY, D_MODEL, seed=1) if cross else None
    n_key = N_KEY if cross else N_QUERY
    may_attend = None
    if masked:
        may_attend = random_tensor(BATCH, N_HEADS, N_QUERY, n_key, seed=2) > 0
        may_attend[..., 0] = True
    steps = attention(x, context=context, may_attend=may_attend)
    output, weights = torch_multi_head(attention, x, context=context, may_attend=may_attend)
    assert steps.weights.shape == (BATCH, N_HEADS, N_QUERY, n_key)
    assert_same_numbers(steps.weights, weights)
    assert_same_numbers(steps.output, output)


def test_forward_with_padding_equals_torch_and_hides_padding_exactly():
    """AV-049: nothing lands on padding, and real tokens look as if there were none."""
    attention, x = make_attention(), random_tensor(BATCH, N_QUERY, D_MODEL)
    is_real = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    steps = attention(x, may_attend=padding(is_real))
    _, weights = torch_multi_head(attention, x, is_real=is_real)
    assert_same_numbers(steps.weights, weights)
    assert (steps.weights[1, :, :, 3:] == 0).all()
    assert_same_numbers(steps.weights[1, :, :3, :3], attention(x[1, :3]).weights)


def test_forward_equals_known_numbers_of_each_head():
    """AV-051: numbers of both heads, and not of their mean."""
    torch.manual_seed(0)
    reference = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(1, 3, 8)
    weights = with_weights_of(reference)(x).weights
    expected = torch.tensor([[0.22163, 0.43554, 0.34284], [0.39293, 0.24134, 0.36574]])
    assert_close(weights[0, :, 0], expected, rtol=0, atol=1e-5)


def test_forward_with_causal_mask_equals_known_numbers():
    """AV-045: True = may; torch's module has the inverse, and a copied mask would look ahead."""
    torch.manual_seed(0)
    reference = nn.MultiheadAttention(4, 1, bias=False, batch_first=True)
    x = torch.randn(1, 3, 4)
    weights = with_weights_of(reference)(x, may_attend=causal(3)).weights
    expected = torch.tensor([[1, 0, 0], [0.4409, 0.5591, 0], [0.3266, 0.3277, 0.3457]])
    assert_close(weights[0, 0], expected, rtol=0, atol=5e-5)
    inverse = torch.ones(3, 3, dtype=torch.bool).triu(1)
    assert_close(reference(x, x, x, attn_mask=inverse)[1], weights[0], rtol=1e-5, atol=1e-6)


# The steps between


def test_forward_by_hand_follows_each_step():
    attention = MultiHeadAttention(2, 2)
    identity = torch.eye(2)
    with torch.no_grad():
        attention.w_q.weight.copy_(identity)
        attention.w_k.weight.copy_(identity)
        attention.w_v.weight.copy_(10 * identity)
        attention.w_o.weight.copy_(identity.flip(0))
    steps = attention(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
    assert steps.query.tolist() == [[[1], [0]], [[0], [2]]]
    assert steps.scores.tolist() == [[[1, 0], [0, 0]], [[0, 0], [0, 4]]]
    e, e4 = torch.tensor([1.0, 4.0]).exp().tolist()
    first = [[e / (e + 1), 1 / (e + 1)], [0.5, 0.5]]
    second = [[0.5, 0.5], [1 / (1 + e4), e4 / (1 + e4)]]
    assert_close(steps.weights, torch.tensor([first, second]))
    joined = torch.tensor([[10 * e / (e + 1), 10], [5, 20 * e4 / (1 + e4)]])
    assert_close(steps.concatenated, joined)
    assert_close(steps.output, joined.flip(-1))


def test_forward_when_projected_by_each_heads_own_slice_equals_the_paper():
    """The symbols of the paper, head by head: Concat(softmax(Q W_i^Q (K W_i^K)^T / sqrt d_k) V W_i^V) W^O."""
    attention, x = make_attention(), random_tensor(N_QUERY, D_MODEL)
    steps = attention(x)
    heads = []
    for head in range(N_HEADS):
        columns = slice(head * D_HEAD, (head + 1) * D_HEAD)
        w_q, w_k, w_v = (w.weight[columns].T for w in (attention.w_q, attention.w_k, attention.w_v))
        weights = torch.softmax((x @ w_q) @ (x @ w_k).T / D_HEAD**0.5, dim=-1)
        assert_same_numbers(steps.weights[head], weights)
        heads.append(weights @ (x @ w_v))
        assert_same_numbers(steps.head_outputs[head], heads[-1])
    assert_same_numbers(steps.output, torch.cat(heads, dim=-1) @ attention.w_o.weight.T)


def test_forward_with_batch_equals_each_text_alone():
    """AV-052: a batch comes first; attention never runs across texts, not even if sizes agree."""
    attention, x = make_attention(), random_tensor(N_QUERY, N_QUERY, D_MODEL)
    together = attention(x)
    for text in range(N_QUERY):
        alone = attention(x[text])
        for field in dataclasses.fields(alone):
            step = field.name
            assert_same_numbers(getattr(together, step)[text], getattr(alone, step), step)


def test_forward_gives_weights_batch_first():
    """AV-052, AV-027: (batch, heads, queries, keys), with sizes that cannot be taken for each other."""
    x, context = random_tensor(BATCH, N_QUERY, D_MODEL), random_tensor(BATCH, N_KEY, D_MODEL)
    steps = make_attention()(x, context=context)
    assert steps.weights.shape == (BATCH, N_HEADS, N_QUERY, N_KEY)
    assert steps.value.shape == (BATCH, N_HEADS, N_KEY, D_HEAD)
    assert steps.output.shape == (BATCH, N_QUERY, D_MODEL)


def test_forward_in_cross_attention_may_fill_the_upper_triangle():
    """AV-032: rows are the tokens that look, columns those that are looked at."""
    steps = make_attention()(
        random_tensor(N_QUERY, D_MODEL), context=random_tensor(N_KEY, D_MODEL, seed=1)
    )
    assert (steps.weights > 0).all()
    assert_same_numbers(steps.weights.sum(-1), torch.ones(N_HEADS, N_QUERY, dtype=torch.float64))


def test_forward_with_a_mask_per_head_leaves_the_other_heads_alone():
    attention, x = make_attention(), random_tensor(N_QUERY, D_MODEL)
    may_attend = torch.ones(N_HEADS, N_QUERY, N_QUERY, dtype=torch.bool)
    may_attend[1, :, 2:] = False
    free, restricted = attention(x), attention(x, may_attend=may_attend)
    assert (restricted.weights[1, :, 2:] == 0).all()
    assert torch.equal(restricted.weights[[0, 2]], free.weights[[0, 2]])
    assert torch.equal(restricted.scores, free.scores)


def test_forward_with_no_tokens_gives_empty_maps():
    """AV-091: no tokens, no attention, and no reshape that fails."""
    steps = make_attention()(random_tensor(BATCH, 0, D_MODEL))
    assert steps.weights.shape == (BATCH, N_HEADS, 0, 0)
    assert steps.output.shape == (BATCH, 0, D_MODEL)


# Rows that may look at nothing


def test_forward_when_everything_is_padding_gives_zeros_and_says_so():
    """AV-043."""
    attention = make_attention(bias=True)
    is_real = torch.tensor([[True] * 5, [False] * 5])
    steps = attention(random_tensor(BATCH, N_QUERY, D_MODEL), may_attend=padding(is_real))
    assert (steps.weights[1] == 0).all()
    assert steps.fully_masked[1].all()
    assert not steps.fully_masked[0].any()
    assert_same_numbers(steps.output[1], attention.w_o.bias.expand(N_QUERY, D_MODEL))
    steps.output.sum().backward()
    for name, parameter in attention.named_parameters():
        assert parameter.grad is not None
        assert parameter.grad.isfinite().all(), name


def test_forward_with_causal_mask_and_left_padding_blanks_only_the_first_row():
    """AV-043."""
    may_attend = both(causal(3), padding(torch.tensor([[False, True, True]])))
    steps = make_attention()(random_tensor(1, 3, D_MODEL), may_attend=may_attend)
    assert steps.weights[0, :, 0].tolist() == [[0, 0, 0]] * N_HEADS
    assert steps.weights[0, :, 1].tolist() == [[0, 1, 0]] * N_HEADS
    assert_same_numbers(steps.weights[0, :, 2].sum(-1), torch.ones(N_HEADS, dtype=torch.float64))
    assert steps.fully_masked[0].tolist() == [[True, False, False]] * N_HEADS


# Nothing but the input changes the weights


def test_forward_gives_weights_where_torch_layer_gives_none():
    """AV-008."""
    seen = []
    layer = nn.TransformerEncoderLayer(32, 8, batch_first=True).eval()
    layer.self_attn.register_forward_hook(lambda *call: seen.append(call[-1]))
    x = torch.randn(1, 4, 32)
    layer(x)
    assert [weights for _, weights in seen] == [None]
    assert with_weights_of(layer.self_attn)(x).weights.shape == (1, 8, 4, 4)


def test_forward_in_inference_mode_or_with_hooks_gives_the_same_weights():
    """AV-009: inner hooks fire, and the weights need none of them."""
    attention, x = make_attention().eval(), random_tensor(BATCH, N_QUERY, D_MODEL)
    plain = attention(x)
    calls = []
    attention.w_o.register_forward_hook(lambda *_: calls.append("w_o"))
    with torch.inference_mode():
        hooked = attention(x)
    assert calls == ["w_o"]
    assert torch.equal(hooked.weights, plain.weights)
    assert torch.equal(hooked.output, plain.output)


def test_forward_in_training_mode_has_no_dropout():
    """AV-056, AV-059: two runs agree, rows sum to 1, training and evaluation are one."""
    attention, x = make_attention().train(), random_tensor(BATCH, N_QUERY, D_MODEL)
    first, second = attention(x), attention(x)
    assert torch.equal(first.weights, second.weights)
    assert torch.equal(first.output, attention.eval()(x).output)
    ones = torch.ones(BATCH, N_HEADS, N_QUERY, dtype=torch.float64)
    assert_close(first.weights.sum(-1), ones, rtol=0, atol=1e-6)


# Errors


@pytest.mark.parametrize(
    ("d_model", "n_heads", "allowed"),
    [(10, 3, "1, 2, 5, 10"), (30, 4, "1, 2, 3, 5, 6, 10, 15, 30"), (6, 0, "1, 2, 3, 6")],
    ids=["10 by 3", "30 by 4", "no heads"],
)
def test_module_when_heads_do_not_divide_the_width_lists_those_that_do(d_model, n_heads, allowed):
    """AV-053."""
    with pytest.raises(ShapeError, match=rf"d_model {d_model} .* {n_heads} heads.*: {allowed}$"):
        MultiHeadAttention(d_model, n_heads)


@pytest.mark.parametrize("shape", [(N_QUERY, 13), (D_MODEL,)], ids=["width", "no tokens axis"])
def test_forward_when_x_has_a_wrong_shape_says_which(shape):
    with pytest.raises(ShapeError, match=rf"x must be .*33.*\({shape[0]},"):
        make_attention()(random_tensor(*shape))


@pytest.mark.parametrize(
    "shape", [(BATCH, N_KEY, 13), (13, N_KEY, D_MODEL), (N_KEY, D_MODEL)],
    ids=["width", "other batch", "no batch"],
)  # fmt: skip
def test_forward_when_context_has_a_wrong_shape_says_which(shape):
    with pytest.raises(ShapeError, match=rf"context is \({shape[0]}, .*x \(2, 5, 33\)"):
        make_attention()(random_tensor(BATCH, N_QUERY, D_MODEL), context=random_tensor(*shape))


def test_forward_with_a_mask_of_numbers_refuses():
    """AV-045, AV-046."""
    with pytest.raises(ShapeError, match="boolean"):
        make_attention()(
            random_tensor(N_QUERY, D_MODEL), may_attend=torch.ones(N_QUERY, N_QUERY).tril()
        )


@pytest.mark.parametrize(
    "shape",
    [(N_KEY, N_KEY), (BATCH, N_QUERY, N_QUERY), (N_HEADS, BATCH, N_QUERY, N_QUERY)],
    ids=["tokens", "batch in place of heads", "heads before batch"],
)
def test_forward_when_the_mask_does_not_fit_names_both_sizes(shape):
    with pytest.raises(ShapeError, match=rf"\({shape[0]}, .*scores \(2, 3, 5, 5\)"):
        make_attention()(
            random_tensor(BATCH, N_QUERY, D_MODEL), may_attend=torch.ones(shape, dtype=torch.bool)
        )
