"""What a change did: to maps of weights, to the output vector of each position, to what a model expects."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mha_viz.core.predictions import Prediction
from mha_viz.errors import ShapeError

MOST_EXPECTED = 5


def map_difference(before: np.ndarray, after: np.ndarray) -> Float[np.ndarray, "*lead"]:
    """Weights after less weights before: above 0 where a query looks more, exactly 0 where nothing changed.

    Raises:
        ShapeError: If they are not of the same shape.

    Shapes:
        before, after: (*lead, n_query, n_key)
    """
    _check_same_shape("maps", before, after)
    return after - before


@dataclass(frozen=True, eq=False)
class OutputChange:
    """One vector a position, before and after a change.

    Attributes:
        before: Without the change.
        after: With it.

    Raises:
        ShapeError: If they are not of the same shape.
    """

    before: np.ndarray
    after: np.ndarray

    def __post_init__(self) -> None:
        _check_same_shape("output vectors", self.before, self.after)

    @property
    def length(self) -> Float[np.ndarray, " n_tokens"]:
        """How long each vector was: what a change is to be compared with."""
        return np.linalg.norm(self.before.astype(np.float64), axis=-1)

    @property
    def norm(self) -> Float[np.ndarray, " n_tokens"]:
        """How far each vector moves: the Euclidean norm of after less before."""
        return np.linalg.norm(self.after.astype(np.float64) - self.before, axis=-1)

    @property
    def cosine(self) -> Float[np.ndarray, " n_tokens"]:
        """The cosine of the angle between before and after: 1 where the direction stays; 0 where one of them is zeros."""
        before, after = self.before.astype(np.float64), self.after.astype(np.float64)
        lengths = np.linalg.norm(before, axis=-1) * np.linalg.norm(after, axis=-1)
        products = (before * after).sum(axis=-1)
        cosine = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
        return cosine.clip(-1, 1)


@dataclass(frozen=True)
class Expected:
    """A token that a model expects, before and after a change.

    Attributes:
        text: What a person reads.
        before: Its probability; None if it was not among the likeliest that are kept.
        after: Likewise.
    """

    text: str
    before: float | None
    after: float | None


def expected_changes(
    before: Prediction, after: Prediction, most: int = MOST_EXPECTED
) -> list[Expected]:
    """The likeliest tokens of both, the likeliest first.

    Args:
        before: What is expected at a position.
        after: What is expected there after the change.
        most: How many are taken of each.
    """
    texts = dict(zip((*before.ids, *after.ids), (*before.texts, *after.texts), strict=True))
    was, becomes = (dict(zip(one.ids, one.probabilities, strict=True)) for one in (before, after))
    taken = {*before.ids[:most], *after.ids[:most]}
    rows = [Expected(texts[one], was.get(one), becomes.get(one)) for one in sorted(taken)]
    return sorted(rows, key=lambda row: -max(row.before or 0, row.after or 0))


def _check_same_shape(what: str, before: np.ndarray, after: np.ndarray) -> None:
    if before.shape != after.shape:
        raise ShapeError(
            f"expected {what} of one shape before and after, got {before.shape} and {after.shape}; "
            "compare the same text in the same layer"
        )
