"""Train the school's model: `python -m mha_viz.school.train`.

Writes weights and history to a folder, and goes on where it stopped if it is started again.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from mha_viz.errors import ChoiceError
from mha_viz.school.checkpoints import (
    HISTORY,
    Entry,
    History,
    load_history,
    save_history,
    save_state,
    save_weights,
)
from mha_viz.school.grammar import Grammar
from mha_viz.school.lexicon import Lexicon
from mha_viz.school.scores import Examiner
from mha_viz.school.training import Recipe, Training
from mha_viz.school.vocabulary import Vocabulary

STATE = "state.pt"
MEASURED_EVERY = 50
# Dense where heads are born; all are steps at which the scores are measured too.
SAVED_STEPS = (0, 100, 200, 400, 600, 1200, 1550, 1600, 1650, 1700, 2000, 2600, 4000)
BAR_WIDTH = 30


class ProgressBar:
    """One line that says how far the training is."""

    def __init__(self, n_steps: int, done: int) -> None:
        self.n_steps = n_steps
        self.done_before = done
        self.started = time.monotonic()

    def show(self, step: int, loss: float) -> None:
        """Write the line anew."""
        seconds = time.monotonic() - self.started
        left = seconds / (step - self.done_before) * (self.n_steps - step)
        filled = "█" * round(BAR_WIDTH * step / self.n_steps)
        minutes, rest = divmod(round(left), 60)
        sys.stderr.write(
            f"\r{filled:░<{BAR_WIDTH}} {step}/{self.n_steps}  loss {loss:.3f}  {minutes}:{rest:02d} left "
        )
        sys.stderr.flush()


def train(recipe: Recipe, folder: Path) -> History:
    """Train by a recipe, from the start or from where the folder has got to.

    Args:
        recipe: What to follow; with the same seed everything comes out the same.
        folder: Where weights, history and state are written.

    Raises:
        ChoiceError: If the folder holds a training by another recipe.
    """
    lexicon = Lexicon()
    grammar, vocabulary = Grammar(lexicon), Vocabulary(lexicon)
    training = Training(recipe, grammar, vocabulary)
    examiner = Examiner(grammar, vocabulary)
    history = _resume(training, folder)
    bar = ProgressBar(recipe.n_steps, training.step)
    losses: list[float] = []
    while True:
        if training.step % MEASURED_EVERY == 0 and not _measured(history, training.step):
            loss = sum(losses) / len(losses) if losses else None
            losses.clear()
            entry = Entry(training.step, loss, examiner.examine(training.model))
            history = History(history.recipe, (*history.entries, entry))
            _save(training, history, folder)
        if training.step >= recipe.n_steps:
            return history
        losses.append(training.advance())
        bar.show(training.step, losses[-1])


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m mha_viz.school.train", description=__doc__)
    parser.add_argument("--seed", type=int, default=Recipe.seed, help="default: %(default)s")
    parser.add_argument("--steps", type=int, default=Recipe.n_steps, help="default: %(default)s")
    parser.add_argument(
        "--folder", type=Path, default=Path("build/school"), help="default: %(default)s"
    )
    given = parser.parse_args(arguments)
    train(Recipe(seed=given.seed, n_steps=given.steps), given.folder)
    sys.stderr.write(f"\nweights and history are in {given.folder}\n")


def _resume(training: Training, folder: Path) -> History:
    """Set the training to where the folder has got to, and give back what was measured until then."""
    recipe = asdict(training.recipe)
    if not (folder / STATE).exists():
        return History(recipe)
    state = torch.load(folder / STATE, weights_only=True)
    if state["recipe"] != recipe:
        raise ChoiceError(
            f"{folder} holds a training by another recipe, {state['recipe']}; choose another --folder, or delete it"
        )
    training.restore(state)
    history = load_history(folder / HISTORY)
    # The history is written first, so it may know of a step that the state does not.
    return History(recipe, tuple(e for e in history.entries if e.step <= training.step))


def _measured(history: History, step: int) -> bool:
    return bool(history.entries) and history.entries[-1].step == step


def _save(training: Training, history: History, folder: Path) -> None:
    if training.step in {*SAVED_STEPS, training.recipe.n_steps}:
        save_weights(training.model, folder, training.step)
    save_history(history, folder / HISTORY)
    save_state({**training.state(), "recipe": asdict(training.recipe)}, folder / STATE)


if __name__ == "__main__":
    main()
