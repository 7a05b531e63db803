"""Records: weights when asked for, and nothing that is not a distribution."""

import dataclasses
import math

import numpy as np
import pytest
import torch

from mha_viz.core.layers import ReportedLayer, ScoredLayer
from mha_viz.core.record import AttentionRecord, Stream, Token
from mha_viz.errors import CaptureError, ChoiceError

N_HEADS, N_TOKENS, D_HEAD, D_VALUE = 3, 5, 7, 11
TOKENS = tuple(Token(f"t{position}") for position in range(N_TOKENS))


def scored(**changes: object) -> ScoredLayer:
    generator = torch.Generator().manual_seed(1)
    usual = {
        "query": torch.randn(N_HEADS, N_TOKENS, D_HEAD, generator=generator),
        "key": torch.randn(1, N_TOKENS, D_HEAD, generator=generator),
        "value": torch.randn(1, N_TOKENS, D_VALUE, generator=generator),
        "scaling": D_HEAD**-0.5,
        "may_attend": torch.ones(1, N_TOKENS, N_TOKENS, dtype=torch.bool),
    }
    return ScoredLayer(**(usual | changes))


def stream(*layers: ScoredLayer | ReportedLayer | None) -> Stream:
    return Stream("self", layers, TOKENS, TOKENS)


def test_weights_of_one_head_are_those_of_the_layer_and_read_only():
    weights = stream(scored()).weights(0)
    assert weights.shape == (N_HEADS, N_TOKENS, N_TOKENS)
    assert weights.dtype == np.float32
    assert weights.flags.c_contiguous
    np.testing.assert_array_equal(stream(scored()).weights(0, 2), weights[2])
    with pytest.raises(ValueError, match="read-only"):
        weights[0, 0, 0] = 1


def test_weights_are_the_softmax_of_scaled_products_with_shared_keys():
    layer = scored()
    scores = layer.query.double() @ layer.key.double().transpose(-1, -2) / math.sqrt(D_HEAD)
    torch.testing.assert_close(
        torch.from_numpy(stream(layer).weights(0).copy()).double(),
        scores.softmax(-1),
        rtol=1e-5,
        atol=1e-6,
    )


@pytest.mark.parametrize(
    ("layer", "head", "said"),
    [
        (2, None, "layers go from 0 to 1"),
        (-1, None, "layers go from 0 to 1"),
        (0, 3, "heads 0 to 2"),
        (0, -1, "heads 0 to 2"),
    ],
)
def test_layer_or_head_out_of_range_lists_what_there_is(layer: int, head: int | None, said: str):
    with pytest.raises(ChoiceError, match=said):
        stream(scored(), scored()).weights(layer, head)


def test_layer_without_attention_is_named_with_those_that_have_it():
    with pytest.raises(
        ChoiceError, match="layer 1 has no attention; the layers with attention are 0, 2"
    ):
        stream(scored(), None, scored()).weights(1)


def test_sink_is_what_a_row_lacks_and_not_where_one_head_may_see_nothing():
    may_attend = torch.ones(N_HEADS, N_TOKENS, N_TOKENS, dtype=torch.bool)
    may_attend[1, 2] = False
    sunk = stream(scored(may_attend=may_attend, sinks=torch.tensor([0.0, 1.0, -1.0])))
    sink = sunk.sink(0)
    np.testing.assert_allclose(
        sink + sunk.weights(0).sum(-1), np.where(sunk.fully_masked(0), 0, 1), atol=1e-6
    )
    assert sink[1, 2] == 0
    assert sink[0, 2] > 0


def test_sink_of_a_model_without_one_is_zero():
    assert not stream(scored()).sink(0).any()


def test_fully_masked_row_is_zeros_and_flagged():
    may_attend = torch.ones(1, N_TOKENS, N_TOKENS, dtype=torch.bool)
    may_attend[0, 3] = False
    masked = stream(scored(may_attend=may_attend))
    assert not masked.weights(0)[:, 3].any()
    np.testing.assert_array_equal(masked.fully_masked(0)[0], [False, False, False, True, False])


def test_reported_weights_in_half_precision_are_accepted_in_its_own_tolerance():
    rounded = torch.rand(N_HEADS, N_TOKENS, N_TOKENS).softmax(-1).bfloat16()
    assert stream(ReportedLayer(rounded)).weights(0).dtype == np.float32
    with pytest.raises(CaptureError, match="instead of 1"):
        stream(ReportedLayer(rounded.float() * 0.997)).weights(0)


@pytest.mark.parametrize(
    ("reported", "said"),
    [
        (torch.full((N_HEADS, N_TOKENS, N_TOKENS), 0.3), "instead of 1"),
        (torch.full((N_HEADS, N_TOKENS, N_TOKENS), float("nan")), "not numbers"),
        (torch.eye(N_TOKENS + 1).expand(N_HEADS, -1, -1), r"maps of \(6, 6\) for \(5, 5\) tokens"),
    ],
)
def test_what_is_no_set_of_attention_weights_is_never_given_out(reported: torch.Tensor, said: str):
    with pytest.raises(CaptureError, match=said):
        stream(ReportedLayer(reported)).weights(0)


def test_record_with_several_streams_names_them_and_gives_each():
    both = AttentionRecord(
        {name: dataclasses.replace(stream(scored()), name=name) for name in ("encoder", "cross")}
    )
    assert both.streams == ("encoder", "cross")
    assert both.stream("cross").name == "cross"
    with pytest.raises(ChoiceError, match="encoder, cross"):
        both.weights(0)
    with pytest.raises(ChoiceError, match="encoder, cross"):
        both.stream("self")


def test_record_of_one_stream_is_read_without_naming_it():
    one = AttentionRecord({"self": stream(scored(), scored())})
    assert (one.n_layers, one.n_heads, one.tokens) == (2, N_HEADS, TOKENS)
    np.testing.assert_array_equal(one.weights(1, 2), one.stream("self").weights(1, 2))
