"""Interventions as the text of a link: what is done, `layer.head` with `*` for all, and how.

    off:3.1:zero;mask:0.0:0-5,8;temp:2.*:0.5;cut:3.1:10>2

Keys are ranges, `-` for none. A painted mask is its number of keys, then the ranges of each row (`mask:0.0:3/0/0-1/0-2`). A
stream stands before the layer (`off:cross/3.1:zero`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from mha_viz.core.interventions import (
    MOST,
    MOST_PAINTED_KEYS,
    CutLink,
    HeadOff,
    Intervention,
    MaskHead,
    Temperature,
)
from mha_viz.errors import ChoiceError

_WORDS: dict[type[Intervention], str] = {
    HeadOff: "off",
    MaskHead: "mask",
    Temperature: "temp",
    CutLink: "cut",
}
_KINDS: dict[str, Callable[..., Intervention]] = {word: kind for kind, word in _WORDS.items()}
_ITEM = re.compile(
    r"(?P<word>[a-z]+):((?P<stream>[^:;/]+)/)?(?P<layer>\*|[0-9]{1,4})\.(?P<head>\*|[0-9]{1,4}):(?P<how>[^:;]+)"
)
_ALL, _NOTHING, _SHOWN = "*", "-", 40


def to_text(interventions: Iterable[Intervention]) -> str:
    """Interventions for a link, with semicolons between them."""
    return ";".join(
        f"{_WORDS[type(one)]}:{f'{one.stream}/' if one.stream else ''}{_number(one.layer)}.{_number(one.head)}:{_how(one)}"
        for one in interventions
    )


def from_text(text: str) -> tuple[Intervention, ...]:
    """What `to_text` wrote.

    Raises:
        ChoiceError: If it is no such text, or speaks of what cannot be.
    """
    return tuple(_read(item) for item in text.split(";")) if text else ()


def _number(given: int | None) -> str:
    return _ALL if given is None else str(given)


def _how(one: Intervention) -> str:
    match one:
        case HeadOff():
            return one.how
        case MaskHead():
            seen = ([key for key, may in enumerate(row) if may] for row in one.rows)
            painted = [str(len(row)) for row in one.rows[:1]]
            return "/".join([*painted, *map(_ranges, seen)] if painted else [_ranges(one.keys)])
        case Temperature():
            return repr(one.value).removesuffix(".0")
        case CutLink():
            return f"{one.query}>{one.key}"
    raise ChoiceError(f"{type(one).__name__} is no intervention that a link can hold")


def _read(item: str) -> Intervention:
    found = _ITEM.fullmatch(item)
    if not found or found["word"] not in _KINDS:
        raise _unreadable(item)
    layer, head = (None if found[at] == _ALL else int(found[at]) for at in ("layer", "head"))
    try:
        arguments = _arguments(found["word"], found["how"])
    except ValueError as error:
        raise _unreadable(item) from error
    return _KINDS[found["word"]](layer, head, *arguments, stream=found["stream"])


def _unreadable(item: str) -> ChoiceError:
    return ChoiceError(
        f"{item[:_SHOWN]!r} is no intervention; expected something like "
        "off:3.1:zero, mask:0.0:0-5, temp:2.*:0.5 or cut:3.1:10>2"
    )


def _arguments(word: str, how: str) -> tuple[object, ...]:
    """What comes after layer and head; a ValueError if it cannot be read."""
    match word:
        case "off":
            return (how,)
        case "temp":
            return (float(how),)
        case "cut":
            query, key = map(int, how.split(">"))
            return query, key
    first, *rows = how.split("/")
    if not rows:
        return (_positions(first, MOST + 1),)
    if not 0 < (n_key := int(first)) <= MOST_PAINTED_KEYS:
        raise ValueError(how)
    seen = (set(_positions(row, n_key)) for row in rows)
    return (tuple(tuple(key in keys for key in range(n_key)) for keys in seen),)


def _ranges(positions: Sequence[int]) -> str:
    """Ascending positions, neighbours together."""
    starts = [key for before, key in pairwise([-2, *positions]) if key != before + 1]
    ends = [key for key, after in pairwise([*positions, -2]) if after != key + 1]
    runs = zip(starts, ends, strict=True)
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs) or _NOTHING


def _positions(ranges: str, count: int) -> tuple[int, ...]:
    """Positions from ranges; these must ascend, so that a short text never gives more than `count`."""
    positions: list[int] = []
    for part in ranges.split(",") if ranges != _NOTHING else ():
        first, dash, last = part.partition("-")
        start, end = int(first), int(last if dash else first)
        if not (positions[-1] if positions else -1) < start <= end < count:
            raise ValueError(ranges)
        positions += range(start, end + 1)
    return tuple(positions)
