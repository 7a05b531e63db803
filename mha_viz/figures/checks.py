"""Wrong inputs refused with a sentence, where Plotly or NumPy would fail deep inside or draw something else."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mha_viz.errors import ShapeError

AXES = {1: "(n_query,)", 2: "(n_query, n_key)", 3: "(n_heads, n_query, n_key)"}


def check_weights(weights: Any, n_axes: int, name: str) -> None:  # noqa: ANN401 - anything may be given
    """Refuse what is not an array of weights.

    Args:
        weights: What was given.
        n_axes: How many axes it should have.
        name: What the caller calls it, as "weights of L0 H2".

    Raises:
        ShapeError: If it is no NumPy array of numbers, has other axes or nothing in it, or holds a NaN.
    """
    wanted = f"expected {name} as a NumPy array {AXES[n_axes]}"
    if not isinstance(weights, np.ndarray):
        raise ShapeError(
            f"{wanted}, got a {type(weights).__name__}; give the weights after the softmax as an array"
        )
    if weights.ndim != n_axes or weights.size == 0:
        raise ShapeError(
            f"{wanted}, got shape {weights.shape}; choose one text, and the layers and heads to be drawn"
        )
    if not np.issubdtype(weights.dtype, np.floating):
        raise ShapeError(
            f"{wanted} of floats, got {weights.dtype}; give the weights after the softmax"
        )
    if not np.isfinite(weights).all():
        raise ShapeError(
            f"{wanted} of finite numbers, got {np.count_nonzero(~np.isfinite(weights))} that are NaN or infinite; "
            "give rows that may look at nothing as zeros"
        )


def check_tokens(
    shape: tuple[int, ...], query_tokens: Sequence[str], key_tokens: Sequence[str], name: str
) -> None:
    """Refuse tokens that do not name the rows and the columns.

    Args:
        shape: Of the weights.
        query_tokens: The text of each query.
        key_tokens: The text of each key.
        name: What the caller calls the weights.

    Raises:
        ShapeError: If their numbers differ.
    """
    if shape != (len(query_tokens), len(key_tokens)):
        raise ShapeError(
            f"expected {name} for {len(query_tokens)} query and {len(key_tokens)} key tokens, "
            f"got {shape[0]} x {shape[1]}; give the tokens of this map"
        )


def check_rows(values: Any, n_query: int, name: str) -> None:  # noqa: ANN401 - anything may be given
    """Refuse what does not hold one entry a query.

    Args:
        values: What was given.
        n_query: How many queries there are.
        name: What the caller calls it.

    Raises:
        ShapeError: If it is no array of that many entries.
    """
    if not isinstance(values, np.ndarray) or values.shape != (n_query,):
        given = f"shape {values.shape}" if isinstance(values, np.ndarray) else type(values).__name__
        raise ShapeError(
            f"expected {name} as a NumPy array with one entry for each of {n_query} queries, "
            f"got {given}; give that of this head"
        )


def check_chosen(query: int | None, key: int | None, n_query: int, n_key: int) -> None:
    """Refuse a chosen word that is not there, and two at once.

    Args:
        query: Position of the chosen query; None if none is chosen.
        key: Position of the chosen key; None if none is chosen.
        n_query: How many queries there are.
        n_key: How many keys there are.

    Raises:
        ShapeError: If there is no such row or column, or if both are given.
    """
    if query is not None and key is not None:
        raise ShapeError(
            f"expected one chosen word, got query {query} and key {key}; "
            "give the query to see where it looks, or the key to see who looks at it"
        )
    for kind, chosen, count in (("query", query, n_query), ("key", key, n_key)):
        if chosen is not None and not 0 <= chosen < count:
            raise ShapeError(
                f"expected a chosen {kind} from 0 to {count - 1}, got {chosen}; count from the first token shown"
            )
