"""One panel: a head, or the average of a layer, of a model on a text; and two of them compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from mha_viz.core.alignment import Alignment, align_tokens, aligned_maps, row_distances
from mha_viz.core.record import Stream, Token
from mha_viz.core.regrouping import mean_of_heads
from mha_viz.core.swings import Swings, swings
from mha_viz.errors import NoAttentionError, TextError
from mha_viz.figures.text import shown_text
from mha_viz.ui import cache
from mha_viz.ui.compare.choices import Wanted

MOST_TOKENS = 40


@dataclass(frozen=True, eq=False)
class Panel:
    """What a panel shows.

    Attributes:
        number: Which panel it is, from 1.
        wanted: The head, moved to one that exists.
        source: What was read by which model.
        stream: All its attention.
        notices: What has to be said about it.
    """

    number: int
    wanted: Wanted
    source: cache.Source
    stream: Stream
    notices: tuple[str, ...] = ()

    @classmethod
    def of(cls, number: int, wanted: Wanted, text: str) -> "Panel":
        """Let the model read the text.

        Raises:
            MhaVizError: If it cannot, or if the text is too long for a panel.
        """
        source = cache.Source(cache.entry(wanted.model).name, text, interventions=wanted.changes)
        record = cache.record(source)
        stream = record.stream(record.streams[0])
        if not stream.same_tokens:
            raise NoAttentionError(
                f"the maps of {cache.entry(wanted.model).title} lead from one text to another; choose a model that reads one text"
            )
        n_tokens = len(stream.query_tokens)
        if n_tokens > MOST_TOKENS:
            raise TextError(
                f"this text has {n_tokens} tokens, and a panel shows at most {MOST_TOKENS}; shorten it"
            )
        fitted = _fitted(wanted, stream)
        moved = _moved(wanted, fitted, number)
        return cls(number, fitted, source, stream, (*record.notices, *moved))

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens, which look and are looked at."""
        return self.stream.query_tokens

    @property
    def texts(self) -> list[str]:
        """What is written for each token."""
        return self.stream.query_texts

    @cached_property
    def weights(self) -> Float[np.ndarray, "n_tokens n_tokens"]:
        """The map."""
        layer = cache.layer_weights(self.source, self.stream, self.wanted.layer)
        return mean_of_heads(layer) if self.wanted.head is None else layer[self.wanted.head]

    @property
    def head_name(self) -> str:
        """What the map is of."""
        head = "mean" if self.wanted.head is None else f"H{self.wanted.head}"
        return f"L{self.wanted.layer} {head}"

    @property
    def name(self) -> str:
        """What the panel is called."""
        changed = " (changed)" if self.wanted.changes else ""
        return f"{self.number} · {cache.entry(self.source.model).title} {self.head_name}{changed}"

    def other(self, number: int, layer: int, head: int | None) -> "Panel":
        """The same text and model, another head."""
        wanted = replace(self.wanted, layer=layer, head=head)
        return Panel(number, _fitted(wanted, self.stream), self.source, self.stream)


def every_layer(panel: Panel) -> list[Panel]:
    """The head of a panel in every layer."""
    layers = panel.stream.attending_layers
    return [panel.other(number, layer, panel.wanted.head) for number, layer in enumerate(layers, 1)]


def every_head(panel: Panel) -> list[Panel]:
    """All heads of the layer of a panel."""
    layer = panel.wanted.layer
    return [panel.other(head + 1, layer, head) for head in range(panel.stream.layer(layer).n_heads)]


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
    def alignment(self) -> Alignment:
        """The tokens that are the same."""
        return align_tokens(self.first.tokens, self.second.tokens)

    @cached_property
    def maps(self) -> tuple[np.ndarray, np.ndarray]:
        """The part of both maps that can be compared."""
        return aligned_maps(self.first.weights, self.second.weights, self.alignment)

    @property
    def difference(self) -> Float[np.ndarray, "n_pairs n_pairs"]:
        """What each weight gained or lost."""
        before, after = self.maps
        return after - before

    @cached_property
    def distances(self) -> Float[np.ndarray, " n_pairs"]:
        """Jensen–Shannon distance of each row."""
        return row_distances(self.first.weights, self.second.weights, self.alignment)

    @property
    def distance(self) -> float:
        """The mean over the rows."""
        return float(self.distances.mean()) if self.distances.size else 0.0

    @property
    def tokens(self) -> list[Token]:
        """The tokens of the first text that have a partner."""
        return [self.first.tokens[place] for place in self.alignment.first]

    @property
    def names(self) -> list[str]:
        """The same, as they are read: with the position where a word stands more than once."""
        texts = [token.text for token in self.tokens]
        return [
            shown_text(text) + (f" ({place})" if texts.count(text) > 1 else "")
            for place, text in zip(self.alignment.first, texts, strict=True)
        ]

    def largest(self, most: int) -> list[tuple[int, int]]:
        """The cells that changed most, the largest change first; those that did not change are none."""
        size = np.abs(self.difference)
        cells = np.argsort(-size, axis=None, kind="stable")[:most]
        places = [divmod(int(cell), len(self.tokens)) for cell in cells]
        return [place for place in places if size[place]]

    @property
    def same_heads(self) -> bool:
        """Whether a head of one is a head of the other: only then all heads can be ranked."""
        return self.first.source.model == self.second.source.model

    @property
    def swings(self) -> Swings:
        """How far every head of the model swings between the two texts, with nothing done to heads."""
        model = self.first.source.model
        texts = self.first.source.text, self.second.source.text

        def read(text: str) -> Stream:
            record = cache.record(cache.Source(model, text))
            return record.stream(record.streams[0])

        return cache.traced(("swings", model, *texts), lambda: swings(read, *texts))


def links(panels: Sequence[Panel]) -> tuple[list[Panel], list[list[list[int | None]]]]:
    """The texts of the panels, each once, and for each two of them the partner of every token.

    Returns:
        A panel of each text; and of text i and text j, at [i][j], the position in j of each token of i, or None.
    """
    lines = list({panel.tokens: panel for panel in panels}.values())

    def partners(one: Panel, other: Panel) -> list[int | None]:
        found = dict(align_tokens(one.tokens, other.tokens).pairs)
        return [found.get(place) for place in range(len(one.tokens))]

    return lines, [[partners(one, other) for other in lines] for one in lines]


def _fitted(wanted: Wanted, stream: Stream) -> Wanted:
    """The nearest head that exists."""
    layer = min(stream.attending_layers, key=lambda one: (abs(one - wanted.layer), one))
    if wanted.head is None:
        return replace(wanted, layer=layer)
    return replace(wanted, layer=layer, head=min(wanted.head, stream.layer(layer).n_heads - 1))


def _moved(wanted: Wanted, fitted: Wanted, number: int) -> list[str]:
    return [
        f"{what} {asked} does not exist in panel {number}; showing {what} {given}"
        for what, asked, given in (
            ("layer", wanted.layer, fitted.layer),
            ("head", wanted.head, fitted.head),
        )
        if asked != given
    ]
