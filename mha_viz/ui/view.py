"""From what a person chose to what there is to see: the record, the stream and the window that the pages draw."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from mha_viz.core.record import AttentionRecord, Stream
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
        record: What the model left behind.
        stream: The kind of attention that is shown.
        window: The part of the text that is shown.
    """

    selection: Selection
    record: AttentionRecord
    stream: Stream
    window: Window

    @cached_property
    def weights(self) -> np.ndarray:
        """All weights of the chosen layer, computed once a run."""
        return self.stream.weights(self.selection.layer)

    @cached_property
    def overview(self) -> cache.Overview:
        """All heads at once, made small."""
        chosen = self.selection
        return cache.overview(chosen.model, chosen.text, chosen.target, self.stream.name)


def open_view(selection: Selection) -> View:
    """Load what the Selection asks for; where that cannot be had, say so in a sentence and end the page there."""
    with messages.told():
        entry = cache.entry(selection.model)
        if entry.kind != "bundled" and not state.is_confirmed(selection.model):
            _ask_before_loading(entry)
            st.stop()
        with st.spinner("Loading the model …"):
            cache.model(selection.model)
        with st.spinner("Reading the text …"):
            record = cache.record(selection.model, selection.text, selection.target)
    stream = record.stream(
        selection.stream if selection.stream in record.streams else record.streams[0]
    )
    extent = Extent(
        stream.n_layers, stream.n_heads, len(stream.query_tokens), stream.attending_layers
    )
    selection = state.fitted(extent)
    for sentence in (*record.notices, *state.notices()):
        messages.notice(sentence)
    return View(selection, record, stream, Window.around(selection.start, len(stream.query_tokens)))


def _ask_before_loading(entry: ModelEntry) -> None:
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
            args=(entry.name,),
        )
        st.button(
            "Use the bundled model",
            key="decline",
            on_click=state.change,
            kwargs={"model": Selection().model},
        )
