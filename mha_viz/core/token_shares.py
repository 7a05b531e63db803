"""How much of a head's attention goes to tokens of one kind: special ones, punctuation, the same token elsewhere.

A kind is a pattern, (n_query, n_key) with True at the cells that count. Its share is a mean over the queries for which
the pattern has a key at all, so a perfect head has exactly 1; where it has none (no token comes twice), it is NaN.
"""

import unicodedata
from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float

from mha_viz.core.record import Token
from mha_viz.errors import ShapeError

Weights = Float[np.ndarray, "*lead n_query n_key"]
PerMap = Float[np.ndarray, "*lead"]
Pattern = Bool[np.ndarray, "n_query n_key"]

# How the text of a token marks a space before it, and a piece of a word (see `Token.text`).
_MARKS = "␣·"


def pattern_share(weights: Weights, pattern: np.ndarray) -> PerMap:
    """Weight inside a pattern, mean over the queries that have a key in it.

    Rows of zeros (queries that may look at nothing) are left out; rows that sum to less than 1 count as they are.

    Args:
        weights: Weights after the softmax.
        pattern: Where weight counts: True and False, or how much of it counts, from 0 to 1.

    Raises:
        ShapeError: If the pattern has not as many queries and keys as the maps.

    Source:
        The average attention to X of Clark et al. 2019, "What Does BERT Look At?", section 3; its code
        divides by n_tokens, whatever X is.
    """
    check_pattern(pattern, weights)
    marked = (pattern > 0).any(axis=-1)
    # Sums are taken in float64: float32 drifts over thousands of keys.
    total = np.einsum("...qk,qk->...", weights, pattern, dtype=np.float64)
    count = ((weights != 0).any(axis=-1) & marked).sum(axis=-1)
    return np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0)


def check_pattern(pattern: np.ndarray, weights: np.ndarray) -> None:
    """See that a pattern fits maps.

    Raises:
        ShapeError: If it does not.
    """
    if pattern.shape != weights.shape[-2:]:
        raise ShapeError(
            f"expected a pattern of {weights.shape[-2:]} (queries, keys) as the maps are, got {pattern.shape}; "
            "give it a row a query, and in it a cell a key"
        )


def share_on_keys(
    weights: Weights,
    keys: Bool[np.ndarray, " n_key"],
    queries: Bool[np.ndarray, " n_query"] | None = None,
) -> PerMap:
    """Weight on some of the keys, mean over the queries, or over some of them. NaN if there are no such keys.

    `share_on_keys(weights, seps, ~seps)` is what other tokens give to [SEP].

    Raises:
        ShapeError: If there is not one mark a key and one a query.

    Source:
        Clark et al. 2019, "What Does BERT Look At?", section 3.2.
    """
    asked = np.ones(weights.shape[-2], dtype=bool) if queries is None else queries
    return pattern_share(weights, asked[:, None] & keys)


def is_special(tokens: Sequence[Token]) -> Bool[np.ndarray, " n_tokens"]:
    """True for each token that the model added, or that a person typed by its name."""
    return np.array([token.special or token.typed_special for token in tokens], dtype=bool)


def is_punctuation(tokens: Sequence[Token]) -> Bool[np.ndarray, " n_tokens"]:
    """True for each token that is nothing but punctuation, as Unicode has it; a special token is none.

    Clark et al. count full stops and commas only.
    """
    return np.array([_only_punctuation(token) for token in tokens], dtype=bool)


def named_keys(tokens: Sequence[Token]) -> dict[str, Bool[np.ndarray, " n_tokens"]]:
    """For each special token by its name, where it stands."""
    special = is_special(tokens)
    texts = np.array([token.text for token in tokens], dtype=object)
    names = dict.fromkeys(texts[special].tolist())
    return {name: special & (texts == name) for name in names}


def word_ids(tokens: Sequence[Token]) -> list[int | None]:
    """The number of each token; None for special ones, which are no token of the text."""
    special = is_special(tokens)
    return [None if off else token.id for token, off in zip(tokens, special, strict=True)]


def same_elsewhere(ids: Sequence[int | None], *, earlier_only: bool = False) -> Pattern:
    """For each query, the other positions of the same token.

    Args:
        ids: The number of each token; None equals nothing.
        earlier_only: Whether positions after the query are left out, as they must be for causal models.

    Source:
        The duplicate token heads of Wang et al. 2022, "Interpretability in the Wild".
    """
    elsewhere = _equal(ids) & ~np.eye(len(ids), dtype=bool)
    return np.tril(elsewhere) if earlier_only else elsewhere


def after_same(ids: Sequence[int | None]) -> Pattern:
    """For each query, the tokens that came right after earlier positions of the same token.

    Where a token follows itself, that is the query's own position.

    Source:
        Olsson et al. 2022, "In-context Learning and Induction Heads": prefix matching, here the sum over all earlier
        positions and not the mean.
    """
    earlier = same_elsewhere(ids, earlier_only=True)
    after = np.zeros_like(earlier)
    after[:, 1:] = earlier[:, :-1]
    return after


def duplicate_share(
    weights: Weights, ids: Sequence[int | None], *, earlier_only: bool = False
) -> PerMap:
    """Weight on other positions of the same token, mean over the queries that have one.

    Raises:
        ShapeError: If there is not one number for each query and key.

    Source:
        See `same_elsewhere`.
    """
    return pattern_share(weights, same_elsewhere(ids, earlier_only=earlier_only))


def _equal(ids: Sequence[int | None]) -> Pattern:
    numbers = np.array([-1 if one is None else one for one in ids])
    return (numbers[:, None] == numbers) & (numbers >= 0)


def _only_punctuation(token: Token) -> bool:
    letters = token.text.lstrip(_MARKS) or token.text
    known = not (token.special or token.typed_special) and bool(letters)
    return known and all(unicodedata.category(letter)[0] == "P" for letter in letters)
