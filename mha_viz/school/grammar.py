"""The text that the model is trained on: documents of fourteen sorts, drawn by chance.

In each sort a later word depends on an earlier one, and what follows the later word depends on it too:
so it pays to look back. Which head does it, and when, is left to the training.
"""

import zlib
from collections.abc import Callable, Iterator
from random import Random

from mha_viz.errors import ChoiceError
from mha_viz.school.documents import Document, Draft
from mha_viz.school.lexicon import Lexicon
from mha_viz.school.repeats import gapped_repeat, repeated_letters, repeated_words
from mha_viz.school.sentences import SUBJECT, Speaker, Subject

# Who is meant by "she", "he" or "they", and by "it": a model may have a head for each.
PERSON, THING = "she, he, they to antecedent", "it to antecedent"
CONDITION = "then to if"
QUOTE, BRACKET = "closing to opening quote", "closing to opening bracket"
TITLE = "name to title"
LONGEST = 63  # words of a document: the model has 64 positions, and the first is <start>
HELD_OUT_SHARE = 16  # one document in so many is never trained on


def agreement(speaker: Speaker, draft: Draft) -> None:
    """The keys to the cabinet are rusty."""
    speaker.opening(draft)
    same_number = speaker.chance(0.25)
    subject = speaker.distracted(draft, same_number=same_number)
    speaker.predicate(draft, subject, linked="" if same_number else SUBJECT, being=1.0)
    draft.say(".")


def transitive(speaker: Speaker, draft: Draft) -> None:
    """The dog follows the girls."""
    speaker.opening(draft)
    speaker.clause(draft)
    draft.say(".")


def local(speaker: Speaker, draft: Draft) -> None:
    """The queen saw herself; the dogs lost their bone."""
    speaker.opening(draft)
    subject = speaker.someone(draft)
    verb = speaker.random.choice(speaker.lexicon.transitive).past
    pronoun = subject.noun.pronoun_for(subject.plural)
    own = {"she": "her", "he": "his", "it": "its", "they": "their"}[pronoun]
    thing = speaker.noun().form(speaker.chance(0.5))
    themselves = {"her": "herself", "his": "himself", "its": "itself", "their": "themselves"}[own]
    draft.say(f"{verb} {themselves if speaker.chance(0.4) else f'{own} {thing}'} .")


def small_talk(speaker: Speaker, draft: Draft) -> None:
    """Good morning, Anna! It was cold."""
    for _ in range(speaker.random.randint(1, 4)):
        speaker.small_talk(draft)


def pronouns(speaker: Speaker, draft: Draft) -> None:
    """The queen met the dog. It barked."""
    speaker.opening(draft, most=1)
    people = [_candidate(speaker)]
    while len(people) < 2:
        noun, plural = _candidate(speaker)
        taken, number = people[0]
        if noun.kind != taken.kind and noun.pronoun_for(plural) != taken.pronoun_for(number):
            people.append((noun, plural))
    subjects = []
    for between, (noun, plural) in zip(("", speaker.one("verbs", "meeting")), people, strict=True):
        draft.say(between)
        subjects.append(Subject(noun, plural, speaker.phrase(draft, noun, plural)))
    if speaker.chance(0.6):
        speaker.place(draft)
    draft.say(".")
    if speaker.chance(0.3):
        speaker.small_talk(draft)
    # Once more about the other one, now and then: a pronoun need not mean who was named last.
    chosen = speaker.random.sample(subjects, 2 if speaker.chance(0.3) else 1)
    for subject in chosen:
        pronoun = subject.noun.pronoun_for(subject.plural)
        at = draft.say(pronoun)
        draft.link(THING if pronoun == "it" else PERSON, at, subject.at)
        draft.say(f"{speaker.past_act(subject.noun)} .")


def conditions(speaker: Speaker, draft: Draft) -> None:
    """If the dog barks, then the cat will hide; but: first the dog barked, then hid."""
    speaker.opening(draft)
    if speaker.chance(0.3):
        draft.say("first")
        subject = speaker.someone(draft)
        first, second = (speaker.past_act(subject.noun) for _ in range(2))
        draft.say(f"{first} , then {second} .")
        return
    condition = draft.say("if")
    speaker.clause(draft)
    if speaker.chance(0.3):
        draft.say("and")
        speaker.clause(draft)
    then = draft.say(", then")
    draft.link(CONDITION, then, condition)
    subject = speaker.someone(draft)
    draft.say(f"will {speaker.random.choice(subject.noun.kind.acts).plural} .")


def quotes(speaker: Speaker, draft: Draft) -> None:
    """Anna whispered "Ben shouted loudly" softly; or: "the dogs bark", said Anna."""
    speaker.opening(draft)
    verb, how = speaker.saying()
    name, inverted = speaker.person().singular, speaker.chance(0.3)
    draft.say("" if inverted else f"{name} {verb}")
    opening = draft.say('"')
    speaker.spoken(draft)
    if speaker.chance(0.3):
        draft.say("and")
        speaker.spoken(draft)
    closing = draft.say('"')
    draft.link(QUOTE, closing, opening)
    draft.say(f"{verb} {name} ." if inverted else f"{how} .")


def brackets(speaker: Speaker, draft: Draft) -> None:
    """The king waits (the dog looks at us) for the queen: after the bracket it goes on where it stopped."""
    speaker.opening(draft)
    opener, closer = speaker.random.choice(["()", "()", "[]", "{}"])
    subject = speaker.someone(draft)
    cut = speaker.random.choice(
        ["noun", "noun", "verb", "sentence", "leaning", "leaning", "leaning"]
    )
    to = ""
    if cut == "verb":
        draft.say(speaker.random.choice(speaker.lexicon.transitive).form(subject.plural))
    elif cut == "sentence":
        speaker.predicate(draft, subject)
    elif cut == "leaning":
        verb, to = speaker.leaning(subject.plural)
        draft.say(verb)
    opening = draft.say(opener)
    speaker.aside(draft)
    closing = draft.say(closer)
    draft.link(BRACKET, closing, opening)
    draft.say(to)
    if cut == "noun":
        speaker.predicate(draft, subject)
    elif cut != "sentence":
        speaker.someone(draft)
    draft.say(".")


def titles(speaker: Speaker, draft: Draft) -> None:
    """Dr Ada Stone met Ben in the garden. Stone healed the child."""
    speaker.opening(draft)
    title = speaker.random.choice(list(speaker.lexicon.titles))
    surname = speaker.one("names", "surnames")
    first_name = f"{speaker.person().singular} " if speaker.chance(0.5) else ""
    at = draft.say(title)
    draft.say(f"{first_name}{surname} {speaker.one('verbs', 'meeting')}")
    speaker.someone(draft)
    if speaker.chance(0.5):
        speaker.place(draft)
    draft.say(".")
    if speaker.chance(0.5):
        speaker.small_talk(draft)
    for _ in range(speaker.random.randint(1, 2)):
        again = speaker.chance(0.3)
        name = draft.say(f"{title} {surname}" if again else surname)
        if not again:
            draft.link(TITLE, name, at)
        draft.say(f"{speaker.random.choice(speaker.lexicon.titles[title])} .")


def names(speaker: Speaker, draft: Draft) -> None:
    """Ada Stone saw Ben. Ben liked Ada Stone."""
    surname = speaker.one("names", "surnames")
    one, two = (speaker.person().singular for _ in range(2))
    pair = [f"{one} {surname}", two]
    for _ in range(speaker.random.randint(2, 3)):
        verb = speaker.random.choice(speaker.lexicon.transitive).past
        draft.say(f"{pair[0]} {verb} {pair[1]} .")
        speaker.random.shuffle(pair)


def lists(speaker: Speaker, draft: Draft) -> None:
    """We have apples, pears and lemons."""
    speaker.opening(draft, most=1)
    nouns = speaker.random.sample(speaker.lexicon.nouns, speaker.random.randint(3, 7))
    kind = [noun for noun in speaker.lexicon.nouns if noun.kind == nouns[0].kind]
    nouns = speaker.random.sample(kind, min(len(kind), len(nouns))) if len(kind) > 2 else nouns
    *first, last = (noun.plural for noun in nouns)
    draft.say(
        f"{speaker.random.choice(['we have', 'the list :'])} {' , '.join(first)} and {last} ."
    )


SORTS: dict[str, tuple[Callable[[Speaker, Draft], None], float]] = {
    "agreement": (agreement, 0.20),
    "transitive": (transitive, 0.05),
    "local": (local, 0.04),
    "small talk": (small_talk, 0.04),
    "pronouns": (pronouns, 0.20),
    "conditions": (conditions, 0.09),
    "quotes": (quotes, 0.12),
    "brackets": (brackets, 0.12),
    "titles": (titles, 0.09),
    "names": (names, 0.05),
    "lists": (lists, 0.04),
    "repeated letters": (repeated_letters, 0.16),
    "repeated words": (repeated_words, 0.18),
    "gapped repeat": (gapped_repeat, 0.10),
}


class Grammar:
    """Draws documents; those that are held out never come up in training.

    Args:
        lexicon: The words.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def document(self, random: Random, sort: str) -> Document:
        """One document of a sort.

        Raises:
            ChoiceError: If there is no such sort.
        """
        if sort not in SORTS:
            raise ChoiceError(f"sort {sort!r} does not exist; there are {', '.join(SORTS)}")
        draft = Draft()
        SORTS[sort][0](Speaker(self.lexicon, random), draft)
        return draft.finished()

    def training(self, random: Random) -> Iterator[Document]:
        """Documents without end, none that is held out."""
        shares = [share for _, share in SORTS.values()]
        while True:
            (sort,) = random.choices(list(SORTS), shares)
            document = self.document(random, sort)
            if len(document.words) <= LONGEST and not is_held_out(document):
                yield document

    def held_out(self, random: Random, sort: str) -> Iterator[Document]:
        """Documents of a sort without end, all held out."""
        while True:
            document = self.document(random, sort)
            if len(document.words) <= LONGEST and is_held_out(document):
                yield document


def is_held_out(document: Document) -> bool:
    """Whether a document is kept from training: decided by its words, so that no copy slips through."""
    return zlib.crc32(" ".join(document.words).encode()) % HELD_OUT_SHARE == 0


def _candidate(speaker: Speaker) -> tuple:
    """Somebody or something that a pronoun may stand for."""
    if speaker.chance(0.1):
        return speaker.person(), False
    pronoun = speaker.random.choice(["she", "he", "it"])
    return speaker.noun(pronoun), speaker.chance(0.2)
