"""Small tasks: give a head a pattern that heads of real models have. Graded on the weights that come out."""

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import torch
from jaxtyping import Float

from mha_viz.core.guessing import even, total_variation
from mha_viz.core.solving import floored
from mha_viz.errors import ShapeError

LETTERS = tuple("ABCDEF")
SOLVED = 0.95


@dataclass(frozen=True)
class Puzzle:
    """A pattern to be built.

    Attributes:
        title: A few words.
        task: What is asked for.
        words: The words.
        looks: The key that each query has to look at; queries that are not in it do not count.
        hints: What helps, the least first.
    """

    title: str
    task: str
    words: tuple[str, ...]
    looks: MappingProxyType[int, int]
    hints: tuple[str, ...]

    @property
    def solution(self) -> Float[np.ndarray, "n_words n_words"]:
        """Weights that solve it: all on the key that is asked for, even in the rows that do not count."""
        weights = np.tile(even(len(self.words)), (len(self.words), 1))
        for query, key in self.looks.items():
            weights[query] = np.eye(len(self.words))[key]
        return weights


@dataclass(frozen=True)
class Grade:
    """How far a puzzle is solved.

    Attributes:
        rows: The score of each query that counts.
    """

    rows: MappingProxyType[int, float]

    @property
    def score(self) -> float:
        """From 0, no better than even weights, to 1, as asked for."""
        return max(0.0, sum(self.rows.values()) / len(self.rows))

    @property
    def is_solved(self) -> bool:
        """Whether next to nothing is missing."""
        return self.score >= SOLVED


def grade(puzzle: Puzzle, weights: Float[np.ndarray, "n_words n_words"]) -> Grade:
    r"""Compare the weights of a head with what is asked for, row by row.

    A row scores $1 - d(w, t) / d(u, t)$, with the total variation distance $d$, the row's weights $w$, even weights $u$,
    and $t$ all on one key as near as a softmax comes to it. Even weights score 0, and what looks elsewhere less.

    Raises:
        ShapeError: If there is not one row and one column a word.
    """
    n_words = len(puzzle.words)
    if weights.shape != (n_words, n_words):
        raise ShapeError(
            f"expected weights of {n_words} words on {n_words}, got shape {weights.shape}; "
            "give the weights of one head on the puzzle's words"
        )
    target = floored(torch.from_numpy(puzzle.solution)).numpy()
    missed = total_variation(weights.astype(float), target)
    missed_by_even = total_variation(np.full_like(target, 1 / n_words), target)
    return Grade(
        MappingProxyType(
            {query: 1 - float(missed[query] / missed_by_even[query]) for query in puzzle.looks}
        )
    )


PUZZLES = MappingProxyType(
    {
        "previous": Puzzle(
            "Word before",
            "Build a head in which each word looks at the word just before it.",
            LETTERS,
            MappingProxyType({query: query - 1 for query in range(1, 6)}),
            (
                "Start with B: which word stands just before it?",
                "B looks at A, C at B, and so on. A has no word before it, so its row does not count.",
            ),
        ),
        "first": Puzzle(
            "First word",
            "Build a sink: a head in which every word looks at the first one. Heads of real models do so when they "
            "find nothing to do.",
            LETTERS,
            MappingProxyType(dict.fromkeys(range(6), 0)),
            (
                "Every row is the same.",
                "Let each of the six words look at A and at nothing else; A too looks at A.",
            ),
        ),
        "verb": Puzzle(
            "The verb",
            "Build a head in which every other word looks at the verb.",
            ("The", "cat", "chased", "a", "small", "mouse"),
            MappingProxyType(dict.fromkeys((0, 1, 3, 4, 5), 2)),
            (
                "Which word says what happens?",
                "Let each of the other five words look at “chased”. Its own row does not count.",
            ),
        ),
    }
)
