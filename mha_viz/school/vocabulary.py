"""From a text to tokens: one a word, and for a word that is not known one a letter."""

import re
import unicodedata
from collections.abc import Sequence

from mha_viz.core.record import Token
from mha_viz.school.lexicon import Lexicon

START, UNKNOWN = "<start>", "<unknown>"
PUNCTUATION = ". , ? ! : ; \" ' ( ) [ ] { } -"
# What belongs to the character before it: accents, joiners with what they join, shades of emoji.
MARKS = "(?:[\u0300-\u036f\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]|\u200d\\S?)*"
CHARACTER = re.compile(rf"\S{MARKS}")
# "Dr." is one token, as "Dr" is; "judge." at the end of a sentence is two.
PART = re.compile(rf"(?:dr|prof)\.|(?:[^\W\d_]{MARKS})+|\S{MARKS}", re.IGNORECASE)
PLAIN_SIGNS = str.maketrans(
    dict.fromkeys("“”„«»", '"')
    | dict.fromkeys("\u2018\u2019", "'")
    | dict.fromkeys("\u2013\u2014", "-")
)


class Vocabulary:
    """The words that the model knows, and how a text is cut into them. Case does not count.

    Every text starts with `<start>`, so that its first word is predicted too. A word that is not
    known is spelled; a character that is no letter, digit or known sign becomes `<unknown>`.

    Args:
        lexicon: The words.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.words = (START, UNKNOWN, *PUNCTUATION.split(), *lexicon.words)
        self._ids = {word: index for index, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def id_of(self, word: str) -> int:
        """The number of a word; that of `<unknown>` if it is not known."""
        return self._ids.get(word, self._ids[UNKNOWN])

    def encode(self, words: Sequence[str]) -> list[int]:
        """The numbers of the words of a document, `<start>` first."""
        return [self.id_of(word) for word in (START, *words)]

    def read(self, text: str) -> tuple[Token, ...]:
        """The tokens of any text; the first one is `<start>`."""
        tokens = [Token(START, self.id_of(START), special=True)]
        for index, match in enumerate(PART.finditer(text)):
            tokens += self._tokens_of(match[0], match.start(), index)
        return tuple(tokens)

    def _tokens_of(self, part: str, start: int, index: int) -> list[Token]:
        whole = self._ids.get(_plain(part))
        if whole is not None:
            return [Token(part, whole, (start, start + len(part)), piece_of_word=index)]
        # A piece that goes on with a word is marked by a dot in front.
        return [
            Token(
                f"·{character[0]}" if character.start() else character[0],
                self.id_of(_plain(character[0])),
                (start + character.start(), start + character.end()),
                piece_of_word=index,
            )
            for character in CHARACTER.finditer(part)
        ]


def _plain(part: str) -> str:
    """As the lists have it: lower case, no accents, straight quotes, no dot after a title."""
    decomposed = unicodedata.normalize("NFKD", part.translate(PLAIN_SIGNS).casefold())
    plain = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return plain[:-1] if len(plain) > 1 and plain.endswith(".") else plain
