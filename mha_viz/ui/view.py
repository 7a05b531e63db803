"""From what a person chose to what there is to see: the record, the stream, and the part of it that the pages draw."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from mha_viz.core.reading import LayerReading, Line, Manner
from mha_viz.core.record import AttentionRecord, Stream
from mha_viz.errors import MhaVizError
from mha_viz.figures.summary import describe_head
from mha_viz.figures.text import shown_text
from mha_viz.ui import cache, messages, model_cache, state
from mha_viz.ui.model_choice import may_load
from mha_viz.ui.selection import HIDEABLE, Extent, Selection
from mha_viz.ui.window import Window

# Characters of a text that takes long enough to be read for a word on it.
LONG = 2000


@dataclass(frozen=True)
class View:
    """What a page draws.

    Attributes:
        selection: What was chosen, moved to what exists.
        source: What the record is of.
        record: What the model left behind.
        stream: The kind of attention that is shown.
        queries: The words that look.
        keys: The words that are looked at.
    """

    selection: Selection
    source: cache.Source
    record: AttentionRecord
    stream: Stream
    queries: Line
    keys: Line

    @property
    def by_key(self) -> bool:
        """Whether a chosen word is asked who looks at it, instead of where it looks."""
        return self.selection.reading == "key"

    @property
    def chosen_line(self) -> Line:
        """The line in which a word can be chosen."""
        return self.keys if self.by_key else self.queries

    @property
    def query_window(self) -> Window:
        """The part of the words that look that is shown."""
        return Window.around(self.selection.start, len(self.queries.tokens))

    @property
    def key_window(self) -> Window:
        """The part of the words that are looked at that is shown."""
        start = self.selection.key_start
        return Window.around(
            self.selection.start if start is None else start, len(self.keys.tokens)
        )

    @property
    def one_line(self) -> bool:
        """Whether the words that look are drawn as the same words as those that are looked at."""
        return self.stream.same_tokens and self.query_window == self.key_window

    @property
    def chosen(self) -> int | None:
        """Where the chosen word stands among those that are shown or may be scrolled to; None for none."""
        chosen = self.selection.query
        return None if chosen is None else self.chosen_line.place(chosen)

    @property
    def chosen_text(self) -> str:
        """What is written for the chosen word; empty for none."""
        chosen = self.selection.query
        return "" if chosen is None else self.chosen_line.units.tokens[chosen].text

    @property
    def manner(self) -> Manner:
        """How the layer is read."""
        return manner_of(self.selection)

    @cached_property
    def reading(self) -> LayerReading:
        """The maps of the chosen layer."""
        return cache.reading(
            self.source, self.stream, self.selection.layer, self.queries, self.keys, self.manner
        )

    @property
    def weights(self) -> np.ndarray:
        """The maps of the chosen layer, one a head, and last their mean if it is shown."""
        return self.reading.weights

    @property
    def maps(self) -> tuple[int, ...]:
        """Which of the maps are shown."""
        average = (len(self.weights) - 1,) if self.selection.average else ()
        return (*self.selection.heads, *average)

    @property
    def shown_weights(self) -> np.ndarray:
        """The part of the chosen layer's maps that the windows hold, (n_maps, n_query, n_key)."""
        return self.weights[:, self.query_window.slice, self.key_window.slice]

    @cached_property
    def query_texts(self) -> list[str]:
        """What is written for each word that looks."""
        return [unit.text for unit in self.queries.tokens]

    @cached_property
    def key_texts(self) -> list[str]:
        """What is written for each word that is looked at."""
        return [unit.text for unit in self.keys.tokens]

    @property
    def shown_texts(self) -> tuple[list[str], list[str]]:
        """What is written for the queries and the keys that are shown."""
        return self.query_texts[self.query_window.slice], self.key_texts[self.key_window.slice]

    @cached_property
    def summaries(self) -> dict[int, str]:
        """What each map that is shown does in all of the text, in a few words with a number."""
        return {
            index: describe_head(
                self.weights[index], self.key_texts, same_tokens=self.stream.same_tokens
            )
            for index in self.maps
        }

    @property
    def said_of_hidden(self) -> str:
        """What is left out of the maps, how much weight it has, and whether the rest was stretched; empty for nothing."""
        hidden = list(
            dict.fromkeys(unit.text for unit in (*self.keys.hidden, *self.queries.hidden))
        )
        if not hidden:
            return ""
        share = float(self.reading.hidden[list(self.maps)].mean()) if self.maps else 0.0
        rest = "rows rescaled to the sum they had" if self.manner.rescale else "rows not rescaled"
        return f"Hidden: {', '.join(map(shown_text, hidden))}, which get {share:.2f} of the weight on average; {rest}."

    def name(self, index: int) -> str:
        """What a map is called."""
        n_heads = self.stream.layer(self.selection.layer).n_heads
        if index == n_heads:
            return f"L{self.selection.layer} mean of {n_heads} heads"
        return f"L{self.selection.layer} H{index}"


def manner_of(selection: Selection) -> Manner:
    """The part of a Selection that says how a layer is read."""
    hide = tuple(part for part in HIDEABLE if part in selection.hide)
    return Manner(selection.unit, hide, selection.rescale and bool(hide), selection.average)


def open_view(selection: Selection) -> View | None:
    """Load what the Selection asks for.

    Returns:
        What there is to see; None where it cannot be had. The page then says so in a sentence, and goes on to its end: a
        run that is stopped half-way leaves widgets behind that no longer show what is chosen.
    """
    try:
        return _load(selection)
    except MhaVizError as error:
        messages.show(error)
        return None


def _load(selection: Selection) -> View | None:
    entry = model_cache.entry(selection.model)
    if not may_load(entry, selection.model, lambda: state.change(model=Selection().model)):
        return None
    # One place for both, whether or not there is something to wait for: what comes after stays where it is.
    waiting = st.empty()
    with waiting, messages.spinner("Loading the model …", not model_cache.was_loaded(entry.name)):
        model_cache.model(entry.name)
    source = source_of(selection, entry.name)
    with waiting, messages.spinner("Reading the text …", len(selection.text) > LONG):
        record = cache.record(source)
    view = view_of(selection, source, record, state.fitted)
    for sentence in (*record.notices, *state.notices()):
        messages.notice(sentence)
    return view


def source_of(selection: Selection, model: str) -> cache.Source:
    """What a loaded model is given to read.

    Args:
        selection: What is asked for.
        model: The name of its entry in the catalog.
    """
    decodes = model_cache.model(model).model.config.is_encoder_decoder
    return cache.Source(model, selection.text, selection.target if decodes else "")


def view_of(
    selection: Selection,
    source: cache.Source,
    record: AttentionRecord,
    fitted: Callable[[Extent], Selection],
) -> View:
    """What there is to see of a record.

    Args:
        selection: What is asked for.
        source: What the record is of.
        record: What the model left behind.
        fitted: The selection moved to what exists.
    """
    wanted = selection.stream
    stream = record.stream(wanted if wanted in record.streams else record.streams[0])
    queries, keys = lines(stream, source, manner_of(selection))
    chosen_line = keys if selection.reading == "key" else queries
    fitting = fitted(Extent(tuple(_n_heads(stream)), len(chosen_line.kept)))
    return View(fitting, source, record, stream, queries, keys)


def lines(stream: Stream, source: cache.Source, manner: Manner) -> tuple[Line, Line]:
    """The words that look and those that are looked at, each read in its own text."""
    asks, answers = {
        "decoder": (source.target, source.target),
        "cross": (source.target, source.text),
    }.get(stream.name, (source.text, source.text))
    queries = Line.of(stream.query_tokens, asks, manner)
    keys = queries if stream.same_tokens else Line.of(stream.key_tokens, answers, manner)
    return queries, keys


def _n_heads(stream: Stream) -> list[int]:
    """Heads of each layer; 0 for one without attention."""
    return [0 if layer is None else layer.n_heads for layer in stream.layers]
