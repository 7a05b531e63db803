"""Every puzzle can be solved, and is not solved by doing nothing."""

import numpy as np
import pytest
import torch

from mha_viz.core.puzzles import PUZZLES, Puzzle, grade
from mha_viz.core.solving import solve_attention
from mha_viz.errors import ShapeError

N_WORDS = 6


def computed(targets: np.ndarray) -> np.ndarray:
    """The weights of real attention that was asked for these."""
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(N_WORDS, 24, generator=generator, dtype=torch.float64)
    maps = torch.from_numpy(np.stack([targets] * 3))
    return solve_attention(x, maps)(x).weights[0].numpy()


def even() -> np.ndarray:
    return np.full((N_WORDS, N_WORDS), 1 / N_WORDS)


@pytest.fixture(params=PUZZLES)
def puzzle(request: pytest.FixtureRequest) -> Puzzle:
    return PUZZLES[request.param]


def test_solution_scores_full_marks(puzzle: Puzzle):
    graded = grade(puzzle, computed(puzzle.solution))
    assert graded.score == pytest.approx(1, abs=1e-9)
    assert graded.is_solved


def test_even_weights_score_nothing(puzzle: Puzzle):
    graded = grade(puzzle, computed(even()))
    assert graded.score == pytest.approx(0, abs=1e-9)
    assert not graded.is_solved


def test_looking_elsewhere_scores_nothing(puzzle: Puzzle):
    wrong = even()
    for query, key in puzzle.looks.items():
        wrong[query] = np.eye(N_WORDS)[(key + 1) % N_WORDS]
    graded = grade(puzzle, computed(wrong))
    assert graded.score == 0
    assert max(graded.rows.values()) < 0


def test_half_of_the_rows_right_is_half_of_the_way(puzzle: Puzzle):
    weights, done = even(), list(puzzle.looks)[:3]
    for query in done:
        weights[query] = puzzle.solution[query]
    graded = grade(puzzle, computed(weights))
    assert graded.score == pytest.approx(len(done) / len(puzzle.looks))
    assert not graded.is_solved


def test_rows_that_do_not_count_change_nothing(puzzle: Puzzle):
    weights = puzzle.solution
    for query in set(range(N_WORDS)) - set(puzzle.looks):
        weights[query] = np.eye(N_WORDS)[5]
    assert grade(puzzle, computed(weights)).is_solved


def test_one_row_by_hand():
    """Half on A, half on B: 0.005 less than 0.5 / 0.8333 of the way from even to the floored target."""
    weights = even()
    weights[1] = [0.5, 0.5, 0, 0, 0, 0]
    goal = np.array([1, 0.001, 0.001, 0.001, 0.001, 0.001]) / 1.005
    missed, by_even = np.abs(weights[1] - goal).sum(), np.abs(1 / 6 - goal).sum()
    assert grade(PUZZLES["previous"], weights).rows[1] == pytest.approx(1 - missed / by_even)


def test_puzzles_ask_for_what_they_say():
    assert PUZZLES["previous"].looks == {1: 0, 2: 1, 3: 2, 4: 3, 5: 4}
    assert PUZZLES["first"].looks == dict.fromkeys(range(6), 0)
    verb = PUZZLES["verb"]
    assert {verb.words[key] for key in verb.looks.values()} == {"chased"}


def test_every_puzzle_has_six_words_and_hints(puzzle: Puzzle):
    assert len(puzzle.words) == N_WORDS
    assert len(puzzle.hints) >= 2


def test_weights_of_other_words_are_refused():
    with pytest.raises(ShapeError, match="6 words on 6"):
        grade(PUZZLES["verb"], np.eye(5))
