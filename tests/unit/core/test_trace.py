"""Every number between input and output: right as a whole, and right as the sum of its terms."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from mha_viz.core.four_steps import trace_layer
from mha_viz.core.layer_numbers import LayerNumbers
from mha_viz.core.origins import Given
from mha_viz.core.trace import Cell, Trace, product
from mha_viz.errors import ChoiceError
from tests.unit.core.layers_to_trace import (
    D_HEAD,
    D_OUT,
    D_VALUE,
    EVERYTHING,
    N_HEADS,
    N_TOKENS,
    causal_mask,
    drawn,
    labels,
    layer,
    projection,
)


def heads_of(numbers: LayerNumbers, what: str) -> torch.Tensor:
    x = numbers.x if numbers.positions is None else numbers.x + numbers.positions
    wide = torch.from_numpy(numbers.projections[what](x))
    n_heads = numbers.n_heads if what == "query" else numbers.n_kv_heads
    return wide.unflatten(-1, (n_heads, -1)).transpose(0, 1)


@pytest.mark.parametrize(
    "name", ["plain", "bias", "causal", "no root", "other scaling", "positions", "grouped"]
)
def test_output_equals_torchs_own_attention(name: str):
    numbers = EVERYTHING[name]
    found = F.scaled_dot_product_attention(
        *(heads_of(numbers, what) for what in ("query", "key", "value")),
        attn_mask=torch.from_numpy(numbers.may_attend),
        scale=numbers.scaling,
        enable_gqa=numbers.n_kv_heads != numbers.n_heads,
    )
    for head in range(N_HEADS):
        trace = trace_layer(numbers, head)
        np.testing.assert_allclose(trace.matrix(f"head{head}").values, found[head], atol=1e-12)
        concat = found.transpose(0, 1).flatten(1).numpy()
        np.testing.assert_allclose(trace.matrix("C").values, concat, atol=1e-12)
        np.testing.assert_allclose(
            trace.matrix("O").values, numbers.projections["output"](concat), atol=1e-12
        )
        assert trace.matrix("O").shape == (N_TOKENS, D_OUT)


@pytest.mark.parametrize("is_causal", [False, True])
def test_output_and_weights_equal_those_of_nn_multihead_attention(is_causal: bool):
    d_model, n_heads = 10, 5
    theirs = nn.MultiheadAttention(d_model, n_heads, batch_first=True, dtype=torch.float64)
    nn.init.normal_(theirs.in_proj_bias)
    nn.init.normal_(theirs.out_proj.bias)
    weights = theirs.in_proj_weight.detach().chunk(3)
    biases = theirs.in_proj_bias.detach().chunk(3)
    parts = [
        replace(projection(0, 1, 1), weight=weight.T.numpy(), bias=bias.numpy())
        for weight, bias in zip(
            [*weights, theirs.out_proj.weight.detach()],
            [*biases, theirs.out_proj.bias.detach()],
            strict=True,
        )
    ]
    numbers = LayerNumbers(
        labels(N_TOKENS),
        labels(N_TOKENS),
        n_heads,
        n_heads,
        2,
        2,
        2**-0.5,
        causal_mask() if is_causal else np.ones((1, N_TOKENS, N_TOKENS), dtype=bool),
        x=drawn(3, N_TOKENS, d_model),
        projections=dict(zip(("query", "key", "value", "output"), parts, strict=True)),
    )
    x = torch.from_numpy(numbers.x)[None]
    output, maps = theirs(
        x, x, x, attn_mask=~torch.from_numpy(numbers.may_attend[0]), average_attn_weights=False
    )
    for head in range(n_heads):
        trace = trace_layer(numbers, head)
        np.testing.assert_allclose(trace.matrix("A").values, maps[0, head].detach(), atol=1e-12)
        np.testing.assert_allclose(trace.matrix("O").values, output[0].detach(), atol=1e-12)


@pytest.mark.parametrize("name", ["temperature", "softcap", "score bias", "sinks", "sees nothing"])
def test_weights_with_more_than_the_papers_terms_are_as_written_by_hand(name: str):
    numbers, head = EVERYTHING[name], 1
    query, key = (heads_of(numbers, what)[head] for what in ("query", "key"))
    scores = query @ key.T * numbers.scaling
    if numbers.softcap:
        scores = numbers.softcap * torch.tanh(scores / numbers.softcap)
    if numbers.attn_bias is not None:
        scores = scores + torch.from_numpy(numbers.attn_bias[head])
    powers = torch.exp(scores / numbers.temperature) * torch.from_numpy(numbers.may_attend[0])
    sums = powers.sum(1, keepdim=True)
    if numbers.sinks is not None:
        sums = sums + math.exp(numbers.sinks[head])
    expected = torch.where(sums == 0, 0.0, powers / torch.where(sums == 0, 1.0, sums))
    np.testing.assert_allclose(trace_layer(numbers, head).matrix("A").values, expected, atol=1e-12)


TRACES = {
    (name, head): trace_layer(numbers, head)
    for name, numbers in EVERYTHING.items()
    for head in range(N_HEADS)
}


@st.composite
def cells(draw: st.DrawFn) -> tuple[Trace, Cell]:
    trace = TRACES[draw(st.sampled_from(sorted(TRACES)))]
    matrix = trace.matrix(draw(st.sampled_from(sorted(trace.matrices))))
    n_rows, n_columns = matrix.shape
    place = draw(st.integers(0, n_rows - 1)), draw(st.integers(0, n_columns - 1))
    return trace, matrix.cell(*place)


@given(cells())
def test_any_cell_is_what_its_terms_come_to(drawn_cell: tuple[Trace, Cell]):
    trace, cell = drawn_cell
    value = trace.matrix(cell.matrix).values[cell.row, cell.column]
    explanation = trace.explain(cell)
    if isinstance(trace.matrix(cell.matrix).origin, Given):
        assert trace.terms(cell) == trace.sources(cell) == ()
    elif explanation.forbidden:
        assert value == explanation.value == -math.inf
    else:
        scale = sum(abs(product(term)) for term in explanation.terms)
        assert explanation.value == pytest.approx(value, rel=1e-9, abs=1e-13 * scale)


@given(cells())
def test_any_cell_comes_from_cells_whose_numbers_it_names(drawn_cell: tuple[Trace, Cell]):
    trace, cell = drawn_cell
    explanation = trace.explain(cell)
    assert len(set(explanation.sources)) == len(explanation.sources)
    for term in (*explanation.terms, *explanation.over):
        for factor in term:
            if factor.cell is None or factor.cell.matrix not in trace.matrices:
                continue
            source = trace.matrix(factor.cell.matrix).values[factor.cell.row, factor.cell.column]
            if factor.function == "exp":
                assert factor.argument + explanation.shift == pytest.approx(
                    source, rel=1e-9, abs=1e-12
                )
                assert factor.value == pytest.approx(math.exp(factor.argument))
            elif factor.function == "tanh":
                assert factor.value == pytest.approx(math.tanh(factor.argument))
            else:
                assert factor.value == source


def test_a_cell_of_each_step_comes_from_the_rows_and_columns_that_the_formula_names():
    trace = trace_layer(layer(may_attend=causal_mask()), 2)
    row_of_x = {Cell("X", 3, inner) for inner in range(11)}
    assert set(trace.sources(Cell("Q", 3, 1))) == row_of_x | {
        Cell("WQ", inner, 1) for inner in range(11)
    }
    assert trace.sources(Cell("KT", 1, 4)) == (Cell("K", 4, 1),)
    assert set(trace.sources(Cell("S", 3, 4))) == {
        *(Cell("Q", 3, inner) for inner in range(D_HEAD)),
        *(Cell("KT", inner, 4) for inner in range(D_HEAD)),
    }
    assert trace.sources(Cell("SS", 3, 4)) == (Cell("S", 3, 4),)
    assert trace.explain(Cell("SM", 3, 4)).forbidden
    assert not trace.explain(Cell("SM", 4, 3)).forbidden
    assert trace.sources(Cell("A", 3, 2)) == (
        Cell("SM", 3, 2),
        *(Cell("SM", 3, key) for key in range(N_TOKENS) if key != 2),
    )
    # Of the value that stands in column 1 of the second head of values.
    assert trace.sources(Cell("C", 3, D_VALUE + 1)) == (Cell("head1", 3, 1),)
    assert len(trace.sources(Cell("O", 3, 12))) == 2 * N_HEADS * D_VALUE


def test_softmax_cell_is_one_power_over_the_powers_of_its_row():
    trace = trace_layer(layer(), 0)
    explanation = trace.explain(Cell("A", 5, 3))
    scores = trace.matrix("SS").values[5]
    assert len(explanation.terms) == 1
    assert len(explanation.over) == N_TOKENS
    assert [factor.argument for (factor,) in explanation.over] == scores.tolist()
    assert explanation.terms[0] == explanation.over[3]
    assert explanation.shift == 0


def test_softmax_of_scores_too_large_for_exp_takes_the_largest_from_each():
    trace = trace_layer(EVERYTHING["large scores"], 0)
    row = int(np.abs(trace.matrix("SS").values.max(1)).argmax())
    explanation = trace.explain(Cell("A", row, 0))
    assert explanation.shift == trace.matrix("SS").values[row].max() > 30
    assert max(factor.value for (factor,) in explanation.over) == 1


def test_row_that_may_look_at_nothing_is_zeros_and_says_so():
    trace = trace_layer(EVERYTHING["sees nothing"], 0)
    assert not trace.matrix("A").values[0].any()
    assert trace.explain(Cell("A", 0, 4)).over == ()
    assert trace.explain(Cell("A", 0, 4)).value == 0


def test_shared_key_head_is_a_step_of_its_own():
    trace = trace_layer(EVERYTHING["grouped"], 2)
    assert trace.sources(Cell("K", 4, 1)) == (Cell("Kkv", 4, 1),)
    assert "Qkv" not in trace.matrices


def test_layer_without_input_starts_at_queries_keys_and_values():
    trace = trace_layer(EVERYTHING["from q, k, v"], 1)
    assert {"X", "WQ"}.isdisjoint(trace.matrices)
    np.testing.assert_array_equal(
        trace.matrix("Q").values, EVERYTHING["from q, k, v"].heads["query"][1]
    )


@pytest.mark.parametrize("head", [-1, N_HEADS])
def test_head_that_does_not_exist_is_refused(head: int):
    with pytest.raises(ChoiceError, match="heads go from 0 to 2"):
        trace_layer(layer(), head)


@pytest.mark.parametrize("cell", [Cell("Z", 0, 0), Cell("Q", N_TOKENS, 0), Cell("Q", 0, -1)])
def test_cell_that_does_not_exist_is_refused(cell: Cell):
    with pytest.raises(ChoiceError, match="does not exist"):
        trace_layer(layer(), 0).explain(cell)
