"""One panel: a head, or the average of a layer, of a model on a text, as far as it can be shown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from mha_viz.core.alignment import align_tokens
from mha_viz.core.record import AttentionRecord, Stream, Token
from mha_viz.core.regrouping import mean_of_heads
from mha_viz.errors import TextError
from mha_viz.models.catalog import quoted
from mha_viz.ui import cache, model_cache
from mha_viz.ui.compare.choices import Wanted
from mha_viz.ui.selection import Selection
from mha_viz.ui.view import source_of

MOST_TOKENS = 40


@dataclass(frozen=True, eq=False)
class Panel:
    """What a panel shows.

    Attributes:
        number: Which panel it is, from 1.
        wanted: The head, moved to one that exists.
        source: What was read by which model.
        streams: The kinds of attention that the model has.
        stream: All attention of the kind that is shown.
        notices: What has to be said about it.
    """

    number: int
    wanted: Wanted
    source: cache.Source
    streams: tuple[str, ...]
    stream: Stream
    notices: tuple[str, ...] = ()

    @classmethod
    def of(cls, number: int, wanted: Wanted, text: str, target: str) -> "Panel":
        """Let the model read the text.

        Args:
            number: Which panel, from 1.
            wanted: What it is asked to show.
            text: What the model reads.
            target: What an encoder–decoder is made to say.

        Raises:
            MhaVizError: If it cannot, or if the text is too long for a panel.
        """
        read = source_of(Selection(text=text, target=target), model_cache.entry(wanted.model).name)
        source = replace(read, interventions=wanted.changes)
        record = cache.record(source)
        fitted = _fitted(wanted, record)
        stream = record.stream(fitted.stream or record.streams[0])
        n_tokens = max(len(stream.query_tokens), len(stream.key_tokens))
        if n_tokens > MOST_TOKENS:
            raise TextError(
                f"this text has {n_tokens} tokens, and a panel shows at most {MOST_TOKENS}; shorten it"
            )
        notices = (*record.notices, *_moved(wanted, fitted, number))
        return cls(number, fitted, source, record.streams, stream, notices)

    @property
    def queries(self) -> tuple[Token, ...]:
        """The tokens that look."""
        return self.stream.query_tokens

    @property
    def keys(self) -> tuple[Token, ...]:
        """The tokens that are looked at: the same, or those of another text."""
        return self.stream.key_tokens

    @cached_property
    def weights(self) -> Float[np.ndarray, "n_query n_key"]:
        """The map."""
        layer = cache.layer_weights(self.source, self.stream, self.wanted.layer)
        return mean_of_heads(layer) if self.wanted.head is None else layer[self.wanted.head]

    @property
    def masked(self) -> Bool[np.ndarray, " n_query"]:
        """True for each token that may look at nothing; in the average of a layer, in none of its heads."""
        layer = self.stream.fully_masked(self.wanted.layer)
        return np.all(layer, axis=0) if self.wanted.head is None else layer[self.wanted.head]

    @property
    def head_name(self) -> str:
        """What the map is of."""
        kind = f"{self.stream.name} " if len(self.streams) > 1 else ""
        head = "mean" if self.wanted.head is None else f"H{self.wanted.head}"
        return f"{kind}L{self.wanted.layer} {head}"

    @property
    def name(self) -> str:
        """What the panel is called."""
        changed = " (changed)" if self.wanted.changes else ""
        return f"{self.number} · {model_cache.entry(self.source.model).title} {self.head_name}{changed}"

    def other(self, number: int, layer: int, head: int | None) -> "Panel":
        """The same text, model and kind of attention, another head."""
        wanted = _existing(replace(self.wanted, layer=layer, head=head), self.stream)
        return replace(self, number=number, wanted=wanted, notices=())


def every_layer(panel: Panel) -> list[Panel]:
    """The head of a panel in every layer."""
    layers = panel.stream.attending_layers
    return [panel.other(number, layer, panel.wanted.head) for number, layer in enumerate(layers, 1)]


def every_head(panel: Panel) -> list[Panel]:
    """All heads of the layer of a panel."""
    layer = panel.wanted.layer
    return [panel.other(head + 1, layer, head) for head in range(panel.stream.layer(layer).n_heads)]


Line = tuple[Token, ...]


def links(panels: Sequence[Panel]) -> tuple[list[Line], list[list[list[int | None]]]]:
    """The lines of words of the panels, each once, and for each two of them the partner of every token.

    Returns:
        The lines; and of line i and line j, at [i][j], the position in j of each token of i, or None.
    """
    lines = list(dict.fromkeys(line for panel in panels for line in (panel.queries, panel.keys)))

    def partners(one: Line, other: Line) -> list[int | None]:
        found = dict(align_tokens(one, other).pairs)
        return [found.get(place) for place in range(len(one))]

    return lines, [[partners(one, other) for other in lines] for one in lines]


def _fitted(wanted: Wanted, record: AttentionRecord) -> Wanted:
    """The nearest head that exists, of the kind of attention that is asked for, or else of the first."""
    kind = wanted.stream if wanted.stream in record.streams else ""
    return _existing(replace(wanted, stream=kind), record.stream(kind or record.streams[0]))


def _existing(wanted: Wanted, stream: Stream) -> Wanted:
    layer = min(stream.attending_layers, key=lambda one: (abs(one - wanted.layer), one))
    if wanted.head is None:
        return replace(wanted, layer=layer)
    return replace(wanted, layer=layer, head=min(wanted.head, stream.layer(layer).n_heads - 1))


def _moved(wanted: Wanted, fitted: Wanted, number: int) -> list[str]:
    said = [
        f"{what} {asked} does not exist in panel {number}; showing {what} {given}"
        for what, asked, given in (
            ("layer", wanted.layer, fitted.layer),
            ("head", wanted.head, fitted.head),
        )
        if asked != given
    ]
    if wanted.stream != fitted.stream:
        said.append(
            f"the model of panel {number} has no attention called {quoted(wanted.stream)}; showing its first kind"
        )
    return said
