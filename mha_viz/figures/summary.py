"""What a head does, in one sentence with its number."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mha_viz.errors import ShapeError
from mha_viz.figures.checks import check_weights
from mha_viz.figures.text import shown_text

CLEAR = 0.5


def describe_head(
    weights: Float[np.ndarray, "n_query n_key"], tokens: Sequence[str], *, same_tokens: bool = True
) -> str:
    """The pattern that holds the largest share of the weight, with that share; "spread" if it is below a half.

    The patterns are the word before, the word after, the word itself, and one word that all look at. Each is the
    mean over the queries that have such a word and may look at anything; of equal shares the first of this list is named.

    Args:
        weights: One head's weights after the softmax.
        tokens: The text of each key.
        same_tokens: Whether the queries are the same words as the keys; if not, "before" and "after" mean nothing.

    Returns:
        A sentence without a full stop; plain text.

    Raises:
        ShapeError: If `weights` is no map of numbers, or if the tokens do not name its columns.

    Source:
        Means over positions as in Clark et al. 2019, "What Does BERT Look At?", section 3, here divided by the
        number of queries that have such a word.
    """
    check_weights(weights, 2, "weights of one head")
    if weights.shape[1] != len(tokens):
        raise ShapeError(
            f"expected one token for each of {weights.shape[1]} keys, got {len(tokens)}; "
            "give the key tokens of this map"
        )
    looks = weights.sum(axis=1) > 0
    if not looks.any():
        return "masked: looks at nothing"
    columns = weights[looks].mean(axis=0, dtype=np.float64)
    most = int(columns.argmax())
    name = _name(most, tokens)
    patterns = [(float(columns[most]), f"mostly at {name}", name)]
    if same_tokens and weights.shape[0] == weights.shape[1]:
        patterns = [
            (_at(weights, looks, -1), "each word looks at the one before it", "the word before"),
            (_at(weights, looks, 1), "each word looks at the one after it", "the word after"),
            (_at(weights, looks, 0), "each word looks at itself", "the word itself"),
            *patterns,
        ]
    share, sentence, short = max(patterns, key=lambda pattern: pattern[0])
    if share >= CLEAR:
        return f"{sentence}, {share:.2f} on average"
    return f"spread: no pattern over {CLEAR}; strongest is {short}, {share:.2f} on average"


def _at(weights: Float[np.ndarray, "n_tokens n_tokens"], looks: np.ndarray, offset: int) -> float:
    """Mean weight at an offset, over the queries that have a key there."""
    weight = weights.diagonal(offset)[looks[max(0, -offset) : len(looks) - max(0, offset)]]
    return float(weight.mean(dtype=np.float64)) if len(weight) else 0.0


def _name(position: int, tokens: Sequence[str]) -> str:
    """The token, with its position where there are others like it."""
    repeated = tokens.count(tokens[position]) > 1
    return shown_text(tokens[position]) + (f" (position {position})" if repeated else "")
