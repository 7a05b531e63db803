"""From text to tokens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.school.lexicon import Lexicon
from mha_viz.school.vocabulary import START, UNKNOWN, Vocabulary

VOCABULARY = Vocabulary(Lexicon())


def words_of(text: str) -> list[str]:
    return [VOCABULARY.words[token.id] for token in VOCABULARY.read(text)[1:]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The KEYS are rusty.", ["the", "keys", "are", "rusty", "."]),
        ("Dr. Ada, dr Stone", ["dr", "ada", ",", "dr", "stone"]),
        ("a judge.", ["a", "judge", "."]),
        ("“yes” — ‘no’", ['"', "yes", '"', "-", "'", "no", "'"]),
        ("Zob", ["z", "o", "b"]),
        ("naïve", ["n", "a", "i", "v", "e"]),
        ("10", ["1", "0"]),
        ("猫 dog", [UNKNOWN, "dog"]),
        ("👩‍🔬👍🏽!", [UNKNOWN, UNKNOWN, "!"]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_text_when_read_gives_these_words(text: str, words: list[str]):
    assert words_of(text) == words


def test_unknown_word_is_spelled_in_pieces_of_one_word():
    tokens = VOCABULARY.read("the Zob")[1:]
    assert [token.text for token in tokens] == ["the", "Z", "·o", "·b"]
    assert [token.piece_of_word for token in tokens] == [0, 1, 1, 1]


def test_first_token_is_one_that_nobody_typed():
    start = VOCABULARY.read("dog")[0]
    assert (start.text, start.special, start.span) == (START, True, None)


def test_word_that_is_not_known_has_the_number_of_unknown():
    assert VOCABULARY.id_of("xylograph") == VOCABULARY.id_of(UNKNOWN)


@given(text=st.text(max_size=47))
@settings(deadline=None)
def test_any_text_is_read_and_each_token_stands_where_it_says(text: str):
    tokens = VOCABULARY.read(text)[1:]
    for token in tokens:
        start, end = token.span
        assert token.text.removeprefix("·") == text[start:end].removeprefix("·")
        assert 0 <= token.id < len(VOCABULARY)
    covered = [at for token in tokens for at in range(*token.span)]
    assert covered == sorted(set(covered))
    assert all(text[at].isspace() for at in set(range(len(text))) - set(covered))
