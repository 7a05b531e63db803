"""A line of tokens read in other units: each token for itself, whole words, or whole sentences."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from mha_viz.core.record import Token
from mha_viz.errors import ChoiceError

UNITS = ("token", "word", "sentence")

# How the text of a token marks what would not be seen, or is no part of the text (see `Token.text`).
_SPACE_MARK, _PIECE_MARK = "␣", "·"
_SEEN = str.maketrans({_SPACE_MARK: " ", "⍽": " ", "⇥": "\t", "⏎": "\n", "␍": "\n", "◌": None})
_UNKNOWN_NOTE = re.compile(r" [<\[]\S+[>\]]$")
_SHARED_CHARACTER = re.compile(r"(⟨[^⟩]*⟩|◌?.) (\d+)/\d+ ?")

# Stands for a special token, which no sentence reaches across.
_WALL = "\0"
_CLOSING = r"""\])}"'”’»›」』）】》〉"""  # noqa: RUF001 (all are meant)
_BREAK = r"\n\v\f\r\x85\u2028\u2029"
_SENTENCE_END = re.compile(
    rf"[.!?…][{_CLOSING}]*+(?=\s++[^\s{_WALL}])"
    rf"|[。！？][{_CLOSING}]*+(?=\s*+[^\s。！？…{_WALL}])"  # noqa: RUF001 (full width is meant)
    rf"|\S(?=[^\S{_BREAK}]*+[{_BREAK}]\s*+[^\s{_WALL}])"
)


@dataclass(frozen=True)
class Units:
    """A line of tokens read in units.

    Attributes:
        tokens: One a unit. A unit of several tokens has their text as it was typed and the span from the first to the
            last, and no id; a unit of one token is that token, without the mark of a space before it.
        groups: The unit of each token of the line, counted from 0 without gaps, as `merge_positions` takes them.
    """

    tokens: tuple[Token, ...]
    groups: tuple[int, ...]

    @property
    def starts(self) -> tuple[int, ...]:
        """The first token of each unit."""
        return tuple(bisect_left(self.groups, unit) for unit in range(len(self.tokens)))


def units(tokens: Sequence[Token], text: str, by: str) -> Units:
    """Read a line of tokens in other units.

    A word is what the tokenizer counts as one, so that an apostrophe may stand alone. A sentence goes to a full stop,
    an exclamation or question mark or an ellipsis, with the quotes and brackets that close after it, if white space
    follows (none need follow those of full width), or to the end of a line. Abbreviations are not known: "Dr. Who" is
    cut. Special tokens are always units of their own.

    Args:
        tokens: The tokens.
        text: The text that was given. Where it is not what the spans of the tokens speak of, as for the second text of
            a pair or the target of a translation, units read as their tokens do.
        by: "token", "word" or "sentence".

    Raises:
        ChoiceError: If `by` is none of these.
    """
    if by not in UNITS:
        raise ChoiceError(f"unit {by!r} does not exist; choose one of {', '.join(UNITS)}")
    if by == "token":
        return Units(tuple(tokens), tuple(range(len(tokens))))
    pieces = _pieces(tokens, text)
    wholes = [token.piece_of_word for token in tokens] if by == "word" else _sentences(pieces)
    starts = _starts(tokens, wholes)
    merged = (
        _merge(tokens[start:end], "".join(pieces[start:end]))
        for start, end in pairwise([*starts, len(tokens)])
    )
    groups = (bisect_right(starts, index) - 1 for index in range(len(tokens)))
    return Units(tuple(merged), tuple(groups))


def _starts(tokens: Sequence[Token], wholes: Sequence[int | None]) -> list[int]:
    """Where units begin: neighbours of the same whole share one; None is a whole of its own."""
    parts = [
        None if _stands_alone(token) else whole for token, whole in zip(tokens, wholes, strict=True)
    ]
    neighbours = enumerate(pairwise([None, *parts]))
    return [index for index, (before, part) in neighbours if part is None or part != before]


def _stands_alone(token: Token) -> bool:
    return token.special or token.typed_special


def _merge(tokens: Sequence[Token], text: str) -> Token:
    """One token for all of a unit."""
    if len(tokens) == 1:
        return replace(tokens[0], text=tokens[0].text.lstrip(_SPACE_MARK) or tokens[0].text)
    spans = [token.span for token in tokens if token.span]
    span = (spans[0][0], spans[-1][1]) if spans else None
    read = " ".join(text.split()) or tokens[0].text
    # A mark at the start would sit on whatever is drawn to its left.
    return Token("◌" + read if unicodedata.category(read[0])[0] == "M" else read, span=span)


def _sentences(pieces: Sequence[str]) -> list[int]:
    """The sentence that each token begins in; one that adds nothing to read belongs to the token before."""
    ends = [end.end() for end in _SENTENCE_END.finditer("".join(pieces))]
    starts = accumulate(map(len, pieces[:-1]), initial=0)
    places = [start if piece else start - 1 for start, piece in zip(starts, pieces, strict=False)]
    return [bisect_right(ends, place) for place in places]


def _pieces(tokens: Sequence[Token], text: str) -> list[str]:
    """What each token adds to a reading of the line, with what was typed before it and is in no token."""
    typed = [_typed(token, text) for token in tokens]
    read = [
        _WALL if _stands_alone(token) else _plain(token) if own is None else own
        for token, own in zip(tokens, typed, strict=True)
    ]
    gaps = [""] * len(tokens)
    for index, (before, after) in enumerate(pairwise(tokens), 1):
        if before.span and after.span and before.span[1] < after.span[0]:
            between = text[before.span[1] : after.span[0]]
            known = typed[index - 1] is not None and typed[index] is not None
            # Tokenizers drop white space, and within a word accents and characters that nobody sees.
            seen = (letter for letter in between if letter.isspace() or letter.isprintable())
            gaps[index] = "".join(seen) if known else " "
    return [gap + piece for gap, piece in zip(gaps, read, strict=True)]


def _typed(token: Token, text: str) -> str | None:
    """What was typed for a token; None if the text does not say the same there, and so may be another one."""
    plain = _plain(token)
    typed = text[slice(*token.span)] if token.span and plain else ""
    return typed if typed and _folded(typed) == _folded(plain) else None


def _plain(token: Token) -> str:
    """The text of a token without marks; a character that several tokens share is read in the first of them."""
    whole = _SHARED_CHARACTER.sub(
        lambda shared: shared[1] if shared[2] == "1" else "", _UNKNOWN_NOTE.sub("", token.text)
    )
    return (whole.removeprefix(_PIECE_MARK) or whole).translate(_SEEN)


def _folded(text: str) -> str:
    """A text without what tokenizers commonly change: case, accents, forms of the same letter, white space."""
    letters = unicodedata.normalize("NFKD", text).casefold()
    return "".join(
        letter
        for letter in letters
        if not letter.isspace() and unicodedata.category(letter) != "Mn"
    )
