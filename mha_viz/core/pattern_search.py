"""Which heads look as somebody sketched: every head ranked, each beside what chance would give it."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from mha_viz.core.token_shares import check_pattern, pattern_share
from mha_viz.errors import ChoiceError

N_DRAWS, SEED = 200, 0
BAND = (0.05, 0.95)

Maps = Float[np.ndarray, "n_maps n_query n_key"]


@dataclass(frozen=True, eq=False)
class Matches:
    """How well each head matches, and what chance gives it.

    Attributes:
        shares: Weight inside the pattern, mean over the queries that have a key in it.
        low: Of the same head with its keys shuffled, the share that 5 % stay under.
        high: Likewise, that 95 % stay under; a head above it does not match by chance alone.
    """

    shares: Float[np.ndarray, " n_maps"]
    low: Float[np.ndarray, " n_maps"]
    high: Float[np.ndarray, " n_maps"]

    @property
    def ranking(self) -> Int[np.ndarray, " n_maps"]:
        """The heads, the best first; those that see nothing last."""
        return np.argsort(-self.shares, kind="stable")


def search_pattern(
    maps: Maps,
    pattern: np.ndarray,
    may_attend: Bool[np.ndarray, "n_query n_key"] | None = None,
) -> Matches:
    """Compare all heads with a sketch: how much of each sketched row's weight lies inside it.

    For the band, the weights of each row change places at random, among the keys that it may look at.

    Args:
        maps: All heads of one text.
        pattern: (n_query, n_key), from 0. Only its rows with a cell above 0 count, and each counts relative to its
            largest cell: 0.5 and 0.5 say the same as 1 and 1.
        may_attend: True where a query may look at a key; None for everywhere.

    Raises:
        ShapeError: If the pattern does not fit the maps.
        ChoiceError: If nothing is sketched, or a cell is under 0 or no number.

    Source:
        The share: the "mul" score of `detect_head` in TransformerLens, by row. The band: a permutation test, Good 2005,
        "Permutation, Parametric and Bootstrap Tests of Hypotheses".
    """
    check_pattern(pattern, maps)
    sketch = _relative(pattern)
    sees = (maps != 0).any(axis=-1)
    count = (sees & sketch.any(axis=-1)).sum(axis=-1)
    moved = _moved(sketch, may_attend)
    # To move the weights of a row or the sketch below them is the same, and one sketch serves all heads.
    totals = maps.reshape(len(maps), -1) @ moved.reshape(N_DRAWS, -1).T.astype(maps.dtype)
    by_chance = np.divide(
        totals, count[:, None], out=np.full(totals.shape, np.nan), where=count[:, None] > 0
    )
    low, high = np.quantile(by_chance, BAND, axis=1)
    return Matches(pattern_share(maps, sketch), low, high)


def search_link(
    maps: Maps,
    query: int,
    key: int,
    may_attend: Bool[np.ndarray, "n_query n_key"] | None = None,
) -> Matches:
    """Compare all heads by the weight of one link, each with a band of what its query gives to keys at random.

    Raises:
        ChoiceError: If there is no such query or key.

    Source:
        See `search_pattern`.
    """
    n_query, n_key = maps.shape[1:]
    if not (0 <= query < n_query and 0 <= key < n_key):
        raise ChoiceError(
            f"link {query} → {key} does not exist: queries go from 0 to {n_query - 1}, keys from 0 to {n_key - 1}"
        )
    pattern = np.zeros((n_query, n_key))
    pattern[query, key] = 1
    return search_pattern(maps, pattern, may_attend)


def _relative(pattern: np.ndarray) -> Float[np.ndarray, "n_query n_key"]:
    """Each row relative to its largest cell."""
    sketch = np.asarray(pattern, dtype=np.float64)
    if not (np.isfinite(sketch).all() and (sketch >= 0).all() and sketch.any()):
        raise ChoiceError(
            "expected a sketch with numbers from 0 and one cell above it at least; mark where a head should look"
        )
    largest = sketch.max(axis=-1, keepdims=True)
    return np.divide(sketch, largest, out=np.zeros_like(sketch), where=largest > 0)


def _moved(
    sketch: Float[np.ndarray, "n_query n_key"],
    may_attend: Bool[np.ndarray, "n_query n_key"] | None,
) -> Float[np.ndarray, "n_draws n_query n_key"]:
    """The sketch with the cells of each row in random order, those that may be attended among themselves."""
    allowed = np.ones(sketch.shape, dtype=bool) if may_attend is None else may_attend
    random = np.random.default_rng(SEED).random((N_DRAWS, *sketch.shape))
    # What is forbidden sorts behind what is allowed, in both orders.
    source = np.argsort(random + ~allowed, axis=-1)
    target = np.broadcast_to(np.argsort(~allowed, axis=-1, kind="stable"), source.shape)
    moved = np.empty(source.shape)
    cells = np.take_along_axis(np.broadcast_to(sketch, source.shape), source, axis=-1)
    np.put_along_axis(moved, target, cells, axis=-1)
    return moved
