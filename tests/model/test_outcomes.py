"""What a forward pass ends in: the final vectors, and what a language model expects next."""

from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertForMaskedLM, BertForTokenClassification

import mha_viz
from mha_viz.core.interventions import HeadOff
from mha_viz.models.capture import record_attention
from tests.model.architectures import ARCHITECTURES
from tests.model.records import model_of, record_of
from tests.model.saved import save, save_tiny
from tests.model.small_tokenizers import unigram, word_piece
from tests.model.tiny import architecture, build, translation, word_ids, words

LANGUAGE_MODELS = {
    "bert": "BertForMaskedLM",
    "gpt2": "GPT2LMHeadModel",
    "llama": "LlamaForCausalLM",
    "gemma2-softcap": "Gemma2ForCausalLM",
    "gpt-oss-sinks": "GptOssForCausalLM",
    "opt": "OPTForCausalLM",
    "t5": "T5ForConditionalGeneration",
    "bart": "BartForConditionalGeneration",
}
MASK = 4


def with_head(name: str) -> Any:
    tiny = ARCHITECTURES[name]
    return build(
        architecture(
            tiny.family, tiny.sizes, tiny.inputs, model=LANGUAGE_MODELS[name], std=tiny.std
        )
    )


def output_of(model: Any, inputs: dict[str, torch.Tensor]) -> Any:
    with torch.inference_mode():
        return model(**inputs)


@pytest.mark.parametrize(
    "name", ["bert", "gpt2", "llama", "t5", "bart", "whisper", "vit", "deberta", "albert"]
)
def test_final_vectors_are_those_of_the_models_last_layer(name: str) -> None:
    record = record_of(name)
    expected = output_of(model_of(name), ARCHITECTURES[name].inputs(1)).last_hidden_state[0]
    assert record.final.dtype == np.float32
    np.testing.assert_allclose(record.final, expected, atol=1e-4 * expected.abs().max())
    assert record.predictions == ()


def test_final_vectors_are_read_only_and_count_as_memory() -> None:
    record = record_of("llama")
    with pytest.raises(ValueError, match="read-only"):
        record.final[0, 0] = 1
    slim = record.without_outputs()
    assert slim.final is record.final
    assert slim.n_bytes > record.final.nbytes


def test_two_towers_have_no_single_final_vectors() -> None:
    assert record_of("clip").final is None


@pytest.mark.parametrize("name", LANGUAGE_MODELS)
def test_final_vectors_of_a_language_model_are_those_below_its_head(name: str) -> None:
    model, inputs = with_head(name), ARCHITECTURES[name].inputs(1)
    below = {"t5": "decoder", "opt": "model.decoder"}.get(name, model.base_model_prefix)
    seen = []
    model.get_submodule(below).register_forward_hook(
        lambda *call: seen.append(call[-1].last_hidden_state[0])
    )
    output_of(model, inputs)
    record = record_attention(model, inputs)
    np.testing.assert_allclose(record.final, seen[0], atol=1e-4 * seen[0].abs().max())


@pytest.mark.parametrize("name", [name for name in LANGUAGE_MODELS if name != "bert"])
def test_prediction_is_of_what_follows_the_last_token(name: str) -> None:
    model, inputs = with_head(name), ARCHITECTURES[name].inputs(1)
    (expected,) = record_attention(model, inputs).predictions
    logits = output_of(model, inputs).logits[0]
    shares = torch.softmax(logits[-1].double(), -1)
    assert expected.position == len(logits) - 1
    assert expected.ids == tuple(shares.argsort(descending=True)[:10].tolist())
    np.testing.assert_allclose(
        expected.probabilities, shares.sort(descending=True).values[:10], rtol=1e-3
    )
    assert expected.texts == ()


def test_prediction_of_a_masked_model_is_of_each_hidden_token() -> None:
    model, ids = with_head("bert"), word_ids(1, 7)
    ids[0, [2, 5]] = MASK
    predictions = record_attention(model, {"input_ids": ids}, mask_id=MASK).predictions
    logits = output_of(model, {"input_ids": ids}).logits[0]
    assert [expected.position for expected in predictions] == [2, 5]
    for expected in predictions:
        assert expected.ids[0] == logits[expected.position].argmax()
    assert record_attention(model, {"input_ids": ids}).predictions == ()
    assert record_attention(model, words(1), mask_id=MASK).predictions == ()


def test_labels_of_a_classifier_are_no_predicted_tokens() -> None:
    tiny = ARCHITECTURES["bert"]
    model = build(architecture("Bert", tiny.sizes, words, model="BertForTokenClassification"))
    assert isinstance(model, BertForTokenClassification)
    assert record_attention(model, words(1), mask_id=MASK).predictions == ()


def test_prediction_changes_with_what_is_done_to_heads() -> None:
    model = with_head("t5")
    plain, changed = (
        record_attention(model, translation(1), interventions=interventions)
        for interventions in ([], [HeadOff(None, None, stream="cross")])
    )
    assert changed.predictions[0].probabilities != plain.predictions[0].probabilities
    assert np.abs(changed.final - plain.final).max() > 0.01


@pytest.mark.parametrize(
    ("name", "tokenizer", "options"),
    [("gpt2", unigram(), {}), ("t5", unigram(), {"target": "the cat"})],
    ids=["gpt2", "t5"],
)
def test_prediction_of_a_text_is_read_in_its_own_words(tmp_path, name, tokenizer, options) -> None:
    model = with_head(name)
    record = mha_viz.attend("the cat the", (model, tokenizer), **options)
    (expected,) = record.predictions
    known = [number for number in expected.ids if number < len(tokenizer)]
    assert len(expected.texts) == len(expected.ids) == 10
    for number, text in zip(expected.ids, expected.texts, strict=True):
        if number in known:
            name = tokenizer.convert_ids_to_tokens(number)
            assert text == name.replace("▁", "␣") or text.startswith(("⟨", "\\x", "<"))
        else:
            assert text == f"[{number}]"


def test_prediction_of_a_hidden_word_is_read_from_the_text() -> None:
    tokenizer, model = word_piece(), with_head("bert")
    assert isinstance(model, BertForMaskedLM)
    record = mha_viz.attend("the [MASK] cat", (model, tokenizer))
    assert [expected.position for expected in record.predictions] == [2]
    assert len(record.predictions[0].texts) == 10


def test_model_from_a_folder_predicts_if_it_was_saved_with_its_head(tmp_path) -> None:
    bare = save_tiny(tmp_path / "bare", "gpt2", unigram())
    headed = save(tmp_path / "headed", with_head("gpt2"), unigram()).source
    assert mha_viz.attend("the cat", bare).predictions == ()
    (expected,) = mha_viz.attend("the cat", headed).predictions
    assert expected.position == len(unigram()("the cat")["input_ids"]) - 1


@pytest.mark.parametrize("name", ["gpt2", "t5", "bert"])
def test_logits_are_those_of_the_model_at_every_position(name: str) -> None:
    model, inputs = with_head(name), ARCHITECTURES[name].inputs(1)
    record = record_attention(model, inputs)
    torch.testing.assert_close(
        record.logits, output_of(model, inputs).logits[0], rtol=1e-4, atol=1e-3
    )


def test_logits_count_as_memory_and_are_not_kept_with_a_text() -> None:
    record = record_attention(with_head("gpt2"), words(1))
    slim = record.without_outputs()
    assert slim.logits is None
    assert record.n_bytes >= slim.n_bytes + record.logits.nbytes
    assert record_of("gpt2").logits is None
