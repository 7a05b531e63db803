"""What a person chose, as the parameters of an address: frozen dataclasses to texts and back.

A field is read by the kind of its annotation: int, float, bool, str, a tuple of ints or of strs, or one of these or None.
Its metadata may name the `choices` there are, and may say that it is `spare`, and what it is called: a text of the person's own,
which is left out of a link that would get too long, and which going back to an earlier address does not take back.
"""

import math
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

LONGEST_NUMBER, LONGEST_LIST = 9, 2000


def fingerprint(of: object) -> int:
    """A number short enough for a link, nearly surely another one for anything else.

    Args:
        of: Something whose `repr` says all that counts.
    """
    return zlib.crc32(repr(of).encode("utf-8", "replace")) % 10**LONGEST_NUMBER


@dataclass(frozen=True)
class Choices:
    """What a person can choose: a frozen dataclass whose fields all have defaults, the first view."""


Chosen = TypeVar("Chosen", bound=Choices)


def one_of(choices: Collection[Any], first: Any) -> Any:  # noqa: ANN401 - a field of the choices' kind
    """A field of `Choices` that is one of these, or a tuple of some of them.

    Args:
        choices: What there is.
        first: What is chosen at first.
    """
    return field(default=first, metadata={"choices": choices})


def written(chosen: Choices) -> dict[str, str]:
    """The parameters: what differs from the defaults."""
    first = type(chosen)()
    values = {one.name: getattr(chosen, one.name) for one in fields(chosen)}
    return {
        name: _written(value) for name, value in values.items() if value != getattr(first, name)
    }


def spare(chosen: Choices) -> dict[str, str]:
    """The fields that a link can do without, and what each is called."""
    return {one.name: one.metadata["spare"] for one in fields(chosen) if one.metadata.get("spare")}


def read(start: Chosen, parameters: Mapping[str, str]) -> tuple[Chosen, list[str]]:
    """What the parameters ask for, and a sentence for each that cannot be read.

    Args:
        start: What holds where the parameters say nothing.
        parameters: Those of the address; others than the fields' are left alone.
    """
    notices, hints = [], get_type_hints(type(start))
    for one in fields(start):
        if one.name not in parameters:
            continue
        try:
            value = _read(hints[one.name], one, parameters[one.name])
        except ValueError:
            usual = _written(getattr(start, one.name)) or "the usual"
            notices.append(f"The link's {one.name} could not be read; showing {usual}.")
        else:
            start = replace(start, **{one.name: value})
    return start, notices


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return "" if value is None else str(value).encode("utf-8", "replace").decode()


def _read(kind: Any, given: Field, text: str) -> Any:  # noqa: ANN401 - of the kind that is asked for
    kinds = [part for part in get_args(kind) if part is not type(None)]
    if get_origin(kind) is tuple:
        if len(text) > LONGEST_LIST:
            raise ValueError(text)
        one = _READERS[kinds[0]]
        parts = [one(part) for part in text.split(",")] if text else []
        return tuple(_allowed(part, given) for part in _in_order(parts, kinds[0]))
    value = _READERS[kinds[0] if kinds else kind](text)
    return _allowed(value, given)


def _in_order(parts: list[Any], kind: type) -> Sequence[Any]:
    """Each once; numbers in ascending order."""
    return sorted(set(parts)) if kind is int else list(dict.fromkeys(parts))


def _allowed(value: Any, given: Field) -> Any:  # noqa: ANN401 - passed through
    choices = given.metadata.get("choices")
    if choices is not None and value not in choices:
        raise ValueError(value)
    return value


def _whole(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ValueError(text)
    return int(text)


def _number(text: str) -> float:
    number = float(text[:LONGEST_LIST])
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _yes_or_no(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError(text)
    return text == "yes"


_READERS: dict[Any, Callable[[str], Any]] = {
    int: _whole,
    float: _number,
    bool: _yes_or_no,
    str: str,
}
