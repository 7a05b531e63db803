"""What may be done to heads: switch one off, forbid it keys, change its temperature, cut one link.

Each is a small frozen dataclass; in a link it is a few characters of text, see `core.intervention_text`. What they do to
the numbers of a layer is in `core.changes`. What no intervention names stays as the model has it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from numbers import Real

import numpy as np

from mha_viz.core.masks import painted
from mha_viz.errors import ChoiceError

# Four digits at most, and painted rows of at most so many keys: no short text grows large in memory.
MOST, MOST_PAINTED_KEYS = 9999, 2048
OFF_HOWS = ("zero", "uniform")


@dataclass(frozen=True)
class Intervention:
    """Something that is done to a head, to all heads of a layer, or in all layers.

    Attributes:
        layer: Which layer, from 0; None for all.
        head: Which head, from 0; None for all.
        stream: Which kind of attention, for models that have several; None for the only one.
    """

    layer: int | None
    head: int | None
    stream: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("layer", "head"):
            if getattr(self, name) is not None:
                _make_whole(self, name)

    def check(self, n_heads: int, n_query: int, n_key: int) -> None:
        """Compare with the sizes of a layer that it is about.

        Raises:
            ChoiceError: If the head, or a position, does not exist there.
        """
        if self.head is not None:
            _check_exists("head", self.head, n_heads)
        self._check_positions(n_query, n_key)

    def _check_positions(self, n_query: int, n_key: int) -> None:
        """Most name none."""


@dataclass(frozen=True)
class HeadOff(Intervention):
    """A head that is switched off.

    Attributes:
        how: "zero": its output is zeros, and its weights stay what they are; "uniform": every key that a query may
            look at gets the same weight.

    Source:
        zero: Michel et al. 2019, "Are Sixteen Heads Really Better than One?", a mask variable of 0 on the head.
        uniform: Kovaleva et al. 2019, "Revealing the Dark Secrets of BERT", where a head is disabled by weights of
        1 / number of tokens; here of the tokens that it may look at.
    """

    how: str = "zero"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.how not in OFF_HOWS:
            raise ChoiceError(f"a head is off by {' or '.join(OFF_HOWS)}, not by {self.how!r}")


@dataclass(frozen=True)
class MaskHead(Intervention):
    """A head that may look at some keys only, of those that the model itself lets it look at.

    A query that is left with no key has a row of zeros, is flagged as fully masked, and outputs zeros.

    Attributes:
        may_attend: Positions of keys, the same for all queries; or a painted mask, one row a query, one cell a key,
            True (or 1) where the query may look. It is kept in tuples.

    Raises:
        ShapeError: If a painted mask has rows of unequal length, or holds other numbers.
    """

    may_attend: Iterable

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "may_attend", _frozen_mask(self.may_attend))

    @property
    def keys(self) -> tuple[int, ...]:
        """The keys that all queries may look at; none if the mask is painted."""
        return tuple(key for key in self.may_attend if isinstance(key, int))

    @property
    def rows(self) -> tuple[tuple[bool, ...], ...]:
        """The rows of a painted mask; none if all queries may look at the same keys."""
        return tuple(row for row in self.may_attend if isinstance(row, tuple))

    def _check_positions(self, n_query: int, n_key: int) -> None:
        for key in self.keys:
            _check_exists("key", key, n_key)
        if self.rows and (sizes := (len(self.rows), len(self.rows[0]))) != (n_query, n_key):
            raise ChoiceError(
                f"a painted mask of {sizes[0]} × {sizes[1]} does not fit {n_query} queries × {n_key} keys; "
                "give a row a query, and in it a cell a key"
            )


@dataclass(frozen=True)
class Temperature(Intervention):
    """Scores divided by a number before the softmax: under 1 rows are sharper, over 1 more even.

    All that enters the softmax is divided: a bias of positions and the logit of a sink as well.

    Attributes:
        value: More than 0; 1 changes nothing.

    Source:
        Hinton et al. 2015, "Distilling the Knowledge in a Neural Network", section 2, equation 1.
    """

    value: float

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.value
        if not isinstance(given, Real) or not (math.isfinite(given) and given > 0):
            raise ChoiceError(f"a temperature is a number above 0, such as 0.5, not {given!r}")
        object.__setattr__(self, "value", float(given))


@dataclass(frozen=True)
class CutLink(Intervention):
    """One query may no longer look at one key; what its other keys get stays in proportion.

    Attributes:
        query: Position of the token that looks.
        key: Position of the token that is looked at.
    """

    query: int
    key: int

    def __post_init__(self) -> None:
        super().__post_init__()
        _make_whole(self, "query")
        _make_whole(self, "key")

    def _check_positions(self, n_query: int, n_key: int) -> None:
        _check_exists("query", self.query, n_query)
        _check_exists("key", self.key, n_key)


Given = Intervention | Iterable[Intervention]


def listed(given: Given) -> tuple[Intervention, ...]:
    """The interventions that were given, one or several.

    Raises:
        ChoiceError: If it is anything else.
    """
    parts = tuple(given) if isinstance(given, Iterable) else (given,)
    for part in parts:
        if not isinstance(part, Intervention):
            raise ChoiceError(
                "expected a list of HeadOff, MaskHead, Temperature or CutLink, "
                f"got {type(given).__name__} with {type(part).__name__}; a text of them is read by from_text"
            )
    return parts


def _frozen_mask(given: object) -> tuple[int, ...] | tuple[tuple[bool, ...], ...]:
    """Keys in ascending order, or rows of a painted mask."""
    if not isinstance(given, Iterable):
        raise ChoiceError(
            f"a mask is a list of keys, or rows of True/False, not {type(given).__name__}"
        )
    parts = tuple(given)
    if not any(isinstance(part, bool | Iterable) for part in parts):
        return tuple(sorted({_whole("key", part) for part in parts}))
    cells = painted(given)
    if cells.ndim != 2 or cells.shape[1] > MOST_PAINTED_KEYS:
        raise ChoiceError(
            f"a painted mask is (n_query, n_key) with at most {MOST_PAINTED_KEYS} keys, not {tuple(cells.shape)}; "
            "give each head its own"
        )
    return tuple(map(tuple, cells.tolist()))


def _whole(what: str, given: object) -> int:
    """A number that counts something; one of NumPy is one too."""
    is_whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if not is_whole or not 0 <= int(given) <= MOST:
        raise ChoiceError(
            f"{what} {given!r} does not exist: they are counted from 0, to {MOST} at most"
        )
    return int(given)


def _make_whole(one: Intervention, name: str) -> None:
    object.__setattr__(one, name, _whole(name, getattr(one, name)))


def _check_exists(what: str, number: int, count: int) -> None:
    if number >= count:
        several = "queries" if what == "query" else f"{what}s"
        raise ChoiceError(f"{what} {number} does not exist: {several} go from 0 to {count - 1}")
