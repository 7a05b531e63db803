"""Attention computed by somebody else: what our own numbers are compared with, and how closely.

Both references are torch's. `nn.MultiheadAttention` needs two turns of the hand, made here and nowhere
else: it averages its heads unless told not to, and in its masks True means *may not* attend.
"""

import torch
import torch.nn.functional as F
from torch import nn

from mha_viz.core.attention import MultiHeadAttention


def random_tensor(*shape: int, seed: int = 0) -> torch.Tensor:
    """Normal numbers in float64, the same for the same seed."""
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def assert_same_numbers(actual: torch.Tensor, expected: torch.Tensor, what: str = "") -> None:
    """Agreement in float64 up to rounding: nothing wider hides a wrong formula."""
    torch.testing.assert_close(
        actual, expected, rtol=1e-10, atol=1e-12, msg=lambda reason: f"{what} {reason}"
    )


def sdpa_weights(
    query: torch.Tensor,
    key: torch.Tensor,
    *,
    may_attend: torch.Tensor | None = None,
    scaling: float | None = None,
    grouped: bool = False,
) -> torch.Tensor:
    """Weights of `scaled_dot_product_attention`, which gives none: its output for one-hot values."""
    n_key = key.shape[-2]
    one_hot = torch.eye(n_key, dtype=key.dtype).expand(*key.shape[:-2], n_key, n_key)
    return F.scaled_dot_product_attention(
        query, key, one_hot, attn_mask=may_attend, scale=scaling, enable_gqa=grouped
    )


def torch_multi_head(
    ours: MultiHeadAttention,
    x: torch.Tensor,
    *,
    context: torch.Tensor | None = None,
    may_attend: torch.Tensor | None = None,
    is_real: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Output and weights per head of `nn.MultiheadAttention` with our projections.

    Args:
        ours: Where the projections are copied from.
        x: (batch, n_query, d_model).
        context: (batch, n_key, d_model); None for self-attention.
        may_attend: True = may, broadcastable to (batch, n_heads, n_query, n_key).
        is_real: True for tokens that are not padding, (batch, n_key).
    """
    reference = nn.MultiheadAttention(
        ours.d_model, ours.n_heads, bias=ours.w_q.bias is not None, batch_first=True, dtype=x.dtype
    )
    inputs = (ours.w_q, ours.w_k, ours.w_v)
    with torch.no_grad():
        reference.in_proj_weight.copy_(torch.cat([linear.weight for linear in inputs]))
        reference.out_proj.weight.copy_(ours.w_o.weight)
        if ours.w_q.bias is not None:
            reference.in_proj_bias.copy_(torch.cat([linear.bias for linear in inputs]))
            reference.out_proj.bias.copy_(ours.w_o.bias)
    context = x if context is None else context
    may_not = None
    if may_attend is not None:
        per_map = may_attend.expand(len(x), ours.n_heads, x.shape[-2], context.shape[-2])
        may_not = ~per_map.flatten(0, 1)
    return reference(
        x,
        context,
        context,
        attn_mask=may_not,
        key_padding_mask=None if is_real is None else ~is_real,
        average_attn_weights=False,
    )
