"""Two panels compared, over the tokens that both have."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from mha_viz.core.alignment import Alignment, align_tokens, aligned_maps, row_distances
from mha_viz.core.record import Stream, Token
from mha_viz.core.swings import Swings, swings
from mha_viz.figures.text import shown_text
from mha_viz.ui import cache
from mha_viz.ui.compare.panels import Panel


@dataclass(frozen=True, eq=False)
class Pair:
    """Two panels compared, over the tokens that both texts have.

    Attributes:
        first: From which the change is taken.
        second: To which.
    """

    first: Panel
    second: Panel

    @cached_property
    def queries(self) -> Alignment:
        """The tokens that look and are the same in both."""
        return align_tokens(self.first.queries, self.second.queries)

    @cached_property
    def keys(self) -> Alignment:
        """The tokens that are looked at and are the same in both."""
        return align_tokens(self.first.keys, self.second.keys)

    @property
    def has_cells(self) -> bool:
        """Whether there is anything to compare."""
        return bool(self.queries.pairs and self.keys.pairs)

    @property
    def one_line(self) -> bool:
        """Whether the words that look are the words that are looked at, in both."""
        return self.first.stream.same_tokens and self.second.stream.same_tokens

    @cached_property
    def maps(self) -> tuple[np.ndarray, np.ndarray]:
        """The part of both maps that can be compared."""
        return aligned_maps(self.first.weights, self.second.weights, self.queries, self.keys)

    @property
    def difference(self) -> Float[np.ndarray, "n_queries n_keys"]:
        """What each weight gained or lost."""
        before, after = self.maps
        return after - before

    @cached_property
    def distances(self) -> Float[np.ndarray, " n_queries"]:
        """Jensen–Shannon distance of each row."""
        return row_distances(self.first.weights, self.second.weights, self.queries, self.keys)

    @property
    def distance(self) -> float:
        """The mean over the rows."""
        return float(self.distances.mean()) if self.distances.size else 0.0

    @property
    def query_tokens(self) -> list[Token]:
        """The tokens that look, of the first panel, which have a partner."""
        return [self.first.queries[place] for place in self.queries.first]

    @property
    def key_tokens(self) -> list[Token]:
        """The tokens that are looked at, likewise."""
        return [self.first.keys[place] for place in self.keys.first]

    def largest(self, most: int) -> list[tuple[int, int]]:
        """The cells that changed most, the largest change first; those that did not change are none."""
        size = np.abs(self.difference)
        cells = np.argsort(-size, axis=None, kind="stable")[:most]
        places = [divmod(int(cell), len(self.keys.pairs)) for cell in cells]
        return [place for place in places if size[place]]

    @property
    def same_heads(self) -> bool:
        """Whether a head of one is a head of the other: only then all heads can be ranked."""
        one, other = (
            (panel.source.model, panel.source.target, panel.stream.name)
            for panel in (self.first, self.second)
        )
        return one == other

    @property
    def swings(self) -> Swings:
        """How far every head of the model swings between the two texts, with nothing done to heads."""
        usual, kind = replace(self.first.source, interventions=""), self.first.stream.name
        texts = self.first.source.text, self.second.source.text

        def read(text: str) -> Stream:
            return cache.record(replace(usual, text=text)).stream(kind)

        key = ("swings", usual.model, usual.target, kind, *texts)
        return cache.traced(key, lambda: swings(read, *texts))


def names_of(tokens: Sequence[Token], places: Sequence[int]) -> list[str]:
    """Tokens as they are read: with the position where a word stands more than once.

    Args:
        tokens: Some of the tokens of a text.
        places: Where each stands in it.
    """
    texts = [token.text for token in tokens]
    return [
        shown_text(text) + (f" ({place})" if texts.count(text) > 1 else "")
        for place, text in zip(places, texts, strict=True)
    ]
