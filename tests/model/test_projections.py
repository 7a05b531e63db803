"""A model's layer followed from what it was given to its own attention output."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from mha_viz.core.four_steps import trace_layer
from mha_viz.core.layer_numbers import LayerNumbers
from mha_viz.core.layers import ScoredLayer
from mha_viz.core.trace import Trace
from mha_viz.models.capture import record_attention
from mha_viz.models.projections import NO_INPUT, NOT_ENOUGH, NOT_FOUND, layer_numbers, model_output
from tests.model.architectures import ARCHITECTURES
from tests.model.tiny import build

pytestmark = pytest.mark.model

LAYER, HEAD = 1, 4
# Of the largest number of the output: the model computes in float32, we in float64.
CLOSE = 5e-6

WHOLE = {
    "bert": {"bQ", "Q'"},
    "distilbert": {"bQ", "Q'"},
    "gpt2": {"bQ", "SM"},
    "gpt-neox": {"bQ", "Q''", "SM"},
    "gptj": {"Q'", "SM"},
    "gpt-bigcode": {"Kkv", "bQ"},
    "llama": {"Q'", "Kkv", "SM"},
    "phi3": {"Q'", "Kkv"},
    "qwen2": {"Q''", "bQ", "Kkv"},
    "gemma2-softcap": {"SC", "Kkv"},
    "gpt-oss-sinks": {"Kkv", "SM"},
    "modernbert": {"Q'"},
    "phi": {"Q''"},
}


def followed(model: Any, inputs: dict, layer: int = LAYER) -> tuple[LayerNumbers, str, ScoredLayer]:
    stream = next(iter(record_attention(model, inputs).streams_by_name.values()))
    part = stream.layer(layer)
    numbers, why = layer_numbers(model, part, tuple(stream.query_texts), tuple(stream.key_texts))
    return numbers, why, part


def expect_output(trace: Trace, output: np.ndarray) -> None:
    np.testing.assert_allclose(trace.matrix("O").values, output, atol=CLOSE * np.abs(output).max())


@pytest.mark.parametrize("name", WHOLE)
def test_steps_of_a_layer_end_in_the_models_own_output(name: str):
    architecture = ARCHITECTURES[name]
    model = build(architecture)
    numbers, why, part = followed(model, architecture.inputs(1))
    assert why == ""
    trace = trace_layer(numbers, HEAD)
    assert {"X", "WQ", "WO"} | WHOLE[name] <= trace.matrices.keys()
    expect_output(trace, model_output(model, part))
    # What was recorded on the way is met as well.
    kv_head = HEAD // (part.n_heads // part.key.shape[0])
    for letter, recorded in (
        ("Q", part.query[HEAD]),
        ("K", part.key[kv_head]),
        ("V", part.value[kv_head]),
    ):
        np.testing.assert_allclose(trace.matrix(letter).values, recorded, atol=1e-4)


def test_output_of_bert_is_what_its_own_projection_makes_of_its_heads():
    architecture = ARCHITECTURES["bert"]
    model = build(architecture)
    _, _, part = followed(model, architecture.inputs(1))
    ours, seen = torch.from_numpy(model_output(model, part)).float(), {}
    dense = model.encoder.layer[LAYER].attention.output.dense
    dense.register_forward_hook(lambda *call: seen.update(output=call[-1]))
    with torch.inference_mode():
        model(**architecture.inputs(1))
    torch.testing.assert_close(ours, seen["output"][0], atol=1e-4, rtol=0)


@pytest.mark.parametrize("layer", range(6))
def test_steps_of_every_layer_of_minilm_end_in_its_own_output(
    minilm_model: Any, minilm_tokenizer: Any, layer: int
):
    inputs = minilm_tokenizer("The cat chased the mouse.", return_tensors="pt")
    numbers, why, part = followed(minilm_model, dict(inputs), layer)
    assert why == ""
    expect_output(trace_layer(numbers, 11), model_output(minilm_model, part))


@pytest.mark.parametrize(
    ("name", "why"), [("qwen3", NOT_ENOUGH), ("opt", NOT_ENOUGH), ("deepseek-v2", NOT_FOUND)]
)
def test_layer_that_does_more_starts_at_queries_keys_and_values_and_still_ends_right(
    name: str, why: str
):
    architecture = ARCHITECTURES[name]
    model = build(architecture)
    numbers, said, part = followed(model, architecture.inputs(1))
    assert said == why
    trace = trace_layer(numbers, HEAD)
    assert "X" not in trace.matrices
    expect_output(trace, model_output(model, part))


def test_attention_across_to_another_text_starts_at_queries_keys_and_values():
    architecture = ARCHITECTURES["t5"]
    model = build(architecture)
    stream = record_attention(model, architecture.inputs(1)).stream("cross")
    part = stream.layer(LAYER)
    numbers, why = layer_numbers(model, part, tuple(stream.query_texts), tuple(stream.key_texts))
    assert why == NO_INPUT
    expect_output(trace_layer(numbers, HEAD), model_output(model, part))


def test_projections_of_another_name_are_not_found():
    architecture = ARCHITECTURES["bert"]
    model = build(architecture)
    attention = model.encoder.layer[LAYER].attention.self

    class Other(nn.Module):
        """The same matrix by a name that nobody knows."""

        def __init__(self, inner: nn.Module) -> None:
            super().__init__()
            self.hidden = inner

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.hidden(x)

    attention.query = Other(attention.query)
    numbers, why, _ = followed(model, architecture.inputs(1))
    assert why == NOT_FOUND
    assert not numbers.starts_at_x


def test_projection_whose_numbers_do_not_agree_is_not_taken():
    architecture = ARCHITECTURES["bert"]
    model = build(architecture)
    stream = record_attention(model, architecture.inputs(1)).only_stream
    with torch.no_grad():
        model.encoder.layer[LAYER].attention.self.value.weight.mul_(1.01)
    labels = tuple(stream.query_texts)
    _, why = layer_numbers(model, stream.layer(LAYER), labels, labels)
    assert why == NOT_ENOUGH
