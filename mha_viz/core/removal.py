"""What a head is worth to the output: the same computation with it and without it."""

import torch
from jaxtyping import Float

from mha_viz.core.attention import MultiHeadAttention
from mha_viz.core.differences import OutputChange
from mha_viz.core.interventions import HeadOff


def remove_head(
    attention: MultiHeadAttention, x: Float[torch.Tensor, "n_tokens d_model"], head: int
) -> OutputChange:
    """Compute twice, the second time with zeros in place of what a head found.

    Args:
        attention: Multi-head attention.
        x: The tokens' vectors.
        head: The head, from 0.

    Raises:
        ChoiceError: If the head does not exist.

    Source:
        Michel et al. 2019, "Are Sixteen Heads Really Better than One?": each head times its mask variable, here 0.
    """
    with torch.no_grad():
        before, after = (
            attention(x, interventions=changes).output.numpy()
            for changes in ((), (HeadOff(None, head),))
        )
    return OutputChange(before, after)
