"""What a head is worth to the output: the same computation with it and without it."""

from dataclasses import dataclass

import torch
from jaxtyping import Float

from mha_viz.core.attention import MultiHeadAttention
from mha_viz.core.interventions import HeadOff


@dataclass(frozen=True, eq=False)
class Removal:
    """The output of multi-head attention with all heads, and with one of them off.

    Attributes:
        before: With all heads.
        after: With zeros in place of the head's output.
    """

    before: Float[torch.Tensor, "n_tokens d_model"]
    after: Float[torch.Tensor, "n_tokens d_model"]

    @property
    def change(self) -> Float[torch.Tensor, " n_tokens"]:
        """How far the output of each position moves: the Euclidean norm of after less before."""
        return torch.linalg.vector_norm(self.after - self.before, dim=-1)

    @property
    def cosine(self) -> Float[torch.Tensor, " n_tokens"]:
        """The cosine of the angle between before and after: 1 where the direction stays; 0 where one of them is zeros."""
        return torch.nn.functional.cosine_similarity(self.before, self.after, dim=-1)


def remove_head(
    attention: MultiHeadAttention, x: Float[torch.Tensor, "n_tokens d_model"], head: int
) -> Removal:
    """Compute twice, the second time with the output of a head zeroed.

    Raises:
        ChoiceError: If the head does not exist.

    Source:
        Michel et al. 2019, "Are Sixteen Heads Really Better than One?": each head times its mask variable, here 0.
    """
    return Removal(
        attention(x).output,
        attention(x, interventions=(HeadOff(None, head),)).output,
    )
