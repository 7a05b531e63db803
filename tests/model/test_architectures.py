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


def reported_by_eager(tiny: Architecture, inputs: Inputs) -> dict[str, Sequence[Tensor]]:
    """The oracle: for each kind of attention one map a layer that attends, batch first."""
    outputs = run(built(tiny, "eager"), inputs, output_attentions=True)
    reported = {kind: getattr(outputs, field, None) for kind, field in FIELDS.items()}
    for tower in ("text_model", "vision_model"):
        reported[tower] = getattr(getattr(outputs, f"{tower}_output", None), "attentions", None)
    are_maps = {kind: maps for kind, maps in reported.items() if maps and maps[0].dim() == 4}
    return are_maps  # LongT5 also reports local blocks of its encoder, in five dimensions


def assert_same_weights(
    streams: Mapping[str, Stream], expected: Mapping[str, Sequence[Tensor]], rows: Any = slice(None)
) -> None:
    """Every stream, every layer, every head; `rows` picks the queries that are not padding."""
    assert set(streams) == set(expected)
    for kind, maps in expected.items():
        layers = streams[kind].attending_layers
        assert len(layers) == len(maps)
        for layer, weights in zip(layers, maps, strict=True):
            own = torch.tensor(streams[kind].weights(layer))
            chosen = slice(None) if kind in ("decoder", "cross") else rows
            torch.testing.assert_close(own[:, chosen], weights[:, chosen], rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", REFUSED)
def test_model_without_true_weights_is_refused_by_its_name(name: str) -> None:
    """AV-006, AV-034, AV-035, AV-042."""
    tiny = ARCHITECTURES[name]
    model = built(tiny)
    with pytest.raises(NoAttentionError, match=model.config.model_type):
        record_attention(model, tiny.inputs(1))


@pytest.mark.parametrize("name", SHOWN)
def test_weights_of_one_input_equal_what_eager_reports(name: str) -> None:
    """AV-001, AV-013, AV-015, AV-016, AV-018, AV-021, AV-022, AV-028, AV-032, AV-103."""
    tiny = ARCHITECTURES[name]
    inputs = tiny.inputs(1)
    assert prepare(built(tiny), inputs).through_seam == (tiny.route == "seam")
    record = record_attention(built(tiny), inputs)
    expected = reported_by_eager(tiny, inputs)
    assert_same_weights(
        record.streams_by_name, {kind: [map_[0] for map_ in maps] for kind, maps in expected.items()}
    )


@pytest.mark.parametrize(("name", "side"), PADDED)
def test_row_of_a_padded_batch_equals_its_real_block(name: str, side: Side) -> None:
    """AV-010, AV-026, AV-048, AV-102."""
    tiny = ARCHITECTURES[name]
    batch = batch_of(tiny, side)
    record = record_attention(built(tiny), one_row(batch, 1))
    real = slice(None, N_REAL) if side == "right" else slice(-N_REAL, None)
    if side == "left" and tiny.positions == "absolute":
        alone = {key: value[1:, real] for key, value in batch.items()}
        expected = {kind: [m[0] for m in maps] for kind, maps in reported_by_eager(tiny, alone).items()}
    else:
        expected = {kind: [real_block(kind, m[1], real) for m in maps] for kind, maps in reported_by_eager(tiny, batch).items()}
    assert_same_weights(record.streams_by_name, expected)


def real_block(kind: str, weights: Tensor, real: slice) -> Tensor:
    """The part of one text's maps in which nothing is padding."""
    queries = slice(None) if kind in ("decoder", "cross") else real
    keys = slice(None) if kind == "decoder" else real
    return weights[:, queries, keys]


@pytest.mark.parametrize(("name", "side"), BATCHES)
def test_seam_in_a_batch_changes_nothing_and_records_the_row(name: str, side: Side | None) -> None:
    """AV-010, AV-011."""
    tiny = ARCHITECTURES[name]
    model, batch = build(tiny, ATTENTION_NAME), batch_of(tiny, side)
    with recording(row=1) as recorder:
        outputs = run(model, batch)
    real = batch["attention_mask"].bool() if side else slice(None)
    given = outputs[0] 
    expected = run(built(tiny, "eager"), batch)[0]
    if given.shape[:2] == batch.get("attention_mask", torch.zeros(0)).shape: given, expected = given[real], expected[real]
    torch.testing.assert_close(given, expected, rtol=1e-4, atol=1e-4 * expected.abs().max().item())
    rows = real[1] if side else real
    assert_same_weights(
        streams_of_calls(model, recorder.calls, {}),
        {kind: [m[1] for m in maps] for kind, maps in reported_by_eager(tiny, batch).items()}, rows
    )
