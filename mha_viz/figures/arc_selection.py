"""Which arcs of a head are drawn: the fewest keys that hold a share of each query's weight."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from mha_viz.errors import ShapeError
from mha_viz.figures.checks import check_weights


@dataclass(frozen=True)
class ArcRow:
    """One head of a spotlight figure.

    Attributes:
        name: What the row is called, as "L0 H2".
        weights: Weights after the softmax: the queries that are shown, and all keys, so that the fewest that hold a
            share can be told.
        colour: As #rrggbb.
        note: What the head does, in a few words.
        first_key: Where the key tokens that are shown begin among all keys; None if all are shown.
        sink: The mean share that goes to a learned sink, to no word; None for models without one.
    """

    name: str
    weights: Float[np.ndarray, "n_query n_key"]
    colour: str
    note: str = ""
    first_key: int | None = None
    sink: float | None = None

    def __post_init__(self) -> None:
        check_weights(self.weights, 2, f"weights of {self.name}")

    def shown_keys(self, n_shown: int) -> slice:
        """The part of the keys that is shown.

        Args:
            n_shown: How many key tokens are shown.

        Raises:
            ShapeError: If there are not that many keys, or more and it is not said where the shown ones begin.
        """
        n_key = self.weights.shape[1]
        first = self.first_key or 0
        if first < 0 or first + n_shown > n_key or (self.first_key is None and n_shown < n_key):
            raise ShapeError(
                f"expected weights of {self.name} for {n_shown} key tokens from position {first}, "
                f"got {n_key} keys; give the whole rows, and first_key where only a part is shown"
            )
        return slice(first, first + n_shown)


def fewest_keys(
    weights: Float[np.ndarray, "*lead n_key"], share: float
) -> Bool[np.ndarray, "*lead n_key"]:
    """The fewest keys that hold a share of each query's weight, the heaviest first; of equal ones the earlier.

    Args:
        weights: A row a query, on all keys.
        share: Of its weight, from 0 to 1.

    Returns:
        True for the keys that are kept.
    """
    order = _heaviest_first(weights)
    exact = np.take_along_axis(weights, order, -1).astype(np.float64)
    before = np.cumsum(exact, axis=-1) - exact
    # Float32 weights do not add up exactly: a millionth short of the share is the share.
    wanted = share * exact.sum(axis=-1, keepdims=True) - 1e-6
    kept = np.empty(weights.shape, bool)
    np.put_along_axis(kept, order, (before < wanted) & (exact > 0), -1)
    return kept


@dataclass(frozen=True)
class KeptArcs:
    """The arcs of some heads, and how many there are that are not drawn.

    Attributes:
        kept: True for each arc to be drawn, of the part that is shown.
        n_outside: Chosen arcs with one end outside that part.
        n_weaker: Weights above 0 that are not among the chosen.
    """

    kept: Bool[np.ndarray, "n_heads n_shown_query n_shown_key"]
    n_outside: int
    n_weaker: int

    @classmethod
    def of(
        cls,
        weights: Float[np.ndarray, "n_heads n_query n_key"],
        queries: slice,
        keys: slice,
        share: float,
        *,
        by_key: bool = False,
    ) -> "KeptArcs":
        """Choose over whole rows, or whole columns, then keep what is shown.

        Args:
            weights: Of all queries on all keys.
            queries: The queries that are shown.
            keys: The keys that are shown.
            share: Of what each query gives.
            by_key: The other way round: the fewest queries that make up this share of what each key gets.
        """
        if by_key:
            turned = cls.of(weights.swapaxes(1, 2), keys, queries, share)
            return cls(turned.kept.swapaxes(1, 2), turned.n_outside, turned.n_weaker)
        rows = weights[:, queries]
        kept = fewest_keys(rows, share)
        inside = kept[:, :, keys]
        n_kept = int(kept.sum())
        return cls(inside, n_kept - int(inside.sum()), int((rows > 0).sum()) - n_kept)


def ranks(weights: Float[np.ndarray, "*lead n_key"]) -> Int[np.ndarray, "*lead n_key"]:
    """The place of each key in its query's order, from 0 for the heaviest; of equal ones the earlier comes first."""
    return np.argsort(_heaviest_first(weights), axis=-1)


def _heaviest_first(weights: Float[np.ndarray, "*lead n_key"]) -> Int[np.ndarray, "*lead n_key"]:
    return np.argsort(-weights, axis=-1, kind="stable")


@dataclass(frozen=True)
class Picks:
    """The arcs of one head, one entry an arc, the heaviest last; and how many there are that are not drawn.

    Attributes:
        queries: The query of each arc.
        keys: The key of each arc, counted from the first key that is shown.
        weights: The weight of each arc.
        ranks: How many keys of the whole text are heavier for the same query.
        n_outside: Chosen arcs whose key is not shown.
        n_weaker: Weights above 0 that are not among the chosen.
    """

    queries: Int[np.ndarray, " n_arcs"]
    keys: Int[np.ndarray, " n_arcs"]
    weights: Float[np.ndarray, " n_arcs"]
    ranks: Int[np.ndarray, " n_arcs"]
    n_outside: int
    n_weaker: int

    @classmethod
    def of(cls, row: ArcRow, share: float, shown: slice) -> "Picks":
        """Choose the arcs of one head over whole rows, then keep those whose key is shown.

        Args:
            row: The head.
            share: Of each query's weight.
            shown: The part of the keys that is shown.
        """
        queries, keys = np.nonzero(fewest_keys(row.weights, share))
        weights = row.weights[queries, keys]
        # The heaviest last, so that they lie on top.
        order = np.argsort(weights, kind="stable")
        inside = order[(keys[order] >= shown.start) & (keys[order] < shown.stop)]
        return cls(
            queries[inside],
            keys[inside] - shown.start,
            weights[inside],
            ranks(row.weights)[queries[inside], keys[inside]],
            n_outside=len(order) - len(inside),
            n_weaker=int((row.weights > 0).sum()) - len(order),
        )
