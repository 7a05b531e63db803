r"""Multi-head attention in four steps: project, attend in each head alone, concatenate, project back.

The steps are small functions on tensors, so that every number between input and output can be
looked at; `MultiHeadAttention` is the module made of them. `*lead` is a batch, other axes, or none.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import nn

from mha_viz.core.changes import even_out, forbid, silence, temper
from mha_viz.core.interventions import Given, Intervention, listed
from mha_viz.core.masks import check_boolean, check_fits
from mha_viz.errors import ShapeError


def split_heads(
    x: Float[torch.Tensor, "*lead n_tokens d_model"], n_heads: int
) -> Float[torch.Tensor, "*lead n_heads n_tokens d_head"]:
    """Cut the width of each token into one slice per head.

    Raises:
        ShapeError: If the width cannot be shared out equally.
    """
    d_head = _head_width(x.shape[-1], n_heads)
    return x.unflatten(-1, (n_heads, d_head)).transpose(-3, -2)


def merge_heads(
    x: Float[torch.Tensor, "*lead n_heads n_tokens d_head"],
) -> Float[torch.Tensor, "*lead n_tokens d_model"]:
    """Lay the slices of all heads side by side again: the inverse of `split_heads`.

    Source:
        Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2: Concat(head_1, …, head_h).
    """
    return x.transpose(-3, -2).flatten(-2)


def repeat_kv_heads(
    x: Float[torch.Tensor, "*lead n_kv_heads n_key d_head"], n_heads: int
) -> Float[torch.Tensor, "*lead n_heads n_key d_head"]:
    """Give each query head its key (or value) head, where several query heads share one.

    Neighbours share: of 4 query heads on 2 key heads, 0 and 1 use key head 0, 2 and 3 key head 1.

    Raises:
        ShapeError: If the query heads cannot be shared out equally among the key heads.

    Source:
        Ainslie et al. 2023, "GQA: Training Generalized Multi-Query Transformer Models …", section 2.2.
    """
    n_kv_heads = x.shape[-3]
    if n_heads % n_kv_heads:
        raise ShapeError(
            f"{n_heads} query heads cannot share {n_kv_heads} key and value heads equally; "
            f"the number of query heads must be a multiple of {n_kv_heads}"
        )
    # Where each query head has its own, nothing is copied.
    if n_kv_heads == n_heads:
        return x
    return x.repeat_interleave(n_heads // n_kv_heads, dim=-3)


def attention_scores(
    query: Float[torch.Tensor, "*lead n_query d_head"],
    key: Float[torch.Tensor, "*lead n_key d_head"],
    *,
    scaling: float | None = None,
) -> Float[torch.Tensor, "*lead n_query n_key"]:
    """Scaled dot product of every query with every key.

    `scaling` multiplies the dot products; None stands for the paper's 1/sqrt(d_head).

    Source:
        Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, equation 1: Q Kᵀ / √d_k.
    """
    factor = 1 / math.sqrt(query.shape[-1]) if scaling is None else scaling
    return query @ key.transpose(-2, -1) * factor


def soft_cap(
    scores: Float[torch.Tensor, "*lead n_query n_key"], cap: float | None
) -> Float[torch.Tensor, "*lead n_query n_key"]:
    """Squeeze scores smoothly into -cap … cap; None leaves them as they are.

    Source:
        Gemma Team 2024, "Gemma 2", section 2: cap · tanh(score / cap).
    """
    return scores if cap is None else cap * torch.tanh(scores / cap)


def mask_scores(
    scores: Float[torch.Tensor, "*lead n_query n_key"],
    may_attend: torch.Tensor | None,
    attn_bias: torch.Tensor | None = None,
    *,
    interventions: Sequence[Intervention] = (),
) -> Float[torch.Tensor, "*lead n_query n_key"]:
    """Add a bias to the scores, then forbid what may not be seen: its score becomes -inf.

    Args:
        scores: Scaled dot products.
        may_attend: True where a query may look at a key, as in torch's
            `scaled_dot_product_attention` (`nn.MultiheadAttention` has the inverse); None for all.
        attn_bias: Added to the scores; None for nothing.
        interventions: What is done in this layer; masks and cut links forbid more.

    Raises:
        ShapeError: If `may_attend` is not boolean, or if a mask or bias does not fit the scores.

    Shapes:
        may_attend, attn_bias: broadcastable to (*lead, n_query, n_key)

    Source:
        Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3.
    """
    if attn_bias is not None:
        check_fits("attn_bias", attn_bias, scores)
        scores = scores + attn_bias
    if may_attend is not None:
        check_boolean(may_attend)
        check_fits("may_attend", may_attend, scores)
        if not may_attend.all():
            scores = scores.masked_fill(~may_attend, -math.inf)
    return forbid(interventions, scores)


def sees_nothing(
    masked_scores: Float[torch.Tensor, "*lead n_query n_key"],
) -> Bool[torch.Tensor, "*lead n_query"]:
    """True for each query that may look at no key at all: all its scores are -inf."""
    return torch.isneginf(masked_scores).all(-1)


def attention_weights(
    masked_scores: Float[torch.Tensor, "*lead n_query n_key"],
    *,
    sinks: Float[torch.Tensor, " n_heads"] | None = None,
    interventions: Sequence[Intervention] = (),
) -> Float[torch.Tensor, "*lead n_query n_key"]:
    """Softmax over the keys: how each query shares out its attention.

    Each row sums to 1, or to less with a sink; a query that may look at nothing has a row of zeros.

    Args:
        masked_scores: Scores after mask and bias; with `sinks` or `interventions` the axis before the queries is heads.
        sinks: One learned logit a head that stands for no key: its share of the softmax is dropped.
        interventions: What is done in this layer; a temperature divides, a head that is off may have even weights.

    Source:
        Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, equation 1. Sinks:
        OpenAI 2025, "gpt-oss-120b & gpt-oss-20b Model Card": a learned bias in the denominator.
    """
    logits = masked_scores
    if sinks is not None:
        sink = sinks.to(masked_scores.dtype)[:, None, None].expand(*masked_scores.shape[:-1], 1)
        logits = torch.cat([masked_scores, sink], dim=-1)
    logits = temper(interventions, logits)
    # Softmax of nothing but -inf is 0/0. Such rows are filled before it too, so that no NaN flows
    # back through the gradient; every other NaN is an error of its own and is left to show.
    nothing = sees_nothing(logits).unsqueeze(-1)
    if nothing.any():
        weights = torch.softmax(logits.masked_fill(nothing, 0), dim=-1).masked_fill(nothing, 0)
    else:
        weights = torch.softmax(logits, dim=-1)
    weights = weights[..., : masked_scores.shape[-1]].to(masked_scores.dtype)
    return even_out(interventions, weights, masked_scores)


def attend_values(
    weights: Float[torch.Tensor, "*lead n_query n_key"],
    value: Float[torch.Tensor, "*lead n_key d_head"],
    *,
    interventions: Sequence[Intervention] = (),
) -> Float[torch.Tensor, "*lead n_query d_head"]:
    """Mean of the values, weighted by how much each key is looked at; zeros of heads that are off.

    Source:
        Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, equation 1.
    """
    return silence(interventions, weights @ value)


@dataclass(frozen=True, eq=False)
class AttentionSteps:
    """Every number between the input of multi-head attention and its output, in order.

    Attributes:
        query: What each token looks for, in each head.
        key: What each token offers to be found by.
        value: What each token hands over when it is looked at.
        scores: Scaled dot products, before mask and softmax.
        masked_scores: Scores with -inf where a query may not look.
        weights: After softmax, at the temperature of the head; each row (a query) sums to 1, or is zeros if it may look at nothing.
        head_outputs: What each head found, before the heads are joined.
        concatenated: The outputs of all heads side by side, head 0 first.
        output: The result, projected back to the width of the model.
    """

    query: Float[torch.Tensor, "*lead n_heads n_query d_head"]
    key: Float[torch.Tensor, "*lead n_heads n_key d_head"]
    value: Float[torch.Tensor, "*lead n_heads n_key d_head"]
    scores: Float[torch.Tensor, "*lead n_heads n_query n_key"]
    masked_scores: Float[torch.Tensor, "*lead n_heads n_query n_key"]
    weights: Float[torch.Tensor, "*lead n_heads n_query n_key"]
    head_outputs: Float[torch.Tensor, "*lead n_heads n_query d_head"]
    concatenated: Float[torch.Tensor, "*lead n_query d_model"]
    output: Float[torch.Tensor, "*lead n_query d_model"]

    @property
    def fully_masked(self) -> Bool[torch.Tensor, "*lead n_heads n_query"]:
        """True for each query that may look at nothing: its row of weights is not a distribution."""
        return sees_nothing(self.masked_scores)


class MultiHeadAttention(nn.Module):
    r"""Several attention heads side by side, each on its own slice of the model's width.

    $\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, …, \mathrm{head}_h) W^O$ with
    $\mathrm{head}_i = \mathrm{softmax}(Q W_i^Q (K W_i^K)^T / \sqrt{d_k}) \, V W_i^V$

    | in the paper        | here                                                           |
    |---------------------|----------------------------------------------------------------|
    | $h$, $i$            | `n_heads`, `head`; $i$ counts from 1, `head` from 0            |
    | $d_{model}$         | `d_model`                                                      |
    | $d_k$, $d_v$        | `d_head`, one width for both                                   |
    | $Q$; $K$, $V$       | `x`; `context`, or `x` again for self-attention                |
    | $W_i^Q$             | `w_q.weight[head * d_head : (head + 1) * d_head].T`; so K, V   |
    | $W^O$               | `w_o.weight.T`                                                 |
    | $Q W_i^Q$           | `steps.query[..., head, :, :]`; same for key and value         |
    | softmax(…)          | `steps.weights[..., head, :, :]`                               |
    | $\mathrm{head}_i$   | `steps.head_outputs[..., head, :, :]`                          |
    | Concat(…)           | `steps.concatenated`                                           |

    There is no dropout: what is shown is what was computed, in training and in evaluation.

    Args:
        d_model: Width of each token.
        n_heads: Number of heads; it must divide `d_model`.
        bias: Whether the four projections add a learned bias; the paper's do not.

    Raises:
        ShapeError: If `n_heads` does not divide `d_model`.

    Source:
        Vaswani et al. 2017, "Attention Is All You Need", section 3.2.
    """

    def __init__(self, d_model: int, n_heads: int, *, bias: bool = False) -> None:
        super().__init__()
        self.d_head = _head_width(d_model, n_heads)
        self.d_model = d_model
        self.n_heads = n_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self,
        x: torch.Tensor,
        *,
        context: torch.Tensor | None = None,
        may_attend: torch.Tensor | None = None,
        interventions: Given = (),
    ) -> AttentionSteps:
        """Let each token of `x` look at the tokens of `context`, or at those of `x` itself.

        Args:
            x: The tokens that look; a batch comes first, never second.
            context: The tokens that are looked at (cross-attention); None for `x`.
            may_attend: True where a query may look at a key; None if every key may be seen.
            interventions: What is done to the heads; the layer that they name is not asked.

        Raises:
            ChoiceError: If an intervention names a head or a position that does not exist.
            ShapeError: If the input or the mask does not fit, or if the mask is not boolean.

        Shapes:
            x: (*lead, n_query, d_model)
            context: (*lead, n_key, d_model)
            may_attend: (n_query, n_key), (n_heads, n_query, n_key) or
                (batch, n_heads, n_query, n_key); an axis of size 1 counts for all
        """
        context = x if context is None else context
        self._check_tokens("x", x, x)
        self._check_tokens("context", context, x)
        query = split_heads(self.w_q(x), self.n_heads)
        key = split_heads(self.w_k(context), self.n_heads)
        value = split_heads(self.w_v(context), self.n_heads)
        scores = attention_scores(query, key)
        changes = listed(interventions)
        for change in changes:
            change.check(*scores.shape[-3:])
        masked_scores = mask_scores(scores, may_attend, interventions=changes)
        weights = attention_weights(masked_scores, interventions=changes)
        head_outputs = attend_values(weights, value, interventions=changes)
        concatenated = merge_heads(head_outputs)
        output = self.w_o(concatenated)
        return AttentionSteps(
            query, key, value, scores, masked_scores, weights, head_outputs, concatenated, output
        )

    def _check_tokens(self, name: str, tokens: torch.Tensor, x: torch.Tensor) -> None:
        width_fits = tokens.ndim >= 2 and tokens.shape[-1] == self.d_model
        if not width_fits or tokens.shape[:-2] != x.shape[:-2]:
            raise ShapeError(
                f"{name} must be (…, n_tokens, {self.d_model}), with the axes in front that x has, but "
                f"{name} is {tuple(tokens.shape)} and x {tuple(x.shape)}; give one row per token"
            )


def _head_width(d_model: int, n_heads: int) -> int:
    if n_heads < 1 or d_model % n_heads:
        divisors = ", ".join(str(n) for n in range(1, d_model + 1) if d_model % n == 0)
        raise ShapeError(
            f"d_model {d_model} cannot be shared out equally among {n_heads} heads; "
            f"choose one of these numbers of heads: {divisors}"
        )
    return d_model // n_heads
