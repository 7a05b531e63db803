"""A computation as a list of matrices, each of whose cells can say which cells it came from, and how.

A matrix has an origin: it was given, or it follows from matrices before it, as one of `core.origins`. The origin gives the
values, and for any one cell the terms that they are the sum of. Everything is float64, so that what is written out term
by term adds up to the cell.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from mha_viz.errors import ChoiceError


@dataclass(frozen=True)
class Axis:
    """The rows or the columns of a matrix.

    Attributes:
        name: Of what is counted: axes of one name count the same things.
        labels: What each row or column is called.
    """

    name: str
    labels: tuple[str, ...]

    @classmethod
    def numbered(cls, name: str, count: int) -> "Axis":
        """An axis whose labels are numbers from 0."""
        return cls(name, tuple(map(str, range(count))))

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Cell:
    """One number of one matrix.

    Attributes:
        matrix: The name of the matrix.
        row: From 0.
        column: From 0.
    """

    matrix: str
    row: int
    column: int


@dataclass(frozen=True)
class Factor:
    """One number of a product.

    Attributes:
        value: The number itself.
        cell: Where it stands; None for a number of the formula, such as 1/√d_k.
        function: What was done to the cell's number first: "exp" or "tanh"; empty for nothing.
        argument: What the function was given; None without one.
    """

    value: float
    cell: Cell | None = None
    function: str = ""
    argument: float | None = None


Term = tuple[Factor, ...]


@dataclass(frozen=True)
class Explanation:
    """How a cell came about: the sum of its terms, divided by the sum of others where there are any.

    Attributes:
        terms: What is added; each term is the product of its factors.
        over: What the sum is divided by, likewise; empty for nothing.
        shift: What was taken from every argument of exp, so that large scores stay within what numbers can hold.
        forbidden: Whether the cell may not be looked at: it is -inf, whatever its terms.
    """

    terms: tuple[Term, ...]
    over: tuple[Term, ...] = ()
    shift: float = 0.0
    forbidden: bool = False

    @property
    def value(self) -> float:
        """What the terms come to."""
        if self.forbidden:
            return -math.inf
        return total(self.terms) / (total(self.over) if self.over else 1.0)

    @property
    def sources(self) -> tuple[Cell, ...]:
        """The cells that it came from, each once."""
        factors = (factor for term in (*self.terms, *self.over) for factor in term)
        return tuple(dict.fromkeys(factor.cell for factor in factors if factor.cell is not None))


def product(term: Term) -> float:
    """A term worked out."""
    return math.prod(factor.value for factor in term)


def total(terms: Sequence[Term]) -> float:
    """The sum of terms, rounded once."""
    return math.fsum(map(product, terms))


class Origin(ABC):
    """How a matrix came about."""

    @abstractmethod
    def values(self) -> Float[np.ndarray, "n_rows n_columns"]:
        """All its numbers."""

    @abstractmethod
    def explain(self, row: int, column: int) -> Explanation:
        """One of its cells; without terms for a number that was given."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix with a name and an origin.

    Attributes:
        name: By which cells refer to it.
        latex: As it is written in a formula; sub- and superscripts in braces.
        rows: What its rows are.
        columns: What its columns are.
        origin: How it came about.
    """

    name: str
    latex: str
    rows: Axis
    columns: Axis
    origin: Origin

    @cached_property
    def values(self) -> Float[np.ndarray, "n_rows n_columns"]:
        """Its numbers, in float64."""
        return self.origin.values()

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return len(self.rows), len(self.columns)

    def cell(self, row: int, column: int) -> Cell:
        """One of its cells."""
        return Cell(self.name, row, column)

    def factor(self, row: int, column: int) -> Factor:
        """One of its numbers, as part of a product."""
        return Factor(float(self.values[row, column]), self.cell(row, column))


@dataclass(frozen=True, eq=False)
class Part:
    """A matrix in its place in a formula.

    Attributes:
        sign: What is written before it: "·", "=", "softmax →".
        matrix: The matrix; the same one may have several places.
    """

    sign: str
    matrix: Matrix


Line = tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class Trace:
    """A computation in steps, each of lines of matrices.

    Attributes:
        steps: The lines of each step, in order.
    """

    steps: tuple[tuple[Line, ...], ...]

    @cached_property
    def matrices(self) -> dict[str, Matrix]:
        """Every matrix by its name, in the order in which they come about."""
        parts = (part for step in self.steps for line in step for part in line)
        return {part.matrix.name: part.matrix for part in parts}

    @property
    def n_bytes(self) -> int:
        """Memory that the numbers take."""
        return sum(matrix.values.nbytes for matrix in self.matrices.values())

    def matrix(self, name: str) -> Matrix:
        """One matrix.

        Raises:
            ChoiceError: If there is none of that name.
        """
        if name not in self.matrices:
            raise ChoiceError(
                f"matrix {name!r} does not exist; there are {', '.join(self.matrices)}"
            )
        return self.matrices[name]

    def explain(self, cell: Cell) -> Explanation:
        """How a cell came about.

        Raises:
            ChoiceError: If there is no such cell.
        """
        matrix = self.matrix(cell.matrix)
        n_rows, n_columns = matrix.shape
        if not (0 <= cell.row < n_rows and 0 <= cell.column < n_columns):
            raise ChoiceError(
                f"cell {cell.row}, {cell.column} does not exist: {cell.matrix} is {n_rows} × {n_columns}, counted from 0"
            )
        return matrix.origin.explain(cell.row, cell.column)

    def sources(self, cell: Cell) -> tuple[Cell, ...]:
        """The cells that a cell came from; none for a number that was given."""
        return self.explain(cell).sources

    def terms(self, cell: Cell) -> tuple[Term, ...]:
        """What a cell is the sum of; for a cell of a softmax, see `Explanation.over`."""
        return self.explain(cell).terms
