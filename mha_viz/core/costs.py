"""What multi-head attention costs: its numbers counted, its steps timed."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np
import torch
from jaxtyping import Float

from mha_viz.core.attention import (
    MultiHeadAttention,
    attend_values,
    attention_scores,
    attention_weights,
    merge_heads,
    split_heads,
)

STEPS = ("project", "scores", "softmax", "values", "project back")


@dataclass(frozen=True)
class Cost:
    """What the steps of attention cost; by the names of `STEPS`.

    Attributes:
        n_heads: Number of heads.
        parameters: Learned numbers of each step.
        operations: Multiply–adds of each step; of the softmax, its exponentials.
        seconds: How long each step took here.
    """

    n_heads: int
    parameters: dict[str, int]
    operations: dict[str, int]
    seconds: dict[str, float]

    @property
    def multiply_adds(self) -> int:
        """Of all steps; the softmax has none."""
        return sum(count for step, count in self.operations.items() if step != "softmax")


def cost(n_tokens: int, d_model: int, n_heads: int, repeats: int = 5) -> Cost:
    """Count and time one layer on one text.

    Args:
        n_tokens: Words of the text.
        d_model: Width of a word.
        n_heads: Number of heads; it must divide `d_model`.
        repeats: How often each step is timed; the fastest counts.
    """
    parameters = dict.fromkeys(STEPS, 0) | {"project": 3 * d_model**2, "project back": d_model**2}
    # Each head is d_model / h wide and there are h of them: h drops out, but in the softmax.
    operations = {
        "project": 3 * n_tokens * d_model**2,
        "scores": n_tokens**2 * d_model,
        "softmax": n_heads * n_tokens**2,
        "values": n_tokens**2 * d_model,
        "project back": n_tokens * d_model**2,
    }
    runs = [_timed(n_tokens, d_model, n_heads) for _ in range(repeats)]
    seconds = {step: min(run[step] for run in runs) for step in STEPS}
    return Cost(n_heads, parameters, operations, seconds)


def _timed(n_tokens: int, d_model: int, n_heads: int) -> dict[str, float]:
    module = MultiHeadAttention(d_model, n_heads)
    x = torch.randn(n_tokens, d_model)
    with torch.inference_mode():
        times = [perf_counter()]
        query, key, value = (
            split_heads(linear(x), n_heads) for linear in (module.w_q, module.w_k, module.w_v)
        )
        times.append(perf_counter())
        scores = attention_scores(query, key)
        times.append(perf_counter())
        weights = attention_weights(scores)
        times.append(perf_counter())
        found = attend_values(weights, value)
        times.append(perf_counter())
        module.w_o(merge_heads(found))
        times.append(perf_counter())
    return dict(zip(STEPS, np.diff(times).tolist(), strict=True))


@dataclass(frozen=True)
class WidthEffect:
    """What the width of a head does to the softmax.

    Attributes:
        d_head: The width.
        spread: Standard deviation of the dot products; √d_head for numbers that are drawn independently.
        with_root: The largest weight of a row, on average, where the products are divided by √d_head.
        without_root: The same without the division.
    """

    d_head: int
    spread: float
    with_root: float
    without_root: float


def width_effect(n_keys: int, d_head: int, seed: int = 0) -> WidthEffect:
    """Queries and keys drawn at random with variance 1, and the softmax of their products.

    Source:
        Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, footnote 4: the products have variance d_k.
    """
    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(200, 1, d_head, generator=generator)
    key = torch.randn(200, n_keys, d_head, generator=generator)
    products = attention_scores(query, key, scaling=1.0)
    return WidthEffect(
        d_head,
        float(products.std()),
        _largest(attention_scores(query, key)),
        _largest(products),
    )


def _largest(scores: Float[torch.Tensor, "n_rows one n_keys"]) -> float:
    return float(attention_weights(scores).max(-1).values.mean())
