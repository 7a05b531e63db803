"""Masks for some heads of a layer: each its half of the text, causal, a window, or painted; and painted ones as text.

0.4.8cef~1.4.ffff        head.n_key.rows, the cells of a row as the bits of hexadecimal digits
"""

import re
from collections.abc import Mapping, Sequence

from mha_viz.core.interventions import MaskHead
from mha_viz.core.masks import causal, window
from mha_viz.errors import ChoiceError

HALVES, CAUSAL, WINDOW, OWN, NONE = "halves", "causal", "window", "own", "none"
PRESETS = (HALVES, CAUSAL, WINDOW, OWN, NONE)
# A mask that differs from row to row holds a cell a pair: above this a page would slow down.
MOST_ROWS = 512
MOST_PAINTED = 24

Rows = tuple[tuple[bool, ...], ...]
Painting = Mapping[int, Rows]
_PAINTED = re.compile(r"([0-9]{1,4})\.([0-9]{1,2})\.([0-9a-f]+)")
_SHOWN = 40


def halves(n_key: int) -> tuple[range, range]:
    """The positions of the first half, which is the longer one if they differ, and of the second."""
    middle = (n_key + 1) // 2
    return range(middle), range(middle, n_key)


def half_of(heads: Sequence[int], head: int) -> int:
    """Which half a head sees: 0 for those in the first half of the heads, 1 for the others."""
    return int(heads.index(head) >= (len(heads) + 1) // 2)


def preset_rows(preset: str, n_query: int, n_key: int, reach: int) -> Rows:
    """The rows of a mask that is the same for all heads: causal, or a window.

    Args:
        preset: CAUSAL or WINDOW.
        n_query: Number of tokens that look.
        n_key: Number of tokens that are looked at.
        reach: Of a window: how many tokens to each side.

    Raises:
        ChoiceError: If the text is too long for it.
    """
    if max(n_query, n_key) > MOST_ROWS:
        raise ChoiceError(
            f"a causal mask or a window is for at most {MOST_ROWS} tokens here, and this text has {max(n_query, n_key)}; "
            "shorten it, or choose halves"
        )
    rule = causal(n_query, n_key) if preset == CAUSAL else window(n_query, n_key, reach + 1)
    return tuple(map(tuple, rule.tolist()))


def head_masks(
    preset: str,
    heads: Sequence[int],
    n_query: int,
    n_key: int,
    *,
    layer: int,
    stream: str | None = None,
    reach: int = 1,
    painting: Painting | None = None,
) -> tuple[MaskHead, ...]:
    """The masks that a preset gives to some heads.

    Args:
        preset: One of PRESETS.
        heads: The heads, in ascending order.
        n_query: Number of tokens that look.
        n_key: Number of tokens that are looked at.
        layer: Which layer.
        stream: Which kind of attention, for models that have several.
        reach: Of a window: how many tokens to each side.
        painting: Painted masks, by head; a head without one starts from its half.

    Raises:
        ChoiceError: If the text is too long for it.
    """
    if preset == NONE:
        return ()
    parts = halves(n_key)
    if preset == HALVES:
        may_attend = {head: tuple(parts[half_of(heads, head)]) for head in heads}
    elif preset == OWN:
        _check_paintable(n_query, n_key)
        may_attend = {
            head: (painting or {}).get(head) or started(heads, head, n_query, n_key)
            for head in heads
        }
    else:
        may_attend = dict.fromkeys(heads, preset_rows(preset, n_query, n_key, reach))
    return tuple(MaskHead(layer, head, may_attend[head], stream=stream) for head in heads)


def started(heads: Sequence[int], head: int, n_query: int, n_key: int) -> Rows:
    """What painting starts from: the half that the head sees."""
    half = halves(n_key)[half_of(heads, head)]
    return (tuple(key in half for key in range(n_key)),) * n_query


def painting_to_text(painting: Painting) -> str:
    """Painted masks for a link."""
    return "~".join(
        f"{head}.{len(rows[0])}.{''.join(map(_digits, rows))}"
        for head, rows in sorted(painting.items())
    )


def painting_from_text(text: str, n_query: int, n_key: int) -> dict[int, Rows]:
    """What `painting_to_text` wrote.

    Raises:
        ChoiceError: If it is no such text, or if it was painted for another number of tokens.
    """
    if not text:
        return {}
    _check_paintable(n_query, n_key)
    painting = {}
    for part in text.split("~"):
        found = _PAINTED.fullmatch(part)
        digits = found[3] if found else ""
        width = -(-n_key // 4)
        rows = [digits[at : at + width] for at in range(0, len(digits), width)]
        if found is None or int(found[2]) != n_key or len(digits) != width * n_query:
            raise ChoiceError(
                f"expected masks that were painted for {n_query} × {n_key} tokens, got {text[:_SHOWN]!r}; paint anew"
            )
        painting[int(found[1])] = tuple(_cells(row, n_key) for row in rows)
    return painting


def _digits(row: Sequence[bool]) -> str:
    bits = "".join("1" if may else "0" for may in row)
    return f"{int(bits, 2):0{-(-len(row) // 4)}x}"


def _cells(digits: str, n_key: int) -> tuple[bool, ...]:
    bits = f"{int(digits, 16):0{n_key}b}"
    if len(bits) > n_key:
        raise ChoiceError(f"a painted row of {n_key} cells cannot be {digits!r}; paint anew")
    return tuple(bit == "1" for bit in bits)


def _check_paintable(n_query: int, n_key: int) -> None:
    if max(n_query, n_key) > MOST_PAINTED:
        raise ChoiceError(
            f"a mask is painted for at most {MOST_PAINTED} tokens, and this text has {max(n_query, n_key)}; "
            "shorten it, or choose another mask"
        )
