"""Numbers that a person has put in the place of others: in the vectors of the tokens, or in a learned matrix.

As a text, the form that a link holds, they are `matrix:row.column:number` with semicolons between them.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mha_viz.core.four_steps import LETTERS
from mha_viz.core.layer_numbers import LayerNumbers, Projection
from mha_viz.core.origins import Given
from mha_viz.core.trace import Matrix
from mha_viz.errors import ChoiceError

MOST_EDITS, LARGEST = 50, 1e6
_WHAT = {f"W{letter}": what for what, letter in LETTERS.items()}
_ITEM = re.compile(
    r"(?P<matrix>X|W[QKVO]):(?P<row>\d{1,6})\.(?P<column>\d{1,6}):(?P<number>[^;:]{1,24})"
)


@dataclass(frozen=True)
class Edit:
    """One number of a whole matrix, all heads side by side.

    Attributes:
        matrix: "X", "WQ", "WK", "WV" or "WO".
        row: From 0.
        column: From 0.
        number: What stands there now.
    """

    matrix: str
    row: int
    column: int
    number: float


def number_of(text: str) -> float:
    """A number that a person typed; a comma or a real minus sign will do.

    Raises:
        ChoiceError: If it is none, or too large to compute with.
    """
    try:
        number = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        number = math.nan
    if not abs(number) <= LARGEST:
        raise ChoiceError(
            f"expected a number from {-LARGEST:,.0f} to {LARGEST:,.0f} such as 0.5, got {text[:24]!r}"
        )
    return number


def to_text(edits: Iterable[Edit]) -> str:
    """Edits for a link."""
    return ";".join(f"{one.matrix}:{one.row}.{one.column}:{one.number:.9g}" for one in edits)


def from_text(text: str) -> tuple[Edit, ...]:
    """What `to_text` wrote.

    Raises:
        ChoiceError: If it is no such text.
    """
    items = text.split(";") if text else []
    if len(items) > MOST_EDITS:
        raise ChoiceError(f"at most {MOST_EDITS} numbers can be edited, not {len(items)}")
    edits = []
    for item in items:
        found = _ITEM.fullmatch(item)
        if found is None:
            raise ChoiceError(f"expected edits such as X:0.1:0.5;WQ:2.3:-1, got {item[:40]!r}")
        place = int(found["row"]), int(found["column"])
        edits.append(Edit(found["matrix"], *place, number_of(found["number"])))
    return tuple(edits)


def edit_of(matrix: Matrix, row: int, column: int, number: float) -> Edit:
    """The edit that a number typed into a cell stands for.

    Raises:
        ChoiceError: If the matrix follows from others, or if there is no such cell.
    """
    origin = matrix.origin
    if not isinstance(origin, Given) or not origin.whole:
        raise ChoiceError(f"{matrix.name} follows from other numbers; edit one of X or of a W")
    if not (0 <= row < matrix.shape[0] and 0 <= column < matrix.shape[1]):
        raise ChoiceError(f"cell {row}, {column} does not exist in {matrix.name}")
    return Edit(origin.whole, origin.first_row + row, origin.first_column + column, number)


def with_edit(edits: Sequence[Edit], new: Edit) -> tuple[Edit, ...]:
    """The edits with one more; it takes the place of an earlier one of the same cell.

    Raises:
        ChoiceError: If there are too many.
    """
    place = new.matrix, new.row, new.column
    others = [one for one in edits if (one.matrix, one.row, one.column) != place]
    if len(others) >= MOST_EDITS:
        raise ChoiceError(f"at most {MOST_EDITS} numbers can be edited; undo some first")
    return (*others, new)


def edited(numbers: LayerNumbers, edits: Iterable[Edit]) -> LayerNumbers:
    """The layer with the edited numbers in the places of its own; the layer itself stays as it is.

    Raises:
        ChoiceError: If a cell does not exist.
    """
    by_matrix: dict[str, list[Edit]] = {}
    for edit in edits:
        by_matrix.setdefault(edit.matrix, []).append(edit)
    for name, group in by_matrix.items():
        if name == "X":
            numbers = replace(numbers, x=_changed(numbers.x, group))
            continue
        what = _WHAT[name]
        old = numbers.projections.get(what)
        weight = _changed(None if old is None else old.weight, group)
        new = Projection(weight, None if old is None else old.bias)
        numbers = replace(numbers, projections={**numbers.projections, what: new})
    return numbers


def _changed(whole: np.ndarray | None, group: Sequence[Edit]) -> np.ndarray:
    new = np.zeros((0, 0)) if whole is None else whole.copy()
    for edit in group:
        if edit.row >= new.shape[0] or edit.column >= new.shape[1]:
            raise ChoiceError(
                f"{edit.matrix} has no cell {edit.row}, {edit.column}: it is {new.shape[0]} × {new.shape[1]} here"
            )
        new[edit.row, edit.column] = edit.number
    return new
