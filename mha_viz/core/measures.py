"""Numbers about heads: how widely a head looks, how far, and at which neighbours.

Every measure takes weights (*lead, n_query, n_key) and gives one number a map, (*lead). Rows that
are all zeros belong to queries that may look at nothing: they are left out of every mean, and where
no row is left the number is NaN. Rows that sum to less than 1 (a sink took the rest) count as they
are. The divisors are part of the definitions: each docstring names its own.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from mha_viz.errors import ShapeError

Weights = Float[np.ndarray, "*lead n_query n_key"]
PerMap = Float[np.ndarray, "*lead"]


def entropy(weights: Weights) -> PerMap:
    r"""How widely a head spreads its attention, in nats.

    $H = -\sum_k a_{qk} \ln a_{qk}$ with $0 \ln 0 = 0$, mean over the queries. From 0 (one key gets
    all) to ln(n_key) (all keys get the same). A sink's share is not a key and adds nothing.

    Source:
        Clark et al. 2019, "What Does BERT Look At?", section 3.3, without the smoothing of its code.
    """
    logarithms = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return _mean_over_queries(-_row_sum(weights * logarithms), weights)


def confidence(weights: Weights) -> PerMap:
    """How much the favourite key of each query gets: the largest weight, mean over the queries.

    From 1/n_key (all keys get the same) to 1.

    Source:
        Voita et al. 2019, "Analyzing Multi-Head Self-Attention"; unlike there, the column of the
        end-of-sentence token is not left out.
    """
    return _mean_over_queries(weights.max(axis=-1), weights)


def first_token_share(weights: Weights) -> PerMap:
    """Weight on the first key, mean over all queries, the first included.

    Source:
        Vig & Belinkov 2019, "Analyzing the Structure of Attention in a Transformer Language Model"
        ("null attention" goes to the first token).
    """
    return _mean_over_queries(weights[..., 0], weights)


def self_share(weights: Weights) -> PerMap:
    """Weight of each token on itself, mean over all queries.

    Raises:
        ShapeError: If there are not as many queries as keys.

    Source:
        Clark et al. 2019, "What Does BERT Look At?", section 3.1.
    """
    return _share_at_offset(weights, 0)


def previous_share(weights: Weights) -> PerMap:
    """Weight on the token just before, mean over the n_tokens − 1 queries that have one.

    A head that always looks one back has exactly 1. NaN for a single token.

    Raises:
        ShapeError: If there are not as many queries as keys.

    Source:
        Clark et al. 2019, "What Does BERT Look At?", section 3.1; its code divides by n_tokens.
    """
    return _share_at_offset(weights, -1)


def next_share(weights: Weights) -> PerMap:
    """Weight on the token just after, mean over the n_tokens − 1 queries that have one.

    A head that always looks one ahead has exactly 1. NaN for a single token.

    Raises:
        ShapeError: If there are not as many queries as keys.

    Source:
        Clark et al. 2019, "What Does BERT Look At?", section 3.1; its code divides by n_tokens.
    """
    return _share_at_offset(weights, 1)


def mean_distance(weights: Weights) -> PerMap:
    r"""How many tokens away a head looks, on either side.

    $D = \sum_{qk} a_{qk} |q - k| \,/\, \sum_{qk} a_{qk}$: divided by the weight there is, so that a
    sink or a query that sees nothing does not shorten it.

    Raises:
        ShapeError: If there are not as many queries as keys.

    Source:
        Vig & Belinkov 2019, "Analyzing the Structure of Attention in a Transformer Language Model":
        theirs has q − k, the same for causal models.
    """
    _check_square(weights)
    positions = np.arange(weights.shape[-1])
    steps = np.abs(positions[:, None] - positions).astype(weights.dtype)
    return _divided(_row_sum(weights * steps).sum(axis=-1), _row_sum(weights).sum(axis=-1))


@dataclass(frozen=True)
class HeadMeasures:
    """The measures of one head on one text; None where a measure has no meaning.

    Attributes:
        layer: Which layer, from 0.
        head: Which head, from 0.
        entropy: See `entropy`, nats.
        confidence: See `confidence`, a share.
        first_token_share: See `first_token_share`.
        self_share: See `self_share`; None between different texts, as are those below.
        previous_share: See `previous_share`.
        next_share: See `next_share`.
        mean_distance: See `mean_distance`, tokens.
    """

    layer: int
    head: int
    entropy: float | None
    confidence: float | None
    first_token_share: float | None
    self_share: float | None
    previous_share: float | None
    next_share: float | None
    mean_distance: float | None


Measure = Callable[[np.ndarray], np.ndarray]
ANY_MAP: dict[str, Measure] = {
    "entropy": entropy,
    "confidence": confidence,
    "first_token_share": first_token_share,
}
POSITIONAL: dict[str, Measure] = {
    "self_share": self_share,
    "previous_share": previous_share,
    "next_share": next_share,
    "mean_distance": mean_distance,
}


def head_measures(
    weights_by_layer: Iterable[np.ndarray | None], *, same_tokens: bool = True
) -> list[HeadMeasures]:
    """Every measure of every head, one row a head.

    Args:
        weights_by_layer: Weights of layer 0, 1, …; taken one at a time, so a generator keeps only one
            layer in memory. None for a layer without attention: it gives no row, but keeps its number.
        same_tokens: Whether the tokens that look are the tokens that are looked at. Where they are
            not (cross-attention), or where a map is not square, positional measures are None.

    Raises:
        ShapeError: If the weights of a layer are not (n_heads, n_query, n_key).

    Shapes:
        weights_by_layer: (n_heads, n_query, n_key) each; layers may differ in all three

    Source:
        The functions that the columns are named after.
    """
    return [
        row
        for layer, weights in enumerate(weights_by_layer)
        if weights is not None
        for row in _rows_of_layer(layer, weights, same_tokens)
    ]


def _rows_of_layer(layer: int, weights: np.ndarray, same_tokens: bool) -> list[HeadMeasures]:
    if weights.ndim != 3:
        raise ShapeError(
            f"the weights of layer {layer} must be (n_heads, n_query, n_key), but their shape is "
            f"{weights.shape}; give one text and all heads of the layer"
        )
    n_heads, n_query, n_key = weights.shape
    columns = {name: measure(weights) for name, measure in ANY_MAP.items()}
    for name, measure in POSITIONAL.items():
        has_meaning = same_tokens and n_query == n_key
        columns[name] = measure(weights) if has_meaning else np.full(n_heads, np.nan)
    return [
        HeadMeasures(
            layer, head, **{name: _or_none(column[head]) for name, column in columns.items()}
        )
        for head in range(n_heads)
    ]


def _or_none(number: np.floating) -> float | None:
    return None if np.isnan(number) else float(number)


def _share_at_offset(weights: Weights, offset: int) -> PerMap:
    """Mean of one diagonal: query q on key q + offset, over the queries for which that key exists."""
    _check_square(weights)
    n_tokens = weights.shape[-1]
    rows = slice(max(0, -offset), n_tokens - max(0, offset))
    diagonal = np.diagonal(weights, offset, axis1=-2, axis2=-1)
    return _mean_over_queries(diagonal, weights[..., rows, :])


def _row_sum(cells: Weights) -> Float[np.ndarray, "*lead n_query"]:
    # Sums are taken in float64: float32 drifts over thousands of keys.
    return cells.sum(axis=-1, dtype=np.float64)


def _mean_over_queries(numbers: Float[np.ndarray, "*lead n_query"], weights: Weights) -> PerMap:
    """Mean of one number a query over the queries that see anything."""
    sees = (weights != 0).any(axis=-1)
    # A sum with `where` starts at 0.0, so that a mean of −0.0 is 0.0.
    return _divided(np.sum(numbers, axis=-1, dtype=np.float64, where=sees), sees.sum(axis=-1))


def _divided(total: ArrayLike, count: ArrayLike) -> PerMap:
    # The sum over a single map is a NumPy scalar; written into `out` it is an array again.
    return np.divide(
        total, count, out=np.full(np.shape(total), np.nan), where=np.asarray(count) > 0
    )


def _check_square(weights: np.ndarray) -> None:
    n_query, n_key = weights.shape[-2:]
    if n_query != n_key:
        raise ShapeError(
            "a positional measure needs the same tokens as queries and keys, but there are "
            f"{n_query} queries and {n_key} keys; it has no meaning for cross-attention"
        )
