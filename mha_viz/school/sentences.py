"""The sentences that documents are made of: who, where, what they do, and small talk between them."""

from dataclasses import dataclass
from random import Random

from mha_viz.school.documents import Draft
from mha_viz.school.lexicon import Lexicon, Noun

SUBJECT = "verb to subject"
BE = {False: ("is", "was"), True: ("are", "were")}


@dataclass(frozen=True)
class Subject:
    """Who a sentence is about, and where the noun stands."""

    noun: Noun
    plural: bool
    at: int


class Speaker:
    """Somebody who says sentences: words are drawn by chance, the grammar is kept.

    Args:
        lexicon: The words.
        random: Where chance comes from.
    """

    def __init__(self, lexicon: Lexicon, random: Random) -> None:
        self.lexicon = lexicon
        self.random = random

    def one(self, table: str, name: str) -> str:
        """One word of a plain list."""
        return self.random.choice(self.lexicon.plain(table, name))

    def chance(self, share: float) -> bool:
        """True that often."""
        return self.random.random() < share

    def noun(self, pronoun: str = "") -> Noun:
        """One noun, any or one of those that a pronoun stands for."""
        nouns, summed = self.lexicon.drawn_from[pronoun]
        (noun,) = self.random.choices(nouns, cum_weights=summed)
        return noun

    def person(self, pronoun: str = "") -> Noun:
        """Somebody with a first name."""
        return self.random.choice(
            [name for name in self.lexicon.first_names if pronoun in {"", name.pronoun}]
        )

    def phrase(self, draft: Draft, noun: Noun, plural: bool, article: str = "the") -> int:
        """A noun with its article, now and then with adjectives; where the noun stands."""
        if noun in self.lexicon.first_names:
            return draft.say(noun.singular)
        own = [self.random.choice(noun.kind.adjectives)] if self.chance(0.2) else []
        before = [self.one("places", "adjectives")] if self.chance(0.3) else []
        return draft.say(" ".join([article, *before, *own, noun.form(plural)]))

    def someone(self, draft: Draft) -> Subject:
        """A subject: one noun or several, or a name."""
        if self.chance(0.2):
            noun = self.person()
            return Subject(noun, False, draft.say(noun.singular))
        noun, plural = self.noun(), self.chance(0.5)
        return Subject(noun, plural, self.phrase(draft, noun, plural))

    def distracted(self, draft: Draft, *, same_number: bool = False) -> Subject:
        """A subject with another noun between it and its verb: "the keys to the cabinet"."""
        noun, distractor = self.noun(), self.noun()
        while distractor.kind == noun.kind:
            distractor = self.noun()
        plural = self.chance(0.5)
        at = self.phrase(draft, noun, plural)
        draft.say(self.one("places", "prepositions"))
        self.phrase(draft, distractor, plural == same_number)
        if self.chance(0.4):
            draft.say(f"in the {self.one('places', 'rooms')}")
        return Subject(noun, plural, at)

    def predicate(
        self, draft: Draft, subject: Subject, *, linked: str = "", being: float = 0.6
    ) -> None:
        """What the subject is, so often, or does; its verb may be linked to it."""
        noun, plural = subject.noun, subject.plural
        if noun.kind.adjectives and self.chance(being):
            tense = self.random.randrange(2)
            verb, other = BE[plural][tense], BE[not plural][tense]
            rest = ["not"] * self.chance(0.1) + [self.random.choice(noun.kind.adjectives)]
        else:
            act = self.random.choice(noun.kind.acts)
            verb, other, rest = act.form(plural), act.form(not plural), []
        at = draft.say(verb)
        draft.say(" ".join(rest))
        if linked:
            draft.link(linked, at, subject.at, other)
        if self.chance(0.2):
            draft.say(self.one("places", "times"))

    def clause(self, draft: Draft) -> None:
        """A short main clause, without a full stop."""
        subject = self.someone(draft)
        if self.chance(0.35):
            draft.say(self.random.choice(self.lexicon.transitive).form(subject.plural))
            self.someone(draft)
        else:
            self.predicate(draft, subject)

    def saying(self) -> tuple[str, str]:
        """A verb of saying, and a word for how it is done, which follows from the verb."""
        verb = self.random.choice(list(self.lexicon.saying))
        return verb, self.random.choice(self.lexicon.saying[verb])

    def spoken(self, draft: Draft) -> None:
        """What somebody says; often of somebody else who says something in their own way."""
        if self.chance(0.6):
            draft.say(f"{self.person().singular} {' '.join(self.saying())}")
        else:
            self.clause(draft)

    def leaning(self, plural: bool) -> tuple[str, str]:
        """A verb that has a word after it, and that word: "waits", "for"."""
        verb, to = self.random.choice(self.lexicon.leaning)
        return verb.form(plural), to

    def aside(self, draft: Draft) -> None:
        """What is said in brackets; often with a verb that has a word after it."""
        if self.chance(0.6):
            subject = self.someone(draft)
            draft.say(" ".join(self.leaning(subject.plural)))
            self.someone(draft)
        else:
            self.clause(draft)

    def past_act(self, noun: Noun) -> str:
        """What it did, mostly something that only its kind does."""
        acts = noun.kind.acts if self.chance(0.85) else self.lexicon.general_acts
        return self.random.choice(acts).past

    def place(self, draft: Draft) -> None:
        """Somewhere: "in the garden"."""
        draft.say(f"{self.one('places', 'inside')} the {self.one('places', 'rooms')}")

    def small_talk(self, draft: Draft) -> None:
        """A sentence that nothing else depends on."""
        weather, day = self.one("talk", "weather"), self.one("talk", "days")
        greeting, name = self.one("talk", "greetings"), self.person().singular
        draft.say(
            self.random.choice(
                [
                    f"it was {weather} and {self.one('talk', 'weather')} .",
                    f"the {day} was {weather} .",
                    f"{greeting} , {name} !",
                    f"this is the {self.one('places', 'rooms')} .",
                    f"{self.one('talk', 'answers')} , it is {weather} .",
                    f"is it {weather} {self.one('places', 'times')} ?",
                    f"there are {self.one('talk', 'counts')} of them in the {self.one('places', 'rooms')} .",
                    f"{greeting} .",
                    f"we have {self.one('talk', 'counts')} of these .",
                ]
            )
        )

    def opening(self, draft: Draft, most: int = 2) -> None:
        """Some sentences before the one that matters, so that it may stand anywhere."""
        for _ in range(self.random.randint(0, most)):
            if self.chance(0.6):
                self.small_talk(draft)
            else:
                self.clause(draft)
                draft.say(".")
