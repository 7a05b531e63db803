"""The words that the grammar draws from, read from one file that a person can read too."""

import tomllib
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

ASSETS = Path(__file__).parents[2] / "assets" / "school"


class Verb(NamedTuple):
    """One verb in its three forms: the dog barks, the dogs bark, the dog barked."""

    singular: str
    plural: str
    past: str

    def form(self, plural: bool) -> str:
        """The form of the present that goes with one, or with several."""
        return self.plural if plural else self.singular


@dataclass(frozen=True)
class Kind:
    """Nouns that share what can be said of them.

    Attributes:
        name: What the kind is called.
        adjectives: What they are.
        acts: What they do, without an object.
    """

    name: str
    adjectives: tuple[str, ...]
    acts: tuple[Verb, ...]


@dataclass(frozen=True)
class Noun:
    """One noun: its two forms, its kind, and the pronoun for one of it."""

    singular: str
    plural: str
    kind: Kind
    pronoun: str

    def form(self, plural: bool) -> str:
        """The form for one, or for several."""
        return self.plural if plural else self.singular

    def pronoun_for(self, plural: bool) -> str:
        """What stands for it in the next sentence."""
        return "they" if plural else self.pronoun


class Lexicon:
    """All words, sorted by what they do in a sentence.

    Args:
        file: The list of words, in TOML.
    """

    def __init__(self, file: Path = ASSETS / "words.toml") -> None:
        self.tables: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
        self.nouns = tuple(
            chain.from_iterable(
                _nouns_of(name, table) for name, table in self.tables["kinds"].items()
            )
        )
        # As in any language, a few words are heard often and most of them rarely: the first of a kind the most.
        shares = [
            1 / (rank + 2)
            for _, of_kind in groupby(self.nouns, key=lambda noun: (noun.kind.name, noun.pronoun))
            for rank, _ in enumerate(of_kind)
        ]
        # For each pronoun its nouns, and their shares summed up: what `random.choices` draws from fastest.
        self.drawn_from = {
            pronoun: _summed(
                [
                    pair
                    for pair in zip(self.nouns, shares, strict=True)
                    if pronoun in {"", pair[0].pronoun}
                ]
            )
            for pronoun in ("", "she", "he", "it")
        }
        people = Kind("people", (), _verbs(self.tables["names"]["general"]))
        self.first_names = tuple(
            Noun(word, word, people, pronoun)
            for pronoun in ("she", "he")
            for word in self.tables["names"][pronoun].split()
        )
        self.general_acts = people.acts
        self.transitive = _verbs(self.tables["verbs"]["transitive"])
        self.leaning = tuple(
            (Verb(*forms), to) for *forms, to in map(str.split, self.tables["verbs"]["leaning"])
        )
        self.saying = {verb: how.split() for verb, how in self.tables["saying"].items()}
        self.titles = {title: acts.split() for title, acts in self.tables["titles"].items()}

    def plain(self, table: str, name: str) -> list[str]:
        """One plain list of words, as the file has it."""
        return self.tables[table][name].split()

    @cached_property
    def proper(self) -> frozenset[str]:
        """Names, days and "Dr": words that have a capital everywhere."""
        names = [noun.singular for noun in self.first_names] + self.plain("names", "surnames")
        return frozenset([*names, "dr", "monday", "friday", "sunday"])

    @cached_property
    def plain_words(self) -> list[str]:
        """All words but letters and digits: what a random block is drawn from."""
        short = set(_texts(self.tables["letters"])[0].split()) | set(
            self.plain("letters", "digits")
        )
        return [word for word in self.words if word not in short]

    @cached_property
    def small_words(self) -> list[str]:
        """The words and signs that hold sentences together."""
        weather, inside = self.plain("talk", "weather"), self.plain("places", "inside")
        return [
            ".",
            ",",
            *self.plain("talk", "grammar"),
            *weather,
            *inside,
            *self.plain("talk", "pronouns"),
        ]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every word once, letters and digits first."""
        letters = self.tables["letters"]
        keys = " ".join([*self.tables["titles"], *self.tables["saying"]])
        texts = [*letters.values(), keys, *_texts(self.tables)]
        return tuple(dict.fromkeys(word for text in texts for word in text.split()))


def _nouns_of(name: str, table: dict[str, Any]) -> list[Noun]:
    kind = Kind(name, tuple(table["adjectives"].split()), _verbs(table["acts"]))
    return [
        Noun(*forms.split(), kind, pronoun)
        for pronoun in ("she", "he", "it")
        for forms in table.get(pronoun, ())
    ]


def _summed(pairs: list[tuple[Noun, float]]) -> tuple[list[Noun], list[float]]:
    nouns, shares = zip(*pairs, strict=True)
    return list(nouns), list(accumulate(shares))


def _verbs(forms: list[str]) -> tuple[Verb, ...]:
    return tuple(Verb(*verb.split()) for verb in forms)


def _texts(part: str | list | dict) -> list[str]:
    """Every string below a part of the file."""
    if isinstance(part, str):
        return [part]
    children = part.values() if isinstance(part, dict) else part
    return [text for child in children for text in _texts(child)]
