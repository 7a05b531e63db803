"""How evenly a head spreads its attention over what it may look at, whatever the number of tokens."""

import numpy as np
from jaxtyping import Bool, Float


def evenness(
    weights: Float[np.ndarray, "*lead n_query n_key"],
    may_attend: Bool[np.ndarray, "n_query n_key"] | None = None,
) -> Float[np.ndarray, "*lead"]:
    r"""Entropy of each row as a share of the most it could be, mean over the queries that have a choice.

    $-\sum_k a_{qk} \ln a_{qk} \,/\, \ln n_q$ with $n_q$ the keys that query q may look at: 0 if one key gets all, 1 if
    all get the same. Queries with one key or none, and rows of zeros, are left out; NaN where no query is left.

    Args:
        weights: Weights after the softmax.
        may_attend: True where a query may look at a key; None for everywhere.

    Source:
        Entropy after Clark et al. 2019, "What Does BERT Look At?", section 3.3; the division makes texts of different
        lengths, and the rows of a causal model, comparable.
    """
    n_query, n_key = weights.shape[-2:]
    visible = np.full(n_query, n_key) if may_attend is None else may_attend.sum(axis=-1)
    logarithms = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    entropies = -(weights * logarithms).sum(axis=-1, dtype=np.float64)
    asked = (visible > 1) & (weights != 0).any(axis=-1)
    shares = entropies / np.log(np.maximum(visible, 2))
    # A sum with `where` starts at 0.0, so that a mean of −0.0 is 0.0.
    total, count = np.sum(shares, axis=-1, where=asked), asked.sum(axis=-1)
    return np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0)
