"""The four steps of multi-head attention for one layer, as a trace of every number in between."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from mha_viz.core.layer_numbers import LayerNumbers
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
from mha_viz.core.trace import Axis, Line, Matrix, Origin, Part, Trace
from mha_viz.errors import ChoiceError

LETTERS = {"query": "Q", "key": "K", "value": "V", "output": "O"}
# Heads whose outputs are drawn beside each other, if they have no more columns than this in all.
MOST_JOINED = 16


def trace_layer(numbers: LayerNumbers, head: int) -> Trace:
    """The four steps, with every number of one head.

    Args:
        numbers: What the layer starts from.
        head: The head that is followed, from 0; of the others only what they found is kept.

    Raises:
        ChoiceError: If there is no such head.
    """
    if not 0 <= head < numbers.n_heads:
        raise ChoiceError(f"head {head} does not exist: heads go from 0 to {numbers.n_heads - 1}")
    first, second = _one_head(numbers, head)
    own = second[-1][-1].matrix
    found = [own if other == head else _found(numbers, other) for other in range(numbers.n_heads)]
    all_shown = numbers.n_heads * numbers.d_value <= MOST_JOINED
    shown = found if all_shown else [own]
    joined = Axis(
        "joined",
        tuple(
            f"H{one}·{column}"
            for one in range(numbers.n_heads)
            for column in range(numbers.d_value)
        ),
    )
    concat = Matrix("C", r"\mathrm{Concat}", own.rows, joined, SideBySide(tuple(found)))
    signs = ["", *["|"] * (len(shown) - 1)]
    third = (
        *[Part(sign, one) for sign, one in zip(signs, shown, strict=True)],
        Part("→" if all_shown else "and all others →", concat),
    )
    return Trace((first, second, (third,), _project_back(numbers, concat)))


def _one_head(numbers: LayerNumbers, head: int) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """The first two steps."""
    lines = [_input(numbers)] if numbers.starts_at_x else []
    x = lines[0][-1].matrix if lines else None
    made: dict[str, Matrix] = {}
    for what in ("query", "key", "value"):
        line = _projected(numbers, what, head, x)
        made[what] = line[-1].matrix
        lines.append(line)
    return tuple(lines), _attended(numbers, head, made)


def _input(numbers: LayerNumbers) -> Line:
    vectors = numbers.vectors
    line = _Line(Axis("query", numbers.query_labels), Axis.numbered("width", vectors.shape[1]))
    if numbers.positions is None:
        line.then("", "X", "X", Given(vectors, "X"))
    else:
        words = line.then("", "E", "E", Given(vectors, "X"))
        places = line.then("+", "P", "P", Given(numbers.positions))
        line.then("=", "X", "X", Added(words, places))
    return tuple(line.parts)


class _Line:
    """A line of a formula that grows: matrices of one shape, each made from the last, and what it is made with."""

    def __init__(self, rows: Axis, columns: Axis) -> None:
        self.rows, self.columns = rows, columns
        self.parts: list[Part] = []

    @property
    def last(self) -> Matrix:
        return self.parts[-1].matrix

    def then(self, sign: str, name: str, latex: str, origin: Origin) -> Matrix:
        made = Matrix(name, latex, self.rows, self.columns, origin)
        self.parts.append(Part(sign, made))
        return made


def _projected(numbers: LayerNumbers, what: str, head: int, x: Matrix | None) -> Line:
    """Queries, keys or values of a head."""
    letter, is_query = LETTERS[what], what == "query"
    is_shared = not is_query and numbers.n_kv_heads != numbers.n_heads
    own = head if is_query else numbers.kv_head(head)
    labels = numbers.query_labels if is_query else numbers.key_labels
    rows = Axis("query" if is_query else "key", labels)
    columns = Axis.numbered("value" if what == "value" else "part", numbers.width(what))
    line = _Line(rows, columns)
    name, latex = (
        (f"{letter}kv", f"{letter}_{{{own}}}^{{kv}}")
        if is_shared
        else (letter, f"{letter}_{{{head}}}")
    )
    if x is None:
        line.then("", name, latex, Given(numbers.heads[what][own]))
    else:
        _from_input(numbers, what, own, x, line, (name, latex))
    if is_shared:
        line.then("shared →", letter, f"{letter}_{{{head}}}", Copied(line.last))
    return tuple(line.parts)


def _from_input(
    numbers: LayerNumbers, what: str, own: int, x: Matrix, line: _Line, named: tuple[str, str]
) -> None:
    """Product, bias and rotary positions, as far as the layer has them; all but the last have primes to their names."""
    projection, letter, width = numbers.projections[what], LETTERS[what], numbers.width(what)
    turning = None if what == "value" else numbers.turning
    columns = slice(own * width, (own + 1) * width)
    primes = (projection.bias is not None) + (turning is not None)

    def primed() -> tuple[str, str]:
        return named[0] + "'" * primes, named[1] + "'" * primes

    given = Given(projection.weight[:, columns], f"W{letter}", 0, columns.start)
    weight = Matrix(f"W{letter}", f"W_{{{own}}}^{{{letter}}}", x.columns, line.columns, given)
    line.parts.append(Part("X ·", weight))
    line.then("=", *primed(), Product(x, weight))
    if projection.bias is not None:
        primes -= 1
        _add_bias(line, letter, f"b_{{{own}}}^{{{letter}}}", projection.bias[columns], primed())
    if turning is not None:
        line.then("turned by position →", *named, Turned(line.last, turning))


def _add_bias(
    line: _Line,
    letter: str,
    latex: str,
    numbers: Float[np.ndarray, " d_out"],
    named: tuple[str, str],
) -> None:
    before = line.last
    bias = Matrix(f"b{letter}", latex, Axis("one", ("to all",)), line.columns, Given(numbers[None]))
    line.parts.append(Part("+", bias))
    line.then("=", *named, Added(before, bias))


def _attended(numbers: LayerNumbers, head: int, made: Mapping[str, Matrix]) -> tuple[Line, ...]:
    """The second step: from queries, keys and values to what the head found."""
    query, key, value = made["query"], made["key"], made["value"]
    across = Axis("key", numbers.key_labels)
    turned = Matrix("KT", rf"K_{{{head}}}^{{\top}}", key.columns, across, Transposed(key))
    scores = Matrix(
        "S", rf"Q_{{{head}}} K_{{{head}}}^{{\top}}", query.rows, across, Product(query, turned)
    )
    changes = _changed(numbers, head, scores)
    sink = None if numbers.sinks is None else float(numbers.sinks[head])
    last = changes[-1].matrix if changes else scores
    weights = Matrix("A", f"A_{{{head}}}", query.rows, across, Softmax(last, sink))
    found = Matrix(
        f"head{head}", _head_name(head), query.rows, value.columns, Product(weights, value)
    )
    return (
        (Part("", query), Part("·", turned), Part("=", scores)),
        *([changes] if changes else []),
        (Part("softmax →", weights), Part("·", value), Part("=", found)),
    )


def _changed(numbers: LayerNumbers, head: int, scores: Matrix) -> Line:
    """What happens to the scores before the softmax, as far as the layer has it."""
    line = _Line(scores.rows, scores.columns)
    last = scores
    if numbers.scaling != 1:
        root, factor = f"÷ √{numbers.d_head} =", f"× {numbers.scaling:.4g} ="
        sign = root if numbers.is_scaled_by_root else factor
        last = line.then(sign, "SS", "S", Scaled(last, numbers.scaling))
    if numbers.softcap is not None:
        last = line.then("capped →", "SC", "S_{cap}", Capped(last, numbers.softcap))
    if numbers.attn_bias is not None:
        given = Given(numbers.attn_bias[head % len(numbers.attn_bias)])
        bias = line.then("+", "B", "B", given)
        last = line.then("=", "SB", "S + B", Added(last, bias))
    if numbers.temperature != 1:
        sign = f"÷ {numbers.temperature:.4g} ="
        last = line.then(sign, "ST", "S / T", Scaled(last, 1 / numbers.temperature))
    may_attend = numbers.may_attend[head % len(numbers.may_attend)]
    if not may_attend.all():
        line.then("mask →", "SM", "S_{masked}", Masked(last, may_attend))
    return tuple(line.parts)


def _found(numbers: LayerNumbers, head: int) -> Matrix:
    """What a head found, without how."""
    found = _one_head(numbers, head)[1][-1][-1].matrix
    return Matrix(found.name, found.latex, found.rows, found.columns, Given(found.values))


def _head_name(head: int) -> str:
    return rf"\mathrm{{head}}_{{{head}}}"


def _project_back(numbers: LayerNumbers, concat: Matrix) -> tuple[Line, ...]:
    """The fourth step; nothing where the model's own matrix is not known."""
    if "output" not in numbers.projections:
        return ()
    projection = numbers.projections["output"]
    line = _Line(concat.rows, Axis.numbered("width", projection.weight.shape[1]))
    weight = Matrix("WO", "W^{O}", concat.columns, line.columns, Given(projection.weight, "WO"))
    line.parts += [Part("", concat), Part("·", weight)]
    prime = "" if projection.bias is None else "'"
    line.then("=", f"O{prime}", rf"\mathrm{{Output}}{prime}", Product(concat, weight))
    if projection.bias is not None:
        _add_bias(line, "O", "b^{O}", projection.bias, ("O", r"\mathrm{Output}"))
    return (tuple(line.parts),)
