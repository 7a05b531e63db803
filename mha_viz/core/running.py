"""Means over many texts of which only sums are kept in memory, and how much a head differs from text to text."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int

from mha_viz.errors import ChoiceError, ShapeError

N_POSITIONS = 10


class RunningMean:
    """Means of named numbers over texts. A NaN, a number without meaning in that text, is left out and not counted.

    Attributes:
        n_texts: How many texts were added.
    """

    def __init__(self) -> None:
        self.n_texts = 0
        self._sums: dict[str, np.ndarray] = {}
        self._counts: dict[str, np.ndarray] = {}

    def add(self, numbers: Mapping[str, np.ndarray]) -> None:
        """Add the numbers of one text.

        Raises:
            ShapeError: If a number has another shape than in the texts before.
        """
        for name, given in numbers.items():
            before = self._sums.get(name)
            if before is not None and before.shape != np.shape(given):
                raise ShapeError(
                    f"{name} had shape {before.shape} in the texts before and now has {np.shape(given)}; "
                    "add texts of the same model only"
                )
        for name, given in numbers.items():
            known = ~np.isnan(given)
            self._sums[name] = self._sums.get(name, 0.0) + np.where(known, given, 0.0)
            self._counts[name] = self._counts.get(name, 0) + known
        self.n_texts += 1

    @property
    def means(self) -> dict[str, Float[np.ndarray, "..."]]:
        """The mean of each number over the texts in which it has a meaning; NaN where there is none.

        Raises:
            ChoiceError: If no text was added.
        """
        self._check_some()
        return {
            name: np.divide(total, counts, out=np.full(np.shape(total), np.nan), where=counts > 0)
            for (name, total), counts in zip(self._sums.items(), self.counts.values(), strict=True)
        }

    @property
    def counts(self) -> dict[str, Int[np.ndarray, "..."]]:
        """In how many texts each number has a meaning."""
        return {name: np.asarray(counts).astype(int) for name, counts in self._counts.items()}

    def _check_some(self) -> None:
        if not self.n_texts:
            raise ChoiceError("expected the numbers of one text at least, got none; add one first")


class MeanMap:
    """The mean map of every head over the first positions of many texts; shorter texts are left out.

    Args:
        n_positions: How many positions.

    Attributes:
        n_texts: How many texts are in the mean.
        n_short: How many were too short.
    """

    def __init__(self, n_positions: int = N_POSITIONS) -> None:
        self.n_positions, self.n_texts, self.n_short = n_positions, 0, 0
        self._sum: np.ndarray | None = None

    def add(self, weights: Float[np.ndarray, "*lead n_tokens n_tokens"]) -> None:
        """Add the maps of one text."""
        if min(weights.shape[-2:]) < self.n_positions:
            self.n_short += 1
            return
        start = first_positions(weights, self.n_positions)
        self._sum = start if self._sum is None else self._sum + start
        self.n_texts += 1

    @property
    def mean(self) -> Float[np.ndarray, "*lead n_positions n_positions"]:
        """The mean map.

        Raises:
            ChoiceError: If no text was long enough.
        """
        if self._sum is None:
            raise ChoiceError(
                f"expected one text of {self.n_positions} tokens at least, got {self.n_short} shorter ones; "
                "give longer texts, or count fewer positions"
            )
        return self._sum / self.n_texts


class Variability:
    r"""How much the maps of a head differ from text to text: from 0 (always the same map, by position) towards 1.

    $V = \sum |A - \bar A| \,/\, 2 \sum A$ over texts, queries and keys of the first positions. The mean map must be
    known first: go through the texts twice, with `MeanMap` and then with this, and no map needs to be kept.

    Args:
        mean: The mean map over the same texts.

    Source:
        Vig & Belinkov 2019, "Analyzing the Structure of Attention in a Transformer Language Model", with
        10 positions.
    """

    def __init__(self, mean: Float[np.ndarray, "*lead n_positions n_positions"]) -> None:
        self._mean = mean
        self._differences = np.zeros(mean.shape[:-2])
        self._weights = np.zeros(mean.shape[:-2])

    def add(self, weights: Float[np.ndarray, "*lead n_tokens n_tokens"]) -> None:
        """Add the maps of one text; one that is too short is left out, as it was from the mean."""
        n_positions = self._mean.shape[-1]
        if min(weights.shape[-2:]) < n_positions:
            return
        start = first_positions(weights, n_positions)
        self._differences += np.abs(start - self._mean).sum(axis=(-2, -1))
        self._weights += start.sum(axis=(-2, -1))

    @property
    def value(self) -> Float[np.ndarray, "*lead"]:
        """The variability; NaN where there was no weight."""
        return np.divide(
            self._differences,
            2 * self._weights,
            out=np.full(self._weights.shape, np.nan),
            where=self._weights > 0,
        )


def first_positions(weights: np.ndarray, n_positions: int) -> np.ndarray:
    """The first queries and keys of maps, in float64."""
    return weights[..., :n_positions, :n_positions].astype(np.float64)
