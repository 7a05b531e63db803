"""What one layer of attention starts from, whoever computes it: vectors, learned matrices, mask and the rest."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float

from mha_viz.core.origins import Turning
from mha_viz.errors import ChoiceError


@dataclass(frozen=True, eq=False)
class Projection:
    """A learned matrix, from the left: tokens times `weight`, plus `bias`.

    Attributes:
        weight: All heads side by side.
        bias: None for none.
    """

    weight: Float[np.ndarray, "d_in d_out"]
    bias: Float[np.ndarray, " d_out"] | None = None

    def __call__(
        self, x: Float[np.ndarray, "n_tokens d_in"]
    ) -> Float[np.ndarray, "n_tokens d_out"]:
        """The projected tokens."""
        return x @ self.weight if self.bias is None else x @ self.weight + self.bias


@dataclass(frozen=True, eq=False)
class LayerNumbers:
    """What one layer starts from, whoever computes it.

    Attributes:
        query_labels: The tokens that look.
        key_labels: The tokens that are looked at.
        n_heads: Query heads.
        n_kv_heads: Key and value heads; fewer where several query heads share one.
        d_head: Width of a query and of a key.
        d_value: Width of a value.
        scaling: What the dot products are multiplied by.
        may_attend: True where a query may look at a key.
        x: The vectors of the tokens; None if they are not known.
        positions: What is added to them for their positions; None for nothing.
        projections: By "query", "key", "value" and "output", as far as they are known.
        heads: By "query", "key" and "value", used where `x` or a projection is not known.
        turning: Rotary positions of queries and keys; None for none.
        attn_bias: Added to the scores; None for nothing.
        softcap: See `core.attention.soft_cap`.
        temperature: What the scores are divided by at last.
        sinks: One learned logit a head, see `core.attention.attention_weights`.
    """

    query_labels: tuple[str, ...]
    key_labels: tuple[str, ...]
    n_heads: int
    n_kv_heads: int
    d_head: int
    d_value: int
    scaling: float
    may_attend: Bool[np.ndarray, "#n_heads n_query n_key"]
    x: Float[np.ndarray, "n_query d_in"] | None = None
    positions: Float[np.ndarray, "n_query d_in"] | None = None
    projections: Mapping[str, Projection] = field(default_factory=dict)
    heads: Mapping[str, Float[np.ndarray, "_ _ _"]] = field(default_factory=dict)
    turning: Turning | None = None
    attn_bias: Float[np.ndarray, "#n_heads n_query n_key"] | None = None
    softcap: float | None = None
    temperature: float = 1.0
    sinks: Float[np.ndarray, " n_heads"] | None = None

    @property
    def vectors(self) -> Float[np.ndarray, "n_query d_in"]:
        """The vectors of the tokens, `x`.

        Raises:
            ChoiceError: If they are not known.
        """
        if self.x is None:
            raise ChoiceError(
                "the vectors of the tokens are not known; start at queries, keys and values"
            )
        return self.x

    @property
    def starts_at_x(self) -> bool:
        """Whether the first step can be shown, from the vectors of the tokens on."""
        return self.x is not None and {"query", "key", "value"} <= self.projections.keys()

    @property
    def is_scaled_by_root(self) -> bool:
        """Whether the dot products are divided by √d_k, as in the paper."""
        return math.isclose(self.scaling, 1 / math.sqrt(self.d_head), rel_tol=1e-6)

    def kv_head(self, head: int) -> int:
        """The key and value head of a query head."""
        return head // (self.n_heads // self.n_kv_heads)

    def width(self, what: str) -> int:
        """Columns of one head of the queries, keys or values."""
        return self.d_value if what == "value" else self.d_head
