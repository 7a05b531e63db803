"""The ways in which a matrix of attention comes about, each with its values and the terms of one cell."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from mha_viz.core.trace import Explanation, Factor, Matrix, Origin, Term

# Beyond this, exp of a score says nothing to a reader, and soon nothing to a computer.
LARGEST_EXPONENT = 30.0

Numbers = Float[np.ndarray, "n_rows n_columns"]


@dataclass(frozen=True, eq=False)
class Given(Origin):
    """Numbers that came from outside.

    Attributes:
        numbers: The matrix.
        whole: The matrix that this is a part of, by the name that an edit gives it; empty if it cannot be edited.
        first_row: Where the part begins in the whole.
        first_column: Where the part begins in the whole.
    """

    numbers: Numbers
    whole: str = ""
    first_row: int = 0
    first_column: int = 0

    def values(self) -> Numbers:
        """The numbers themselves."""
        return self.numbers

    def explain(self, row: int, column: int) -> Explanation:  # noqa: ARG002 - the same for all
        """Nothing came before."""
        return Explanation(())


@dataclass(frozen=True, eq=False)
class Product(Origin):
    """Rows of `left` times columns of `right`."""

    left: Matrix
    right: Matrix

    def values(self) -> Numbers:
        """The matrix product."""
        return self.left.values @ self.right.values

    def explain(self, row: int, column: int) -> Explanation:
        """A row and a column, number by number."""
        return Explanation(
            tuple(
                (self.left.factor(row, inner), self.right.factor(inner, column))
                for inner in range(self.left.shape[1])
            )
        )


@dataclass(frozen=True, eq=False)
class Transposed(Origin):
    """Rows become columns."""

    source: Matrix

    def values(self) -> Numbers:
        """The transposed matrix."""
        return self.source.values.T

    def explain(self, row: int, column: int) -> Explanation:
        """The same number, from the other side."""
        return Explanation(((self.source.factor(column, row),),))


@dataclass(frozen=True, eq=False)
class Copied(Origin):
    """The same numbers: a key head that several query heads share."""

    source: Matrix

    def values(self) -> Numbers:
        """The numbers of the source."""
        return self.source.values

    def explain(self, row: int, column: int) -> Explanation:
        """The same number."""
        return Explanation(((self.source.factor(row, column),),))


@dataclass(frozen=True, eq=False)
class Scaled(Origin):
    """Every number times one factor."""

    source: Matrix
    by: float

    def values(self) -> Numbers:
        """The products."""
        return self.source.values * self.by

    def explain(self, row: int, column: int) -> Explanation:
        """One product."""
        return Explanation(((self.source.factor(row, column), Factor(self.by)),))


@dataclass(frozen=True, eq=False)
class Added(Origin):
    """Two matrices, number by number; `right` may be one row that is added to all."""

    left: Matrix
    right: Matrix

    def values(self) -> Numbers:
        """The sums."""
        return self.left.values + self.right.values

    def explain(self, row: int, column: int) -> Explanation:
        """Two terms of one number each."""
        other = row if self.right.shape[0] > 1 else 0
        return Explanation(((self.left.factor(row, column),), (self.right.factor(other, column),)))


@dataclass(frozen=True, eq=False)
class Capped(Origin):
    """Squeezed smoothly into -cap … cap, see `core.attention.soft_cap`."""

    source: Matrix
    cap: float

    def values(self) -> Numbers:
        """The cap times tanh(score / cap)."""
        return self.cap * np.tanh(self.source.values / self.cap)

    def explain(self, row: int, column: int) -> Explanation:
        """The cap times a tanh."""
        argument = float(self.source.values[row, column]) / self.cap
        bent = Factor(math.tanh(argument), self.source.cell(row, column), "tanh", argument)
        return Explanation(((Factor(self.cap), bent),))


@dataclass(frozen=True, eq=False)
class Masked(Origin):
    """-inf where a query may not look."""

    source: Matrix
    may_attend: Bool[np.ndarray, "n_rows n_columns"]

    def values(self) -> Numbers:
        """The scores that are left."""
        return np.where(self.may_attend, self.source.values, -np.inf)

    def explain(self, row: int, column: int) -> Explanation:
        """The same number, or none."""
        forbidden = not self.may_attend[row, column]
        return Explanation(((self.source.factor(row, column),),), forbidden=forbidden)


@dataclass(frozen=True, eq=False)
class Softmax(Origin):
    """Row by row, exp(score) over the sum of all exp(score); a row of nothing but -inf is zeros.

    Attributes:
        source: The scores.
        sink: A learned logit that takes part and stands for no key; None for none.
    """

    source: Matrix
    sink: float | None = None

    def values(self) -> Numbers:
        """The weights."""
        scores = self.source.values
        largest = scores.max(
            axis=1, keepdims=True, initial=-np.inf if self.sink is None else self.sink
        )
        # A row that may look at nothing: exp(-inf - 0) is 0, and so is its share of 1.
        powers = np.exp(scores - np.where(np.isneginf(largest), 0.0, largest))
        sums = powers.sum(axis=1, keepdims=True)
        if self.sink is not None:
            sums = sums + np.exp(self.sink - largest)
        return powers / np.where(sums == 0, 1.0, sums)

    def explain(self, row: int, column: int) -> Explanation:
        """One power over all powers of its row."""
        scores = self.source.values[row]
        largest = float(scores.max(initial=-np.inf if self.sink is None else self.sink))
        if math.isinf(largest):
            return Explanation(((self._power(row, column, 0.0),),))
        shift = largest if abs(largest) > LARGEST_EXPONENT else 0.0
        over: list[Term] = [(self._power(row, key, shift),) for key in range(len(scores))]
        if self.sink is not None:
            over.append((Factor(math.exp(self.sink - shift), None, "exp", self.sink - shift),))
        return Explanation((over[column],), tuple(over), shift)

    def _power(self, row: int, column: int, shift: float) -> Factor:
        argument = float(self.source.values[row, column]) - shift
        return Factor(math.exp(argument), self.source.cell(row, column), "exp", argument)


@dataclass(frozen=True, eq=False)
class Turning:
    """Rotary positions: each number is mixed with its partner, by an angle that depends on the token's position.

    Attributes:
        cos: What each number is multiplied by.
        sin: What its partner is multiplied by, with its sign.
        partner: The column of each column's partner.

    Source:
        Su et al. 2021, "RoFormer", equation 34.
    """

    cos: Float[np.ndarray, "n_tokens d_head"]
    sin: Float[np.ndarray, "n_tokens d_head"]
    partner: Int[np.ndarray, " d_head"]

    def turn(
        self, x: Float[np.ndarray, "*lead n_tokens d_head"]
    ) -> Float[np.ndarray, "*lead n_tokens d_head"]:
        """The turned numbers."""
        return x * self.cos + x[..., self.partner] * self.sin


@dataclass(frozen=True, eq=False)
class Turned(Origin):
    """Queries or keys after rotary positions."""

    source: Matrix
    turning: Turning

    def values(self) -> Numbers:
        """The turned numbers."""
        return self.turning.turn(self.source.values)

    def explain(self, row: int, column: int) -> Explanation:
        """The number and its partner, each times its part of the angle."""
        turning = self.turning
        own = (self.source.factor(row, column), Factor(float(turning.cos[row, column])))
        if turning.sin[row, column] == 0:
            return Explanation((own,))
        other = self.source.factor(row, int(turning.partner[column]))
        return Explanation((own, (other, Factor(float(turning.sin[row, column])))))


@dataclass(frozen=True, eq=False)
class SideBySide(Origin):
    """What the heads found, one beside the other."""

    parts: tuple[Matrix, ...]

    def values(self) -> Numbers:
        """All parts, the first head first."""
        return np.concatenate([part.values for part in self.parts], axis=1)

    def explain(self, row: int, column: int) -> Explanation:
        """The same number, in the head that it comes from."""
        for part in self.parts:
            if column < part.shape[1]:
                break
            column -= part.shape[1]
        return Explanation(((part.factor(row, column),),))
