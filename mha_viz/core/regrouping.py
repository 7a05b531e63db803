"""Maps of tokens read in other units: words for pieces, sentences for words, some tokens left out, heads together."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float

from mha_viz.errors import ShapeError

Weights = Float[np.ndarray, "*lead n_query n_key"]


def merge_positions(
    weights: Weights, query_groups: Sequence[int], key_groups: Sequence[int]
) -> Float[np.ndarray, "*lead n_query_groups n_key_groups"]:
    """A map of groups: what the keys of a group get is summed, what its queries give is averaged.

    So a row still sums to what the rows of its group sum to on average, 1 in most models.

    Args:
        weights: Weights after the softmax.
        query_groups: The group of each query, counted from 0 without gaps, in ascending order.
        key_groups: The group of each key, likewise.

    Raises:
        ShapeError: If there is not one group a query and one a key.

    Source:
        Clark et al. 2019, "What Does BERT Look At?" (attention between words from attention between pieces).
    """
    n_query, n_key = weights.shape[-2:]
    if (n_query, n_key) != (len(query_groups), len(key_groups)):
        raise ShapeError(
            f"expected a group for each of {n_query} queries and {n_key} keys, "
            f"got {len(query_groups)} and {len(key_groups)}; give one a position"
        )
    summed = np.add.reduceat(weights, _starts(key_groups), axis=-1)
    starts = _starts(query_groups)
    sizes = np.diff(np.append(starts, n_query)).astype(weights.dtype)
    return np.add.reduceat(summed, starts, axis=-2) / sizes[:, None]


def keep_positions(
    weights: Weights,
    keep_query: Bool[np.ndarray, " n_query"],
    keep_key: Bool[np.ndarray, " n_key"],
    *,
    renormalise: bool,
) -> tuple[
    Float[np.ndarray, "*lead n_kept_query n_kept_key"], Float[np.ndarray, "*lead n_kept_query"]
]:
    """A map with some positions left out, and what each row that stays gave to the keys that went.

    Args:
        weights: Weights after the softmax.
        keep_query: True for the queries that stay.
        keep_key: True for the keys that stay.
        renormalise: Whether the rows are stretched to the sum they had; a row that has nothing left stays zeros.

    Returns:
        The smaller map, and the hidden share of each row, before any stretching.
    """
    # Taken by number and not by mask: several times as fast, and next to each other in memory, where sums are exact.
    rows = weights.take(np.flatnonzero(keep_query), axis=-2)
    kept = rows.take(np.flatnonzero(keep_key), axis=-1)
    hidden = rows.take(np.flatnonzero(~keep_key), axis=-1).sum(axis=-1)
    if renormalise:
        left = kept.sum(axis=-1)
        stretch = np.divide(left + hidden, left, out=np.zeros_like(left), where=left > 0)
        kept = kept * stretch[..., None]
    return kept, hidden


def mean_of_heads(
    weights: Float[np.ndarray, "n_heads n_query n_key"],
) -> Float[np.ndarray, "n_query n_key"]:
    """The average over heads; a row still sums to 1."""
    return weights.mean(axis=0)


def _starts(groups: Sequence[int]) -> np.ndarray:
    """Where each group begins."""
    numbers = np.asarray(groups)
    steps = np.diff(numbers, prepend=-1)
    if numbers.size and (numbers[0] != 0 or not np.isin(steps[1:], (0, 1)).all()):
        raise ShapeError("groups must count up from 0 without gaps, one number a position")
    return np.flatnonzero(steps)
