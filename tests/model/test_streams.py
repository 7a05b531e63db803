"""Streams: which map is which layer of which kind of attention, and whose tokens it is about."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from transformers import DynamicCache

from mha_viz.core.record import Token
from mha_viz.errors import CaptureError, ChoiceError, NoAttentionError
from mha_viz.models.capture import record_attention
from mha_viz.models.streams import streams_of_outputs
from tests.model.architectures import ARCHITECTURES
from tests.model.records import model_of, record_of, sizes_of
from tests.model.tiny import N_TOKENS, build, word_ids, words


def test_layers_come_first_where_there_are_as_many_heads() -> None:
    """AV-028."""
    twelve = ARCHITECTURES["bert-12-heads"]
    twelve = replace(twelve, sizes={**twelve.sizes, "num_hidden_layers": 12})
    record = record_attention(build(twelve), words(1, 5))
    with torch.inference_mode():
        reported = build(twelve, "eager")(**words(1, 5), output_attentions=True).attentions
    for layer, weights in enumerate(reported):
        torch.testing.assert_close(torch.tensor(record.weights(layer)), weights[0])


def test_causal_model_looks_at_nothing_ahead() -> None:
    """AV-011."""
    record = record_of("llama")
    for layer in range(2):
        weights = record.weights(layer)
        assert (np.triu(weights, 1) == 0).all()
        np.testing.assert_array_equal(weights[:, 0], np.eye(N_TOKENS)[None, 0].repeat(6, 0))


@pytest.mark.parametrize("name", ["bert", "vit", "llama", "bert-as-decoder", "bloom"])
def test_causal_is_what_the_masks_say(name: str) -> None:
    assert record_of(name).only_stream.causal == (name not in ("bert", "vit"))


@pytest.mark.parametrize(
    ("name", "n_layers", "attending"), [("qwen3-next", 2, 1), ("jamba", 2, 1), ("zamba2", 3, 1)]
)
def test_layer_without_attention_is_named(name: str, n_layers: int, attending: int) -> None:
    """AV-024."""
    record = record_of(name)
    assert record.n_layers == n_layers
    assert record.only_stream.attending_layers == (attending,)
    with pytest.raises(ChoiceError, match=f"layer 0 has no attention; .* are {attending}"):
        record.weights(0)


@pytest.mark.parametrize(
    ("layer", "head", "message"),
    [
        (2, None, "layer 2 does not exist: layers go from 0 to 1"),
        (-1, None, "layer -1 does not exist"),
        (1, 6, "head 6 does not exist: layer 1 has heads 0 to 5"),
        (1, -1, "head -1 does not exist"),
    ],
)
def test_choice_out_of_range_names_the_range(layer: int, head: int | None, message: str) -> None:
    with pytest.raises(ChoiceError, match=message):
        record_of("bert").weights(layer, head)


def test_token_after_a_cache_looks_at_all_that_is_cached() -> None:
    """AV-031."""
    model, ids, cache = model_of("llama"), word_ids(1, 8), DynamicCache()
    whole = record_attention(model, {"input_ids": ids})
    with torch.inference_mode():
        model(ids[:, :7], cache=cache, use_cache=True)
    for fresh in (model, model_of("llama")):
        record = record_attention(fresh, {"input_ids": ids[:, 7:], "cache": cache})
        assert sizes_of(record) == {"self": (6, 1, 8)}
        np.testing.assert_allclose(record.weights(1), whole.weights(1)[:, 7:], atol=1e-5)
        assert [token.text for token in record.only_stream.query_tokens] == ["7"]
        assert cache.get_seq_length() == 7


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bart", {"encoder": (6, 11, 11), "decoder": (6, 5, 5), "cross": (6, 5, 11)}),
        ("whisper", {"encoder": (6, 10, 10), "decoder": (6, 5, 5), "cross": (6, 5, 10)}),
    ],
)
def test_encoder_decoder_has_three_streams(name: str, expected: dict[str, Any]) -> None:
    """AV-032, AV-103."""
    record = record_of(name)
    assert sizes_of(record) == expected
    assert {name for name in record.streams if record.stream(name).causal} == {"decoder"}
    with pytest.raises(ChoiceError, match="encoder, decoder, cross"):
        record.weights(0)


def test_two_towers_are_named_after_their_models() -> None:
    record = record_of("clip")
    assert sizes_of(record) == {"vision_model": (6, 17, 17), "text_model": (6, N_TOKENS, N_TOKENS)}


def test_stream_that_cannot_be_shown_is_said_to_be_missing() -> None:
    record = record_of("longt5")
    assert record.streams == ("decoder", "cross")
    assert record.notices[0].startswith("the encoder attention of this model cannot be shown")


def named(letters: str) -> list[Token]:
    return [Token(letter) for letter in letters]


def test_tokens_of_each_side_are_those_that_were_given() -> None:
    given = {"input": named("abcdefghijk"), "decoder": named("vwxyz")}
    cross = record_of("bart", tokens=given).stream("cross")
    assert "".join(token.text for token in cross.query_tokens) == "vwxyz"
    assert "".join(token.text for token in cross.key_tokens) == "abcdefghijk"


@pytest.mark.parametrize(("name", "n_tokens"), [("vit", 17), ("dinov2-registers", 21)])
def test_patches_are_numbered(name: str, n_tokens: int) -> None:
    """AV-039."""
    record = record_of(name, tokens={"input": named("abc")})
    assert [token.text for token in record.tokens] == [str(patch) for patch in range(n_tokens)]


EVEN = torch.full((1, 6, 11, 11), 1 / 11)


@pytest.mark.parametrize(
    ("reported", "error", "message"),
    [
        ((), NoAttentionError, "bert .* gave no attention weights for any layer"),
        ((None, None), NoAttentionError, "for layer 0 .* expected an array, got NoneType"),
        ((EVEN, EVEN[0]), NoAttentionError, r"gave an array of \(6, 11, 11\) for layer 1"),
        ((EVEN, EVEN.expand(2, -1, -1, -1)), NoAttentionError, "gave 2 maps a head"),
        ((EVEN, EVEN * 3), NoAttentionError, "rows that sum to 3.00 … 3.00 in layer 1"),
        ((EVEN, EVEN - 1), NoAttentionError, "not attention weights"),
        ((EVEN, EVEN[..., :5] * 11 / 5), NoAttentionError, "different sizes .*11 × 5, 11 × 11"),
        ((EVEN,), CaptureError, "has 2 layers and gave 1 attention maps"),
    ],
    ids=["AV-001", "AV-005", "AV-042", "batch", "scores", "negative", "sizes", "AV-024"],
)
def test_reported_arrays_that_are_no_maps_are_refused(
    reported: tuple[Tensor | None, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        streams_of_outputs(model_of("bert"), SimpleNamespace(attentions=reported), {})
