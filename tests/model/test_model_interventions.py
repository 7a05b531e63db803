"""Interventions in real forward passes, against models that never meet the code under test.

An oracle is the same model loaded eager, with a hook on the projection that joins the heads: it changes one head's slice
of what goes in there.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import mha_viz
from mha_viz.core.interventions import CutLink, HeadOff, Intervention, MaskHead, Temperature
from mha_viz.core.layers import ScoredLayer
from mha_viz.core.record import AttentionRecord, Stream
from mha_viz.errors import ChoiceError, ModelError
from mha_viz.models.capture import record_attention
from tests.model.architectures import ARCHITECTURES
from tests.model.records import model_of, record_of
from tests.model.tiny import N_TOKENS, words

# Where the heads are joined, in layer 1, and in which stream.
JOINED = {
    "bert": ("self", "encoder.layer.1.attention.output.dense"),
    "gpt2": ("self", "h.1.attn.c_proj"),
    "llama": ("self", "layers.1.self_attn.o_proj"),
    "gemma2-softcap": ("self", "layers.1.self_attn.o_proj"),
    "gpt-oss-sinks": ("self", "layers.1.self_attn.o_proj"),
    "t5": ("encoder", "encoder.block.1.layer.0.SelfAttention.o"),
    "bart": ("cross", "decoder.layers.1.encoder_attn.out_proj"),
    "modernbert": ("self", "layers.1.attn.Wo"),
    "deepseek-v3": ("self", "layers.1.self_attn.o_proj"),
}
HEAD = 4


def scored(stream: Stream, layer: int) -> ScoredLayer:
    part = stream.layer(layer)
    assert isinstance(part, ScoredLayer)
    return part


def changed(name: str, *interventions: Intervention, **options: Any) -> AttentionRecord:
    return record_of(name, interventions=interventions, **options)


def final_with_slice(name: str, heads: dict[int, Tensor]) -> np.ndarray:
    """The eager model's last vectors, where some heads of layer 1 hand over something else."""
    model = model_of(name, "eager")

    def replace_slices(_: object, args: tuple[Tensor]) -> tuple[Tensor]:
        joined = args[0].unflatten(-1, (6, -1)).clone()
        for head, given in heads.items():
            joined[..., head, :] = given
        return (joined.flatten(-2),)

    model.get_submodule(JOINED[name][1]).register_forward_pre_hook(replace_slices)
    with torch.inference_mode():
        return model(**ARCHITECTURES[name].inputs(1)).last_hidden_state[0].numpy()


def assert_close(actual: np.ndarray, expected: np.ndarray, tolerance: float = 1e-5) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("name", JOINED)
def test_head_that_is_off_equals_zeros_in_its_slice_before_the_output_projection(name: str) -> None:
    stream = JOINED[name][0]
    record = changed(name, HeadOff(1, HEAD, stream=stream))
    assert_close(record.final, final_with_slice(name, {HEAD: torch.zeros(())}))
    assert np.abs(record.final - record_of(name).final).max() > 0.01
    assert record.stream(stream).heads_off(1) == (HEAD,)
    plain = record_of(name).stream(stream)
    np.testing.assert_allclose(record.stream(stream).weights(1), plain.weights(1), atol=1e-6)


@pytest.mark.parametrize("name", JOINED)
def test_uniform_head_hands_over_the_mean_of_what_it_may_see(name: str) -> None:
    stream = JOINED[name][0]
    layer = scored(record_of(name).stream(stream), 1)
    may_attend = layer.may_attend.expand(6, -1, -1)[HEAD].float()
    value = layer.value[HEAD * layer.value.shape[0] // 6]
    mean = may_attend @ value / may_attend.sum(-1, keepdim=True)
    record = changed(name, HeadOff(1, HEAD, "uniform", stream=stream))
    assert_close(record.final, final_with_slice(name, {HEAD: mean}))
    expected = may_attend / may_attend.sum(-1, keepdim=True)
    np.testing.assert_allclose(record.stream(stream).weights(1, HEAD), expected, atol=1e-7)


def some_of_all(stream: Stream) -> list[Intervention]:
    """One of each kind, in both layers."""
    n_query, n_key = len(stream.query_tokens), len(stream.key_tokens)
    rows = torch.rand(n_query, n_key, generator=torch.Generator().manual_seed(3)) > 0.3
    name = stream.name
    return [
        MaskHead(0, 0, range(n_key // 2), stream=name),
        MaskHead(None, 1, rows.tolist(), stream=name),
        HeadOff(1, 2, stream=name),
        HeadOff(0, 3, "uniform", stream=name),
        Temperature(1, None, 0.5, stream=name),
        Temperature(0, 5, 3, stream=name),
        CutLink(None, 4, n_query - 1, 0, stream=name),
    ]


@pytest.mark.parametrize(
    "name", [*JOINED, "albert", "gptj", "whisper", "beit", "gpt2-cross", "doge-dynamic-mask"]
)
def test_weights_of_the_record_are_those_that_were_used(name: str) -> None:
    model, inputs = model_of(name), ARCHITECTURES[name].inputs(1)
    for stream in record_attention(model, inputs).streams_by_name.values():
        changes = some_of_all(stream)
        record = record_attention(model, inputs, interventions=changes)
        assert record.interventions == tuple(changes)
        for kind, seen in record.streams_by_name.items():
            for index in seen.attending_layers:
                layer, weights = scored(seen, index), torch.tensor(seen.weights(index))
                value = layer.value.repeat_interleave(len(weights) // len(layer.value), dim=0)
                outputs = weights @ value
                off = [2] if (kind, index) == (stream.name, 1) else []
                outputs[off] = 0
                torch.testing.assert_close(
                    layer.head_outputs.transpose(0, 1), outputs, rtol=0, atol=1e-4
                )
                if kind != stream.name:
                    assert layer.interventions == ()


def assert_nothing_changes(name: str, *interventions: Intervention) -> None:
    """In float64, where another order of summing does not show; the experts of gpt-oss know only float32."""
    model, inputs = model_of(name), ARCHITECTURES[name].inputs(1)
    model = model if name == "gpt-oss-sinks" else model.double()
    plain = record_attention(model, inputs)
    record = record_attention(model, inputs, interventions=interventions)
    assert_close(record.final, plain.final, 1e-6)
    for layer in range(2):
        np.testing.assert_allclose(record.weights(layer), plain.weights(layer), atol=1e-6)


@pytest.mark.parametrize("name", ["gpt2", "llama", "gemma2-softcap", "gpt-oss-sinks"])
def test_mask_that_is_the_models_own_changes_nothing(name: str) -> None:
    layers = [scored(record_of(name).only_stream, layer) for layer in range(2)]
    own = [layer.may_attend[0].tolist() for layer in layers]
    assert_nothing_changes(name, *(MaskHead(at, None, rows) for at, rows in enumerate(own)))


@pytest.mark.parametrize("name", ["bert", "llama", "gemma2-softcap", "gpt-oss-sinks"])
def test_temperature_of_one_changes_nothing(name: str) -> None:
    assert_nothing_changes(name, Temperature(None, None, 1.0))


def test_temperature_of_t5_divides_its_bias_of_positions_too() -> None:
    plain = scored(record_of("t5").stream("encoder"), 0)
    scores = plain.query @ plain.key.transpose(-1, -2) + plain.attn_bias
    record = changed("t5", Temperature(0, 2, 3.0, stream="encoder"))
    weights = torch.tensor(record.stream("encoder").weights(0))
    torch.testing.assert_close(weights[2], (scores[2] / 3).softmax(-1), rtol=0, atol=1e-5)
    torch.testing.assert_close(weights[3], scores[3].softmax(-1), rtol=0, atol=1e-5)


def test_cut_link_leaves_the_rest_of_the_row_in_proportion() -> None:
    plain = record_of("llama").weights(0)
    key = int(plain[3, 9].argsort()[-2])
    cut = changed("llama", CutLink(0, 3, 9, key)).weights(0)
    expected = plain.copy()
    expected[3, 9, key] = 0
    expected[3, 9] /= expected[3, 9].sum()
    assert plain[3, 9, key] > 0.01
    np.testing.assert_allclose(cut, expected, atol=1e-6)


def test_query_that_is_left_with_nothing_is_zeros_flagged_and_hands_over_nothing() -> None:
    record = changed("llama", MaskHead(1, 2, [6, 8]))
    stream = record.only_stream
    masked = np.zeros((6, N_TOKENS), bool)
    masked[2, :6] = True
    np.testing.assert_array_equal(stream.fully_masked(1), masked)
    assert not stream.fully_masked(0).any()
    assert not record.weights(1, 2)[:6].any()
    assert not scored(stream, 1).head_outputs[:6, 2].any()
    assert np.isfinite(record.final).all()


def test_shared_layer_is_changed_only_in_the_run_that_is_named() -> None:
    """ALBERT runs one module in all its layers."""
    plain = record_of("albert")
    first, second = (changed("albert", HeadOff(layer, 2)) for layer in range(2))
    assert scored(first.only_stream, 0).module_path == scored(first.only_stream, 1).module_path
    assert (first.only_stream.heads_off(0), first.only_stream.heads_off(1)) == ((2,), ())
    np.testing.assert_array_equal(second.weights(1), plain.weights(1))
    assert np.abs(first.weights(1) - plain.weights(1)).max() > 0.01
    assert scored(second.only_stream, 0).head_outputs[:, 2].any()
    assert not scored(second.only_stream, 1).head_outputs[:, 2].any()


def test_model_is_left_as_it_was() -> None:
    model = model_of("bert")
    plain = record_attention(model, words(1))
    record_attention(model, words(1), interventions=[HeadOff(None, None)])
    again = record_attention(model, words(1))
    assert model.config._attn_implementation == "sdpa"
    np.testing.assert_array_equal(again.final, plain.final)
    assert (plain.interventions, again.interventions) == ((), ())


def test_threads_that_share_a_model_get_their_own_interventions() -> None:
    model = model_of("llama", "mhaviz")
    each = [
        [],
        [HeadOff(0, 1)],
        [HeadOff(1, 5, "uniform")],
        [MaskHead(0, 2, [0, 1])],
        [MaskHead(None, None, [0])],
        [Temperature(0, None, 0.5)],
        [CutLink(0, 3, 7, 0)],
        [HeadOff(0, None), Temperature(1, 4, 2)],
    ]
    expected = [changed("llama", *changes) for changes in each]

    def worst_difference(number: int) -> float:
        records = (record_attention(model, words(1), interventions=each[number]) for _ in range(20))
        return max(
            np.abs(one - other).max()
            for record in records
            for one, other in (
                (record.final, expected[number].final),
                *((record.weights(at), expected[number].weights(at)) for at in range(2)),
            )
        )

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            differences = list(pool.map(worst_difference, range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert max(differences) < 1e-5
    apart = [np.abs(one.final - expected[0].final).max() for one in expected[1:]]
    assert min(apart) > 1e-3


# What is refused


@pytest.mark.parametrize(
    ("name", "one", "said"),
    [
        ("llama", HeadOff(2, 0), "layer 2 does not exist: layers go from 0 to 1"),
        ("llama", HeadOff(1, 6), "head 6 does not exist: heads go from 0 to 5"),
        ("llama", MaskHead(0, 0, [11]), "key 11 does not exist: keys go from 0 to 10"),
        ("llama", CutLink(None, None, 11, 0), "query 11 does not exist: queries go from 0 to 10"),
        ("llama", MaskHead(0, 0, [[1] * 7] * 5), "5 × 7 does not fit 11 queries × 11 keys"),
        ("llama", HeadOff(0, 0, stream="cross"), "stream 'cross' does not exist; this model has self"),
        ("t5", HeadOff(0, 0), "several kinds of attention; .* encoder, decoder, cross"),
        ("t5", MaskHead(0, 0, [5], stream="decoder"), "key 5 does not exist: keys go from 0 to 4"),
        ("t5", CutLink(0, 0, 5, 10, stream="cross"), "query 5 does not exist"),
        ("jamba", HeadOff(0, 0), "layer 0 has no attention"),
    ],
)  # fmt: skip
def test_what_the_model_does_not_have_is_refused_with_what_it_has(name, one, said) -> None:
    with pytest.raises(ChoiceError, match=said):
        changed(name, one)


def test_all_layers_are_those_that_attend() -> None:
    stream = changed("jamba", HeadOff(None, 2)).only_stream
    assert [stream.heads_off(layer) for layer in stream.attending_layers] == [(2,)]


def test_model_that_only_reports_its_weights_is_refused_with_the_reason() -> None:
    with pytest.raises(ModelError, match=r"deberta only reports its weights.* nothing can be done"):
        changed("deberta", HeadOff(0, 0))
    assert record_of("deberta").weights(0).any()


# MiniLM

SENTENCE = "The cat chased the mouse because it was hungry."


@pytest.mark.model
def test_heads_of_minilm_that_see_one_half_each_look_there_alone_and_in_proportion() -> None:
    plain = mha_viz.attend(SENTENCE)
    halves = [MaskHead(0, 3, range(6)), MaskHead(0, 8, range(6, 12))]
    record = mha_viz.attend(SENTENCE, interventions=halves)
    expected = plain.weights(0).copy()
    expected[3, :, 6:] = expected[8, :, :6] = 0
    expected /= expected.sum(-1, keepdims=True)
    np.testing.assert_allclose(record.weights(0), expected, atol=1e-6)
    assert (record.text, record.tokens) == (plain.text, plain.tokens)
    assert record.interventions == tuple(halves)
    assert record.verified == plain.verified
    later = max(np.abs(record.weights(at) - plain.weights(at)).max() for at in range(1, 6))
    assert later > 1e-3


@pytest.mark.model
def test_record_of_a_model_and_inputs_takes_interventions_too(minilm_model, minilm_tokenizer):
    batch = minilm_tokenizer(["Hi", SENTENCE], padding=True, return_tensors="pt")
    record = mha_viz.record(minilm_model, batch, row=1, interventions=HeadOff(2, 7))
    expected = mha_viz.attend(SENTENCE, interventions=[HeadOff(2, 7)])
    assert_close(record.final, expected.final, 1e-5)
    assert record.only_stream.heads_off(2) == (7,)
