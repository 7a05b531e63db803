"""What is built on the page of letters: six words, what each head is told, and the attention that does it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from mha_viz.core.attention import AttentionSteps, MultiHeadAttention
from mha_viz.core.differences import OutputChange
from mha_viz.core.puzzles import LETTERS, PUZZLES, Grade, Puzzle, grade
from mha_viz.core.removal import remove_head
from mha_viz.core.shares import Row, maps_from_text, maps_to_text, share_equally, weights_of
from mha_viz.core.solving import solve_attention
from mha_viz.errors import ChoiceError
from mha_viz.ui.link import one_of
from mha_viz.ui.predict import Guess

EXAMPLE, PREDICT = "example", "predict"
TASKS = (EXAMPLE, *PUZZLES, PREDICT)
N_WORDS, N_HEADS, D_MODEL = len(LETTERS), 3, 24
Maps = tuple[tuple[Row, ...], ...]


def _example() -> Maps:
    """Head 1 from E to D and F, head 2 from B to A, head 3 from C to F; every other word looks at itself."""
    arrows = ({4: (3, 5)}, {1: (0,)}, {2: (5,)})
    return tuple(
        tuple(share_equally(looks.get(query, (query,)), N_WORDS) for query in range(N_WORDS))
        for looks in arrows
    )


STARTS: dict[str, Maps] = {
    EXAMPLE: _example(),
    **dict.fromkeys(PUZZLES, (((0,) * N_WORDS,) * N_WORDS,) * N_HEADS),
}


@dataclass(frozen=True)
class Letters(Guess):
    """What is chosen on this page.

    Attributes:
        task: The example, a puzzle, or predicting.
        set_head: The head that is set, from 0.
        word: The word whose row is set, from 0; None for none.
        maps: What each head is told, as `core.shares` writes maps; empty for the task's start.
        without: The head that is removed, from 0; None for none.
    """

    task: str = one_of(TASKS, EXAMPLE)
    set_head: int = one_of(range(N_HEADS), 0)
    word: int | None = one_of(range(N_WORDS), None)
    maps: str = ""
    without: int | None = one_of(range(N_HEADS), None)

    @property
    def head(self) -> int:
        """The head that is set: a puzzle has but one."""
        return self.set_head if self.task == EXAMPLE else 0


@dataclass(frozen=True)
class Board:
    """Words and the heads over them.

    Attributes:
        task: The example or a puzzle.
        maps: What each head is told, in percent.
        unread: Why a link's maps are not shown; empty if they are.
    """

    task: str
    maps: Maps
    unread: str = ""

    @classmethod
    def of(cls, chosen: Letters) -> "Board":
        """The board that was built; the start of the task if nothing was, or if a link cannot be read."""
        start = STARTS[chosen.task]
        if not chosen.maps:
            return cls(chosen.task, start)
        try:
            return cls(chosen.task, maps_from_text(chosen.maps, N_HEADS, N_WORDS))
        except ChoiceError as error:
            return cls(chosen.task, start, f"the link’s maps could not be read: {error}")

    def told(self, head: int, word: int, row: Row) -> str:
        """The maps, as text, with one row replaced; empty where that makes them the start again."""
        rows = [list(one) for one in self.maps]
        rows[head][word] = row
        maps = tuple(map(tuple, rows))
        return "" if maps == STARTS[self.task] else maps_to_text(maps)

    @property
    def puzzle(self) -> Puzzle | None:
        """What is to be solved on it, if anything."""
        return PUZZLES.get(self.task)

    @property
    def words(self) -> tuple[str, ...]:
        """Six words."""
        return LETTERS if self.puzzle is None else self.puzzle.words

    @property
    def shown_heads(self) -> range:
        """The heads that are set and drawn: a puzzle asks for one."""
        return range(N_HEADS if self.puzzle is None else 1)

    @cached_property
    def targets(self) -> np.ndarray:
        """The weights that were asked for, (n_heads, n_words, n_words)."""
        return np.stack([weights_of(rows) for rows in self.maps])

    @cached_property
    def x(self) -> torch.Tensor:
        """A vector for each word, (n_words, d_model): drawn at random, the same each time."""
        generator = torch.Generator().manual_seed(28)
        return torch.randn(N_WORDS, D_MODEL, generator=generator, dtype=torch.float64)

    @cached_property
    def attention(self) -> MultiHeadAttention:
        """Real multi-head attention that does on these vectors what it was told."""
        return solve_attention(self.x, torch.from_numpy(self.targets))

    @cached_property
    def steps(self) -> AttentionSteps:
        """Every number of it."""
        return self.attention(self.x)

    @property
    def weights(self) -> np.ndarray:
        """The weights that came out, (n_heads, n_words, n_words)."""
        return self.steps.weights.numpy()

    @property
    def furthest(self) -> float:
        """How far a weight is, at most, from what was asked for."""
        return float(np.abs(self.weights - self.targets).max())

    def without(self, head: int) -> OutputChange:
        """The output with and without a head."""
        return remove_head(self.attention, self.x, head)

    def grade(self, puzzle: Puzzle) -> Grade:
        """How far the first head solves the puzzle."""
        return grade(puzzle, self.weights[0])


def head_name(head: int) -> str:
    """What a head is called on this page, where counting starts at 1 as in the words of the example."""
    return f"Head {head + 1}"
