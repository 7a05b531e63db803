import json
import logging

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertModel,
    ByT5Tokenizer,
    GitConfig,
    GitForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    GPT2Model,
    RobertaConfig,
    RobertaForMaskedLM,
    T5Config,
    T5ForConditionalGeneration,
    T5Model,
)
from transformers.utils import logging as library_logging

from mha_viz.errors import ModelError
from mha_viz.models import files
from mha_viz.models.catalog import find_model
from mha_viz.models.loading import from_parts, load_model
from tests.model.saved import BERT, save, save_bert
from tests.model.small_tokenizers import byte_level, unigram, word_piece

GPT2 = GPT2Config(
    vocab_size=331, n_embd=12, n_layer=2, n_head=3, n_positions=64, bos_token_id=0, eos_token_id=0
)
T5 = T5Config(vocab_size=19, d_model=12, d_kv=5, d_ff=7, num_layers=2, num_heads=3)


def change_config(folder, **fields):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def refused(entry, *parts):
    """The message of the refusal: plain, and without a path of the machine."""
    with pytest.raises(ModelError) as error:
        load_model(entry)
    message = str(error.value)
    assert entry.source not in message
    assert "\n" not in message
    assert "Traceback" not in message
    for part in parts:
        assert part in message


# What is loaded


@pytest.mark.parametrize(
    ("model", "tokenizer", "loaded_as", "limit"),
    [
        (BertModel(BertConfig(**BERT)), word_piece(), "BertModel", 37),
        (BertForMaskedLM(BertConfig(**BERT)), word_piece(), "BertModel", 37),
        (RobertaForMaskedLM(RobertaConfig(**BERT)), word_piece(), "RobertaModel", 35),
        (GPT2LMHeadModel(GPT2), byte_level(), "GPT2LMHeadModel", 64),
        (GPT2Model(GPT2), byte_level(), "GPT2Model", 64),
        (T5ForConditionalGeneration(T5), unigram(), "T5ForConditionalGeneration", None),
        (T5Model(T5), unigram(), "T5Model", None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_folder_is_loaded_with_the_head_it_was_saved_with(
    tmp_path, model, tokenizer, loaded_as, limit
):
    loaded = load_model(save(tmp_path, model, tokenizer))
    assert type(loaded.model).__name__ == loaded_as
    assert loaded.limit == limit
    assert loaded.model.config._attn_implementation == "mhaviz"
    assert not loaded.model.training
    expected = {name: value for name, value in model.state_dict().items() if "attention" in name}
    for name, value in loaded.model.state_dict().items():
        if name in expected:
            torch.testing.assert_close(value, expected[name], rtol=0, atol=0)


def test_half_precision_is_loaded_as_single(tmp_path):
    entry = save(tmp_path, BertModel(BertConfig(**BERT)).to(torch.float16), word_piece())
    assert {weight.dtype for weight in load_model(entry).model.parameters()} == {torch.float32}


def test_sharded_folder_is_loaded(tmp_path):
    entry = save_bert(tmp_path)
    model = load_model(entry).model
    (tmp_path / "model.safetensors").unlink()
    model.save_pretrained(tmp_path, max_shard_size="3KB")
    assert len(list(tmp_path.glob("model-*.safetensors"))) > 1
    again = load_model(entry).model
    torch.testing.assert_close(again.state_dict(), model.state_dict(), rtol=0, atol=0)


def test_class_that_refuses_the_attention_name_is_loaded_with_its_eager_one(tmp_path):
    vision = {
        "hidden_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "image_size": 8,
        "patch_size": 4,
    }
    config = GitConfig(vision_config=vision, **BERT, bos_token_id=2, eos_token_id=3)
    loaded = load_model(save(tmp_path, GitForCausalLM(config), word_piece()))
    assert loaded.model.config._attn_implementation == "eager"


def test_tokenizer_gives_only_what_the_model_takes(tmp_path):
    entry = save(tmp_path, GPT2Model(GPT2), byte_level(model_input_names=["input_ids", "made_up"]))
    assert load_model(entry).tokenizer.model_input_names == ["input_ids"]


def test_tokenizer_without_files_is_taken_where_it_has_none(tmp_path):
    """ByT5 reads bytes: there is no vocabulary to be saved."""
    config = T5Config(**T5.to_dict() | {"vocab_size": 389})
    assert load_model(save(tmp_path, T5Model(config), ByT5Tokenizer())).tokenizer.vocab_size == 256


def test_missing_pooler_is_no_reason_to_refuse(tmp_path):
    entry = save(tmp_path, BertModel(BertConfig(**BERT), add_pooling_layer=False), word_piece())
    assert load_model(entry).model.pooler is not None


def test_loading_says_nothing_and_leaves_the_log_as_it_was(tmp_path, monkeypatch, caplog, capfd):
    entry = save(tmp_path, BertForMaskedLM(BertConfig(**BERT)), word_piece())
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)
    before = library_logging.get_verbosity(), library_logging.is_progress_bar_enabled()
    capfd.readouterr()
    caplog.clear()
    load_model(entry)
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []
    assert (library_logging.get_verbosity(), library_logging.is_progress_bar_enabled()) == before


def test_loaded_parts_are_left_as_they_are():
    model, tokenizer = BertModel(BertConfig(**BERT)), word_piece()
    loaded = from_parts(model, tokenizer)
    assert loaded.model is model
    assert loaded.tokenizer is tokenizer
    assert (loaded.entry.name, loaded.limit) == ("BertModel", 37)


def test_parts_that_are_no_model_and_tokenizer_are_an_error():
    with pytest.raises(ModelError, match="was given BertModel and NoneType"):
        from_parts(BertModel(BertConfig(**BERT)), None)


# What is refused


def test_damaged_config_is_refused(tmp_path):
    entry = save_bert(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(path.read_text()[:-11])
    refused(entry, "'./mine': config.json is damaged")


@pytest.mark.parametrize("content", ["[]", "{}", '{"model_type": 3}'])
def test_config_without_a_type_is_refused(tmp_path, content):
    entry = save_bert(tmp_path)
    (tmp_path / "config.json").write_text(content)
    refused(entry, "says no model_type")


def test_unknown_type_with_code_of_its_own_is_refused_and_its_code_not_run(tmp_path):
    entry = save_bert(tmp_path)
    (tmp_path / "own.py").write_text("raise SystemExit('it was run')")
    change_config(
        tmp_path,
        model_type="own-kind",
        auto_map={"AutoConfig": "own.OwnConfig", "AutoModel": "own.OwnModel"},
    )
    refused(entry, "'own-kind'", "never run")


def test_known_type_is_loaded_without_the_code_it_brings(tmp_path):
    entry = save_bert(tmp_path)
    (tmp_path / "own.py").write_text("raise SystemExit('it was run')")
    change_config(tmp_path, auto_map={"AutoConfig": "own.OwnConfig", "AutoModel": "own.OwnModel"})
    assert isinstance(load_model(entry).model, BertModel)


def test_config_with_impossible_sizes_is_refused(tmp_path):
    entry = save_bert(tmp_path)
    change_config(tmp_path, hidden_size="wide")
    refused(entry, "config.json does not describe a bert model")


@pytest.mark.parametrize(
    ("field", "value", "part"),
    [
        ("num_hidden_layers", 10**9, "1,000,000,000 layers, the limit is 1,000"),
        ("vocab_size", 10**10, "447.03 GiB of memory, the limit is 4.00 GiB"),
        ("max_position_embeddings", 10**10, "the limit is 4.00 GiB"),
    ],
)
def test_config_that_asks_for_too_much_is_refused_before_room_is_made(tmp_path, field, value, part):
    entry = save_bert(tmp_path)
    change_config(tmp_path, **{field: value})
    refused(entry, part)


def test_weights_of_other_sizes_than_the_config_says_are_refused(tmp_path):
    entry = save_bert(tmp_path)
    change_config(tmp_path, hidden_size=15)
    refused(entry, "damaged or do not fit config.json")


@pytest.mark.parametrize("keep", [0, 100, -5], ids=["empty", "header cut", "end cut"])
def test_corrupt_weights_are_refused(tmp_path, keep):
    entry = save_bert(tmp_path)
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    refused(entry, "damaged")


@pytest.mark.parametrize(
    "part", ["attention.self.query.weight", "embeddings.word_embeddings", "output.dense.bias"]
)
def test_missing_weights_are_refused_instead_of_drawn_at_random(tmp_path, part):
    entry = save_bert(tmp_path)
    path = tmp_path / "model.safetensors"
    save_file({name: value for name, value in load_file(path).items() if part not in name}, path)
    refused(entry, "weights", part, "at random")


def test_missing_head_for_predictions_is_refused(tmp_path):
    untied = GPT2Config(**GPT2.to_dict() | {"tie_word_embeddings": False})
    entry = save(tmp_path, GPT2LMHeadModel(untied), byte_level())
    path = tmp_path / "model.safetensors"
    save_file(
        {name: value for name, value in load_file(path).items() if "lm_head" not in name}, path
    )
    refused(entry, "lacks 1 of its weights", "lm_head.weight")


def test_folder_without_a_tokenizer_is_refused(tmp_path):
    """The library would make up a tokenizer that knows five tokens, and every word would be unknown."""
    refused(save(tmp_path, BertModel(BertConfig(**BERT)), None), "no tokenizer", "tokenizer.json")


def test_damaged_tokenizer_is_refused(tmp_path):
    entry = save_bert(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{")
    refused(entry, "no tokenizer that can be read")


def test_tokenizer_of_another_model_is_refused(tmp_path):
    refused(save(tmp_path, BertModel(BertConfig(**BERT)), byte_level()), "do not belong together")


def test_tokenizer_that_needs_a_package_that_is_not_there_is_refused(tmp_path):
    entry = save_bert(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "XLMTokenizer"}')
    refused(entry, "Python package that is not installed")


def test_weights_that_need_a_package_that_is_not_there_are_refused(tmp_path):
    entry = save_bert(tmp_path)
    quantized = {"quant_method": "bitsandbytes", "load_in_8bit": True}
    change_config(tmp_path, quantization_config=quantized)
    refused(entry, "Python package that is not installed")


def test_config_cannot_choose_a_pickled_file(tmp_path):
    entry = save_bert(tmp_path)
    expected = load_model(entry).model.state_dict()
    torch.save(
        {name: torch.zeros_like(value) for name, value in expected.items()},
        tmp_path / "adapter_model.bin",
    )
    change_config(tmp_path, transformers_weights="adapter_model.bin")
    torch.testing.assert_close(load_model(entry).model.state_dict(), expected, rtol=0, atol=0)


# The bundled model


@pytest.mark.model
def test_bundled_model_is_loaded_ready_to_record():
    loaded = load_model(find_model("minilm"))
    config = loaded.model.config
    assert (config.num_hidden_layers, config.num_attention_heads, loaded.limit) == (6, 12, 512)
    assert config._attn_implementation == "mhaviz"
    assert not loaded.model.training
    assert loaded.entry.kind == "bundled"


@pytest.mark.model
def test_bundled_model_with_other_weights_is_refused(monkeypatch):
    monkeypatch.setattr(files, "BUNDLED_SHA256", "0" * 64)
    refused(find_model("minilm"), "not the ones that were published")
