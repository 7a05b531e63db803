"""How good a guess of a row of weights is, and how good one is that knows nothing."""

import numpy as np
from jaxtyping import Float

from mha_viz.errors import ShapeError


def total_variation(one: np.ndarray, other: np.ndarray) -> Float[np.ndarray, "*lead"]:
    r"""How much weight has to be moved to make one row of the other: $\frac{1}{2} \sum_k |p_k - q_k|$, from 0 to 1.

    Raises:
        ShapeError: If they are not of the same shape.

    Shapes:
        one, other: (*lead, n_key)

    Source:
        Levin, Peres & Wilmer 2009, "Markov Chains and Mixing Times", proposition 4.2.
    """
    if one.shape != other.shape:
        raise ShapeError(
            f"expected two rows over the same keys, got shapes {one.shape} and {other.shape}; "
            "give one weight a key"
        )
    return np.asarray(0.5 * np.abs(one - other).sum(axis=-1))


def guess_score(guess: Float[np.ndarray, " n_key"], truth: Float[np.ndarray, " n_key"]) -> float:
    """The share of the weight that was put where it belongs: 1 less the total variation distance."""
    return 1 - float(total_variation(guess, truth))


def even(n_key: int) -> Float[np.ndarray, " n_key"]:
    """The same weight for each key: the guess of who knows nothing."""
    return np.full(n_key, 1 / n_key)


def chance(truth: Float[np.ndarray, " n_key"]) -> float:
    """The score of even weights."""
    return guess_score(even(len(truth)), truth)
