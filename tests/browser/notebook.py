"""What the figures of a notebook show of the same weights: which arcs there are, and where."""

from dataclasses import dataclass

import numpy as np

from mha_viz.figures.arc_selection import KeptArcs
from mha_viz.figures.arcs import LEAST_SPAN
from mha_viz.figures.curves import Curves
from mha_viz.figures.row_layout import Stage, arc_stages

# Beside the words of a row, in pixels.
MARGIN = 12


@dataclass(frozen=True)
class HeadArcs:
    """The arcs of one head.

    Attributes:
        queries: The word that looks, an arc.
        keys: The word that is looked at, an arc.
        weights: Of each.
        stage: Where things are in the row.
    """

    queries: np.ndarray
    keys: np.ndarray
    weights: np.ndarray
    stage: Stage

    @property
    def curves(self) -> Curves:
        """x in the row's coordinates, y in pixels from its top."""
        return self.stage.curves(self.queries, self.keys, 0)

    def pixels(self, chosen: np.ndarray, width: float) -> np.ndarray:
        """The points of some arcs in a row of this width, (n_chosen, n_points, 2)."""
        half = max(self.stage.words.span, LEAST_SPAN) / 2
        curves = self.curves[chosen]
        x = MARGIN + (curves.x + half) * (width - 2 * MARGIN) / (2 * half)
        return np.stack([x, curves.y], axis=-1)


def head_arcs(
    weights: np.ndarray, words: list[str], *, share: float = 0.7, by_key: bool = False
) -> list[HeadArcs]:
    """The arcs of heads.

    Args:
        weights: (n_heads, n_words, n_words).
        words: The text of each.
        share: Of a word's weight that its arcs hold.
        by_key: Whether that is the weight that it gets.
    """
    everything = slice(0, len(words))
    kept = KeptArcs.of(weights, everything, everything, share, by_key=by_key).kept
    pairs = [np.nonzero(one) for one in kept]
    stages = arc_stages(words, pairs, numbers=True)
    return [
        HeadArcs(*pair, one[pair], stage)
        for pair, one, stage in zip(pairs, weights, stages, strict=True)
    ]
