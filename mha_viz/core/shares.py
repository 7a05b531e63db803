"""How a person says where words look: a hundred percent, shared out among the words that are marked.

A row is one whole number of percent for each key. Nothing marked means nothing preferred: such a row is all zeros, and
stands for the same weight everywhere. In a link a row is a few characters: `3.50_5.50` gives 50 % each to keys 3 and 5.
"""

from collections.abc import Collection, Sequence

import numpy as np
from jaxtyping import Float

from mha_viz.errors import ChoiceError

Row = tuple[int, ...]

ALL = 100
_HEADS, _ROWS, _KEYS, _PERCENT = "~", "-", "_", "."


def share_equally(marked: Collection[int], n_key: int) -> Row:
    """The same for each marked key; what does not divide goes to the first of them, one percent each."""
    each, left = divmod(ALL, len(marked)) if marked else (0, 0)
    extra = sorted(marked)[:left]
    return tuple(each + (key in extra) if key in marked else 0 for key in range(n_key))


def give(row: Row, key: int, percent: int) -> Row:
    """Give one of the marked keys so many percent; the other marked ones make room, in proportion to what they have.

    Each keeps one percent at least, so that none is unmarked by the way.

    Raises:
        ChoiceError: If the key is not marked.
    """
    others = [other for other, share in enumerate(row) if share and other != key]
    if not row[key]:
        raise ChoiceError(f"expected a marked key, got {key}; mark it first")
    percent = min(max(percent, 1), most(row)) if others else ALL
    # One percent each is theirs; what is left beyond is theirs in proportion, the largest remainders rounded up.
    spare = ALL - percent - len(others)
    before = np.array([row[other] for other in others], dtype=float)
    exact = spare * before / before.sum() if others else before
    shares = np.floor(exact).astype(int)
    shares[np.argsort(shares - exact, kind="stable")[: spare - shares.sum()]] += 1
    given = dict(zip(others, (1 + shares).tolist(), strict=True)) | {key: percent}
    return tuple(given.get(other, 0) for other in range(len(row)))


def most(row: Row) -> int:
    """The most that one of the marked keys can have, where each other keeps one percent."""
    return ALL - max(sum(share > 0 for share in row) - 1, 0)


def weights_of(rows: Sequence[Row]) -> Float[np.ndarray, "n_query n_key"]:
    """The weights that rows of percent stand for; each row sums to 1."""
    shares = np.array(rows, dtype=float)
    shares[shares.sum(-1) == 0] = 1
    return shares / shares.sum(-1, keepdims=True)


def row_to_text(row: Row) -> str:
    """The marked keys of a row and their percent."""
    return _KEYS.join(f"{key}{_PERCENT}{share}" for key, share in enumerate(row) if share)


def row_from_text(text: str, n_key: int) -> Row:
    """The row that a text stands for.

    Raises:
        ChoiceError: If it is none: a key that does not exist or comes twice, or shares that do not sum to 100.
    """
    try:
        pairs = [
            (int(key), int(share))
            for key, share in (part.split(_PERCENT) for part in text.split(_KEYS) if text)
        ]
    except ValueError:
        pairs = [(-1, 0)]
    shares = dict(pairs)
    exist = all(key in range(n_key) and 0 < share <= ALL for key, share in pairs)
    if not exist or len(shares) < len(pairs) or (pairs and sum(shares.values()) != ALL):
        raise ChoiceError(
            f"expected shares of keys 0 to {n_key - 1} that sum to {ALL}, as 3.50_5.50, got {text[:40]!r}; "
            "mark the words anew"
        )
    return tuple(shares.get(key, 0) for key in range(n_key))


def maps_to_text(maps: Sequence[Sequence[Row]]) -> str:
    """Rows of several heads, one after the other."""
    return _HEADS.join(_ROWS.join(map(row_to_text, rows)) for rows in maps)


def maps_from_text(text: str, n_heads: int, n_words: int) -> tuple[tuple[Row, ...], ...]:
    """The rows of several heads that a text stands for.

    Raises:
        ChoiceError: If there are not so many heads and rows, or if one of them is no row.
    """
    heads = [head.split(_ROWS) for head in text.split(_HEADS)]
    if len(heads) != n_heads or {len(rows) for rows in heads} != {n_words}:
        raise ChoiceError(
            f"expected {n_heads} heads of {n_words} rows, got {[len(rows) for rows in heads][:9]}; "
            "mark the words anew"
        )
    return tuple(tuple(row_from_text(row, n_words) for row in rows) for rows in heads)
