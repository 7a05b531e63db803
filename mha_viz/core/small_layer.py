"""Our own multi-head attention on small embeddings, with numbers of two decimals that can be checked by hand."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import nn

from mha_viz.core.attention import AttentionSteps, MultiHeadAttention
from mha_viz.core.layer_numbers import LayerNumbers, Projection
from mha_viz.core.masks import causal

MOST_WORDS = 24
SPREAD = (
    1.4  # of what a projection makes of a word: weights are then neither even nor all on one word
)
_CLOSING = r".,;:!?…"
# Characters of a script that sets no spaces are words of their own.
_WORDS = re.compile(
    rf"[{_CLOSING}]|[\u3040-\u30ff\u3400-\u9fff]|[^\s{_CLOSING}\u3040-\u30ff\u3400-\u9fff]+"
)


@dataclass(frozen=True)
class SmallLayer:
    """How the small layer is made.

    Attributes:
        d_model: Width of a word.
        n_heads: Number of heads; it must divide `d_model`.
        seed: What its numbers are drawn from.
        causal: Whether a word may look only at itself and at words before it.
        positions: Whether a pattern of its position is added to each word.
        root: Whether the dot products are divided by √d_k.
        temperature: What the scores are divided by at last.
    """

    d_model: int = 8
    n_heads: int = 2
    seed: int = 0
    causal: bool = False
    positions: bool = False
    root: bool = True
    temperature: float = 1.0

    @property
    def scaling(self) -> float:
        """What the dot products are multiplied by."""
        return (self.d_model // self.n_heads) ** -0.5 if self.root else 1.0


def words_of(text: str) -> tuple[tuple[str, ...], int]:
    """The first words of a text, and how many were left out."""
    words = _WORDS.findall(text)
    return tuple(words[:MOST_WORDS]), max(0, len(words) - MOST_WORDS)


def embeddings(words: Sequence[str], layer: SmallLayer) -> Float[np.ndarray, "n_words d_model"]:
    """A vector for each word, the same wherever the word stands."""
    rows = [
        np.random.default_rng([layer.seed, zlib.crc32(word.encode("utf-8", "replace"))]).normal(
            size=layer.d_model
        )
        for word in words
    ]
    return _two_decimals(np.array(rows).reshape(len(words), layer.d_model))


def position_patterns(n_words: int, d_model: int) -> Float[np.ndarray, "{n_words} {d_model}"]:
    """Sines and cosines of the position, faster in the first columns.

    Source:
        Vaswani et al. 2017, "Attention Is All You Need", section 3.5.
    """
    columns = np.arange(d_model)
    angles = np.arange(n_words)[:, None] / 10000 ** (columns // 2 * 2 / d_model)
    return _two_decimals(np.where(columns % 2 == 0, np.sin(angles), np.cos(angles)))


def small_module(layer: SmallLayer) -> MultiHeadAttention:
    """Its four matrices; the same ones for any number of heads."""
    module = MultiHeadAttention(layer.d_model, layer.n_heads).double()
    generator = np.random.default_rng(layer.seed)
    with torch.no_grad():
        for linear in _linears(module).values():
            drawn = generator.normal(size=(layer.d_model, layer.d_model))
            drawn *= SPREAD / np.sqrt(layer.d_model)
            linear.weight.copy_(torch.from_numpy(_two_decimals(drawn)))
    return module


def small_numbers(words: Sequence[str], layer: SmallLayer) -> LayerNumbers:
    """What the small layer starts from."""
    module = small_module(layer)
    n_words = len(words)
    allowed = causal(n_words).numpy() if layer.causal else np.ones((n_words, n_words), dtype=bool)
    return LayerNumbers(
        query_labels=tuple(words),
        key_labels=tuple(words),
        n_heads=layer.n_heads,
        n_kv_heads=layer.n_heads,
        d_head=module.d_head,
        d_value=module.d_head,
        scaling=layer.scaling,
        may_attend=allowed[None],
        x=embeddings(words, layer),
        positions=position_patterns(n_words, layer.d_model) if layer.positions else None,
        projections={
            what: Projection(linear.weight.detach().numpy().T)
            for what, linear in _linears(module).items()
        },
        temperature=layer.temperature,
    )


def module_steps(numbers: LayerNumbers) -> AttentionSteps:
    """What `MultiHeadAttention` itself makes of the same numbers, for comparison."""
    x = numbers.vectors if numbers.positions is None else numbers.vectors + numbers.positions
    module = MultiHeadAttention(x.shape[1], numbers.n_heads).double()
    # The module divides by √d_k and by no temperature: what is asked for besides goes into its queries.
    more = numbers.scaling / numbers.temperature * numbers.d_head**0.5
    with torch.no_grad():
        for what, linear in _linears(module).items():
            weight = numbers.projections[what].weight.T * (more if what == "query" else 1.0)
            linear.weight.copy_(torch.from_numpy(weight))
        return module(torch.from_numpy(x), may_attend=torch.from_numpy(numbers.may_attend))


def _linears(module: MultiHeadAttention) -> dict[str, nn.Linear]:
    return {"query": module.w_q, "key": module.w_k, "value": module.w_v, "output": module.w_o}


def _two_decimals(numbers: np.ndarray) -> np.ndarray:
    return numbers.round(2) + 0.0  # no -0.0
