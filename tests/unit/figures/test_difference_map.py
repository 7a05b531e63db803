"""Maps of what changed."""

import numpy as np
import plotly.graph_objects as go
import pytest

from mha_viz.errors import ShapeError
from mha_viz.figures.difference_map import (
    describe_difference,
    difference_heatmap,
    largest_change,
)
from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import DARK, LIGHT, Theme

DIFFERENCE = np.array([[0.5, -0.25, 0], [0, 0, 0.0]], np.float32)
QUERIES, KEYS = ["<b>a", "b"], ["c", "d-e", "%{z}"]


def drawn(
    difference: np.ndarray = DIFFERENCE, *, limit: float = 0.5, theme: Theme = LIGHT
) -> go.Figure:
    return difference_heatmap(difference, QUERIES, KEYS, title="L0 H0", limit=limit, theme=theme)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_map_where_nothing_changed_has_exactly_the_colour_of_the_page(theme: Theme):
    cells = drawn(theme=theme).data[0]
    assert np.array_equal(np.array(cells.z) == 0, DIFFERENCE == 0)
    assert cells.zmin == -cells.zmax
    middle = [colour for place, colour in cells.colorscale if place == 0.5]
    assert middle == [theme.surface]


def test_scale_when_drawn_is_the_same_on_both_sides_and_stated():
    cells = drawn(limit=0.75).data[0]
    assert (cells.zmin, cells.zmax) == (-0.75, 0.75)
    assert list(cells.colorbar.tickvals) == [-0.75, 0, 0.75]
    assert list(cells.colorbar.ticktext) == ["−0.75", "0", "+0.75"]
    assert cells.colorbar.title.text == "change"


def test_cells_when_hovered_say_a_sign_and_words_are_escaped():
    figure = drawn()
    assert "%{z:+.2f}" in figure.data[0].hovertemplate
    assert list(figure.layout.yaxis.ticktext) == [plotly_text(text) for text in QUERIES]
    assert list(figure.layout.xaxis.ticktext) == [plotly_text(text) for text in KEYS]


def test_largest_change_is_that_of_either_side_and_one_if_there_is_none():
    assert largest_change(DIFFERENCE) == 0.5
    assert largest_change(-DIFFERENCE) == 0.5
    assert largest_change(np.zeros((2, 3))) == 1.0
    assert largest_change(np.zeros((0, 2, 3))) == 1.0


def test_description_names_the_cells_that_changed_most():
    said = describe_difference(DIFFERENCE, QUERIES, KEYS)
    assert said == "most gained: <b>a → c +0.50; most lost: <b>a → d-e −0.25"
    assert (
        describe_difference(DIFFERENCE.clip(min=0), QUERIES, KEYS) == "most gained: <b>a → c +0.50"
    )
    assert describe_difference(0 * DIFFERENCE, QUERIES, KEYS) == "nothing changed"


def test_difference_that_is_no_map_is_refused():
    with pytest.raises(ShapeError, match="2 query and 3 key"):
        drawn(np.zeros((3, 2), np.float32))
