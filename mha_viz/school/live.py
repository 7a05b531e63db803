"""A model of two layers, trained on blocks of letters alone, in about a minute: `python -m mha_viz.school.live`.

It writes one line of JSON for each measurement and one at the end, and stops when nobody holds its standard input any more.
"""

import argparse
import json
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from random import Random
from threading import Thread
from time import monotonic
from typing import TextIO

import numpy as np
import torch

from mha_viz.errors import ChoiceError
from mha_viz.school.blocks import (
    ALPHABET,
    N_TOKENS,
    block_batch,
    block_exams,
    letter_ids,
    sample_letters,
)
from mha_viz.school.model import Pass, SchoolModel, Sizes
from mha_viz.school.scores import Exam, continued, mean_weights, place_null, surprise
from mha_viz.school.training import Recipe, adamw, take_step

N_LAYERS = 2
HEADS = (1, 2, 4)
SHORT, FULL = 300, 2400
WIDTH = 32
# A letter has to stand out beside its place, or the second layer cannot tell which letter it is to look for.
WORD_SCALE = 10
# About so many measurements, closer together in a short training.
N_MEASUREMENTS = 50
NICENESS = 10
DIGITS = 4


@dataclass(frozen=True)
class Plan:
    """What a person can choose of a training.

    Attributes:
        seed: What weights and letters are drawn from.
        n_heads: In each of the two layers.
        positions: Whether the model is told where a letter stands.
        n_steps: How long it is trained.
        without: A head that is off from the first step to the last, as (layer, head).
    """

    seed: int = 0
    n_heads: int = 2
    positions: bool = True
    n_steps: int = FULL
    without: tuple[int, int] | None = None

    @property
    def heads_off(self) -> list[tuple[int, int]]:
        """The heads that are off, as a model wants them."""
        return [] if self.without is None else [self.without]

    @property
    def recipe(self) -> Recipe:
        """How the weights are changed."""
        return Recipe(
            seed=self.seed,
            n_steps=self.n_steps,
            learning_rate=5e-3,
            n_warm_up=50,
            weight_decay=0.01,
        )


@dataclass(frozen=True)
class Measurement:
    """A training as it is at one step.

    Attributes:
        step: How many steps were trained.
        seconds: Since the first step.
        loss: Mean training loss since the measurement before; None at the start.
        induction: For each layer and head, the mean weight on the letter that followed the same letter before.
        previous: For each layer and head, the mean weight on the letter before.
        continued: How often the likeliest next letter is the right one, in the second half of unseen blocks.
        maps: Weights on the sample text, (layer, head, query, key).
    """

    step: int
    seconds: float
    loss: float | None
    induction: list[list[float]]
    previous: list[list[float]]
    continued: float
    maps: list[list[list[list[float]]]]


@dataclass(frozen=True)
class WithoutHead:
    """What a trained model can still do when a head is switched off.

    Attributes:
        head: Which, as (layer, head); None for all heads on.
        loss: Of the second half of unseen blocks.
        continued: How often the likeliest next letter there is the right one.
    """

    head: tuple[int, int] | None
    loss: float
    continued: float


class LiveTraining:
    """A model on its way.

    Args:
        plan: What was chosen.
    """

    def __init__(self, plan: Plan) -> None:
        if plan.n_heads not in HEADS:
            raise ChoiceError(f"expected a number of heads of {HEADS}, got {plan.n_heads}")
        torch.set_num_threads(1)
        torch.manual_seed(plan.seed)
        self.plan = plan
        self.model = SchoolModel(
            Sizes(
                n_words=len(ALPHABET),
                d_model=WIDTH,
                n_layers=N_LAYERS,
                n_heads=plan.n_heads,
                d_feed_forward=WIDTH,
                n_positions=N_TOKENS,
            )
        )
        with torch.no_grad():
            self.model.words.weight.mul_(WORD_SCALE)
            if not plan.positions:
                self.model.positions.weight.zero_()
        self.model.positions.weight.requires_grad_(plan.positions)
        self.optimiser = adamw(self.model, plan.recipe)
        self.random = Random(plan.seed)
        self.step = 0
        self.after, self.before = block_exams()
        self.sample = torch.tensor([letter_ids(sample_letters())])

    def advance(self) -> float:
        """One step; the loss before it."""
        recipe = self.plan.recipe
        batch = block_batch(self.random, recipe.n_rows)
        loss = take_step(self.model, self.optimiser, recipe, self.step, batch, self.plan.heads_off)
        self.step += 1
        return loss

    def measure(self, seconds: float, loss: float | None) -> Measurement:
        """What the heads do by now."""
        passed = self._pass(self.after, self.plan.heads_off)
        with torch.inference_mode():
            sample = self.model(self.sample, heads_off=self.plan.heads_off)
        return Measurement(
            self.step,
            round(seconds, 1),
            None if loss is None else round(loss, DIGITS),
            _rounded(mean_weights(passed, self.after)),
            _rounded(mean_weights(passed, self.before)),
            round(continued(passed, self.after), DIGITS),
            [_rounded(steps.weights[0].numpy()) for steps in sample.attention],
        )

    def without_heads(self) -> list[WithoutHead]:
        """What is lost with each head, after the row of all heads on."""
        heads = [(layer, head) for layer in range(N_LAYERS) for head in range(self.plan.n_heads)]
        rows = []
        for head in (None, *heads):
            off = {*self.plan.heads_off, *([] if head is None else [head])}
            passed = self._pass(self.after, off)
            rows.append(
                WithoutHead(
                    head,
                    round(surprise(passed, self.after).item(), DIGITS),
                    round(continued(passed, self.after), DIGITS),
                )
            )
        return rows

    def _pass(self, exam: Exam, heads_off: Collection[tuple[int, int]]) -> Pass:
        batch = exam.batch
        with torch.inference_mode():
            return self.model(batch.ids, may_attend=batch.may_attend, heads_off=heads_off)


def _rounded(numbers: np.ndarray) -> list:
    """As lists, in as few digits as can be drawn."""
    return numbers.astype(float).round(DIGITS).tolist()


def nulls() -> tuple[float, float]:
    """What heads reach that see no letters: by induction, always so many back; and sharing equally, the letter before."""
    after, before = block_exams()
    equal = [1 / (link.query + 1) for _, link in before.links]
    return place_null(after.links), sum(equal) / len(equal)


def run(plan: Plan) -> Iterator[dict]:
    """Train by a plan, and say every so often how it goes; at the end what each head is worth."""
    training = LiveTraining(plan)
    started, losses = monotonic(), []
    every = max(plan.n_steps // N_MEASUREMENTS, 1)
    while True:
        if training.step % every == 0 or training.step == plan.n_steps:
            loss = sum(losses) / len(losses) if losses else None
            losses.clear()
            yield {"measured": asdict(training.measure(monotonic() - started, loss))}
        if training.step >= plan.n_steps:
            break
        losses.append(training.advance())
    yield {"without": [asdict(row) for row in training.without_heads()]}


def arguments_of(plan: Plan) -> list[str]:
    """A plan as the command's arguments."""
    given = ["--seed", str(plan.seed), "--heads", str(plan.n_heads), "--steps", str(plan.n_steps)]
    if not plan.positions:
        given.append("--no-positions")
    if plan.without is not None:
        given += ["--without", *map(str, plan.without)]
    return given


def plan_of(arguments: Sequence[str] | None) -> Plan:
    """The plan that the command's arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m mha_viz.school.live", description=__doc__)
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("--heads", type=int, choices=HEADS, default=Plan.n_heads)
    parser.add_argument("--steps", type=int, default=Plan.n_steps)
    parser.add_argument("--no-positions", action="store_true")
    parser.add_argument("--without", type=int, nargs=2, metavar=("LAYER", "HEAD"))
    given = parser.parse_args(arguments)
    without = None if given.without is None else (given.without[0], given.without[1])
    return Plan(given.seed, given.heads, not given.no_positions, given.steps, without)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    plan = plan_of(arguments)
    Thread(target=_end_with_parent, args=(sys.stdin,), daemon=True).start()
    if hasattr(os, "nice"):
        # What other people do on the same machine goes first.
        os.nice(NICENESS)
    for said in run(plan):
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


def _end_with_parent(held: TextIO) -> None:
    """A parent that is gone holds the other end no more: reading comes to an end, and so does the process."""
    held.read()
    os._exit(0)


if __name__ == "__main__":
    main()
