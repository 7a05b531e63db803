"""Words and sentences of MiniLM's own tokens, and of one small tokenizer of each kind."""

from typing import Any

import numpy as np
import pytest
from tokenizers import normalizers
from transformers import ByT5Tokenizer, PreTrainedTokenizerBase

from mha_viz.core.regrouping import merge_positions
from mha_viz.core.units import units
from mha_viz.models.capture import record_attention
from mha_viz.models.tokens import encode
from tests.model.small_tokenizers import byte_fallback, byte_level, unigram, word_piece


def texts(tokenizer: PreTrainedTokenizerBase, text: str, by: str) -> list[str]:
    return [unit.text for unit in units(encode(tokenizer, text).tokens, text, by).tokens]


@pytest.mark.model
def test_minilm_pieces_merged_into_words_give_six_rows_that_sum_to_one(
    minilm_model: Any, minilm_tokenizer: Any
):
    """AV-066."""
    text = "Transformers tokenization is unbelievable"
    encoded = encode(minilm_tokenizer, text)
    words = units(encoded.tokens, text, "word")
    assert [word.text for word in words.tokens] == [
        "[CLS]",
        "transformers",
        "tokenization",
        "is",
        "unbelievable",
        "[SEP]",
    ]
    assert words.groups == (0, 1, 2, 2, 3, 4, 5)
    weights = record_attention(minilm_model, encoded.inputs).weights(0)
    merged = merge_positions(weights, words.groups, words.groups)
    assert merged.shape == (12, 6, 6)
    assert merged.dtype == np.float32
    np.testing.assert_allclose(merged.sum(-1), 1, atol=1e-6)
    by_hand = (weights[:, 2, 2] + weights[:, 2, 3] + weights[:, 3, 2] + weights[:, 3, 3]) / 2
    np.testing.assert_allclose(merged[:, 2, 2], by_hand, rtol=1e-6)


@pytest.mark.model
def test_minilm_text_of_three_sentences(minilm_tokenizer: Any):
    text = 'The cat sat, all 3.14 of it. "Unbelievable!" Was it\nhungry?'
    assert texts(minilm_tokenizer, text, "sentence") == [
        "[CLS]",
        "The cat sat, all 3.14 of it.",
        '"Unbelievable!"',
        "Was it",
        "hungry?",
        "[SEP]",
    ]


@pytest.mark.model
def test_minilm_word_reads_as_it_was_typed(minilm_tokenizer: Any):
    assert texts(minilm_tokenizer, "Ünbelievability's", "word")[1:-1] == [
        "Ünbelievability",
        "'",
        "s",
    ]


@pytest.mark.parametrize(
    ("tokenizer", "text", "expected"),
    [
        (word_piece(), "the tokenization#un", ["[CLS]", "the", "tokenization", "#", "un", "[SEP]"]),
        (byte_level(), "Don't stop… 漢\n é", ["Don", "'t", "stop", "…", "漢", "⏎", "é"]),
        (byte_fallback(), "hello, w 🤖d", ["<s>", "hello,", "w", "␣", "🤖d"]),
        (unigram(), "the cats, the cat's", ["the", "cats,", "the", "cat's", "</s>"]),
        (ByT5Tokenizer(), "é x", ["é 1/2", "é 2/2", "␣", "x", "</s>"]),
    ],
    ids=["word piece", "byte level", "byte fallback", "unigram", "no offsets"],
)
def test_words_of_each_kind_of_tokenizer(
    tokenizer: PreTrainedTokenizerBase, text: str, expected: list[str]
):
    assert texts(tokenizer, text, "word") == expected


@pytest.mark.parametrize(
    "tokenizer",
    [byte_level(), byte_fallback(), ByT5Tokenizer()],
    ids=["byte level", "byte fallback", "no offsets"],
)
def test_sentences_read_the_same_whatever_the_tokenizer(tokenizer: PreTrainedTokenizerBase):
    read = texts(tokenizer, "hello word… 3.14é! low\nwell。漢", "sentence")
    assert [text for text in read if text not in ("<s>", "</s>")] == [
        "hello word…",
        "3.14é!",
        "low",
        "well。",
        "漢",
    ]


def test_lines_are_kept_apart_where_the_tokenizer_takes_their_ends_for_spaces():
    tokenizer = unigram()
    tokenizer.backend_tokenizer.normalizer = normalizers.Replace("\n", " ")
    assert texts(tokenizer, "the cats.\nthe cat\n\nthe", "sentence") == [
        "the cats.",
        "the cat",
        "the",
        "</s>",
    ]
