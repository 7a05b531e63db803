"""Which heads swing most from one text to another, over what any small change of words does to them."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from mha_viz.core.alignment import align_tokens, row_distances
from mha_viz.core.record import Stream

# Words of one list can stand for each other without changing what a sentence is about.
NEUTRAL_WORDS = (
    ("the", "this", "that", "my", "your", "our"),
    ("Anna", "Ben", "Clara", "David", "Emma", "Frank"),
)
LEAST_SWAPS, MOST_SWAPS = 8, 24
QUANTILE = 0.95
_WORD = re.compile(r"\w+")

Head = tuple[int, int]


@dataclass(frozen=True)
class Swing:
    """How far a head swings between two texts.

    Attributes:
        layer: Which layer, from 0.
        head: Which head, from 0.
        distance: Jensen–Shannon distance of its rows, mean over the queries that both texts have.
        floor: What 95 % of neutral swaps stay below; 0 if there were too few of them.
    """

    layer: int
    head: int
    distance: float
    floor: float

    @property
    def above(self) -> float:
        """How far it swings beyond the noise."""
        return self.distance - self.floor


@dataclass(frozen=True)
class Swings:
    """All heads.

    Attributes:
        heads: The one that swings farthest above its noise floor first.
        n_swaps: How many neutral swaps the floors are of; 0 for no floor.
    """

    heads: tuple[Swing, ...]
    n_swaps: int

    @property
    def n_bytes(self) -> int:
        """Memory that it takes, about."""
        return 256 * len(self.heads)


def swings(read: Callable[[str], Stream], first: str, second: str) -> Swings:
    """Rank the heads of a model by how far they swing between two texts.

    Args:
        read: Gives the attention of the model on a text.
        first: A text.
        second: Another.
    """
    streams = {text: read(text) for text in (first, second)}
    distances = head_swings(streams[first], streams[second])
    swaps = [(first, text) for text in neutral_swaps(first, second)]
    swaps += [(second, text) for text in neutral_swaps(second, first)]
    if len(swaps) < LEAST_SWAPS:
        swaps = []
    noise = [head_swings(streams[text], read(swapped)) for text, swapped in swaps]
    ranked = [
        Swing(*head, distance, _quantile([one[head] for one in noise]))
        for head, distance in distances.items()
    ]
    return Swings(tuple(sorted(ranked, key=lambda swing: -swing.above)), len(swaps))


def head_swings(first: Stream, second: Stream) -> dict[Head, float]:
    """The mean distance between aligned rows, a head; 0 if the texts share no token."""
    queries = align_tokens(first.query_tokens, second.query_tokens)
    keys = align_tokens(first.key_tokens, second.key_tokens)
    return {
        (layer, head): float(rows.mean()) if rows.size else 0.0
        for layer in first.attending_layers
        for head, rows in enumerate(
            row_distances(first.weights(layer), second.weights(layer), queries, keys)
        )
    }


def neutral_swaps(text: str, other: str) -> list[str]:
    """A text with one word replaced by another of its list of neutral words: only words that stand in both texts.

    Args:
        text: Whose words are replaced.
        other: Which must have the word too.

    Returns:
        At most half of `MOST_SWAPS`, evenly from all there are.
    """
    shared = {word.casefold() for word in _WORD.findall(other)}
    found = list(_swapped(text, shared))
    most = MOST_SWAPS // 2
    places = np.linspace(0, len(found) - 1, min(most, len(found))).round().astype(int)
    return [found[place] for place in places]


def _swapped(text: str, shared: set[str]) -> Iterator[str]:
    for found in _WORD.finditer(text):
        word = found.group().casefold()
        for words in NEUTRAL_WORDS:
            if word in shared and word in map(str.casefold, words):
                for new in words:
                    if new.casefold() != word:
                        written = new.capitalize() if found.group().istitle() else new
                        yield text[: found.start()] + written + text[found.end() :]


def _quantile(distances: list[float]) -> float:
    return float(np.quantile(distances, QUANTILE)) if distances else 0.0
