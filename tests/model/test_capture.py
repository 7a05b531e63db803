"""Recording tiny models: what is shown, what is refused, and how the model is left behind."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
import torch

from mha_viz.core.attention import attention_scores
from mha_viz.core.layers import ScoredLayer
from mha_viz.errors import CaptureError, NoAttentionError
from mha_viz.models import capture
from mha_viz.models.capture import one_row, prepare, record_attention
from mha_viz.models.seam import ATTENTION_NAME
from tests.model.architectures import ARCHITECTURES
from tests.model.records import model_of, record_of, sizes_of
from tests.model.tiny import N_REAL, N_TOKENS, captions, padded, translation, word_ids, words


def test_model_that_gives_no_weights_itself_is_recorded() -> None:
    """AV-001."""
    model = model_of("bert")
    with torch.inference_mode():
        assert not model(**words(1), output_attentions=True).attentions
    assert model.config._attn_implementation == "sdpa"
    record = record_attention(model, words(1))
    assert (record.n_layers, record.n_heads) == (2, 6)
    assert record.verified.startswith("weights verified: within")
    assert record.notices == ()


def test_record_does_without_the_flag_of_the_config() -> None:
    """AV-002."""
    model = model_of("bert")
    with pytest.raises(ValueError, match="sdpa"):
        model.config.output_attentions = True
    assert record_attention(model, words(1)).weights(1).shape == (6, N_TOKENS, N_TOKENS)


def test_weights_are_read_only_float32_rows_that_sum_to_one() -> None:
    weights = record_of("bert").weights(1)
    assert weights.dtype == np.float32
    assert weights.flags.c_contiguous
    assert not weights.flags.writeable
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-6)


def test_one_head_is_its_slice_of_the_layer() -> None:
    record = record_of("bert")
    np.testing.assert_array_equal(record.weights(1, head=4), record.weights(1)[4])
    assert not record.weights(1, head=4).flags.writeable


def test_sink_takes_what_the_row_lacks() -> None:
    """AV-013."""
    record = record_of("gpt-oss-sinks")
    sums, sink = record.weights(0).sum(-1), record.sink(0)
    assert sums.max() < 1
    assert sink.min() > 0
    np.testing.assert_allclose(sums + sink, 1, atol=1e-6)


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ({"scaling": 1.0}, [0.98201, 0.01799]),
        ({"scaling": 1.0, "softcap": 2.0}, [0.87303, 0.12697]),
        ({"scaling": 0.0, "sinks": torch.tensor([2.0]).log()}, [0.25, 0.25]),
    ],
    ids=["plain", "AV-015", "AV-013"],
)
def test_terms_of_the_softmax_by_hand(terms: dict[str, Any], expected: list[float]) -> None:
    key = torch.tensor([[[4.0], [0.0]]])
    may_attend = torch.ones(1, 1, 2, dtype=torch.bool)
    layer = ScoredLayer(torch.ones(1, 1, 1), key, key, may_attend=may_attend, **terms)
    torch.testing.assert_close(layer.compute(), torch.tensor([[expected]]), rtol=0, atol=1e-5)


def test_model_that_never_calls_the_seam_is_recorded_as_it_reports() -> None:
    """AV-018."""
    record = record_of("deberta")
    assert sizes_of(record) == {"self": (6, N_TOKENS, N_TOKENS)}
    assert "as the model reports them" in record.notices[0]
    assert record.verified.startswith("weights checked")


def test_block_sparse_model_is_refused_before_it_switches_itself() -> None:
    """AV-035."""
    model = model_of("big-bird")
    with pytest.raises(NoAttentionError, match="big_bird cannot be shown: its block-sparse"):
        record_attention(model, words(1, 7))
    assert model.encoder.attention_type == "block_sparse"


def test_unknown_model_with_several_maps_a_layer_is_refused(monkeypatch: Any) -> None:
    monkeypatch.setattr(capture, "REFUSED", {})
    with pytest.raises(NoAttentionError, match=r"diffllama .*2 in layer 0, 2 in layer 1"):
        record_of("diffllama")


def test_one_row_of_a_batch_keeps_its_real_tokens_alone() -> None:
    """AV-026."""
    batch = padded(words(2), "right", 0) | {"labels": torch.arange(2)}
    row = one_row(batch, 1)
    torch.testing.assert_close(row["input_ids"], batch["input_ids"][1:, :N_REAL])
    torch.testing.assert_close(row["labels"], torch.tensor([1]))
    assert row["attention_mask"].tolist() == [[1] * N_REAL]


def test_one_row_drops_the_padding_of_each_side() -> None:
    mask = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1]])
    batch = padded(translation(2), "right", 1) | {"decoder_attention_mask": mask}
    row = one_row(batch, 1)
    assert row["input_ids"].shape == (1, N_REAL)
    torch.testing.assert_close(row["decoder_input_ids"], batch["decoder_input_ids"][1:, 2:])


def test_row_that_does_not_exist_is_refused() -> None:
    with pytest.raises(CaptureError, match="row 2 does not exist: the batch has rows 0 to 1"):
        one_row(words(2), 2)


def test_row_of_nothing_but_padding_is_refused() -> None:
    nothing = {"attention_mask": torch.tensor([[1] * N_TOKENS, [0] * N_TOKENS])}
    with pytest.raises(CaptureError, match="row 1 is padding from end to end"):
        one_row(words(2) | nothing, 1)


@pytest.mark.parametrize("name", ["bert", "deberta"])
def test_batch_of_texts_is_refused(name: str) -> None:
    """AV-026."""
    model = model_of(name)
    with pytest.raises(NoAttentionError, match="see one_row"):
        record_attention(model, words(2))
    record_attention(model, words(1))
    with pytest.raises((CaptureError, NoAttentionError), match="see one_row"):
        record_attention(model, words(2))


def test_padding_that_takes_part_is_noticed() -> None:
    """AV-049."""
    batch = padded(words(2), "right", 0)
    alone = {"input_ids": batch["input_ids"][1:]}
    masked = alone | {"attention_mask": batch["attention_mask"][1:]}
    model = model_of("bert")
    assert "padding takes part in these weights" in record_attention(model, alone).notices[0]
    assert record_attention(model, masked).notices == ()
    assert record_attention(model, {"input_ids": word_ids(1, 5)}).notices == ()


def test_training_mode_is_refused() -> None:
    """AV-056, AV-059."""
    with pytest.raises(CaptureError, match=r"training mode.*call model.eval\(\) first"):
        record_attention(model_of("bert").train(), words(1))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["bert", "llama"])
def test_half_precision_is_recorded_in_float32(name: str, dtype: torch.dtype) -> None:
    """AV-057."""
    model = model_of(name).to(dtype)
    record = record_attention(model, words(1))
    assert prepare(model, words(1)).through_seam
    assert record.weights(1).dtype == np.float32
    np.testing.assert_allclose(record.weights(1).sum(-1), 1, atol=1e-6)


@pytest.mark.parametrize("implementation", ["sdpa", "eager", ATTENTION_NAME])
def test_model_keeps_its_implementation(implementation: str) -> None:
    model = model_of("bert", implementation)
    record_attention(model, words(1))
    assert model.config._attn_implementation == implementation


@pytest.mark.parametrize("name", ["deberta", "falcon", "mamba", "swin"])
def test_model_off_the_seam_keeps_its_implementation(name: str) -> None:
    model = model_of(name)
    found = model.config._attn_implementation
    with suppress(NoAttentionError):
        record_attention(model, ARCHITECTURES[name].inputs(1))
    assert model.config._attn_implementation == found


def test_parts_of_a_model_keep_implementations_of_their_own() -> None:
    model = model_of("clip")
    model.set_attn_implementation({"text_config": "eager", "vision_config": "sdpa"})
    record_attention(model, captions(1))
    assert model.config.text_config._attn_implementation == "eager"
    assert model.config.vision_config._attn_implementation == "sdpa"


def test_model_is_prepared_once() -> None:
    model = model_of("bert")
    assert prepare(model, words(1)) is prepare(model, words(1, 5))


def test_wrong_scaling_is_caught(monkeypatch: Any) -> None:
    monkeypatch.setattr(
        "mha_viz.core.layers.attention_scores",
        lambda query, key, *, scaling: attention_scores(query, key, scaling=1.1 * scaling),
    )
    with pytest.raises(CaptureError, match="layer 0: weights times values differ from"):
        record_of("bert")


def test_term_that_is_forgotten_twice_is_caught_by_what_the_model_reports(monkeypatch: Any) -> None:
    """AV-015: weights and output then agree with each other, and with nobody else."""
    for place in ("mha_viz.core.layers", "mha_viz.models.seam"):
        monkeypatch.setattr(f"{place}.soft_cap", lambda scores, _: scores)
    assert not prepare(model_of("gemma2-softcap"), words(1)).through_seam


def test_weights_that_are_reported_and_not_used_are_refused() -> None:
    """Falcon with ALiBi adds its bias twice where it reports, and once where it does not."""
    with pytest.raises(NoAttentionError, match="falcon computes something else when it reports"):
        record_attention(model_of("falcon-alibi"), words(1))
