"""What a model loses with each head: it is run again with one head off, and what comes out is compared.

How a model is run is the caller's: a function that takes interventions and gives final vectors, or probabilities.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from mha_viz.core.differences import OutputChange
from mha_viz.core.interventions import HeadOff, Intervention
from mha_viz.errors import ShapeError

Run = Callable[[tuple[Intervention, ...]], np.ndarray]
Change = Callable[[np.ndarray, np.ndarray], float]


@dataclass(frozen=True)
class HeadEffect:
    """What one head is worth to what comes out.

    Attributes:
        layer: Which layer, from 0.
        head: Which head, from 0.
        change: How much changes without it.
    """

    layer: int
    head: int
    change: float


def cosine_change(before: np.ndarray, after: np.ndarray) -> float:
    """1 less the cosine between the vectors of each position, mean over positions: from 0 (same direction) to 2.

    Raises:
        ShapeError: If they are not of the same shape.

    Shapes:
        before, after: (n_tokens, d_model)

    Source:
        Distance of outputs as in Mohebbi et al. 2023, "Quantifying Context Mixing in Transformers".
    """
    return float((1 - OutputChange(before, after).cosine).mean())


def total_variation(before: np.ndarray, after: np.ndarray) -> float:
    """Half the sum of what probabilities change by, mean over positions: from 0 (the same) to 1 (nothing in common).

    Raises:
        ShapeError: If they are not of the same shape.

    Shapes:
        before, after: (*positions, n_choices)

    Source:
        Jain & Wallace 2019, "Attention is not Explanation".
    """
    if before.shape != after.shape:
        raise ShapeError(
            f"probabilities must be of the same shape, but they are {before.shape} and {after.shape}; "
            "compare those of the same positions over the same choices"
        )
    # Row by row: of a long text over a large vocabulary there is no room for several copies.
    rows = (part.reshape(-1, part.shape[-1]) for part in (before, after))
    changes = [
        np.abs(one.astype(np.float64) - other).sum() for one, other in zip(*rows, strict=True)
    ]
    return float(np.mean(changes) / 2)


def head_effects(
    run: Run,
    places: Iterable[tuple[int, int]],
    change: Change,
    *,
    how: str = "zero",
    stream: str | None = None,
) -> Iterator[HeadEffect]:
    """Switch each head off alone, and say what changes: one more run of the model for each.

    Args:
        run: The model on one text with interventions; none give what it does by itself.
        places: Layer and head of each.
        change: What to compare runs by, `cosine_change` or `total_variation`.
        how: What off means: the head's output is zeros, or its weights are "uniform".
        stream: Which kind of attention the heads are of, for models that have several.

    Yields:
        The effect of each head as soon as it is known.

    Raises:
        ChoiceError: If a head is off in another way.

    Source:
        Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 3.2 (one head at a time).
    """
    before = run(())
    for layer, head in places:
        after = run((HeadOff(layer, head, how=how, stream=stream),))
        yield HeadEffect(layer, head, change(before, after))
