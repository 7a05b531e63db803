"""The school's vocabulary as a tokenizer: the same tokens, with their places, and nothing that a person types stops it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.record import Token
from mha_viz.errors import TextError
from mha_viz.models.school_tokenizer import SchoolTokenizer
from mha_viz.models.tokens import LONE_SURROGATE, encode
from mha_viz.school.lexicon import Lexicon
from mha_viz.school.vocabulary import PART, START, UNKNOWN, Vocabulary

VOCABULARY = Vocabulary(Lexicon())
TOKENIZER = SchoolTokenizer(VOCABULARY)


def tokens_of(text: str, limit: int | None = None) -> tuple[Token, ...]:
    return encode(TOKENIZER, text, limit=limit).tokens


def texts_of(text: str) -> list[str]:
    return [token.text for token in tokens_of(text)]


def test_start_comes_first_and_is_nobodys_word():
    first, *rest = tokens_of("the dogs")
    assert (first.text, first.special, first.span, first.piece_of_word) == (START, True, None, None)
    assert not any(token.special for token in rest)


def test_case_when_it_differs_does_not_count():
    assert texts_of("THE Keys") == texts_of("the keys") == [START, "the", "keys"]


def test_word_that_is_not_known_is_spelled_in_marked_pieces():
    assert texts_of("dog Zob") == [START, "dog", "z", "·o", "·b"]
    assert [token.piece_of_word for token in tokens_of("dog Zob")] == [None, 0, 1, 1, 1]
    assert texts_of("z o b") == [START, "z", "o", "b"]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("👩‍🔬!", ["👩\u200d🔬 <unknown>", "!"]),
        ("שלום", ["ש <unknown>", "ל <unknown>", "ו <unknown>", "ם <unknown>"]),
        ("a\u202eb", ["a", "⟨RLO⟩ <unknown>", "b"]),
        ("dog\x00cat", ["dog", "␀ <unknown>", "cat"]),
        ("tab\tdog\n\ncat\xa0", ["t", "·a", "·b", "dog", "cat"]),
        ("\ud83e dog", ["\ufffd <unknown>", "dog"]),
        ("“yes”", ['"', "yes", '"']),
    ],
    ids=["emoji", "right to left", "direction", "null", "white space", "half", "quotes"],
)
def test_odd_text_is_read_and_shown_as_typed(text: str, texts: list[str]):
    """AV-061, AV-064."""
    assert texts_of(text) == [START, *texts]


def test_name_of_a_special_token_when_typed_is_signs_and_letters():
    """AV-063: nobody can type a token that the model adds."""
    ids = [token.id for token in tokens_of(START)]
    assert ids.count(VOCABULARY.id_of(START)) == 1
    assert not any(token.typed_special for token in tokens_of(f"{START} {UNKNOWN}"))


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_blank_text_is_refused_in_the_usual_sentence(text: str):
    """AV-091."""
    with pytest.raises(TextError, match="the text is empty: type a few words"):
        tokens_of(text)


def test_second_text_follows_the_first_with_words_of_its_own():
    encoded = encode(TOKENIZER, "the dog", text_pair="dog barks")
    assert [token.text for token in encoded.tokens] == [START, "the", "dog", "dog", "barks"]
    assert [token.piece_of_word for token in encoded.tokens] == [None, 0, 1, 2, 3]
    assert encoded.tokens[3].span == (0, 3)
    with pytest.raises(TextError, match="the second text is empty"):
        encode(TOKENIZER, "the dog", text_pair=" ")


def test_long_text_is_cut_at_its_end_with_a_notice():
    """AV-090."""
    encoded = encode(TOKENIZER, "the dog " * 53, limit=61)
    assert encoded.notices == ("showing the first 61 of 107 tokens: the model's limit is 61",)
    assert {tuple(tensor.shape) for tensor in encoded.inputs.values()} == {(1, 61)}
    assert encoded.tokens == tokens_of("the dog " * 53)[:61]


@given(text=st.text(max_size=47).filter(PART.search))
@settings(deadline=None)
def test_any_text_has_the_tokens_of_the_vocabulary_and_their_places(text: str):
    read, tokens = VOCABULARY.read(LONE_SURROGATE.sub("\ufffd", text)), tokens_of(text)
    assert [token.id for token in tokens] == [token.id for token in read]
    assert [token.span for token in tokens] == [token.span for token in read]
    assert [token.piece_of_word for token in tokens] == [token.piece_of_word for token in read]


def test_every_number_has_its_word_and_every_word_its_number():
    numbers = list(range(len(VOCABULARY)))
    names = TOKENIZER.convert_ids_to_tokens(numbers)
    assert names == list(VOCABULARY.words)
    assert TOKENIZER.convert_tokens_to_ids(names) == numbers
    assert TOKENIZER.vocab_size == len(TOKENIZER.get_vocab()) == len(TOKENIZER) == len(VOCABULARY)
