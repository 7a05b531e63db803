"""Blocks that come again: what stood after a token the first time stands after it the next time.

The length of a block is drawn by chance, and some lengths are kept for the test: so a model cannot learn
how far to look back, it has to look for what stood there.
"""

from random import Random

from mha_viz.errors import ChoiceError
from mha_viz.school.documents import Draft
from mha_viz.school.sentences import Speaker

LETTERS, WORDS = "induction on letters", "induction on words"
SHORTEST, LONGEST_BLOCK = 3, 20
UNSEEN_LENGTHS = (5, 7, 9, 11, 13, 15, 17)
SMALL_WORDS = 0.4  # how many words of a block are of the sort that sentences are held together by
ROOM = 60  # words in a document of repeats


def repeated_letters(speaker: Speaker, draft: Draft) -> None:
    """X q k m x q k m."""
    repeat(draft, _block(speaker, LETTERS), _copies(speaker.random), LETTERS)


def repeated_words(speaker: Speaker, draft: Draft) -> None:
    """Dog seven tower dog seven tower."""
    repeat(draft, _block(speaker, WORDS), _copies(speaker.random), WORDS)


def gapped_repeat(speaker: Speaker, draft: Draft) -> None:
    """A block, something else, and the block again."""
    kind = LETTERS if speaker.chance(0.5) else WORDS
    block = _block(speaker, kind)
    draft.say(" ".join(block))
    for _ in range(speaker.random.randint(1, 2)):
        if speaker.chance(0.5):
            draft.say(".")
            speaker.small_talk(draft)
        else:
            draft.say(" ".join(_drawn(speaker, kind, speaker.random.randint(1, 8))))
        draft.say(" ".join(block))


def unseen_repeat(speaker: Speaker, draft: Draft, kind: str) -> None:
    """A repeat for the test, with a block of a length that never came up in training.

    Raises:
        ChoiceError: If there are no repeats of that kind.
    """
    if kind not in {LETTERS, WORDS}:
        raise ChoiceError(f"repeats of {kind!r} do not exist; there are {LETTERS} and {WORDS}")
    block = _drawn(speaker, kind, speaker.random.choice(UNSEEN_LENGTHS))
    repeat(draft, block, 2, kind)


def repeat(draft: Draft, block: list[str], copies: int, kind: str) -> None:
    """Write a block several times, and link each word of a later copy to what followed it before."""
    length = len(block)
    for copy in range(min(copies, ROOM // length)):
        start = len(draft.words)
        draft.say(" ".join(block))
        if copy:
            for at in range(start, start + length - 1):
                draft.link(kind, at, at - length + 1)


def _block(speaker: Speaker, kind: str) -> list[str]:
    lengths = [n for n in range(SHORTEST, LONGEST_BLOCK + 1) if n not in UNSEEN_LENGTHS]
    return _drawn(speaker, kind, speaker.random.choice(lengths))


def _drawn(speaker: Speaker, kind: str, n: int) -> list[str]:
    """So many different letters; or words, the small ones of the grammar often, as in any text."""
    lexicon, random = speaker.lexicon, speaker.random
    if kind == LETTERS:
        return random.sample(lexicon.plain("letters", "all"), n)
    drawn: dict[str, None] = {}
    while len(drawn) < n:
        small = speaker.chance(SMALL_WORDS)
        drawn[random.choice(lexicon.small_words if small else lexicon.plain_words)] = None
    return list(drawn)


def _copies(random: Random) -> int:
    return random.choice([2, 2, 3, 4])
