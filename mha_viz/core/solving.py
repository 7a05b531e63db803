r"""Attention solved backwards: from the weights that heads should have to the queries and keys that give them.

A softmax forgets what is added to a whole row of scores, and else undoes a logarithm: for weights $T$ whose rows sum to 1,
$\mathrm{softmax}(\log T) = T$. So any $Q$ and $K$ with $Q K^{\top} / \sqrt{d_k} = \log T + c$ will do.
"""

import math

import torch
from jaxtyping import Float

from mha_viz.core.attention import MultiHeadAttention
from mha_viz.errors import ShapeError

# The least weight that is asked for: no softmax gives a zero, for which a score would have to be -inf.
FLOOR = 0.001
# How far a computed weight may be from the one that was wanted.
TOLERANCE = 0.01


def floored(
    targets: Float[torch.Tensor, "*lead n_query n_key"], floor: float = FLOOR
) -> Float[torch.Tensor, "*lead n_query n_key"]:
    """Weights as a softmax can give them: none below the floor, each row divided by its sum again.

    No weight moves by more than the floor times the number of keys.

    Raises:
        ShapeError: If a row is no distribution: something negative or not finite, or a sum other than 1.
    """
    sums = targets.sum(-1)
    if not bool((targets >= 0).all()) or not torch.allclose(sums, torch.ones_like(sums)):
        raise ShapeError(
            f"expected rows of weights from 0 to 1 that sum to 1, got sums from {sums.min():.3f} to {sums.max():.3f} "
            f"and a least weight of {targets.min():.3f}; divide each row by its sum"
        )
    raised = targets.clamp(min=floor)
    return raised / raised.sum(-1, keepdim=True)


def solve_query_key(
    targets: Float[torch.Tensor, "*lead n_query n_key"], d_head: int
) -> tuple[Float[torch.Tensor, "*lead n_query d_head"], Float[torch.Tensor, "*lead n_key d_head"]]:
    r"""Queries and keys whose scaled dot products, after the softmax, are these weights.

    Each key has a direction of its own, of length $\sqrt{d_k}$: $K = \sqrt{d_k}\,(I \mid 0)$. Then
    $Q = (\log T - \overline{\log T} \mid 0)$ gives $Q K^{\top} / \sqrt{d_k} = \log T - \overline{\log T}$, where the mean of
    each row, which the softmax does not see, is taken away so that a query that prefers nothing is zero.

    Args:
        targets: Rows that sum to 1, with nothing below 0; raised to the floor here.
        d_head: Width of a head, at least the number of keys.

    Raises:
        ShapeError: If a head is narrower than there are keys, or if a row of targets is no distribution.
    """
    n_key = targets.shape[-1]
    if d_head < n_key:
        raise ShapeError(
            f"a head of width {d_head} has no direction of its own for each of {n_key} keys; "
            f"take {d_head} keys at most, or wider heads"
        )
    logs = floored(targets).log()
    centred = logs - logs.mean(-1, keepdim=True)
    query = torch.nn.functional.pad(centred, (0, d_head - n_key))
    directions = math.sqrt(d_head) * torch.eye(n_key, d_head).to(targets)
    return query, directions.expand(*targets.shape[:-2], n_key, d_head)


def solve_projection(
    x: Float[torch.Tensor, "n_tokens d_model"],
    wanted: Float[torch.Tensor, "*lead n_tokens d_head"],
) -> Float[torch.Tensor, "*lead d_model d_head"]:
    r"""The smallest $W$ with $X W$ as wanted: $W = X^{+}\,\mathrm{wanted}$, exact where the rows of $X$ are independent.

    Raises:
        ShapeError: If the rows of `x` depend on each other, so that some cannot be told apart by any projection.

    Source:
        Penrose 1955, "A generalized inverse for matrices"; 1956, "On best approximate solutions of linear matrix
        equations": $X^{+} B$ is the solution of least norm.
    """
    rank = int(torch.linalg.matrix_rank(x))
    if rank < len(x):
        raise ShapeError(
            f"expected {len(x)} tokens with independent vectors, got a rank of {rank} in width {x.shape[1]}; "
            "give each token a vector of its own, as adding positions does"
        )
    return torch.linalg.pinv(x) @ wanted


def solve_attention(
    x: Float[torch.Tensor, "n_tokens d_model"],
    targets: Float[torch.Tensor, "n_heads n_tokens n_tokens"],
    *,
    seed: int = 0,
) -> MultiHeadAttention:
    """Multi-head attention whose heads give these weights on `x`; its values and its last projection are random.

    Args:
        x: The tokens' vectors, of full row rank.
        targets: A map a head, of rows that sum to 1.
        seed: Of the random projections.

    Raises:
        ShapeError: If the sizes do not fit, if `x` has not full row rank, or if a row of targets is no distribution.
    """
    attention = MultiHeadAttention(x.shape[1], len(targets)).to(x.dtype).requires_grad_(False)
    query, key = solve_query_key(targets.to(x.dtype), attention.d_head)
    generator = torch.Generator().manual_seed(seed)
    for layer, wanted in ((attention.w_q, query), (attention.w_k, key)):
        # Of nn.Linear the rows are outputs: the projections of the heads lie below each other, turned.
        layer.weight.copy_(solve_projection(x, wanted).transpose(-2, -1).flatten(0, 1))
    for layer in (attention.w_v, attention.w_o):
        drawn = torch.randn(x.shape[1], x.shape[1], generator=generator, dtype=x.dtype)
        layer.weight.copy_(drawn / math.sqrt(x.shape[1]))
    return attention
