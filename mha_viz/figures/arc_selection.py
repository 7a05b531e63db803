"""Which arcs of a head are drawn: the fewest that hold a share of what each query gives, or of what each key gets."""

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
        weights: Weights after the softmax, also of words that are not shown, so that the fewest arcs that hold a share
            can be told: whole rows, and where arcs are chosen by key, whole columns.
        colour: As #rrggbb.
        note: What the head does, in a few words.
        first_query: Where the query tokens that are shown begin among the rows; None if all are shown.
        first_key: Where the key tokens that are shown begin among the columns; None if all are shown.
        sink: The mean share that goes to a learned sink, to no word; None for models without one.
    """

    name: str
    weights: Float[np.ndarray, "n_query n_key"]
    colour: str
    note: str = ""
    first_query: int | None = None
    first_key: int | None = None
    sink: float | None = None

    def __post_init__(self) -> None:
        check_weights(self.weights, 2, f"weights of {self.name}")

    def shown(self, n_query: int, n_key: int) -> tuple[slice, slice]:
        """The rows and the columns that are shown.

        Args:
            n_query: How many query tokens are shown.
            n_key: How many key tokens are shown.

        Raises:
            ShapeError: If there are not that many, or more and it is not said where the shown ones begin.
        """
        return (
            self._part("query", "queries", self.first_query, n_query, self.weights.shape[0]),
            self._part("key", "keys", self.first_key, n_key, self.weights.shape[1]),
        )

    def _part(self, one: str, many: str, first: int | None, n_shown: int, total: int) -> slice:
        start = first or 0
        if start < 0 or start + n_shown > total or (first is None and n_shown < total):
            raise ShapeError(
                f"expected weights of {self.name} for {n_shown} {one} tokens from position {start}, "
                f"got {total} {many}; give the whole map, and first_{one} where only a part is shown"
            )
        return slice(start, start + n_shown)


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
        queries: The query of each arc, counted from the first that is shown.
        keys: The key of each arc, counted from the first that is shown.
        weights: The weight of each arc.
        ranks: How many of the words that it was chosen among are heavier.
        n_ranked: How many words each arc was chosen among: all keys of its query, or all queries of its key.
        n_outside: Chosen arcs with one end outside the part that is shown.
        n_weaker: Weights above 0 that are not among the chosen.
    """

    queries: Int[np.ndarray, " n_arcs"]
    keys: Int[np.ndarray, " n_arcs"]
    weights: Float[np.ndarray, " n_arcs"]
    ranks: Int[np.ndarray, " n_arcs"]
    n_ranked: int
    n_outside: int
    n_weaker: int

    @classmethod
    def of(
        cls, row: ArcRow, queries: slice, keys: slice, share: float, *, by_key: bool = False
    ) -> "Picks":
        """The arcs of one head that are drawn.

        Args:
            row: The head.
            queries: The queries that are shown.
            keys: The keys that are shown.
            share: Of each query's weight.
            by_key: The other way round: of what each key gets.
        """
        arcs = KeptArcs.of(row.weights[None], queries, keys, share, by_key=by_key)
        from_query, to_key = np.nonzero(arcs.kept[0])
        weights = row.weights[queries, keys][from_query, to_key]
        # The heaviest last, so that they lie on top.
        order = np.argsort(weights, kind="stable")
        from_query, to_key = from_query[order], to_key[order]
        places = (
            ranks(row.weights[:, keys].T)[to_key, from_query + queries.start]
            if by_key
            else ranks(row.weights[queries])[from_query, to_key + keys.start]
        )
        return cls(
            from_query,
            to_key,
            weights[order],
            places,
            n_ranked=row.weights.shape[0 if by_key else 1],
            n_outside=arcs.n_outside,
            n_weaker=arcs.n_weaker,
        )
