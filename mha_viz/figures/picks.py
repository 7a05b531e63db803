"""Which arcs of a head are drawn: the fewest keys that hold a share of each query's weight."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int


@dataclass(frozen=True)
class ArcRow:
    """One head of a spotlight figure.

    Attributes:
        name: What the row is called, as "L0 H2".
        weights: Weights after the softmax; of a window on a longer text, only its rows and columns.
        colour: As #rrggbb.
        note: What the head does, in a few words.
        row_totals: The weight each query gives away in all, where that is more than the window shows.
    """

    name: str
    weights: Float[np.ndarray, "n_query n_key"]
    colour: str
    note: str = ""
    row_totals: Float[np.ndarray, " n_query"] | None = None


def fewest_keys(
    row_weights: Float[np.ndarray, " n_key"], share: float, total: float | None = None
) -> Int[np.ndarray, " n_kept"]:
    """The fewest keys that hold a share of a query's weight, the heaviest first; of equal ones the earlier.

    Args:
        row_weights: The weights of one query.
        share: Of its weight, from 0 to 1.
        total: The weight the share is taken of; what the row holds, if not given. Keys that hold all the row has
            are given when that is less than the share.
    """
    weights = row_weights.astype(np.float64)
    order = np.argsort(-weights, kind="stable")
    before = np.concatenate([[0.0], np.cumsum(weights[order])[:-1]])
    aim = share * (weights.sum() if total is None else total)
    # Float32 weights do not add up exactly: a millionth short of the share is the share.
    return order[(before < aim - 1e-6) & (weights[order] > 0)]


@dataclass(frozen=True)
class Picks:
    """The arcs of one head, one entry an arc."""

    queries: Int[np.ndarray, " n_arcs"]
    keys: Int[np.ndarray, " n_arcs"]
    weights: Float[np.ndarray, " n_arcs"]
    ranks: Int[np.ndarray, " n_arcs"]

    @classmethod
    def of(cls, row: ArcRow, share: float) -> "Picks":
        """Choose the arcs of one head.

        Args:
            row: The head.
            share: Of each query's weight.
        """
        totals = [None] * len(row.weights) if row.row_totals is None else row.row_totals.tolist()
        kept = [
            fewest_keys(weights, share, total)
            for weights, total in zip(row.weights, totals, strict=True)
        ]
        counts = [len(keys) for keys in kept]
        queries = np.repeat(np.arange(len(kept)), counts)
        keys = np.concatenate(kept)
        ranks = np.concatenate([np.arange(count) for count in counts])
        # The heaviest last, so that they lie on top.
        order = np.argsort(row.weights[queries, keys], kind="stable")
        queries, keys = queries[order], keys[order]
        return cls(queries, keys, row.weights[queries, keys], ranks[order])
