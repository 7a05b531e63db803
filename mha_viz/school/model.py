"""A causal language model of `MultiHeadAttention`, small enough to be trained while a class has lunch."""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import nn

from mha_viz.core.attention import AttentionSteps, MultiHeadAttention, merge_heads
from mha_viz.core.masks import causal
from mha_viz.errors import ShapeError

POSITION_AMPLITUDE = 0.1
LONGEST_PERIOD = 128


@dataclass(frozen=True)
class Sizes:
    """How large a model is; `d_head` is d_model / n_heads."""

    n_words: int
    d_model: int = 144
    n_layers: int = 3
    n_heads: int = 6
    d_feed_forward: int = 192
    n_positions: int = 64


@dataclass(frozen=True, eq=False)
class Pass:
    """What one pass through the model left behind.

    Attributes:
        logits: For each token, how likely each word is to follow.
        attention: Every step of the attention, one entry a layer.
        attention_inputs: What the attention of each layer was given (after its norm).
    """

    logits: Float[torch.Tensor, "batch n_tokens n_words"]
    attention: tuple[AttentionSteps, ...]
    attention_inputs: tuple[Float[torch.Tensor, "batch n_tokens d_model"], ...]


class Block(nn.Module):
    """One layer, norms first: x + attention(norm(x)), then x + feed-forward(norm(x)).

    Source:
        Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture" (pre-LN).
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.norm_before_attention = nn.LayerNorm(sizes.d_model)
        self.attention = MultiHeadAttention(sizes.d_model, sizes.n_heads)
        self.norm_before_feed_forward = nn.LayerNorm(sizes.d_model)
        self.widen = nn.Linear(sizes.d_model, sizes.d_feed_forward)
        self.narrow = nn.Linear(sizes.d_feed_forward, sizes.d_model)

    def forward(
        self, x: torch.Tensor, may_attend: torch.Tensor, heads_off: Collection[int]
    ) -> tuple[torch.Tensor, AttentionSteps, torch.Tensor]:
        """The layer's output, the steps of its attention, and what the attention was given."""
        given = self.norm_before_attention(x)
        steps = self.attention(given, may_attend=may_attend)
        if heads_off:
            steps = self._without(steps, heads_off)
        x = x + steps.output
        widened = nn.functional.gelu(self.widen(self.norm_before_feed_forward(x)))
        return x + self.narrow(widened), steps, given

    def _without(self, steps: AttentionSteps, heads_off: Collection[int]) -> AttentionSteps:
        """The same steps, but some heads find nothing: zeros."""
        head_outputs = steps.head_outputs.clone()
        head_outputs[..., list(heads_off), :, :] = 0
        concatenated = merge_heads(head_outputs)
        return replace(
            steps,
            head_outputs=head_outputs,
            concatenated=concatenated,
            output=self.attention.w_o(concatenated),
        )


class SchoolModel(nn.Module):
    """Embeddings, some blocks, and the same embeddings again to say which word comes next.

    Args:
        sizes: How large it is.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.words = nn.Embedding(sizes.n_words, sizes.d_model)
        self.positions = nn.Embedding(sizes.n_positions, sizes.d_model)
        blocks = [Block(sizes) for _ in range(sizes.n_layers)]
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(sizes.d_model)
        self._initialise(blocks)

    def forward(
        self,
        ids: Int[torch.Tensor, "batch n_tokens"],
        *,
        positions: Int[torch.Tensor, "batch n_tokens"] | None = None,
        may_attend: Bool[torch.Tensor, "batch 1 n_tokens n_tokens"] | None = None,
        heads_off: Collection[tuple[int, int]] = (),
    ) -> Pass:
        """One pass over a batch of texts.

        Args:
            ids: The number of each token.
            positions: The place of each token in its document; None where a row is one document.
            may_attend: True where a query may look at a key; None for causal.
            heads_off: Heads that find nothing, as (layer, head).

        Raises:
            ShapeError: If a row is longer than the model has positions.
        """
        n_tokens = ids.shape[-1]
        if n_tokens > self.sizes.n_positions:
            raise ShapeError(
                f"expected at most {self.sizes.n_positions} tokens, got {n_tokens}; cut the text"
            )
        positions = torch.arange(n_tokens) if positions is None else positions
        may_attend = causal(n_tokens) if may_attend is None else may_attend
        x = self.words(ids) + self.positions(positions)
        attention, inputs = [], []
        for layer, block in enumerate(self.blocks):
            off = [head for at, head in heads_off if at == layer]
            x, steps, given = block(x, may_attend, off)
            attention.append(steps)
            inputs.append(given)
        logits = self.norm(x) @ self.words.weight.T
        return Pass(logits, tuple(attention), tuple(inputs))

    def _initialise(self, blocks: list[Block]) -> None:
        nn.init.normal_(self.words.weight, std=0.02)
        with torch.no_grad():
            self.positions.weight.copy_(sinusoids(self.sizes.n_positions, self.sizes.d_model))
            for block in blocks:
                # Both write into the sum that runs through all layers: the more layers, the less each.
                for weight in (block.attention.w_o.weight, block.narrow.weight):
                    weight.mul_(1 / math.sqrt(2 * self.sizes.n_layers))


def sinusoids(n_positions: int, d_model: int) -> Float[torch.Tensor, "{n_positions} {d_model}"]:
    """Where positions start from: waves of periods from 2 to 128 tokens, small beside a word.

    Source:
        Vaswani et al. 2017, "Attention Is All You Need", section 3.5, with other periods.
    """
    periods = torch.logspace(math.log10(2), math.log10(LONGEST_PERIOD), d_model // 2)
    angles = 2 * math.pi * torch.arange(n_positions)[:, None] / periods
    return POSITION_AMPLITUDE * torch.cat([torch.sin(angles), torch.cos(angles)], dim=-1)
