"""The seam: what a call leaves with the recorder, and with nobody else."""

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, AttentionMaskInterface

from mha_viz.core.layers import ScoredLayer
from mha_viz.core.record import Stream
from mha_viz.models.capture import record_attention
from mha_viz.models.seam import ATTENTION_NAME, Call, recording, recording_attention
from mha_viz.models.streams import streams_of_calls
from tests.model.architectures import ARCHITECTURES
from tests.model.tiny import N_REAL, N_TOKENS, Inputs, build, drawn, padded, words


def calls_through(model: Any, inputs: Inputs, row: int = 0) -> list[Call]:
    with torch.inference_mode(), recording(row) as recorder:
        model(**inputs)
    return recorder.calls


def calls_of(name: str, inputs: Inputs, row: int = 0) -> tuple[Any, list[Call]]:
    model = build(ARCHITECTURES[name], ATTENTION_NAME)
    return model, calls_through(model, inputs, row)


def scored(stream: Stream, layer: int) -> Any:
    part = stream.layer(layer)
    assert isinstance(part, ScoredLayer)
    return part


def test_name_is_neutral_and_known_to_both_registries() -> None:
    """AV-010, AV-020."""
    assert "sdpa" not in ATTENTION_NAME
    assert "flash" not in ATTENTION_NAME
    assert ATTENTION_NAME in AttentionInterface().valid_keys()
    assert ATTENTION_NAME in AttentionMaskInterface().valid_keys()


@pytest.mark.parametrize(("name", "causal"), [("bert", False), ("llama", True)])
def test_mask_of_one_unpadded_text_is_whole(name: str, causal: bool) -> None:
    """AV-011: the library leaves it out, and None would mean two different things."""
    _, calls = calls_of(name, words(1))
    everything = torch.ones(1, N_TOKENS, N_TOKENS, dtype=torch.bool)
    expected = everything.tril() if causal else everything
    assert calls
    assert all(torch.equal(call.may_attend, expected) for call in calls)


def test_mask_without_a_query_axis_is_spread_over_the_queries() -> None:
    _, calls = calls_of("layoutlm", padded(words(2), "right", 0), row=1)
    expected = (torch.arange(N_TOKENS) < N_REAL).expand(1, N_TOKENS, N_TOKENS)
    assert calls
    assert all(torch.equal(call.may_attend, expected) for call in calls)


def test_keys_of_grouped_heads_are_recorded_before_they_are_repeated() -> None:
    """AV-021."""
    _, calls = calls_of("llama", words(1))
    assert calls[0].query.shape == (6, N_TOKENS, 8)
    assert calls[0].key.shape == calls[0].value.shape == (3, N_TOKENS, 8)


def test_latent_attention_is_scaled_by_the_width_of_its_keys() -> None:
    """AV-022."""
    _, calls = calls_of("deepseek-v3", words(1))
    assert calls[0].scaling == pytest.approx(12**-0.5)
    assert calls[0].head_outputs.shape == (N_TOKENS, 6, 6)


def test_t5_is_not_scaled_and_has_no_bias_across() -> None:
    """AV-016."""
    model, calls = calls_of("t5", ARCHITECTURES["t5"].inputs(1))
    streams = streams_of_calls(model, calls, {})
    assert {call.scaling for call in calls} == {1.0}
    biased = {name: bool(scored(stream, 0).attn_bias.any()) for name, stream in streams.items()}
    assert biased == {"encoder": True, "decoder": True, "cross": False}


def test_whisper_scales_its_queries_itself() -> None:
    """AV-103."""
    _, calls = calls_of("whisper", ARCHITECTURES["whisper"].inputs(1))
    assert {call.scaling for call in calls} == {1.0}


@pytest.mark.parametrize("blocked", [float("-inf"), torch.finfo(torch.float32).min])
def test_additive_mask_is_split_into_what_may_be_seen_and_a_bias(blocked: float) -> None:
    query, key, value = drawn(2, 6, 5, 8), drawn(2, 6, 7, 8), drawn(2, 6, 7, 8)
    bias = drawn(2, 1, 5, 7)
    may_attend = torch.ones(5, 7, dtype=torch.bool).tril(2)
    mask = bias.masked_fill(~may_attend, blocked)
    with recording(row=1) as recorder:
        output, _ = recording_attention(nn.Identity(), query, key, value, mask)
    expected = scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(output, expected.transpose(1, 2))
    torch.testing.assert_close(recorder.calls[0].may_attend, may_attend[None])
    torch.testing.assert_close(recorder.calls[0].attn_bias, bias[1].where(may_attend, 0))


def test_query_of_padding_that_sees_nothing_is_zeros_and_flagged() -> None:
    model, calls = calls_of("llama", padded(words(2), "left", 0), row=1)
    stream = streams_of_calls(model, calls, {})["self"]
    n_padding = N_TOKENS - N_REAL
    weights = stream.weights(1)
    assert (weights[:, :n_padding] == 0).all()
    assert stream.fully_masked(1).tolist() == [[True] * n_padding + [False] * N_REAL] * 6
    torch.testing.assert_close(torch.tensor(weights[:, n_padding:].sum(-1)), torch.ones(6, N_REAL))


@pytest.mark.parametrize(
    "part", ["query", "key", "value", "head_outputs", "module_input", "module_output"]
)
def test_row_of_a_batch_leaves_what_its_text_alone_does(part: str) -> None:
    model, batch = build(ARCHITECTURES["llama"], ATTENTION_NAME), words(2)
    alone = {name: value[1:] for name, value in batch.items()}
    calls = [calls_through(model, *run) for run in ((batch, 1), (batch, 1), (alone, 0))]
    for in_batch, by_itself in zip(*calls[1:], strict=True):  # modules are watched from run 2 on
        torch.testing.assert_close(getattr(in_batch, part), getattr(by_itself, part))


def split(projected: Tensor, n_heads: int) -> Tensor:
    return projected.unflatten(-1, (n_heads, 8)).transpose(0, 1)


def test_bert_module_gives_the_heads_side_by_side() -> None:
    model = build(ARCHITECTURES["bert"])
    layer = scored(record_attention(model, words(1)).only_stream, 1)
    module = model.get_submodule(layer.module_path)
    torch.testing.assert_close(layer.module_output, layer.head_outputs.flatten(1))
    with torch.no_grad():
        torch.testing.assert_close(layer.query, split(module.query(layer.module_input), 6))


def test_llama_module_gives_the_heads_through_w_o() -> None:
    model = build(ARCHITECTURES["llama"])
    layer = scored(record_attention(model, words(1)).only_stream, 1)
    module, heads = model.get_submodule(layer.module_path), layer.head_outputs.flatten(1)
    with torch.no_grad():
        torch.testing.assert_close(layer.module_output, module.o_proj(heads))
        torch.testing.assert_close(layer.value, split(module.v_proj(layer.module_input), 3))


def test_module_of_shared_layers_keeps_each_runs_own_input() -> None:
    model = build(ARCHITECTURES["albert"])
    stream = record_attention(model, words(1)).only_stream
    layers = [scored(stream, layer) for layer in range(2)]
    assert layers[0].module_path == layers[1].module_path
    module = model.get_submodule(layers[0].module_path)
    with torch.no_grad():
        for layer in layers:
            torch.testing.assert_close(layer.query, split(module.query(layer.module_input), 6))


def test_nothing_is_recorded_outside_of_the_block() -> None:
    model = build(ARCHITECTURES["bert"], ATTENTION_NAME)
    with recording() as recorder:
        pass
    model(**words(1))
    assert recorder.calls == []


def test_inner_recorder_takes_the_calls_of_its_block_alone() -> None:
    model = build(ARCHITECTURES["bert"], ATTENTION_NAME)
    with recording() as outer:
        with recording() as inner:
            model(**words(1))
        model(**words(1, 5))
    assert [call.query.shape[1] for call in inner.calls] == [N_TOKENS] * 2
    assert [call.query.shape[1] for call in outer.calls] == [5] * 2


@pytest.mark.parametrize("implementation", ["sdpa", ATTENTION_NAME])
def test_threads_that_share_a_model_get_their_own_weights(implementation: str) -> None:
    """AV-084."""
    shared, alone = (build(ARCHITECTURES["llama"], name) for name in (implementation, "eager"))
    texts = {length: words(1, length) for length in (5, 7, 11)}
    with torch.inference_mode():
        expected = {
            n: alone(**text, output_attentions=True).attentions for n, text in texts.items()
        }

    def worst_difference(length: int) -> float:
        records = (record_attention(shared, texts[length]) for _ in range(40))
        return max(
            (torch.tensor(record.weights(layer)) - weights[0]).abs().max().item()
            for record in records
            for layer, weights in enumerate(expected[length])
        )

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(3) as pool:
            differences = list(pool.map(worst_difference, texts))
    finally:
        sys.setswitchinterval(interval)
    assert max(differences) < 1e-5
