"""Next-token training: the optimiser, its schedule, and one step after the other."""

from collections.abc import Collection
from dataclasses import dataclass

import torch
from torch import nn

from mha_viz.school.batches import NOTHING, Batch, training_batch
from mha_viz.school.grammar import Grammar
from mha_viz.school.model import SchoolModel, Sizes
from mha_viz.school.vocabulary import Vocabulary


@dataclass(frozen=True)
class Recipe:
    """Everything that a training follows from.

    The learning rate rises over `n_warm_up` steps, stays, and falls in the second half to `last_share` of itself.
    """

    seed: int = 0
    n_steps: int = 4000
    n_rows: int = 32
    learning_rate: float = 4e-3
    n_warm_up: int = 100
    last_share: float = 0.03
    weight_decay: float = 0.05
    betas: tuple[float, float] = (0.9, 0.98)
    clip: float = 1.0

    def rate(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        falling_from = 0.5 * self.n_steps
        left = (self.n_steps - step) / (self.n_steps - falling_from)
        return self.learning_rate * min(
            (step + 1) / self.n_warm_up, 1.0, self.last_share + (1 - self.last_share) * left
        )


class Training:
    """A model on its way.

    Args:
        recipe: What it follows.
        grammar: Where the text comes from.
        vocabulary: How it is cut into tokens.
    """

    def __init__(self, recipe: Recipe, grammar: Grammar, vocabulary: Vocabulary) -> None:
        self.recipe = recipe
        self.grammar = grammar
        self.vocabulary = vocabulary
        # More threads add up in another order each time: with one the same seed gives the same weights.
        torch.set_num_threads(1)
        torch.manual_seed(recipe.seed)
        self.model = SchoolModel(Sizes(n_words=len(vocabulary)))
        self.optimiser = adamw(self.model, recipe)
        self.step = 0

    def batch(self) -> Batch:
        """The batch of the step that comes next."""
        return training_batch(
            self.grammar,
            self.vocabulary,
            seed=self.recipe.seed,
            step=self.step,
            n_rows=self.recipe.n_rows,
            n_tokens=self.model.sizes.n_positions,
        )

    def advance(self) -> float:
        """One step; the loss before it."""
        loss = take_step(self.model, self.optimiser, self.recipe, self.step, self.batch())
        self.step += 1
        return loss

    def state(self) -> dict:
        """All that is needed to go on later."""
        return {
            "step": self.step,
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
        }

    def restore(self, state: dict) -> None:
        """Go on from where another training stopped."""
        self.step = state["step"]
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])


def take_step(
    model: SchoolModel,
    optimiser: torch.optim.Optimizer,
    recipe: Recipe,
    step: int,
    batch: Batch,
    heads_off: Collection[tuple[int, int]] = (),
) -> float:
    """Change the weights by one step.

    Args:
        model: Whose weights.
        optimiser: What `adamw` gave for it.
        recipe: What the training follows.
        step: How many steps there were before.
        batch: What the model reads.
        heads_off: Heads that find nothing, as (layer, head).

    Returns:
        The loss before the step.
    """
    for group in optimiser.param_groups:
        group["lr"] = recipe.rate(step)
    loss = next_token_loss(model, batch, heads_off)
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
    optimiser.step()
    return loss.item()


def next_token_loss(
    model: SchoolModel, batch: Batch, heads_off: Collection[tuple[int, int]] = ()
) -> torch.Tensor:
    """How surprised the model is by each next token, on average: the only thing it is trained on."""
    passed = model(
        batch.ids, positions=batch.positions, may_attend=batch.may_attend, heads_off=heads_off
    )
    return nn.functional.cross_entropy(
        passed.logits.flatten(0, 1), batch.targets.flatten(), ignore_index=NOTHING
    )


def adamw(model: SchoolModel, recipe: Recipe) -> torch.optim.Optimizer:
    """AdamW; only matrices are pulled towards zero."""
    matrices = [weight for weight in model.parameters() if weight.ndim > 1]
    others = [weight for weight in model.parameters() if weight.ndim == 1]
    groups = [
        {"params": matrices, "weight_decay": recipe.weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=recipe.learning_rate, betas=recipe.betas)
