"""Which query may look at which key: small rules that build boolean `may_attend` tensors.

There is one convention, True = may look. The last axes are always heads, queries, keys; an axis that
is missing on the left, or of size 1, counts for all. Rules combine by `both` and `either`. In the
drawings a row is a query, a column a key, ■ may be seen and ⬚ may not.
"""

from collections.abc import Iterable, Mapping
from functools import reduce

import numpy as np
import torch
from jaxtyping import Bool, Int

from mha_viz.errors import ChoiceError, ShapeError


def causal(n_query: int, n_key: int | None = None) -> Bool[torch.Tensor, "{n_query} n_key"]:
    """Each token may look at itself and at what came before it.

        ■⬚⬚⬚        ■■⬚
        ■■⬚⬚        ■■■
        ■■■⬚
        ■■■■
        4 × 4       2 × 3

    With more keys than queries the queries are the last tokens, as when a text is continued: the
    last query sees every key. (`is_causal` of `torch.nn.functional.scaled_dot_product_attention`
    lines up the first query with the first key instead.) With more queries than keys the first
    queries see nothing.

    Args:
        n_query: Number of tokens that look.
        n_key: Number of tokens that are looked at; None for as many.

    Source:
        Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3.
    """
    return _steps_back(n_query, n_query if n_key is None else n_key) >= 0


def padding(is_real: Bool[torch.Tensor, "*lead n_key"]) -> Bool[torch.Tensor, "*lead 1 1 n_key"]:
    """Only real tokens may be looked at, by every query of every head.

        ■■⬚⬚     is_real = [True, True, False, False]
        ■■⬚⬚

    Args:
        is_real: True for tokens of the text, False for padding, one row a text.
    """
    return is_real[..., None, None, :]


def window(n_query: int, n_key: int, size: int) -> Bool[torch.Tensor, "{n_query} {n_key}"]:
    """Each token may look at keys less than `size` steps away, on both sides.

        ■■⬚⬚     size 2; `both(causal(4), window(4, 4, 2))` leaves the 2 latest keys: ■⬚⬚⬚
        ■■■⬚                                                                         ■■⬚⬚
        ⬚■■■                                                                         ⬚■■⬚
        ⬚⬚■■                                                                         ⬚⬚■■

    The last query stands at the last key, as in `causal`.

    Args:
        n_query: Number of tokens that look.
        n_key: Number of tokens that are looked at.
        size: 1 leaves each token only itself.

    Raises:
        ShapeError: If `size` is less than 1.

    Source:
        Beltagy et al. 2020, "Longformer: The Long-Document Transformer", section 3.1.
    """
    if size < 1:
        raise ShapeError(
            f"a window must let each token see at least itself, size 1, but size is {size}"
        )
    return _steps_back(n_query, n_key).abs() < size


def heads_see(
    n_heads: int, n_query: int, n_key: int, keys_of_head: Mapping[int, Iterable[int]]
) -> Bool[torch.Tensor, "{n_heads} {n_query} {n_key}"]:
    """Some heads may look only at chosen keys; all others at every key.

        head 0  ■■⬚⬚     head 1  ⬚⬚■■     heads_see(2, 2, 4, {0: [0, 1], 1: [2, 3]})
                ■■⬚⬚             ⬚⬚■■

    Args:
        n_heads: Number of heads.
        n_query: Number of tokens that look.
        n_key: Number of tokens that are looked at.
        keys_of_head: For each restricted head, the keys that it may see.

    Raises:
        ChoiceError: If a head or a key does not exist.
    """
    may_attend = torch.ones(n_heads, n_query, n_key, dtype=torch.bool)
    for head, keys in keys_of_head.items():
        _check_exists("head", head, n_heads)
        may_attend[head] = False
        for key in keys:
            _check_exists("key", key, n_key)
            may_attend[head, :, key] = True
    return may_attend


def painted(matrix: object) -> Bool[torch.Tensor, "*lead n_query n_key"]:
    """A mask that somebody painted cell by cell.

    Args:
        matrix: Rows (queries) of True/False or 1/0, as nested lists, a NumPy array or a tensor;
            (n_query, n_key), or with more axes in front.

    Raises:
        ShapeError: If the rows differ in length, or if a cell is neither True/False nor 1/0.
    """
    try:
        cells = torch.tensor(np.asarray(matrix))
    except (TypeError, ValueError, RuntimeError) as error:
        raise ShapeError(
            "a painted mask must have rows of equal length made of True/False or 1/0; "
            f"this one cannot be read as such: {error}"
        ) from error
    if cells.ndim < 2:
        raise ShapeError(
            f"a painted mask must be (n_query, n_key), but its shape is {tuple(cells.shape)}; "
            "give one row per query"
        )
    if cells.is_floating_point() or cells.is_complex():
        raise ShapeError(
            f"a painted mask must hold True/False or 1/0, but it holds {cells.dtype}; "
            "convert it to bool first"
        )
    strange = cells[(cells != 0) & (cells != 1)]
    if strange.numel():
        raise ShapeError(
            f"a painted mask must hold True/False or 1/0, but it holds {strange[0].item()}; "
            "1 lets a query look at a key"
        )
    return cells.bool()


def both(*masks: torch.Tensor) -> Bool[torch.Tensor, "..."]:
    """May look where every mask allows it; masks of fewer axes count for all heads or texts.

    Raises:
        ShapeError: If there is no mask, if one is not boolean, or if their sizes do not fit.
    """
    _check_combine(masks)
    return reduce(torch.logical_and, masks)


def either(*masks: torch.Tensor) -> Bool[torch.Tensor, "..."]:
    """May look where at least one mask allows it; masks of fewer axes count for all heads or texts.

    Raises:
        ShapeError: If there is no mask, if one is not boolean, or if their sizes do not fit.
    """
    _check_combine(masks)
    return reduce(torch.logical_or, masks)


def check_boolean(may_attend: torch.Tensor) -> None:
    """Refuse a mask of numbers: 0 and 1 would be read as scores by some, as inverse by others.

    Raises:
        ShapeError: If the mask is not boolean.
    """
    if may_attend.dtype != torch.bool:
        raise ShapeError(
            "may_attend must be a boolean tensor, True where a query may look at a key, but its "
            f"dtype is {may_attend.dtype}; write may_attend == 1 for a mask of zeros and ones, and "
            "give numbers that are added to the scores as attn_bias"
        )


def check_fits(name: str, given: torch.Tensor, scores: torch.Tensor) -> None:
    """Refuse a mask or a bias that has other sizes than the scores, or more axes.

    Raises:
        ShapeError: If it cannot be spread over the scores.
    """
    if _common_shape(given, scores) != scores.shape:
        raise ShapeError(
            f"{name} {tuple(given.shape)} does not fit scores {tuple(scores.shape)}, whose last axes "
            "are n_heads, n_query, n_key; give each axis that size or 1, counted from the last"
        )


def _steps_back(n_query: int, n_key: int) -> Int[torch.Tensor, "{n_query} {n_key}"]:
    """How many steps each key lies before each query; the last query stands at the last key."""
    positions = torch.arange(n_key - n_query, n_key)
    return positions[:, None] - torch.arange(n_key)


def _check_exists(what: str, index: int, count: int) -> None:
    if not 0 <= index < count:
        raise ChoiceError(f"{what} {index} does not exist: {what}s go from 0 to {count - 1}")


def _check_combine(masks: tuple[torch.Tensor, ...]) -> None:
    if not masks:
        raise ShapeError("at least one mask is needed to combine, but none was given")
    for mask in masks:
        check_boolean(mask)
    if _common_shape(*masks) is None:
        sizes = ", ".join(str(tuple(mask.shape)) for mask in masks)
        raise ShapeError(
            f"masks of sizes {sizes} do not fit together; "
            "give each axis the same size or 1, counted from the last"
        )


def _common_shape(*tensors: torch.Tensor) -> torch.Size | None:
    try:
        return torch.broadcast_shapes(*(tensor.shape for tensor in tensors))
    except RuntimeError:
        return None
