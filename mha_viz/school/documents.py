"""A document of the school: its words, and what in it belongs together."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

NO_SPACE_BEFORE = set(".,?!:;)]}")
NO_SPACE_AFTER = set("([{")


class Link(NamedTuple):
    """Two words that belong together. The training never sees it; the scores ask for it.

    Attributes:
        kind: What joins them, as "verb to subject".
        query: Index of the later word, the one that should look.
        target: Index of the earlier word, the one to be looked at.
        other: What might have stood at `query` in its stead and would be wrong there; empty if nothing is.
    """

    kind: str
    query: int
    target: int
    other: str = ""


@dataclass(frozen=True)
class Document:
    """A few sentences, or a block that is repeated: words in lower case, signs among them."""

    words: tuple[str, ...]
    links: tuple[Link, ...]

    def text(self, proper: Collection[str] = ()) -> str:
        """The words as a person would write them: with capitals, and no space before a full stop.

        Args:
            proper: Words that have a capital everywhere.
        """
        text, tight, in_quotes, capital = "", True, False, True
        for word in self.words:
            opens = word in NO_SPACE_AFTER or (word == '"' and not in_quotes)
            closes = word in NO_SPACE_BEFORE or (word == '"' and in_quotes)
            text += "" if tight or closes else " "
            text += word.capitalize() if capital or word in proper else word
            in_quotes ^= word == '"'
            tight, capital = opens, word in ".?!" or (capital and opens)
        return text


class Draft:
    """A document that is being written, word after word."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.links: list[Link] = []

    def say(self, words: str) -> int:
        """Write some words, and give back where the last one stands."""
        self.words += words.split()
        return len(self.words) - 1

    def link(self, kind: str, query: int, target: int, other: str = "") -> None:
        """Note that two words belong together."""
        self.links.append(Link(kind, query, target, other))

    def finished(self) -> Document:
        """The document as it stands."""
        return Document(tuple(self.words), tuple(self.links))
