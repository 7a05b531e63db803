"""Tokens read as words and as sentences."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.core.record import Token
from mha_viz.core.units import UNITS, units
from mha_viz.errors import ChoiceError

CLS, SEP = Token("[CLS]", id=2, special=True), Token("[SEP]", id=3, special=True)


def typed(text: str, *pieces: str, words: tuple[int | None, ...] = ()) -> list[Token]:
    """Tokens found in a text one after another, with its white space before them marked as in byte-level BPE."""
    tokens, end = [], 0
    for index, piece in enumerate(pieces):
        start = text.index(piece, end)
        end = start + len(piece)
        word = words[index] if words else None
        seen = piece.replace(" ", "␣").replace("\n", "⏎")
        tokens.append(Token(seen, id=index, span=(start, end), piece_of_word=word))
    return tokens


def texts(tokens: list[Token], text: str, by: str) -> list[str]:
    return [unit.text for unit in units(tokens, text, by).tokens]


def sentences(text: str, *pieces: str) -> list[str]:
    return texts(typed(text, *pieces), text, "sentence")


def test_token_as_unit_changes_nothing():
    tokens = [CLS, *typed("the cat", "the", " cat", words=(0, 1)), SEP]
    read = units(tokens, "the cat", "token")
    assert read.tokens == tuple(tokens)
    assert read.groups == read.starts == (0, 1, 2, 3)


@pytest.mark.parametrize("by", UNITS)
def test_line_without_tokens_has_no_units(by: str):
    read = units([], "", by)
    assert (read.tokens, read.groups, read.starts) == ((), (), ())


def test_unknown_unit_is_refused_with_the_list():
    with pytest.raises(ChoiceError, match="'page' does not exist; choose one of token, word, sent"):
        units([CLS], "", "page")


def test_pieces_of_a_word_are_one_unit_and_special_tokens_stand_alone():
    text = "Big Tokenization"
    tokens = [CLS, *typed(text, "Big", "Token", "ization", words=(0, 1, 1)), SEP]
    tokens[2], tokens[3] = replace(tokens[2], text="token"), replace(tokens[3], text="·ization")
    read = units(tokens, text, "word")
    assert read.groups == (0, 1, 2, 2, 3)
    assert read.starts == (0, 1, 2, 4)
    assert read.tokens == (CLS, tokens[1], Token("Tokenization", span=(4, 16)), SEP)


def test_tokens_outside_words_stand_alone():
    text = "a\n\nb c"
    tokens = typed(text, "a", "\n", "\n", "b", " ", "c", words=(0, None, None, 1, 2, 2))
    assert texts(tokens, text, "word") == ["a", "⏎", "⏎", "b", "c"]


def test_typed_special_token_cuts_a_word():
    text = "un[MASK]able"
    tokens = typed(text, "un", "[MASK]", "a", "ble", words=(0, 0, 0, 0))
    tokens[1] = replace(tokens[1], typed_special=True)
    assert texts(tokens, text, "word") == ["un", "[MASK]", "able"]


def test_special_tokens_side_by_side_are_units_each():
    for by in UNITS:
        assert units([CLS, SEP, SEP], "", by).groups == (0, 1, 2)


def test_words_read_without_the_mark_of_the_space_before_them():
    tokens = typed("a cat sat", "a", " cat", " s", "at", words=(0, 1, 2, 2))
    assert texts(tokens, "a cat sat", "word") == ["a", "cat", "sat"]


def test_characters_that_tokens_share_are_read_once():
    tokens = [
        Token("␣", span=(0, 1), piece_of_word=0),
        Token("h", span=(0, 1), piece_of_word=0),
        Token("é 1/2", span=(1, 2), piece_of_word=0),
        Token("é 2/2", span=(1, 2), piece_of_word=0),
    ]
    assert texts(tokens, "hé", "word") == ["hé"]
    assert texts(tokens, "", "word") == ["hé"]


@pytest.mark.parametrize("text", ["", "tok", "Another text altogether, and a longer one."])
def test_spans_of_another_text_leave_the_text_of_the_tokens(text: str):
    tokens = [
        Token("␣token", span=(0, 5), piece_of_word=0),
        Token("·ization", span=(5, 12), piece_of_word=0),
        Token("! <unk>", span=(12, 13), piece_of_word=0),
        Token("漢 1/2", span=(13, 14), piece_of_word=0),
        Token("漢 2/2 字", span=(13, 15), piece_of_word=0),
        Token("next", span=(17, 21), piece_of_word=1),
    ]
    assert texts(tokens, text, "word") == ["tokenization!漢字", "next"]
    assert texts(tokens, text, "sentence") == ["tokenization!漢字 next"]


def test_what_nobody_sees_is_not_put_back_into_a_word():
    tokens = typed("un\u00ad\u202eable", "un", "able", words=(0, 0))
    assert texts(tokens, "un\u00ad\u202eable", "word") == ["unable"]


def test_accents_that_no_token_holds_are_put_back_and_none_starts_a_unit():
    tokens = typed("न्द", "न", "द", words=(0, 0))
    assert texts(tokens, "न्द", "word") == ["न्द"]
    shares = [Token(f"◌ि {count}/3", span=(0, 1), piece_of_word=0) for count in (1, 2, 3)]
    assert texts(shares, "ि", "word") == ["◌ि"]


@pytest.mark.parametrize(
    ("text", "pieces", "expected"),
    [
        ("It sat. It ran! Why?", ["It", "sat", ".", "It", "ran", "!", "Why", "?"],
         ["It sat.", "It ran!", "Why?"]),
        ("It sat. It ran.", ["It", " sat", ".", " It", " ran", "."], ["It sat.", "It ran."]),
        ("It sat. Up", ["It", " sat", ".", " ", "Up"], ["It sat.", "Up"]),
        ("It sat. ", ["It", " sat", ".", " "], ["It sat."]),
        ("Pi is 3.14 or so", ["Pi", "is", "3", ".", "14", "or", "so"], ["Pi is 3.14 or so"]),
        ("(Go.) He said “No!” twice", ["(", "Go", ".)", "He", "said", "“", "No", "!", "”", "twice"],
         ["(Go.)", "He said “No!”", "twice"]),
        ("Well... so… what?! “Ah”", ["Well", ".", ".", ".", "so", "…", "what", "?", "!", "“", "Ah", "”"],
         ["Well...", "so…", "what?!", "“Ah”"]),
        ("日本。「字！」漢？！字", ["日", "本", "。", "「", "字", "！", "」", "漢", "？", "！", "字"],
         ["日本。", "「字！」", "漢？！", "字"]),
        ("A title\nThe  cat", ["A", "title", "The", "cat"], ["A title", "The cat"]),
        ("A title\r\n\n The cat", ["A", " title", "\r", "\n", "\n", " The", " cat"],
         ["A title", "The cat"]),
        ("\nA title\n", ["\n", "A", " title", "\n"], ["A title"]),
        ("Dr. Who", ["Dr", ".", "Who"], ["Dr.", "Who"]),
    ],
    ids=["dropped spaces", "spaces in tokens", "space alone", "space at the end", "number", "closing marks", "dots",
         "full width", "line", "empty lines", "lines around", "abbreviation"],
)  # fmt: skip
def test_sentences_end_where_a_reader_sees_it(text: str, pieces: list[str], expected: list[str]):
    assert sentences(text, *pieces) == expected


def test_sentence_has_the_span_of_its_tokens_and_special_tokens_stay_out():
    text = "It sat. [MASK] ran"
    tokens = [CLS, *typed(text, "It", "sat", ".", "[MASK]", "ran"), SEP]
    tokens[4] = replace(tokens[4], typed_special=True)
    read = units(tokens, text, "sentence")
    assert read.groups == (0, 1, 1, 1, 2, 3, 4)
    assert read.tokens == (CLS, Token("It sat.", span=(0, 7)), tokens[4], tokens[5], SEP)


def test_sentence_mark_in_several_tokens_is_not_cut():
    shares = [Token(f"… {count}/3", span=(1, 2)) for count in (1, 2, 3)]
    tokens = [Token("a", span=(0, 1)), *shares, Token("␣b", span=(2, 4))]
    assert units(tokens, "a… b", "sentence").groups == (0, 0, 0, 0, 1)


def test_token_without_a_span_stays_with_its_sentence():
    tokens = typed("It sat. It ran.", "It", "sat", ".", "It", "ran", ".")
    tokens.insert(2, Token("∅"))
    tokens.insert(6, Token("∅"))
    assert units(tokens, "It sat. It ran.", "sentence").groups == (0, 0, 0, 0, 1, 1, 1, 1)


def test_second_text_of_a_pair_is_read_from_its_tokens():
    """Where the first text has a line break, the second has a space."""
    first, second = "on\nand on and on", "oh no. yes"
    tokens = [CLS, *typed(first, "on", "and"), SEP, *typed(second, "oh", "no", ".", "yes"), SEP]
    expected = ["[CLS]", "on", "and", "[SEP]", "oh no.", "yes", "[SEP]"]
    assert texts(tokens, first, "sentence") == expected


@given(
    st.lists(
        st.builds(
            Token,
            text=st.text(min_size=1, max_size=5),
            span=st.none() | st.tuples(st.integers(0, 11), st.integers(0, 13)),
            special=st.booleans(),
            piece_of_word=st.none() | st.integers(0, 2),
        ),
        max_size=7,
    ),
    st.text(max_size=11),
    st.sampled_from(UNITS),
)
def test_any_tokens_of_any_text_are_each_in_one_unit(tokens: list[Token], text: str, by: str):
    read = units(tokens, text, by)
    assert len(read.groups) == len(tokens)
    assert sorted(set(read.groups)) == list(range(len(read.tokens)))
    assert list(read.groups) == sorted(read.groups)
    assert [read.groups[start] for start in read.starts] == list(range(len(read.tokens)))
    for token, unit in zip(tokens, read.groups, strict=True):
        assert not token.special or read.groups.count(unit) == 1
