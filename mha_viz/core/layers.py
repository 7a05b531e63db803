"""What one layer left behind in a forward pass, and the weights that follow from it."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float

from mha_viz.core.attention import (
    attention_scores,
    attention_weights,
    mask_scores,
    repeat_kv_heads,
    soft_cap,
)
from mha_viz.core.changes import allowed, heads_off
from mha_viz.core.interventions import Intervention

ROW_TOLERANCE = 1e-4
HALF_PRECISION_ROW_TOLERANCE = 5e-3  # a model in half precision rounds each weight that it reports


@dataclass(frozen=True, eq=False)
class ScoredLayer:
    """A layer whose weights follow from its queries and keys.

    Attributes:
        query: Queries after any rotary embedding, (n_heads, n_query, d_head).
        key: Keys before grouped heads are repeated, (n_kv_heads, n_key, d_head).
        value: Values before grouped heads are repeated, (n_kv_heads, n_key, d_value).
        scaling: What the dot products are multiplied by, usually 1/sqrt(d_head).
        may_attend: True where a query may look at a key, (1 or n_heads, n_query, n_key).
        attn_bias: Added to the scores: relative positions (T5), ALiBi; None where there is none.
        softcap: Scores pass through cap * tanh(score / cap) (Gemma 2); None where they do not.
        sinks: One learned logit a head that takes part in the softmax and stands for no key (gpt-oss).
        head_outputs: What the layer computed from it all, (n_query, n_heads, d_value).
        module_path: Where the attention module is in the model, for `model.get_submodule`: its projections are there.
        module_input: What the module was given, (n_query, d_model); None if it was not seen.
        module_output: What the module gave back, (n_query, d_model); None if it was not seen.
        interventions: What was done in this layer; the weights are those that were used.
    """

    query: Float[torch.Tensor, "n_heads n_query d_head"]
    key: Float[torch.Tensor, "n_kv_heads n_key d_head"]
    value: Float[torch.Tensor, "n_kv_heads n_key d_value"]
    scaling: float
    may_attend: Bool[torch.Tensor, "#n_heads n_query n_key"]
    attn_bias: Float[torch.Tensor, "#n_heads n_query n_key"] | None = None
    softcap: float | None = None
    sinks: Float[torch.Tensor, " n_heads"] | None = None
    head_outputs: Float[torch.Tensor, "n_query n_heads d_value"] | None = None
    module_path: str = ""
    module_input: Float[torch.Tensor, "n_query d_in"] | None = None
    module_output: Float[torch.Tensor, "n_query d_out"] | None = None
    interventions: tuple[Intervention, ...] = ()

    @property
    def n_heads(self) -> int:
        """Number of query heads."""
        return self.query.shape[0]

    @property
    def heads_off(self) -> tuple[int, ...]:
        """Heads whose output was zeros, whatever their weights are."""
        return tuple(heads_off(self.interventions, "zero", self.n_heads))

    @property
    def fully_masked(self) -> Bool[torch.Tensor, "n_heads n_query"]:
        """True for each query that may look at nothing."""
        some = allowed(self.interventions, self.may_attend, self.n_heads).any(-1)
        return ~some.expand(self.n_heads, -1)

    @property
    def row_tolerance(self) -> float:
        """How far a row may be from its sum: computed in float32, whatever the model's precision."""
        return ROW_TOLERANCE

    def compute(self) -> Float[torch.Tensor, "n_heads n_query n_key"]:
        """All weights of the layer, in float32 whatever the model's own precision.

        Source:
            Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, with the terms of `attention_weights`.
        """
        key = repeat_kv_heads(self.key.float(), self.n_heads)
        scores = soft_cap(
            attention_scores(self.query.float(), key, scaling=self.scaling), self.softcap
        )
        masked_scores = mask_scores(
            scores, self.may_attend, self.attn_bias, interventions=self.interventions
        )
        return attention_weights(masked_scores, sinks=self.sinks, interventions=self.interventions)


@dataclass(frozen=True, eq=False)
class ReportedLayer:
    """A layer whose weights the model itself reported, since they do not follow from queries and keys alone."""

    reported: Float[torch.Tensor, "n_heads n_query n_key"]

    @property
    def n_heads(self) -> int:
        """Number of query heads."""
        return self.reported.shape[0]

    @property
    def heads_off(self) -> tuple[int, ...]:
        """None: nothing can be done to weights that are only reported."""
        return ()

    @property
    def fully_masked(self) -> Bool[torch.Tensor, "n_heads n_query"]:
        """True for each query whose row is zeros."""
        return (self.reported == 0).all(-1)

    @property
    def row_tolerance(self) -> float:
        """How far a row may be from its sum, in the precision that the model reported it in."""
        single = self.reported.dtype in {torch.float32, torch.float64}
        return ROW_TOLERANCE if single else HALF_PRECISION_ROW_TOLERANCE

    def compute(self) -> Float[torch.Tensor, "n_heads n_query n_key"]:
        """All weights of the layer, in float32."""
        return self.reported.float()


Layer = ScoredLayer | ReportedLayer
