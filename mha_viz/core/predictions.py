"""What a model expects at a position: the likeliest tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float

N_LIKELIEST = 10


@dataclass(frozen=True)
class Prediction:
    """The likeliest tokens at one position.

    Attributes:
        position: Of the token that is read there: a hidden one is to be filled in, a last one to be followed.
        ids: The model's numbers for the tokens, the likeliest first.
        probabilities: Of each, out of the whole vocabulary.
        texts: What a person should read for each; empty for records made from inputs.
    """

    position: int
    ids: tuple[int, ...]
    probabilities: tuple[float, ...]
    texts: tuple[str, ...] = ()


def likeliest(
    logits: Float[torch.Tensor, "n_tokens n_vocabulary"], positions: Sequence[int]
) -> tuple[Prediction, ...]:
    """The likeliest tokens at some positions: softmax over the vocabulary."""
    shares = torch.softmax(logits[list(positions)].float(), dim=-1)
    best = shares.topk(min(N_LIKELIEST, shares.shape[-1]), dim=-1)
    return tuple(
        Prediction(position, tuple(ids), tuple(probabilities))
        for position, ids, probabilities in zip(
            positions, best.indices.tolist(), best.values.tolist(), strict=True
        )
    )
