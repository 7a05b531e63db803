"""Which tokens of two texts are the same word in the same order: the pairs in which their maps can be compared."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mha_viz.core.record import Token
from mha_viz.errors import ShapeError

SPACE_MARK = "␣"
# Rounding leaves rows that sum to 1 a little off: less than this goes to no partnerless key.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Alignment:
    """Tokens of a first and a second text, by position.

    Attributes:
        pairs: Partners, in ascending order in both texts.
        n_first: Tokens of the first text.
        n_second: Tokens of the second.
    """

    pairs: tuple[tuple[int, int], ...]
    n_first: int
    n_second: int

    @property
    def first(self) -> list[int]:
        """The positions in the first text that have a partner."""
        return [one for one, _ in self.pairs]

    @property
    def second(self) -> list[int]:
        """Their partners in the second text."""
        return [other for _, other in self.pairs]

    @property
    def alone_in_first(self) -> list[int]:
        """The positions in the first text that have none."""
        return sorted(set(range(self.n_first)) - set(self.first))

    @property
    def alone_in_second(self) -> list[int]:
        """The positions in the second text that have none."""
        return sorted(set(range(self.n_second)) - set(self.second))


def align(first: Sequence[str], second: Sequence[str]) -> Alignment:
    """A longest common subsequence; of several, the one whose partners come earliest.

    Args:
        first: What is written for each token of a text.
        second: The same of another.
    """
    n_first, n_second = len(first), len(second)
    # How many pairs there are at most from a position in each text on.
    left = [[0] * (n_second + 1) for _ in range(n_first + 1)]
    for one in reversed(range(n_first)):
        for other in reversed(range(n_second)):
            is_pair = first[one] == second[other]
            left[one][other] = (
                left[one + 1][other + 1] + 1
                if is_pair
                else max(left[one + 1][other], left[one][other + 1])
            )
    pairs, one, other = [], 0, 0
    while one < n_first and other < n_second:
        if first[one] == second[other]:
            pairs.append((one, other))
            one, other = one + 1, other + 1
        elif left[one + 1][other] >= left[one][other + 1]:
            one += 1
        else:
            other += 1
    return Alignment(tuple(pairs), n_first, n_second)


def align_tokens(first: Sequence[Token], second: Sequence[Token]) -> Alignment:
    """The same for tokens, which may be of different models: capitals and the mark of a space before do not count."""
    return align(*([_spelled(token) for token in tokens] for tokens in (first, second)))


def aligned_maps(
    first: np.ndarray, second: np.ndarray, queries: Alignment, keys: Alignment
) -> tuple[
    Float[np.ndarray, "*lead n_queries n_keys"], Float[np.ndarray, "*lead n_queries n_keys"]
]:
    """The part of two maps, or of two stacks of maps, that both texts have: queries and keys with a partner.

    Args:
        first: Of a text, or from one text to another.
        second: Of others.
        queries: The tokens that look.
        keys: The tokens that are looked at; where a text looks at itself, the same as the queries.

    Raises:
        ShapeError: If the maps are not of the tokens that were aligned.

    Shapes:
        first: (*lead, queries.n_first, keys.n_first)
        second: (*lead, queries.n_second, keys.n_second)
    """
    sizes = (queries.n_first, keys.n_first), (queries.n_second, keys.n_second)
    for weights, (n_query, n_key) in zip((first, second), sizes, strict=True):
        if weights.shape[-2:] != (n_query, n_key):
            raise ShapeError(
                f"expected a map of {n_query} × {n_key} tokens, got {weights.shape[-2:]}; give the maps of the texts that were aligned"
            )
    return (
        first[..., queries.first, :][..., keys.first],
        second[..., queries.second, :][..., keys.second],
    )


def row_distances(
    first: np.ndarray, second: np.ndarray, queries: Alignment, keys: Alignment
) -> Float[np.ndarray, "*lead n_queries"]:
    r"""How differently each aligned query looks at the aligned keys: 0 the same, 1 nothing in common.

    Jensen–Shannon distance to the base 2, $\sqrt{H(\frac{p+q}{2}) - \frac{H(p)+H(q)}{2}}$. What a row gives to no aligned
    key (to words without a partner, or to a sink) is one more share, so that both rows sum to 1.

    Shapes:
        See `aligned_maps`.

    Source:
        Lin 1991, "Divergence Measures Based on the Shannon Entropy"; its square root is a metric: Endres & Schindelin 2003.
    """
    one, other = (
        _with_rest(part.astype(np.float64)) for part in aligned_maps(first, second, queries, keys)
    )
    divergence = _entropy((one + other) / 2) - (_entropy(one) + _entropy(other)) / 2
    # Rounding must not make a difference of rows that are equal.
    return np.sqrt(np.where((one == other).all(axis=-1), 0.0, divergence.clip(0, 1)))


def _spelled(token: Token) -> str:
    return token.text.removeprefix(SPACE_MARK).casefold()


def _with_rest(rows: np.ndarray) -> np.ndarray:
    rest = 1 - rows.sum(axis=-1, keepdims=True)
    return np.concatenate([rows, np.where(rest < ROUNDING, 0, rest)], axis=-1)


def _entropy(rows: np.ndarray) -> np.ndarray:
    return -(rows * np.log2(rows, out=np.zeros_like(rows), where=rows > 0)).sum(axis=-1)
