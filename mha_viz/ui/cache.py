"""The only caches, each with a bound: two models, and what they said of the last texts.

What is cached is shared by all sessions and read-only. At most two forward passes run at once, so that the page of one
person answers while another's is computed.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore

import numpy as np
import streamlit as st
import torch

from mha_viz.core.measures import HeadMeasures, head_measures
from mha_viz.core.record import AttentionRecord
from mha_viz.errors import ModelError
from mha_viz.figures.head_grid import pool_maximum
from mha_viz.figures.summary import describe_head
from mha_viz.models.catalog import ModelEntry, find_model
from mha_viz.models.loading import LoadedModel, load_model
from mha_viz.models.reading import read_text

MODELS_KEPT = 2
RECORDS_KEPT = 16
WARM_UP = "One two three."
FOLDERS_SETTING = "MHA_VIZ_MODEL_FOLDERS"

_forward = BoundedSemaphore(2)


def entry(name: str) -> ModelEntry:
    """The model of that name, if this server may open it.

    Raises:
        ChoiceError: If the name is none.
        ModelError: If it is a folder outside those that the server's settings allow.
    """
    found = find_model(name)
    if found.kind == "folder" and not _is_open(found.source):
        raise ModelError(
            f"folders are closed on this server, so {name!r} is not opened; "
            f"whoever runs the server can allow a folder by the setting {FOLDERS_SETTING}"
        )
    return found


@st.cache_resource(max_entries=MODELS_KEPT, show_spinner=False)
def model(name: str) -> LoadedModel:
    """A loaded model, one object for all sessions."""
    # More threads gain little on short texts and block each other when several sessions compute.
    torch.set_num_threads(1)
    loaded = load_model(entry(name))
    # The first text that a model reads is also what its weights are checked on: not the visitor's.
    read_text(loaded, WARM_UP)
    return loaded


@st.cache_resource(max_entries=RECORDS_KEPT, show_spinner=False)
def record(name: str, text: str, target: str) -> AttentionRecord:
    """One forward pass: the same text with the same model is never run twice while it is kept."""
    loaded = model(name)
    with _forward:
        return read_text(loaded, text, target=target or None)


def _is_open(folder: str) -> bool:
    """Whether a folder lies in one that the server's settings allow."""
    allowed = [
        Path(part).expanduser().resolve()
        for part in os.environ.get(FOLDERS_SETTING, "").split(os.pathsep)
        if part
    ]
    return any(Path(folder).expanduser().resolve().is_relative_to(root) for root in allowed)


@dataclass(frozen=True)
class Overview:
    """Every head of a stream at once.

    Attributes:
        maps: The maps of each layer, pooled; None for a layer without attention.
        pooled: How many tokens a cell stands for, along each side.
        measures: One row a head.
        summaries: A sentence for each layer and head.
    """

    maps: tuple[np.ndarray | None, ...]
    pooled: int
    measures: tuple[HeadMeasures, ...]
    summaries: dict[tuple[int, int], str]


@st.cache_resource(max_entries=RECORDS_KEPT, show_spinner=False)
def overview(name: str, text: str, target: str, stream_name: str) -> Overview:
    """All heads of a stream, one layer in memory at a time."""
    stream = record(name, text, target).stream(stream_name)
    key_texts = [token.text for token in stream.key_tokens]
    same_tokens = stream.query_tokens == stream.key_tokens
    maps: list[np.ndarray | None] = [None] * stream.n_layers
    summaries: dict[tuple[int, int], str] = {}
    pooled = 1

    def layers() -> Iterator[np.ndarray | None]:
        nonlocal pooled
        for layer in range(stream.n_layers):
            if layer not in stream.attending_layers:
                yield None
                continue
            weights = stream.weights(layer)
            maps[layer], pooled = pool_maximum(weights)
            for head, one in enumerate(weights):
                summaries[layer, head] = describe_head(one, key_texts, same_tokens=same_tokens)
            yield weights

    measures = head_measures(layers(), same_tokens=same_tokens)
    return Overview(tuple(maps), pooled, tuple(measures), summaries)
