"""Heads as squares: where they stand, how they look, and what a pointer finds."""

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from mha_viz.figures.head_points import (
    FADED,
    LARGEST,
    SMALLEST,
    HeadPoint,
    grid_of_heads,
    map_of_points,
)
from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import DARK, LIGHT

N_LAYERS, N_HEADS = 3, 5
COLOURS = {"sink": "#123456", "mixed": "#abcdef"}


def point(layer: int, head: int, **changes: object) -> HeadPoint:
    usual = HeadPoint(
        layer,
        head,
        x=float(head),
        y=float(layer),
        group="sink" if head % 2 else "mixed",
        value=(layer * N_HEADS + head) / 20,
        size=head / (N_HEADS - 1),
        label=f"{head / 10:.2f}",
        says="mixed (even 0.37)",
    )
    return replace(usual, **changes)


POINTS = [point(layer, head) for layer in range(N_LAYERS) for head in range(N_HEADS)]


def by_role(points: list[HeadPoint] = POINTS, **options: object) -> go.Figure:
    return grid_of_heads(
        points, **({"title": "Heads", "captions": ["One line."], "colours": COLOURS} | options)
    )


def by_number(points: list[HeadPoint] = POINTS) -> go.Figure:
    return by_role(points, colours=None, measure="Entropy")


def drawn(figure: go.Figure) -> dict[tuple[int, int], tuple[float, float]]:
    """Where each head stands, by what a click on it would give."""
    return {
        (data[0], data[1]): (x, y)
        for trace in figure.data
        for x, y, data in zip(trace.x, trace.y, trace.customdata, strict=True)
    }


def test_every_head_stands_once_at_its_layer_and_number():
    expected = {
        (layer, head): (head, layer) for layer in range(N_LAYERS) for head in range(N_HEADS)
    }
    assert drawn(by_role()) == drawn(by_number()) == expected


def test_first_layer_is_on_top_and_axes_name_layers_and_heads():
    axes = by_role().layout
    assert axes.yaxis.range[0] > axes.yaxis.range[1]
    assert list(axes.yaxis.ticktext) == ["L0", "L1", "L2"]
    assert list(axes.xaxis.ticktext) == ["H0", "H1", "H2", "H3", "H4"]
    assert list(axes.xaxis.tickvals) == list(range(N_HEADS))


def test_heads_in_another_order_have_no_numbers_above_them():
    assert list(by_role(in_order=True).layout.xaxis.ticktext) == []


def test_groups_have_their_colours_and_names_in_the_legend():
    traces = by_role().data
    assert {trace.name: trace.marker.color for trace in traces} == {
        plotly_text(group): colour for group, colour in COLOURS.items()
    }
    for trace, (group, _) in zip(traces, COLOURS.items(), strict=True):
        expected = [[one.layer, one.head] for one in POINTS if one.group == group]
        assert [data[:2] for data in trace.customdata] == expected
        assert trace.showlegend


def test_numbers_are_the_colours_from_zero_to_the_largest_and_the_bar_says_so():
    (trace,) = by_number().data
    largest = max(one.value for one in POINTS)
    assert list(trace.marker.color) == [one.value for one in POINTS]
    assert (trace.marker.cmin, trace.marker.cmax) == (0, largest)
    assert trace.marker.colorbar.ticktext[-1] == f"{largest:.2f}"
    assert trace.marker.colorbar.title.text == plotly_text("Entropy")
    assert not trace.showlegend


@pytest.mark.parametrize("value", [None, 0.0], ids=["none", "zero"])
def test_numbers_that_are_none_or_zero_everywhere_still_have_a_scale(value: float | None):
    (trace,) = by_number([replace(one, value=value) for one in POINTS]).data
    assert (trace.marker.cmin, trace.marker.cmax) == (0, 1)


def test_sizes_go_from_the_smallest_to_the_largest_in_proportion():
    (trace,) = by_number(POINTS[:N_HEADS]).data
    steps = [SMALLEST + (LARGEST - SMALLEST) * share for share in (0, 0.25, 0.5, 0.75, 1)]
    assert list(trace.marker.size) == pytest.approx(steps)


def test_chosen_head_is_framed_and_heads_left_out_are_faded():
    points = [point(0, 0, framed=True), point(0, 1, shown=False), point(0, 2)]
    (trace,) = by_number(points).data
    assert list(trace.marker.opacity) == [1, FADED, 1]
    assert trace.marker.line.color == (LIGHT.accent, LIGHT.grid, LIGHT.grid)
    assert trace.marker.line.width[0] > trace.marker.line.width[1] == trace.marker.line.width[2]


def test_texts_are_shown_as_they_are_and_act_on_nothing():
    evil = "<b>x</b> %{x} <a href='https://example.org'>"
    figure = by_number([point(0, 0, label=evil, says=evil)])
    (trace,) = figure.data
    assert trace.text == (plotly_text(evil),)
    assert "<" not in trace.text[0] + trace.customdata[0][2]
    assert evil not in trace.hovertemplate
    assert "%{customdata[2]}" in trace.hovertemplate
    assert "<b>" not in by_role(title=evil, captions=[evil]).layout.title.text


def test_head_without_a_label_has_none():
    (trace,) = by_number([point(0, 0, label="")]).data
    assert trace.text == ("",)


def test_click_leaves_the_look_as_it_is():
    for trace in (*by_role().data, *by_number().data):
        assert trace.selected.marker.opacity is None
        assert trace.unselected.marker.opacity is None


def test_map_has_the_points_where_they_are_and_one_scale_for_both_axes():
    points = [point(0, 1, x=-3.5, y=2.25), point(2, 4, x=7.125, y=-1.5)]
    figure = map_of_points(points, title="Map", captions=[], colours=COLOURS, theme=DARK)
    assert drawn(figure) == {(0, 1): (-3.5, 2.25), (2, 4): (7.125, -1.5)}
    assert figure.layout.yaxis.scaleanchor == "x"
    assert not figure.layout.xaxis.visible
    assert not figure.layout.yaxis.visible


def test_layers_with_other_numbers_of_heads_stand_in_one_grid():
    points = [point(0, 0), point(0, 1), point(1, 0), point(3, 4)]
    figure = by_role(points)
    assert drawn(figure)[3, 4] == (4, 3)
    assert list(figure.layout.yaxis.ticktext) == ["L0", "L1", "L2", "L3"]
    assert len(figure.layout.xaxis.ticktext) == 5
