"""The only caches beside those of models, each with a bound in bytes: what was computed of the last texts.

What is cached is shared by all sessions and read-only. At most two forward passes run at once, so that the page of one
person answers while another's is computed. The page of the training has its own, in `school.cache`, by the same rules.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Any, TypeVar

import numpy as np
import streamlit as st
import torch

from mha_viz.core.all_heads import all_heads
from mha_viz.core.costs import Cost, cost
from mha_viz.core.head_distance import head_distances
from mha_viz.core.head_numbers import HeadNumbers, head_numbers
from mha_viz.core.intervention_text import from_text
from mha_viz.core.layer_flow import attention_flow
from mha_viz.core.layers import Layer
from mha_viz.core.reading import LayerReading, Line, Manner, read_layer
from mha_viz.core.record import AttentionRecord, Stream
from mha_viz.figures.head_grid import pool_maximum
from mha_viz.figures.summary import describe_head
from mha_viz.models.capture import record_attention
from mha_viz.models.reading import read_text
from mha_viz.ui import model_cache
from mha_viz.ui.bounded import BoundedCache

RECORD_BYTES = 512 * 1024**2
WEIGHT_BYTES = 256 * 1024**2
OVERVIEW_BYTES = 64 * 1024**2
PACKED_BYTES = 64 * 1024**2
LAYER_BYTES = 64 * 1024**2
TRACE_BYTES = 256 * 1024**2

Kept = TypeVar("Kept")

_computing = BoundedSemaphore(2)


@dataclass(frozen=True)
class Source:
    """What a record is of: the key of the caches.

    Attributes:
        model: Name of a catalog entry.
        text: The text.
        target: What an encoder–decoder is made to say.
        interventions: What is done to heads, as `core.intervention_text` writes it.
    """

    model: str
    text: str
    target: str = ""
    interventions: str = ""


@dataclass(frozen=True)
class Overview:
    """Every head of a stream at once.

    Attributes:
        maps: The maps of each layer, pooled; None for a layer without attention.
        pooled: How many tokens a cell stands for, along each side.
        summaries: A sentence for each layer and head.
    """

    maps: tuple[np.ndarray | None, ...]
    pooled: int
    summaries: dict[tuple[int, int], str]


def record(source: Source) -> AttentionRecord:
    """One forward pass: the same text with the same model is not run twice while it is kept."""

    def run() -> AttentionRecord:
        return _read(source).without_outputs()

    return records().get(source, run)


def layer_weights(source: Source, stream: Stream, layer: int) -> np.ndarray:
    """All weights of one layer, (n_heads, n_query, n_key)."""
    return _weights().get((source, stream.name, layer), lambda: stream.weights(layer))


def whole_layer(source: Source, stream: Stream, layer: int) -> Layer:
    """One layer with what it was given and gave back, which `record` leaves out."""

    def run() -> Layer:
        return _read(source).stream(stream.name).layer(layer)

    return _whole_layers().get((source, stream.name, layer), run)


def traced(key: Hashable, trace: Callable[[], Kept]) -> Kept:
    """A layer followed number by number, which says its `n_bytes`; by a key that says all of what it follows from."""
    return _traces().get(key, trace)


def costs(n_tokens: int, d_model: int, heads: tuple[int, ...]) -> tuple[Cost, ...]:
    """What attention costs with each number of heads, timed once."""

    def count() -> tuple[Cost, ...]:
        with _computing:
            return tuple(cost(n_tokens, d_model, n_heads) for n_heads in heads)

    return _costs().get((n_tokens, d_model, heads), count)


def reading(
    source: Source, stream: Stream, layer: int, queries: Line, keys: Line, manner: Manner
) -> LayerReading:
    """One layer as it is read."""

    def read() -> LayerReading:
        weights = layer_weights(source, stream, layer)
        return read_layer(stream, layer, weights, queries, keys, manner)

    return _readings().get((source, stream.name, layer, manner), read)


def packed(name: str, pack: Callable[[], bytes]) -> bytes:
    """What is sent to browsers, by a name that says all of what is in it."""
    return _packed().get(name, pack)


def overview(source: Source, stream: Stream) -> Overview:
    """All heads of a stream, one layer in memory at a time."""
    return _overviews().get((source, stream.name), lambda: _overview(stream))


def numbers(source: Source, stream: Stream) -> HeadNumbers:
    """Every number of every head."""
    return _numbers().get((source, stream.name), lambda: numbers_of(stream))


def numbers_of(stream: Stream) -> HeadNumbers:
    """The same of a text that nothing is kept of."""
    with _computing:
        return head_numbers(stream)


def passing(source: Source) -> AttentionRecord:
    """A record that nobody keeps, with all that its layers were given and gave back."""
    return _read(source)


def passing_ids(name: str, ids: Sequence[int]) -> AttentionRecord:
    """A record of tokens that are no text, that nobody keeps."""
    loaded, row = model_cache.model(name), torch.tensor([list(ids)])
    with _computing:
        return record_attention(
            loaded.model, {"input_ids": row, "attention_mask": torch.ones_like(row)}
        )


def distances(source: Source, stream: Stream) -> np.ndarray:
    """How differently any two heads look at a text, (n_maps, n_maps)."""

    def measure() -> np.ndarray:
        with _computing:
            return head_distances(all_heads(stream).weights)

    return _arrays().get(("distances", source, stream.name), measure)


def flow(source: Source, stream: Stream, layer: int, query: int) -> np.ndarray:
    """The share of each input token in one token after a layer, by attention flow."""
    layers = [one for one in stream.attending_layers if one <= layer]

    def measure() -> np.ndarray:
        with _computing:
            return attention_flow(map(stream.weights, layers), query)

    return _arrays().get(("flow", source, stream.name, layer, query), measure)


@st.cache_resource(max_entries=1, show_spinner=False)
def records() -> BoundedCache[AttentionRecord]:
    """The records of the last texts."""
    return BoundedCache(RECORD_BYTES, lambda kept: kept.n_bytes)


@st.cache_resource(max_entries=1, show_spinner=False)
def _weights() -> BoundedCache[np.ndarray]:
    return BoundedCache(WEIGHT_BYTES, lambda kept: kept.nbytes)


@st.cache_resource(max_entries=1, show_spinner=False)
def _whole_layers() -> BoundedCache[Layer]:
    return BoundedCache(LAYER_BYTES, _layer_bytes)


@st.cache_resource(max_entries=1, show_spinner=False)
def _traces() -> BoundedCache[Any]:
    return BoundedCache(TRACE_BYTES, lambda kept: kept.n_bytes)


@st.cache_resource(max_entries=1, show_spinner=False)
def _costs() -> BoundedCache[tuple[Cost, ...]]:
    return BoundedCache(OVERVIEW_BYTES, lambda kept: 4096 * len(kept))


@st.cache_resource(max_entries=1, show_spinner=False)
def _readings() -> BoundedCache[LayerReading]:
    return BoundedCache(WEIGHT_BYTES, lambda kept: kept.n_bytes)


@st.cache_resource(max_entries=1, show_spinner=False)
def _packed() -> BoundedCache[bytes]:
    return BoundedCache(PACKED_BYTES, len)


@st.cache_resource(max_entries=1, show_spinner=False)
def _overviews() -> BoundedCache[Overview]:
    return BoundedCache(
        OVERVIEW_BYTES, lambda kept: sum(maps.nbytes for maps in kept.maps if maps is not None)
    )


@st.cache_resource(max_entries=1, show_spinner=False)
def _numbers() -> BoundedCache[HeadNumbers]:
    return BoundedCache(OVERVIEW_BYTES, lambda kept: 1024 * len(kept.places))


@st.cache_resource(max_entries=1, show_spinner=False)
def _arrays() -> BoundedCache[np.ndarray]:
    return BoundedCache(OVERVIEW_BYTES, lambda kept: kept.nbytes)


def _read(source: Source) -> AttentionRecord:
    """A forward pass, with all that its layers were given and gave back."""
    loaded = model_cache.model(source.model)
    with _computing:
        return read_text(
            loaded,
            source.text,
            target=source.target or None,
            interventions=from_text(source.interventions),
        )


def _overview(stream: Stream) -> Overview:
    maps: list[np.ndarray | None] = []
    summaries: dict[tuple[int, int], str] = {}
    pooled, texts = 1, stream.key_texts
    with _computing:
        for layer, weights in enumerate(_layers(stream)):
            if weights is None:
                maps.append(None)
                continue
            small, pooled = pool_maximum(weights)
            maps.append(small)
            for head, one in enumerate(weights):
                summaries[layer, head] = describe_head(one, texts, same_tokens=stream.same_tokens)
    return Overview(tuple(maps), pooled, summaries)


def _layer_bytes(layer: Layer) -> int:
    return sum(part.nbytes for part in vars(layer).values() if isinstance(part, torch.Tensor))


def _layers(stream: Stream) -> Iterator[np.ndarray | None]:
    attending = set(stream.attending_layers)
    return (
        stream.weights(layer) if layer in attending else None for layer in range(stream.n_layers)
    )
