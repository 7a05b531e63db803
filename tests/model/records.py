"""Tiny models by name, and records of them."""

from typing import Any

from mha_viz.core.record import AttentionRecord
from mha_viz.models.capture import record_attention
from tests.model.architectures import ARCHITECTURES
from tests.model.tiny import build


def model_of(name: str, implementation: str | None = None) -> Any:
    return build(ARCHITECTURES[name], implementation)


def record_of(name: str, **options: Any) -> AttentionRecord:
    return record_attention(model_of(name), ARCHITECTURES[name].inputs(1), **options)


def sizes_of(record: AttentionRecord) -> dict[str, tuple[int, ...]]:
    return {name: record.stream(name).weights(0).shape for name in record.streams}
