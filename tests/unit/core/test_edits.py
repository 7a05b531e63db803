"""Edited numbers: written, read, and put in their places."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.core.edits import (
    LARGEST,
    MOST_EDITS,
    Edit,
    edit_of,
    edited,
    from_text,
    number_of,
    to_text,
    with_edit,
)
from mha_viz.core.four_steps import trace_layer
from mha_viz.errors import ChoiceError
from tests.unit.core.layers_to_trace import D_HEAD, layer

an_edit = st.builds(
    Edit,
    st.sampled_from(["X", "WQ", "WK", "WV", "WO"]),
    st.integers(0, 999),
    st.integers(0, 999),
    st.integers(-(10**6), 10**6).map(lambda number: number / 1000),
)


@given(st.lists(an_edit, max_size=7))
def test_edits_that_are_written_are_read_again(edits: list[Edit]):
    assert from_text(to_text(edits)) == tuple(edits)


@pytest.mark.parametrize(
    "text",
    ["X", "X:1:2", "Q:0.0:1", "X:0.0:a", "X:0.0:nan", "X:0.0:1e9", "X:-1.0:1", "X:0.0:1;", ";"],
)
def test_text_that_is_no_edit_is_refused(text: str):
    with pytest.raises(ChoiceError):
        from_text(text)


def test_more_edits_than_a_link_should_hold_are_refused():
    with pytest.raises(ChoiceError, match="at most"):
        from_text(";".join(f"X:0.{column}:1" for column in range(MOST_EDITS + 1)))


@pytest.mark.parametrize(
    ("text", "number"), [("0.5", 0.5), (" −2 ", -2), ("1,5", 1.5), ("-.5", -0.5)]
)
def test_number_as_people_type_it_is_read(text: str, number: float):
    assert number_of(text) == number


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", str(LARGEST * 2)])
def test_what_is_no_number_is_refused(text: str):
    with pytest.raises(ChoiceError, match="expected a number"):
        number_of(text)


def test_edit_of_a_heads_part_is_one_of_the_whole_matrix():
    trace = trace_layer(layer(), 2)
    assert edit_of(trace.matrix("WK"), 7, 1, 0.5) == Edit("WK", 7, 2 * D_HEAD + 1, 0.5)
    with pytest.raises(ChoiceError, match="follows from other numbers"):
        edit_of(trace.matrix("Q"), 0, 0, 1.0)
    with pytest.raises(ChoiceError, match="does not exist"):
        edit_of(trace.matrix("X"), 0, 11, 1.0)


def test_later_edit_of_a_cell_takes_the_place_of_the_earlier():
    first, second, other = Edit("X", 1, 2, 3.0), Edit("X", 1, 2, 4.0), Edit("X", 2, 1, 5.0)
    assert with_edit((first, other), second) == (other, second)


def test_everything_after_an_edited_number_follows_and_the_layer_itself_stays():
    before = layer(bias=True)
    weight = before.projections["value"].weight.copy()
    after = edited(before, [Edit("WV", 3, 5, 9.0), Edit("X", 2, 3, -4.0)])
    np.testing.assert_array_equal(before.projections["value"].weight, weight)
    weight[3, 5] = 9.0
    np.testing.assert_array_equal(after.projections["value"].weight, weight)
    x = before.x.copy()
    x[2, 3] = -4.0
    bias = before.projections["value"].bias
    np.testing.assert_allclose(
        trace_layer(after, 1).matrix("V").values, (x @ weight + bias)[:, 5:10], atol=1e-12
    )


@pytest.mark.parametrize("edit", [Edit("X", 7, 0, 1.0), Edit("WO", 0, 13, 1.0)])
def test_edit_outside_its_matrix_is_refused(edit: Edit):
    with pytest.raises(ChoiceError, match="has no cell"):
        edited(layer(), [edit])


def test_edit_of_a_matrix_that_is_not_known_is_refused():
    with pytest.raises(ChoiceError, match="has no cell"):
        edited(layer(x=None), [Edit("X", 0, 0, 1.0)])
