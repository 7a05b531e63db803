"""Attention by what it moves: each weight times the length of the vector that it brings.

What head h brings from key k is f = (x W_V + b_V) W_O^h, and query q gets α f of it. A key with a large weight and a
short vector, as [CLS] and [SEP] often are, brings next to nothing. The bias of the output projection belongs to no head.

Source:
    Kobayashi et al. 2020, "Attention is Not Only a Weight: Analyzing Transformers with Vector Norms".
"""

import numpy as np
from jaxtyping import Float

from mha_viz.errors import ShapeError

Weights = Float[np.ndarray, "n_heads n_query n_key"]
Values = Float[np.ndarray, "n_kv_heads n_key d_value"]
Output = Float[np.ndarray, "d_in d_model"]


def brought(value: Values, output: Output) -> Float[np.ndarray, "n_heads n_key d_model"]:
    """The vector that each head brings from each key, before it is weighted.

    Args:
        value: The values of one layer, x W_V + b_V; grouped ones are used by several heads.
        output: The matrix of the output projection, all heads side by side, head 0 first.

    Raises:
        ShapeError: If the projection does not take whole heads of that width.

    Source:
        Kobayashi et al. 2020: f(x).
    """
    n_kv_heads, _, d_value = value.shape
    if output.shape[0] % (n_kv_heads * d_value):
        raise ShapeError(
            f"expected an output projection with a row for each of {d_value} values of every head, a multiple of "
            f"{n_kv_heads} heads, got {output.shape[0]} rows; give values and projection of the same layer"
        )
    by_head = output.reshape(-1, d_value, output.shape[1])
    # Neighbours share: of 4 query heads on 2 value heads, 0 and 1 use value head 0.
    return np.repeat(value, len(by_head) // n_kv_heads, axis=0) @ by_head


def norm_weighted(weights: Weights, vectors: Float[np.ndarray, "n_heads n_key d_model"]) -> Weights:
    """The length of what each query gets from each key through each head, ‖α f‖.

    Args:
        weights: Weights of the layer.
        vectors: See `brought`.

    Source:
        Kobayashi et al. 2020: ‖α f(x)‖ of one head.
    """
    return weights * np.linalg.norm(vectors, axis=-1)[:, None, :].astype(weights.dtype)


def norm_shares(weights: Weights, vectors: Float[np.ndarray, "n_heads n_key d_model"]) -> Weights:
    """`norm_weighted` as shares of its row, to be held beside the weights; a row with nothing stays zeros.

    Source:
        Kobayashi et al. 2020: ‖α f(x)‖ of one head.
    """
    lengths = norm_weighted(weights, vectors)
    total = lengths.sum(axis=-1, keepdims=True)
    return np.divide(lengths, total, out=np.zeros_like(lengths), where=total > 0)


def norm_of_layer(
    weights: Weights, vectors: Float[np.ndarray, "n_heads n_key d_model"]
) -> Float[np.ndarray, "n_query n_key"]:
    r"""The length of what each query gets from each key through all heads, ‖Σ_h α f‖: heads may cancel each other.

    Source:
        Kobayashi et al. 2020, over all heads of a layer.
    """
    # The products of the heads' vectors with each other are small; a vector for each pair of tokens is not.
    by_key = vectors.astype(np.float64).swapaxes(0, 1)
    products = by_key @ by_key.swapaxes(1, 2)
    shares = weights.transpose(2, 1, 0)
    squares = ((shares @ products) * shares).sum(axis=-1).T
    # Rounding may leave a sum that cancels a little under 0.
    return np.sqrt(np.maximum(squares, 0))
