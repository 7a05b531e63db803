"""What heads of the small model learn to do, each with a sentence in which it can be seen."""

from dataclasses import dataclass

from mha_viz.school.grammar import BRACKET, CONDITION, PERSON, QUOTE, THING, TITLE
from mha_viz.school.repeats import LETTERS, WORDS
from mha_viz.school.scores import FIRST, PREVIOUS
from mha_viz.school.sentences import SUBJECT


@dataclass(frozen=True)
class Skill:
    """Something that a head may do.

    Attributes:
        name: As the scores call it.
        title: A few words for a button.
        says: What such a head does, as a sentence.
        sentence: Where it can be seen: its last word is the one that looks.
        right: Words that may follow, as the model's grammar has it; empty where it has too many.
    """

    name: str
    title: str
    says: str
    sentence: str
    right: tuple[str, ...] = ()


SKILLS = {
    skill.name: skill
    for skill in (
        Skill(
            LETTERS,
            "Repeated letters",
            "An induction head looks at what came after this letter the last time: watch for a diagonal stripe.",
            "k o j p t b z x k o j p t b z",
            ("x",),
        ),
        Skill(
            WORDS,
            "Repeated words",
            "An induction head looks at what came after this word the last time: watch for a diagonal stripe.",
            "apple drum king seven boat cold apple drum king seven boat",
            ("cold",),
        ),
        Skill(
            PREVIOUS,
            "Previous word",
            "Every word looks at the word before it.",
            "The old king met the little dog",
        ),
        Skill(
            SUBJECT,
            "Verb → subject",
            "The verb looks at its subject, past a noun that stands nearer.",
            "The keys to the cabinet are",
            ("rusty", "shiny", "bent", "sharp", "golden", "not"),
        ),
        Skill(
            PERSON,
            "She, he → noun",
            "“She”, “he” or “they” looks at the noun that it stands for.",
            "The queen met the dog. She",
            ("ruled", "reigned", "commanded"),
        ),
        Skill(
            THING,
            "It → noun",
            "“It” looks at the noun that it stands for.",
            "The queen met the dog in the garden. It",
            ("growled", "barked", "hid", "sniffed"),
        ),
        Skill(
            CONDITION,
            "then → If",
            "“then” looks at the “if” that it answers.",
            "If the dog barks, then",
        ),
        Skill(
            QUOTE,
            "Closing quote",
            "A quotation mark that closes looks at the one that opened.",
            'Anna whispered "the dog barks"',
            ("softly", "shyly"),
        ),
        Skill(
            BRACKET,
            "Closing bracket",
            "A bracket that closes looks at the one that opened.",
            "The king waits (the dog barks)",
            ("for",),
        ),
        Skill(
            TITLE,
            "Name → title",
            "A name looks at the title that it had before.",
            "Dr Stone met the queen. Stone",
            ("healed", "cured", "operated"),
        ),
        Skill(
            FIRST,
            "First token",
            "Words that have nothing to look for rest on <start>, the mark before the first word.",
            "We have apples, pears and lemons.",
        ),
    )
}


def example_of(sentence: str) -> Skill | None:
    """The skill whose example this very sentence is."""
    return next((skill for skill in SKILLS.values() if skill.sentence == sentence), None)


@dataclass(frozen=True)
class Claim:
    """Something that is said of heads, and what the small model has for it.

    Attributes:
        title: What is said.
        skills: Which skills show it, on the first one's sentence; empty if the model has nothing of it.
        besides: What has to be said with it.
    """

    title: str
    skills: tuple[str, ...]
    besides: str = ""


CLAIMS = (
    Claim(
        "A verb finds its subject",
        (SUBJECT,),
        "Looked for from is, are, was and were. From a verb such as “chased” no head looks back here: nothing that "
        "follows depends on it.",
    ),
    Claim("If …, then …", (CONDITION,)),
    Claim("“She” finds its noun", (PERSON,), "On the page A–F it is the wide arc, from C to F."),
    Claim("“It” finds its noun", (THING,)),
    Claim("A name finds its title", (TITLE,), "On the page A–F it is the link from B to A."),
    Claim(
        "A word sees its neighbours",
        (PREVIOUS,),
        "On the page A–F it looks from E to D and F. This model reads from left to right: the word before can be seen, the one "
        "after cannot.",
    ),
    Claim("Punctuation and structure: quotes", (QUOTE,)),
    Claim("Punctuation and structure: brackets", (BRACKET,)),
    Claim(
        "Short and long range in one pass",
        (CONDITION, PREVIOUS),
        "Two heads over the same words, in the same pass.",
    ),
    Claim(
        "Idioms",
        (),
        "There are none in the text that this model was trained on, so no head for them.",
    ),
    Claim(
        "Images and audio",
        (),
        "This model reads words only, so there is no head to point at.",
    ),
)
