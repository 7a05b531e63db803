"""From what a person chose to what there is to see: the record, the stream and the window that the pages draw."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from mha_viz.core.record import AttentionRecord, Stream
from mha_viz.errors import MhaVizError
from mha_viz.figures.summary import describe_head
from mha_viz.models.catalog import ModelEntry
from mha_viz.ui import cache, messages, state
from mha_viz.ui.messages import literal
from mha_viz.ui.selection import Extent, Selection
from mha_viz.ui.window import Window


@dataclass(frozen=True)
class View:
    """What a page draws.

    Attributes:
        selection: What was chosen, moved to what exists.
        source: What the record is of.
        record: What the model left behind.
        stream: The kind of attention that is shown.
    """

    selection: Selection
    source: cache.Source
    record: AttentionRecord
    stream: Stream

    @property
    def query_window(self) -> Window:
        """The part of the tokens that look that is shown."""
        return Window.around(self.selection.start, len(self.stream.query_tokens))

    @property
    def key_window(self) -> Window:
        """The part of the tokens that are looked at that is shown."""
        return Window.around(self.selection.start, len(self.stream.key_tokens))

    @property
    def query(self) -> int | None:
        """The chosen word as the window counts, if the window shows it."""
        query, window = self.selection.query, self.query_window
        return query - window.start if query is not None and window.holds(query) else None

    @cached_property
    def weights(self) -> np.ndarray:
        """All weights of the chosen layer."""
        return cache.layer_weights(self.source, self.stream, self.selection.layer)

    @property
    def shown_weights(self) -> np.ndarray:
        """The part of the chosen layer's maps that the windows hold, (n_heads, n_query, n_key)."""
        return self.weights[:, self.query_window.slice, self.key_window.slice]

    @property
    def shown_texts(self) -> tuple[list[str], list[str]]:
        """What is written for the queries and the keys that are shown."""
        return (
            self.stream.query_texts[self.query_window.slice],
            self.stream.key_texts[self.key_window.slice],
        )

    @cached_property
    def summaries(self) -> dict[int, str]:
        """What each chosen head does in all of the text, in a few words with a number."""
        stream = self.stream
        return {
            head: describe_head(
                self.weights[head], stream.key_texts, same_tokens=stream.same_tokens
            )
            for head in self.selection.heads
        }

    @cached_property
    def sink(self) -> np.ndarray | None:
        """What each row of the chosen layer gives to a learned sink, if the model has one."""
        return self.stream.sink(self.selection.layer) if self.stream.has_sink else None


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
    entry = cache.entry(selection.model)
    if entry.kind != "bundled" and not state.is_confirmed(selection.model):
        _ask_before_loading(entry, selection.model)
        return None
    with st.spinner("Loading the model …"):
        decodes = cache.model(entry.name).model.config.is_encoder_decoder
    source = cache.Source(entry.name, selection.text, selection.target if decodes else "")
    with st.spinner("Reading the text …"):
        record = cache.record(source)
    wanted = selection.stream
    stream = record.stream(wanted if wanted in record.streams else record.streams[0])
    selection = state.fitted(Extent(tuple(_n_heads(stream)), len(stream.query_tokens)))
    for sentence in (*record.notices, *state.notices()):
        messages.notice(sentence)
    return View(selection, source, record, stream)


def _n_heads(stream: Stream) -> list[int]:
    """Heads of each layer; 0 for one without attention."""
    return [0 if layer is None else layer.n_heads for layer in stream.layers]


def _ask_before_loading(entry: ModelEntry, asked_for: str) -> None:
    """A link asks for a model that would be fetched, or for a folder that would be opened: that needs a click."""
    st.info(
        f"This link asks for the model **{literal(entry.title)}**. {literal(entry.note)}",
        icon=":material/download:",
    )
    with st.container(horizontal=True):
        st.button(
            "Load it",
            type="primary",
            key="confirm",
            on_click=state.confirm_model,
            args=(asked_for,),
        )
        st.button(
            "Use the bundled model",
            key="decline",
            on_click=state.change,
            kwargs={"model": Selection().model},
        )
