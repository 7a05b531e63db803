"""One layer as it is read: in tokens, words or sentences, with some left out, with the mean of its heads beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from mha_viz.core.record import Stream, Token
from mha_viz.core.regrouping import keep_positions, mean_of_heads, merge_positions
from mha_viz.core.units import Units, units


@dataclass(frozen=True)
class Manner:
    """How a layer is read.

    Attributes:
        unit: "token", "word" or "sentence".
        hide: What is left out: "special" tokens that the model added, the "first" unit of a line.
        rescale: Whether rows are stretched to the sum they had before something was left out.
        average: Whether the mean of all heads follows after the last head.
    """

    unit: str = "token"
    hide: tuple[str, ...] = ()
    rescale: bool = False
    average: bool = False


@dataclass(frozen=True)
class Line:
    """The units of one line of words that are shown.

    Attributes:
        units: All units of the line.
        kept: True for those that are shown.
    """

    units: Units
    kept: Bool[np.ndarray, " n_units"]

    @classmethod
    def of(cls, tokens: Sequence[Token], text: str, manner: Manner) -> "Line":
        """Read a line; if nothing would be left of it, nothing is left out."""
        read = units(tokens, text, manner.unit)
        hidden = [
            ("special" in manner.hide and unit.special) or ("first" in manner.hide and place == 0)
            for place, unit in enumerate(read.tokens)
        ]
        kept = ~np.array(hidden, bool)
        return cls(read, kept if kept.any() else ~kept)

    @property
    def tokens(self) -> list[Token]:
        """The units that are shown."""
        return [unit for unit, kept in zip(self.units.tokens, self.kept, strict=True) if kept]

    @property
    def hidden(self) -> list[Token]:
        """The units that are left out."""
        return [unit for unit, kept in zip(self.units.tokens, self.kept, strict=True) if not kept]

    def place(self, position: int) -> int | None:
        """Where a unit stands among those that are shown; None if it is left out."""
        return int(self.kept[:position].sum()) if self.kept[position] else None

    def position(self, place: int) -> int:
        """Which unit of the line stands at a place."""
        return int(np.flatnonzero(self.kept)[place])


@dataclass(frozen=True, eq=False)
class LayerReading:
    """The maps of one layer as they are read.

    Attributes:
        weights: A map a head, and the mean of all heads last if it was asked for.
        hidden: What each row gave to keys that are left out, before any rescaling.
        masked: True for queries that may look at nothing.
        sink: What each row gives to a learned sink; None for models without one.
    """

    weights: Float[np.ndarray, "n_maps n_query n_key"]
    hidden: Float[np.ndarray, "n_maps n_query"]
    masked: Bool[np.ndarray, "n_maps n_query"]
    sink: Float[np.ndarray, "n_maps n_query"] | None

    @property
    def n_bytes(self) -> int:
        """Memory that the arrays take."""
        arrays = (self.weights, self.hidden, self.masked, self.sink)
        return sum(array.nbytes for array in arrays if array is not None)


def read_layer(
    stream: Stream,
    layer: int,
    weights: Float[np.ndarray, "n_heads n_query n_key"],
    queries: Line,
    keys: Line,
    manner: Manner,
) -> LayerReading:
    """Merge, leave out and average.

    Args:
        stream: What the layer belongs to.
        layer: Which layer.
        weights: Its weights, token by token.
        queries: The line that looks.
        keys: The line that is looked at.
        manner: How they were read.
    """
    masked = stream.fully_masked(layer)
    sink = stream.sink(layer) if stream.has_sink else None
    if manner.average:
        weights = np.concatenate([weights, mean_of_heads(weights)[None]])
        masked = np.concatenate([masked, np.all(masked, axis=0, keepdims=True)])
        sink = (
            None if sink is None else np.concatenate([sink, np.mean(sink, axis=0, keepdims=True)])
        )
    if manner.unit != "token":
        by_query, by_key = queries.units.groups, keys.units.groups
        weights = merge_positions(weights, by_query, by_key)
        # A unit may look at nothing if none of its tokens may look at anything.
        masked = merge_positions(masked[..., None].astype(np.float32), by_query, [0])[..., 0] == 1
        sink = None if sink is None else merge_positions(sink[..., None], by_query, [0])[..., 0]
    if queries.kept.all() and keys.kept.all():
        hidden = np.zeros(weights.shape[:2], np.float32)
    else:
        weights, hidden = keep_positions(
            weights, queries.kept, keys.kept, renormalise=manner.rescale
        )
    kept = np.flatnonzero(queries.kept)
    for array in (weights, hidden):
        array.flags.writeable = False
    return LayerReading(weights, hidden, masked[:, kept], None if sink is None else sink[:, kept])
