"""Attention through all layers at once: how much of each input token is in a token of a later layer.

Both measures take a layer as the mean of its heads, and half of each token as carried on beside attention (the
residual connection): A' = (A + I) with rows that sum to 1. Both leave out values, norms and the layers in between.

Source of both:
    Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers".
"""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from mha_viz.errors import ChoiceError, ShapeError

# Capacities are whole numbers of this size: SciPy's flow knows no others.
RESOLUTION = 1e-8


def mixing(
    weights_by_layer: Iterable[np.ndarray],
) -> Float[np.ndarray, "n_layers n_tokens n_tokens"]:
    """What each layer makes of its tokens: the mean of its heads and the token itself, rows that sum to 1.

    Args:
        weights_by_layer: Weights of the layers that attend, the first first; they may differ in heads.

    Raises:
        ShapeError: If there is no layer, or if a layer's tokens look at others than themselves (cross-attention).

    Shapes:
        weights_by_layer: (n_heads, n_tokens, n_tokens) each

    Source:
        Abnar & Zuidema 2020: 0.5 W_att + 0.5 I, heads by their mean.
    """
    means = [weights.mean(axis=0, dtype=np.float64) for weights in weights_by_layer]
    sizes = {mean.shape for mean in means}
    if len(sizes) != 1 or len(set(*sizes)) != 1:
        raise ShapeError(
            "expected layers in which the same tokens look at each other, all of one size, got maps of "
            f"{sorted(sizes) or 'no layer'}; give the layers of one stream that is no cross-attention"
        )
    mixed = np.stack(means) + np.eye(means[0].shape[-1])
    return mixed / mixed.sum(axis=-1, keepdims=True)


def attention_rollout(
    weights_by_layer: Iterable[np.ndarray],
) -> Float[np.ndarray, "n_layers n_tokens n_tokens"]:
    """The share of each input token in each token, after every layer: row = token after the layer, column = input.

    The later layer stands on the left of the product: R_i = A'_i R_(i−1).

    Raises:
        ShapeError: See `mixing`.

    Shapes:
        weights_by_layer: (n_heads, n_tokens, n_tokens) each

    Source:
        Abnar & Zuidema 2020, attention rollout.
    """
    rolled = mixing(weights_by_layer)
    for layer in range(1, len(rolled)):
        rolled[layer] = rolled[layer] @ rolled[layer - 1]
    return rolled


def attention_flow(
    weights_by_layer: Iterable[np.ndarray], query: int
) -> Float[np.ndarray, " n_tokens"]:
    """The share of each input token in one token of the last layer, by `largest_flows`, as a row that sums to 1.

    Raises:
        ShapeError: See `mixing`.
        ChoiceError: If there is no such token.

    Shapes:
        weights_by_layer: (n_heads, n_tokens, n_tokens) each

    Source:
        Abnar & Zuidema 2020, attention flow.
    """
    flows = largest_flows(weights_by_layer, query)
    return flows / flows.sum()


def largest_flows(
    weights_by_layer: Iterable[np.ndarray], query: int
) -> Float[np.ndarray, " n_tokens"]:
    """The most that can flow from one token of the last layer down to each input token, from 0 to 1.

    There is a node for each token of each layer, and an edge from query q down to key k, as wide as A'[q, k]. Widths
    are rounded down to RESOLUTION, so a flow is too small by less than that times the edges of its narrowest place.
    One flow is computed for each input token: seconds, for long texts.

    Raises:
        ShapeError: See `mixing`.
        ChoiceError: If there is no such token.

    Shapes:
        weights_by_layer: (n_heads, n_tokens, n_tokens) each

    Source:
        Abnar & Zuidema 2020, attention flow.
    """
    mixed = mixing(weights_by_layer)
    n_layers, n_tokens, _ = mixed.shape
    if not 0 <= query < n_tokens:
        raise ChoiceError(f"query {query} does not exist: queries go from 0 to {n_tokens - 1}")
    layers, queries, keys = np.nonzero(mixed >= RESOLUTION)
    widths = (mixed[layers, queries, keys] / RESOLUTION).astype(np.int32)
    above, below = (layers + 1) * n_tokens + queries, layers * n_tokens + keys
    size = (n_layers + 1) * n_tokens
    graph = csr_array((widths, (above, below)), shape=(size, size))
    top = n_layers * n_tokens + query
    flows = [maximum_flow(graph, top, key).flow_value for key in range(n_tokens)]
    return np.array(flows) * RESOLUTION
