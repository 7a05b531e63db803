"""What the browser is sent: windows of matrices, and the explanation of one cell, as JSON holds them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mha_viz.core.origins import (
    Added,
    Capped,
    Copied,
    Given,
    Masked,
    Product,
    Scaled,
    SideBySide,
    Softmax,
    Transposed,
    Turned,
)
from mha_viz.core.trace import (
    Axis,
    Cell,
    Explanation,
    Factor,
    Line,
    Matrix,
    Term,
    Trace,
    product,
    total,
)
from mha_viz.figures.theme import FONT_FAMILY, Theme
from mha_viz.ui.glass.choices import WORDS, GlassChoices

# Rows or columns of a window: of words, and of numbers of a word.
MOST_WORDS, MOST_NUMBERS = 12, 8
# One number far from the others must not take the colour from all of them: the largest of this many in a hundred has the full one.
FULL_COLOUR = 98
DIGITS = 9
# The vectors of the words own a colour as well, far from those of Q, K, V and the output.
_INPUT = {"light": "#8a6a12", "dark": "#d8bf5a"}
# What is shown of a sum comes this near to it; where terms cancel, they are given more digits.
CLOSE = 2e-7

_SAID: dict[type, str] = {
    Given: "A number that was given: nothing came before it.",
    Product: "A row times a column: pair by pair multiplied, then added.",
    Transposed: "The same number: rows have become columns.",
    Copied: "The same number: these query heads share one key and value head.",
    Scaled: "One number, made smaller or larger.",
    Added: "Two numbers in the same place, added.",
    Capped: "Squeezed smoothly, so that no score is larger than the cap.",
    Masked: "May be looked at, so it stays as it is.",
    Softmax: "exp of this score, over the sum of exp of all scores of its row.",
    Turned: "Turned by the position of its word: this number and its partner, each times its part of the angle.",
    SideBySide: "The same number: the heads are laid side by side.",
}
_FORBIDDEN = (
    "Forbidden: this query may not look at this key. Its score becomes −∞, and exp(−∞) is 0."
)
_NOTHING_SEEN = "This query may look at nothing at all: its row is zeros."


def frame(theme: Theme) -> dict[str, Any]:
    """The colours that the browser draws with."""
    colours = {
        name: getattr(theme, name) for name in ("name", "ink", "muted", "surface", "grid", "accent")
    }
    kinds = {"Q": theme.query, "K": theme.key, "V": theme.value, "O": theme.output}
    kinds |= {"A": theme.ramp[5], "X": _INPUT[theme.name]}
    return colours | {"kinds": kinds, "font": FONT_FAMILY}


def step(
    lines: Sequence[Line],
    trace: Trace,
    theme: Theme,
    choices: GlassChoices,
    chosen: Cell | None,
    edited: Mapping[str, set[tuple[int, int]]],
) -> dict[str, Any]:
    """The matrices of one step.

    Args:
        lines: The step's part of the trace.
        trace: The computation.
        theme: Colours.
        choices: Where the windows are.
        chosen: The cell that is explained.
        edited: The edited cells of each whole matrix.
    """
    sources = set() if chosen is None else set(trace.sources(chosen))
    parts = [
        [
            {"sign": part.sign} | matrix(part.matrix, choices, chosen, sources, edited)
            for part in line
        ]
        for line in lines
    ]
    return {"theme": frame(theme), "lines": parts}


def matrix(
    one: Matrix,
    choices: GlassChoices,
    chosen: Cell | None,
    sources: set[Cell],
    edited: Mapping[str, set[tuple[int, int]]],
) -> dict[str, Any]:
    """The part of a matrix that its window shows."""
    rows, columns = (_window(axis, choices) for axis in (one.rows, one.columns))
    part = one.values[rows.start : rows.stop, columns.start : columns.stop]
    origin = one.origin
    changed = set[tuple[int, int]]()
    if isinstance(origin, Given) and origin.whole:
        changed = {
            (row - origin.first_row, column - origin.first_column)
            for row, column in edited.get(origin.whole, ())
        }

    def inside(places: set[tuple[int, int]]) -> list[tuple[int, int]]:
        return sorted(
            (row - rows.start, column - columns.start)
            for row, column in places
            if row in rows and column in columns
        )

    finite = np.abs(one.values[np.isfinite(one.values)])
    return {
        "name": one.name,
        "label": one.latex,
        "kind": _kind(one.name),
        "first": [rows.start, columns.start],
        "total": list(one.shape),
        "axes": [one.rows.name, one.columns.name],
        "rows": one.rows.labels[rows.start : rows.stop],
        "columns": one.columns.labels[columns.start : columns.stop],
        "values": [[_sent(value) for value in row] for row in part.tolist()],
        "largest": float(np.percentile(finite, FULL_COLOUR)) if finite.size else 0.0,
        "decimals": _decimals(one),
        "editable": isinstance(origin, Given) and bool(origin.whole),
        "chosen": inside(
            {(chosen.row, chosen.column)} if chosen and chosen.matrix == one.name else set()
        ),
        "lit": inside({(cell.row, cell.column) for cell in sources if cell.matrix == one.name}),
        "edited": inside(changed),
    }


def explanation(trace: Trace, cell: Cell | None, theme: Theme) -> dict[str, Any]:
    """How a cell came about, in numbers whose sum a reader can check; hidden without a cell."""
    if cell is None:
        return {"theme": frame(theme), "cell": None}
    one, made = trace.matrix(cell.matrix), trace.explain(cell)
    value = float(one.values[cell.row, cell.column])
    digits = _enough_digits(made, value)
    said = _SAID[type(one.origin)]
    if made.forbidden:
        said = _FORBIDDEN
    elif isinstance(one.origin, Softmax) and not made.over:
        said = _NOTHING_SEEN
    if made.shift:
        said += (
            f" Here {made.shift:.{DIGITS}g}, the largest score, is taken from each first: that changes no weight,"
            " and keeps exp within what a computer can hold."
        )
    return {
        "theme": frame(theme),
        "cell": [cell.matrix, cell.row, cell.column],
        "label": one.latex,
        "kind": _kind(one.name),
        "row": one.rows.labels[cell.row],
        "column": one.columns.labels[cell.column],
        "value": written(value, digits),
        "said": said,
        "editable": isinstance(one.origin, Given) and bool(one.origin.whole),
        "terms": [] if made.forbidden else [_term(term, digits, trace) for term in made.terms],
        "over": [_term(term, digits, trace) for term in made.over],
        "over_total": written(total(made.over), digits) if made.over else "",
    }


def written(value: float, digits: int = DIGITS) -> str:
    """A number as it is written out."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.{digits}g}".replace("-", "−")


def _term(term: Term, digits: int, trace: Trace) -> dict[str, Any]:
    return {
        "factors": [_factor(factor, digits, trace) for factor in term],
        "product": written(product(term), digits),
    }


def _factor(factor: Factor, digits: int, trace: Trace) -> dict[str, Any]:
    """The number that is multiplied; what it is exp or tanh of; whose cell it is."""
    inner = ""
    if factor.function:
        inner = f"{factor.function}({written(factor.argument or 0.0, digits)})"
    cell = factor.cell
    where: list[str] = []
    if cell is not None and cell.matrix in trace.matrices:
        of = trace.matrix(cell.matrix)
        where = [of.latex, of.rows.labels[cell.row], of.columns.labels[cell.column]]
    return {
        "value": written(factor.value, digits),
        "of": inner,
        "where": where,
        "kind": _kind(cell.matrix) if cell else "",
    }


def _enough_digits(made: Explanation, value: float) -> int:
    """Nine, or as many as it takes where large terms cancel each other nearly."""
    for digits in (DIGITS, DIGITS + 4):
        shown = math.fsum(_rounded(term, digits) for term in made.terms)
        over = math.fsum(_rounded(term, digits) for term in made.over) if made.over else 1.0
        if math.isinf(value) or abs(shown / over - value) <= CLOSE * abs(value):
            return digits
    return 17


def _rounded(term: Term, digits: int) -> float:
    return math.prod(float(f"{factor.value:.{digits}g}") for factor in term)


def _window(axis: Axis, choices: GlassChoices) -> range:
    most, count = MOST_WORDS if axis.name in WORDS else MOST_NUMBERS, len(axis)
    first = max(0, min(choices.start(axis.name), count - most))
    return range(first, min(count, first + most))


def _sent(value: float) -> float | None:
    """JSON has no infinity; None stands for what is forbidden."""
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def _decimals(one: Matrix) -> int:
    """Two; three where all numbers are small, unless two say all."""
    if one.name == "A":
        return 2
    values = one.values
    small = np.abs(values).max(initial=0.0) < 0.5
    return 3 if small and not np.array_equal(values.round(2), values) else 2


def _kind(name: str) -> str:
    """Which colour a matrix owns."""
    if name.startswith(("head", "C")):
        return "O"
    if name in {"A", "S", "SS", "SC", "SB", "ST", "SM", "B"}:
        return "A"
    letter = name.lstrip("Wb")[:1]
    return letter if letter in {"Q", "K", "V", "O"} else "X"
