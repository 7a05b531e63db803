"""The public functions: records of texts and models, and figures of records."""

from collections.abc import Mapping
from functools import lru_cache
from os import PathLike, fspath
from typing import Any

import numpy as np
import plotly.graph_objects as go
from transformers import PreTrainedModel

from mha_viz.core.interventions import Given
from mha_viz.core.measures import HeadMeasures, head_measures
from mha_viz.core.record import AttentionRecord, Stream
from mha_viz.errors import ChoiceError, ModelError
from mha_viz.figures.arcs import ArcRow, spotlight_rows
from mha_viz.figures.head_grid import head_grid as grid_of_maps
from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.theme import LIGHT, Theme
from mha_viz.models.capture import one_row, record_attention
from mha_viz.models.catalog import DEFAULT_MODEL, find_model
from mha_viz.models.loading import LoadedModel, from_parts, load_model
from mha_viz.models.reading import read_text


def attend(
    text: str,
    model: str | PathLike[str] | tuple[PreTrainedModel, Any] = DEFAULT_MODEL,
    *,
    text_pair: str | None = None,
    target: str | None = None,
    interventions: Given = (),
) -> AttentionRecord:
    """Run a text through a model and record where every head looks.

    Args:
        text: What the model reads.
        model: A name of the catalog ("minilm", "school"), a step of the school model's training ("school@1200"), a hub id, a local folder, or a loaded (model, tokenizer).
        text_pair: A second text, for models that read two.
        target: What an encoder–decoder is made to say; None for its start token alone.
        interventions: What is done to heads: a list of HeadOff, MaskHead, Temperature, CutLink of `core.interventions`.

    Returns:
        The record: tokens, and the weights of any layer and head when asked for.

    Raises:
        MhaVizError: With a sentence that says what was expected, what was given and what to do.
    """
    return read_text(
        _loaded(model), text, text_pair=text_pair, target=target, interventions=interventions
    )


def record(
    model: PreTrainedModel, inputs: Mapping[str, Any], row: int = 0, *, interventions: Given = ()
) -> AttentionRecord:
    """Record any loaded transformers model on inputs of your own.

    The first record of a model runs it a few times more, to compare its weights with what the model itself reports.

    Args:
        model: A transformers model in eval mode; it is left as it was found, but for hooks that do nothing while nobody records.
        inputs: What its forward takes: a dict of tensors with a batch axis.
        row: Which text of the batch; its padding is left out.
        interventions: What is done to heads, see `attend`.

    Returns:
        The record, without text: positions are named by their numbers.
    """
    if not isinstance(model, PreTrainedModel):
        raise ModelError(f"expected a loaded transformers model, got {type(model).__name__}")
    return record_attention(model, one_row(inputs, row), interventions=interventions)


def heatmap(
    record: AttentionRecord,
    layer: int = 0,
    head: int = 0,
    *,
    stream: str | None = None,
    theme: Theme = LIGHT,
) -> go.Figure:
    """One head as a map: rows look, columns are looked at."""
    chosen = _stream(record, stream)
    masked = chosen.fully_masked(layer)
    return attention_heatmap(
        chosen.weights(layer, head),
        chosen.query_texts,
        chosen.key_texts,
        title=f"L{layer} H{head}",
        theme=theme,
        fully_masked=masked[head],
    )


def arcs(
    record: AttentionRecord,
    layer: int = 0,
    head: int | tuple[int, ...] = 0,
    *,
    query: int | None = None,
    stream: str | None = None,
    theme: Theme = LIGHT,
) -> go.Figure:
    """One head, or several stacked, as arcs from each word to what it looks at.

    Args:
        record: What a model left behind.
        layer: Which layer, from 0.
        head: Which head, or which heads.
        query: Position of the word whose arcs stand out; None for all alike.
        stream: Which kind of attention, for models that have several.
        theme: Colours.
    """
    chosen = _stream(record, stream)
    heads = tuple(np.atleast_1d(head).tolist())
    rows = [
        ArcRow(f"L{layer} H{one}", chosen.weights(layer, one), theme.head_colour(index))
        for index, one in enumerate(heads)
    ]
    return spotlight_rows(
        rows,
        chosen.query_texts,
        None if chosen.same_tokens else chosen.key_texts,
        title="Where each word looks",
        theme=theme,
        query=query,
    )


def head_grid(
    record: AttentionRecord, *, stream: str | None = None, theme: Theme = LIGHT
) -> go.Figure:
    """Every head of every layer in one picture; above 64 tokens pooled by block maximum."""
    chosen = _stream(record, stream)
    maps = [
        chosen.weights(layer) if layer in chosen.attending_layers else None
        for layer in range(chosen.n_layers)
    ]
    return grid_of_maps(maps, title="All heads", theme=theme)


def measures(record: AttentionRecord, *, stream: str | None = None) -> list[HeadMeasures]:
    """One row a head: entropy, mean distance, and the shares of certain tokens."""
    chosen = _stream(record, stream)
    layers = (
        chosen.weights(layer) if layer in chosen.attending_layers else None
        for layer in range(chosen.n_layers)
    )
    return head_measures(layers, same_tokens=chosen.same_tokens)


def _loaded(model: object) -> LoadedModel:
    if isinstance(model, str | PathLike):
        return _named(fspath(model))
    if isinstance(model, tuple) and len(model) == 2:
        return from_parts(*model)
    raise ModelError(
        f"expected the name of a model, a folder, or (model, tokenizer), got {type(model).__name__}"
    )


@lru_cache(maxsize=2)
def _named(model: str) -> LoadedModel:
    return load_model(find_model(model))


def _stream(record: AttentionRecord, name: str | None) -> Stream:
    if not isinstance(record, AttentionRecord):
        raise ChoiceError(
            f"expected a record, as attend and record give it, got {type(record).__name__}"
        )
    return record.only_stream if name is None else record.stream(name)
