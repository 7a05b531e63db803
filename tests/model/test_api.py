"""The public functions, called as a notebook calls them."""

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from transformers import AutoModel, BertConfig, BertModel

import mha_viz
from mha_viz.errors import MhaVizError, TextError
from tests.model.records import model_of
from tests.model.saved import BERT, save, save_bert, save_tiny
from tests.model.small_tokenizers import unigram, word_piece
from tests.model.tiny import N_REAL, padded, words

pytestmark = pytest.mark.model

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
PYTHON_BLOCK = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
READ = "the cat token the cat"
READ_TOKENS = ["[CLS]", "the", "cat", "token", "the", "cat", "[SEP]"]


def reported(folder: str, **inputs: torch.Tensor) -> Any:
    """What the model in a folder says itself."""
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.inference_mode():
        return model(**inputs, output_attentions=True, use_cache=False)


def texts_of(tokens: tuple) -> list[str]:
    return [token.text for token in tokens]


# What is there


def test_exported_names_are_those_of_the_readme_and_say_what_they_do():
    assert set(mha_viz.__all__) == set(re.findall(r"mha_viz\.(\w+)\(", PYTHON_BLOCK))
    for name in mha_viz.__all__:
        assert len(inspect.getdoc(getattr(mha_viz, name))) > 40


def test_lines_of_the_readme_when_run_give_what_their_comments_say(monkeypatch):
    shown = []

    def show(figure: go.Figure) -> None:
        shown.append(figure)

    monkeypatch.setattr(go.Figure, "show", show)
    names = {"model": BertModel(BertConfig(**BERT)).eval(), "inputs": words(3)}
    names["inputs"]["input_ids"] %= BERT["vocab_size"]
    lines, values = PYTHON_BLOCK.splitlines(), {}
    for statement in ast.parse(PYTHON_BLOCK).body:
        code = ast.unparse(statement)
        if not isinstance(statement, ast.Expr):
            exec(code, names)
            continue
        values[code] = eval(code, names)
        comment = lines[statement.end_lineno - 1].partition("  # ")[2]
        if re.fullmatch(r'"[^"]*"|\([\d, ]+\)', comment):
            assert values[code] == ast.literal_eval(comment)
    assert len(shown) == PYTHON_BLOCK.count(".show()") == 3
    weights = values["record.weights(layer=0, head=2)"]
    assert (weights.dtype, weights.shape) == (np.float32, (12, 12))
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
    assert len(values["mha_viz.measures(record)"]) == 6 * 12
    assert values["mha_viz.record(model, inputs, row=0)"].n_heads == BERT["num_attention_heads"]


# attend


def test_attend_with_a_name_and_with_the_loaded_model_gives_the_same(
    minilm_model, minilm_tokenizer
):
    named = mha_viz.attend("Hi there", model="minilm")
    before = minilm_model.config._attn_implementation
    given = mha_viz.attend("Hi there", model=(minilm_model, minilm_tokenizer))
    assert minilm_model.config._attn_implementation == before
    assert (named.model_name, named.text, named.streams) == ("minilm", "Hi there", ("self",))
    assert texts_of(named.tokens) == texts_of(given.tokens) == ["[CLS]", "hi", "there", "[SEP]"]
    for layer in range(6):
        np.testing.assert_allclose(named.weights(layer), given.weights(layer), atol=1e-6)
    assert not named.weights(0).flags.writeable


def test_attend_with_a_folder_gives_the_weights_of_its_model(tmp_path):
    folder = save_bert(tmp_path).source
    record = mha_viz.attend(READ, model=folder)
    assert texts_of(record.tokens) == READ_TOKENS
    expected = reported(folder, **word_piece()(READ, return_tensors="pt")).attentions
    for layer in range(2):
        np.testing.assert_allclose(record.weights(layer), expected[layer][0], atol=1e-6)


def test_attend_with_a_second_text_reads_both_as_a_pair(tmp_path):
    tokenizer = word_piece(model_input_names=["input_ids", "token_type_ids", "attention_mask"])
    folder = save_tiny(tmp_path, "bert", tokenizer)
    record = mha_viz.attend("the cat", folder, text_pair="token")
    assert texts_of(record.tokens) == ["[CLS]", "the", "cat", "[SEP]", "token", "[SEP]"]
    inputs = tokenizer("the cat", "token", return_tensors="pt")
    assert inputs["token_type_ids"].tolist() == [[0, 0, 0, 0, 1, 1]]
    expected = reported(folder, **inputs).attentions
    for layer in range(2):
        np.testing.assert_allclose(record.weights(layer), expected[layer][0], atol=1e-5)


@pytest.mark.parametrize(
    ("name", "tokenizer", "start", "said"),
    [
        ("t5", unigram(), 0, ["<pad>", "␣cat", "␣the"]),
        ("bart", word_piece(), 2, ["[CLS]", "[CLS]", "cat", "the"]),
    ],
    ids=["t5", "bart"],
)
def test_attend_with_a_target_gives_three_streams_that_begin_with_the_start_token(
    tmp_path, name, tokenizer, start, said
):
    """The decoder reads its start token and the target less its end: shifted by one."""
    folder = save_tiny(tmp_path, name, tokenizer)
    record = mha_viz.attend("the cat the the", folder, target="cat the")
    source, target = tokenizer("the cat the the"), tokenizer("cat the")
    decoder_ids = torch.tensor([[start, *target["input_ids"][:-1]]])
    n_source, n_said = len(source["input_ids"]), decoder_ids.shape[1]
    assert record.streams == ("encoder", "decoder", "cross")
    assert texts_of(record.stream("decoder").query_tokens) == said
    assert record.stream("decoder").query_tokens[0].special
    assert record.stream("cross").query_tokens == record.stream("decoder").key_tokens
    assert record.stream("cross").key_tokens == record.stream("encoder").query_tokens
    shapes = {stream: record.stream(stream).weights(1).shape for stream in record.streams}
    assert shapes == {
        "encoder": (6, n_source, n_source),
        "decoder": (6, n_said, n_said),
        "cross": (6, n_said, n_source),
    }
    source_ids = torch.tensor([source["input_ids"]])
    expected = reported(folder, input_ids=source_ids, decoder_input_ids=decoder_ids)
    np.testing.assert_allclose(
        record.stream("cross").weights(1), expected.cross_attentions[1][0], atol=1e-5
    )


@pytest.mark.parametrize("target", [None, ""])
def test_attend_without_a_target_gives_the_start_token_alone(tmp_path, target):
    record = mha_viz.attend("the cat", save_tiny(tmp_path, "bart"), target=target)
    assert texts_of(record.stream("decoder").query_tokens) == ["[CLS]"]
    np.testing.assert_array_equal(record.stream("decoder").weights(0), np.ones((6, 1, 1)))


def test_attend_with_a_target_for_an_encoder_says_that_it_takes_none():
    with pytest.raises(TextError, match=r"MiniLM .*takes no target; leave the target out"):
        mha_viz.attend("Hi", target="there")


def test_attend_with_a_typed_token_that_the_model_does_not_know_names_it(tmp_path):
    """A tokenizer that was given a token more, and a model that was not."""
    tokenizer = word_piece()
    known = len(tokenizer)
    tokenizer.add_tokens(["[NEW]"], special_tokens=True)
    folder = save(tmp_path, BertModel(BertConfig(**BERT | {"vocab_size": known})), tokenizer).source
    assert len(mha_viz.attend("the cat", folder).tokens) == 4
    with pytest.raises(TextError, match=r"holds \[NEW\], which .* has no vector for; leave it out"):
        mha_viz.attend("the [NEW] cat", folder)


@pytest.mark.parametrize(
    "model",
    [3, None, (), (1, 2), (1, 2, 3), ("minilm", "minilm")],
    ids=str,
)
def test_attend_with_what_is_no_model_says_what_was_expected(unchecked, model):
    with pytest.raises(MhaVizError, match="expected"):
        mha_viz.attend("Hi", model=model)


# record


@pytest.mark.parametrize("side", ["right", "left"])
def test_record_of_a_row_leaves_its_padding_out(side):
    """AV-026: the row of a batch is the text alone."""
    model, batch = model_of("llama"), padded(words(3), side, pad=0)
    record = mha_viz.record(model, batch, row=1)
    ids = batch["input_ids"][1][batch["attention_mask"][1].bool()]
    alone = mha_viz.record(model, {"input_ids": ids[None]})
    assert texts_of(record.tokens) == [str(position) for position in range(N_REAL)]
    assert (record.text, record.streams) == ("", ("self",))
    for layer in range(2):
        np.testing.assert_allclose(record.weights(layer), alone.weights(layer), atol=1e-5)


@pytest.mark.parametrize("text", [None, 5, b"words", ["words"]])
def test_attend_with_what_is_no_text_says_what_was_expected(unchecked, text: object):
    with pytest.raises(TextError, match="expected a text, got"):
        mha_viz.attend(text)
