"""Weights and history of a training as files: float16 safetensors, one a step, and one JSON."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from mha_viz.errors import ChoiceError, ModelError
from mha_viz.school.lexicon import ASSETS
from mha_viz.school.model import SchoolModel, Sizes
from mha_viz.school.scores import HeadScore, ScoreCard

HISTORY = "history.json"


@dataclass(frozen=True, eq=False)
class Entry:
    """What was measured at one step.

    Attributes:
        step: How many steps had been trained.
        loss: Mean training loss since the entry before; None at the start.
        card: All scores.
    """

    step: int
    loss: float | None
    card: ScoreCard


@dataclass(frozen=True, eq=False)
class History:
    """How a training went.

    Attributes:
        recipe: What it followed, by name.
        entries: What was measured, in order of steps.
    """

    recipe: dict[str, Any]
    entries: tuple[Entry, ...] = ()

    def at(self, step: int) -> Entry:
        """What was measured at a step.

        Raises:
            ChoiceError: If nothing was measured there.
        """
        for entry in self.entries:
            if entry.step == step:
                return entry
        steps = ", ".join(str(entry.step) for entry in self.entries)
        raise ChoiceError(f"step {step} was not measured; choose one of {steps}")

    def birth(self, name: str) -> int:
        """The first step at which a score is half-way from what it was at the start to what it is at the end."""
        values = [entry.card.heads[name].value for entry in self.entries]
        half_way = (values[0] + values[-1]) / 2
        return next(
            entry.step
            for entry, value in zip(self.entries, values, strict=True)
            if value >= half_way
        )


def save_weights(model: SchoolModel, folder: Path, step: int) -> None:
    """Write the weights of a step, rounded to float16; its sizes are in the file too."""
    halves = {name: weight.detach().half() for name, weight in model.state_dict().items()}
    # One entry and no more: several would be written in an order of chance, and the same weights as other bytes.
    metadata = {"sizes": json.dumps(asdict(model.sizes))}
    folder.mkdir(parents=True, exist_ok=True)
    save_file(halves, _file(folder, step), metadata)


def load_model(step: int, folder: Path = ASSETS) -> SchoolModel:
    """The model as it was at a step, in float32.

    Raises:
        ChoiceError: If there are no weights of that step.
        ModelError: If the file cannot be read, or holds something else.
    """
    if step not in (steps := saved_steps(folder)):
        listed = ", ".join(map(str, steps)) or "none"
        raise ChoiceError(f"step {step} was not saved; the saved steps are {listed}")
    file = _file(folder, step)
    try:
        with safe_open(file, framework="pt") as opened:
            sizes = Sizes(**json.loads(opened.metadata()["sizes"]))
            weights = {name: opened.get_tensor(name).float() for name in opened.keys()}  # noqa: SIM118
        model = SchoolModel(sizes)
        model.load_state_dict(weights)
    except (SafetensorError, OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ModelError(
            f"{file.name} should hold the weights of a school's model, but cannot be read as such: {error}; "
            "train it again with python -m mha_viz.school.train"
        ) from error
    return model.eval()


def saved_steps(folder: Path = ASSETS) -> tuple[int, ...]:
    """The steps whose weights are there."""
    return tuple(sorted(int(file.stem.split("-")[1]) for file in folder.glob("step-*.safetensors")))


def save_history(history: History, file: Path) -> None:
    """Write a history; numbers are rounded to four digits."""
    nulls = {name: round(score.null, 4) for name, score in history.entries[0].card.heads.items()}
    entries = [
        {
            "step": entry.step,
            "loss": None if entry.loss is None else round(entry.loss, 4),
            "verb_number": round(entry.card.verb_number, 4),
            "letters_continued": round(entry.card.letters_continued, 4),
            "heads": {
                name: score.heads.astype(float).round(4).tolist()
                for name, score in entry.card.heads.items()
            },
        }
        for entry in history.entries
    ]
    # One entry a line: a person can read it, and a change shows where it is.
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    head = f'"recipe": {json.dumps(history.recipe)},\n"nulls": {json.dumps(nulls)}'
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'{{\n{head},\n"entries": [\n{lines}\n]\n}}\n', encoding="utf-8")


def load_history(file: Path = ASSETS / HISTORY) -> History:
    """A history that was written.

    Raises:
        ModelError: If there is none, or if it cannot be read.
    """
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
        return History(
            read["recipe"], tuple(_entry(entry, read["nulls"]) for entry in read["entries"])
        )
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"{file.name} should hold the history of a training, but cannot be read as such: {error}; "
            "train again with python -m mha_viz.school.train"
        ) from error


def save_state(state: dict[str, Any], file: Path) -> None:
    """Write all that is needed to go on; the file is whole or is the one before."""
    file.parent.mkdir(parents=True, exist_ok=True)
    half_written = file.with_suffix(".part")
    torch.save(state, half_written)
    half_written.replace(file)


def _entry(read: dict[str, Any], nulls: dict[str, float]) -> Entry:
    heads = {
        name: HeadScore(np.array(values, dtype=np.float32), nulls[name])
        for name, values in read["heads"].items()
    }
    card = ScoreCard(heads, read["verb_number"], read["letters_continued"])
    return Entry(read["step"], read["loss"], card)


def _file(folder: Path, step: int) -> Path:
    return folder / f"step-{step:05d}.safetensors"
