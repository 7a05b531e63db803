"""Attention of many architectures, against what each model reports itself when it is loaded eager.

The oracle is another model object with the same weights that never meets the code under test.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor

from mha_viz.core.record import Stream
from mha_viz.errors import NoAttentionError
from mha_viz.models.capture import one_row, prepare, record_attention
from mha_viz.models.seam import ATTENTION_NAME, recording
from mha_viz.models.streams import streams_of_calls
from tests.model.architectures import ARCHITECTURES
from tests.model.tiny import N_REAL, Architecture, Inputs, Side, build, padded

SHOWN = [name for name, tiny in ARCHITECTURES.items() if tiny.route != "refused"]
REFUSED = [name for name, tiny in ARCHITECTURES.items() if tiny.route == "refused"]
PADDED = [(name, side) for name in SHOWN for side in ARCHITECTURES[name].paddings]
BATCHES = [
    (name, side)
    for name in SHOWN
    if ARCHITECTURES[name].route == "seam"
    for side in ARCHITECTURES[name].paddings or (None,)
]
FIELDS = {
    "encoder": "encoder_attentions",
    "decoder": "decoder_attentions",
    "self": "attentions",
    "cross": "cross_attentions",
}

built = cache(build)


def batch_of(tiny: Architecture, side: Side | None) -> Inputs:
    """Two inputs, the second of them padded if its kind can be."""
    inputs = tiny.inputs(2)
    return inputs if side is None else padded(inputs, side, built(tiny).config.pad_token_id or 0)


def run(model: Any, inputs: Inputs, **options: bool) -> Any:
    with torch.inference_mode():
        return model(**inputs, **options)


def eager_weights(tiny: Architecture, inputs: Inputs, row: int = 0) -> dict[str, list[Tensor]]:
    """The oracle: one text's maps of each kind of attention, one a layer that attends."""
    outputs = run(built(tiny, "eager"), inputs, output_attentions=True)
    reported = {kind: getattr(outputs, field, None) for kind, field in FIELDS.items()}
    for tower in ("text_model", "vision_model"):
        reported[tower] = getattr(getattr(outputs, f"{tower}_output", None), "attentions", None)
    return {
        kind: [weights[row] for weights in maps]
        for kind, maps in reported.items()
        if maps and maps[0].dim() == 4  # LongT5 reports local blocks of its encoder, in five axes
    }


def real_block(kind: str, weights: Tensor, real: slice) -> Tensor:
    """The part of one text's map in which nothing is padding."""
    queries = slice(None) if kind in ("decoder", "cross") else real
    keys = slice(None) if kind == "decoder" else real
    return weights[:, queries, keys]


def real_vectors(hidden: Tensor, mask: Tensor | None) -> Tensor:
    """What a model computed for tokens that are not padding."""
    return hidden[mask] if mask is not None and mask.shape == hidden.shape[:2] else hidden


def assert_same_weights(
    streams: Mapping[str, Stream],
    expected: Mapping[str, Sequence[Tensor]],
    real_queries: Tensor | slice = slice(None),
) -> None:
    """Every stream, every layer, every head."""
    assert set(streams) == set(expected)
    for kind, maps in expected.items():
        queries = slice(None) if kind in ("decoder", "cross") else real_queries
        layers = streams[kind].attending_layers
        for layer, weights in zip(layers, maps, strict=True):
            captured = torch.tensor(streams[kind].weights(layer))
            torch.testing.assert_close(captured[:, queries], weights[:, queries], rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", REFUSED)
def test_model_without_true_weights_is_refused_by_its_name(name: str) -> None:
    """AV-006, AV-034, AV-035, AV-042."""
    model, inputs = built(ARCHITECTURES[name]), ARCHITECTURES[name].inputs(1)
    with pytest.raises(NoAttentionError, match=model.config.model_type):
        record_attention(model, inputs)


@pytest.mark.parametrize("name", SHOWN)
def test_weights_are_had_by_the_expected_route(name: str) -> None:
    tiny = ARCHITECTURES[name]
    preparation = prepare(built(tiny), tiny.inputs(1))
    assert preparation.through_seam == (tiny.route == "seam")


@pytest.mark.parametrize("name", SHOWN)
def test_weights_of_one_input_equal_what_eager_reports(name: str) -> None:
    """AV-001, AV-013, AV-015, AV-016, AV-018, AV-021, AV-022, AV-028, AV-032, AV-103."""
    tiny = ARCHITECTURES[name]
    record = record_attention(built(tiny), tiny.inputs(1))
    assert_same_weights(record.streams_by_name, eager_weights(tiny, tiny.inputs(1)))


@pytest.mark.parametrize(("name", "side"), PADDED)
def test_row_of_a_padded_batch_equals_its_real_block(name: str, side: Side) -> None:
    """AV-010, AV-026, AV-048, AV-102."""
    tiny, real = (
        ARCHITECTURES[name],
        slice(None, N_REAL) if side == "right" else slice(-N_REAL, None),
    )
    batch = batch_of(tiny, side)
    record = record_attention(built(tiny), one_row(batch, 1))
    if side == "left" and tiny.positions == "absolute":
        alone = {part: value[1:, real] for part, value in batch.items()}
        expected = eager_weights(tiny, alone)
    else:
        expected = {
            kind: [real_block(kind, weights, real) for weights in maps]
            for kind, maps in eager_weights(tiny, batch, row=1).items()
        }
    assert_same_weights(record.streams_by_name, expected)


@pytest.mark.parametrize(("name", "side"), BATCHES)
def test_seam_in_a_batch_computes_what_eager_does(name: str, side: Side | None) -> None:
    """AV-010, AV-011."""
    tiny = ARCHITECTURES[name]
    batch = batch_of(tiny, side)
    mask = batch["attention_mask"].bool() if side else None
    computed = real_vectors(run(build(tiny, ATTENTION_NAME), batch)[0], mask)
    expected = real_vectors(run(built(tiny, "eager"), batch)[0], mask)
    atol = 1e-4 * expected.abs().max().item()
    torch.testing.assert_close(computed, expected, rtol=1e-4, atol=atol)


@pytest.mark.parametrize(("name", "side"), BATCHES)
def test_seam_in_a_batch_records_the_weights_of_the_row(name: str, side: Side | None) -> None:
    """AV-010, AV-011."""
    tiny = ARCHITECTURES[name]
    model, batch = build(tiny, ATTENTION_NAME), batch_of(tiny, side)
    with recording(row=1) as recorder:
        run(model, batch)
    streams = streams_of_calls(model, recorder.calls, {})
    real_queries = batch["attention_mask"][1].bool() if side else slice(None)
    assert_same_weights(streams, eager_weights(tiny, batch, row=1), real_queries)
