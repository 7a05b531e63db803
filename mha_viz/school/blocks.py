"""Letters that come again: what a model reads that is to grow one induction head while a person waits.

A row says one block of letters over and over, in pieces that begin and end anywhere: then neither "always so many back" nor
"a letter that has not come yet" gives the next one away. What helps is to look for what followed the same letter before.
"""

from random import Random
from string import ascii_uppercase

import torch

from mha_viz.core.masks import causal
from mha_viz.school.batches import Batch, packed
from mha_viz.school.documents import Link
from mha_viz.school.repeats import LONGEST_BLOCK, UNSEEN_LENGTHS
from mha_viz.school.scores import Exam

ALPHABET = ascii_uppercase
N_TOKENS = 48
# In a short block, to know which letters it has is worth so much that nothing else is learned for a long time.
SHORTEST = 10
LENGTHS = tuple(n for n in range(SHORTEST, LONGEST_BLOCK + 1) if n not in UNSEEN_LENGTHS)
# Letters in a piece.
LEAST_SAID, MOST_SAID = 2, 8
N_ROWS_A_LENGTH = 20


def block_batch(random: Random, n_rows: int) -> Batch:
    """Rows to train on, each with a block of its own."""
    # One more than a row is long: the last letter too has one that follows.
    rows = torch.tensor([_row(random, N_TOKENS + 1) for _ in range(n_rows)])
    return Batch(
        ids=rows[:, :-1],
        targets=rows[:, 1:],
        positions=torch.arange(N_TOKENS).expand(n_rows, -1),
        may_attend=causal(N_TOKENS).expand(n_rows, 1, -1, -1),
    )


def block_exams() -> tuple[Exam, Exam]:
    """Blocks of lengths that are never trained on, said twice, the same ones every time.

    Returns:
        Where an induction head should look, from each letter of the second time but the last to the one after the same
        letter of the first; and where a previous-token head should.
    """
    random = Random("blocks")
    lengths = [n for n in UNSEEN_LENGTHS for _ in range(N_ROWS_A_LENGTH)]
    batch = packed([[_block(random, n) * 2] for n in lengths], 2 * max(lengths))
    after = tuple(
        (row, Link("after", query, query - n + 1))
        for row, n in enumerate(lengths)
        for query in range(n, 2 * n - 1)
    )
    before = tuple(
        (row, Link("before", query, query - 1))
        for row, n in enumerate(lengths)
        for query in range(2, 2 * n)
    )
    return Exam(batch, after), Exam(batch, before)


def sample_letters() -> str:
    """A block of an unseen length, said twice, to look at."""
    return "".join(ALPHABET[letter] for letter in _block(Random("sample"), 7) * 2)


def letter_ids(letters: str) -> list[int]:
    """The number of each letter."""
    return [ALPHABET.index(letter) for letter in letters]


def _row(random: Random, n_tokens: int) -> list[int]:
    block = _block(random, random.choice(LENGTHS))
    row: list[int] = []
    while len(row) < n_tokens:
        start, n = random.randrange(len(block)), random.randint(LEAST_SAID, MOST_SAID)
        # After the last letter of a block comes its first again.
        row += (block * 2)[start : start + n]
    return row[:n_tokens]


def _block(random: Random, n: int) -> list[int]:
    """So many different letters."""
    return random.sample(range(len(ALPHABET)), n)
