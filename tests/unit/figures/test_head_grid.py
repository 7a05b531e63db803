import numpy as np
import plotly.graph_objects as go
import pytest

from mha_viz.errors import ShapeError
from mha_viz.figures.head_grid import head_grid, pool_maximum
from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import LIGHT


def random_layers(n_layers: int, n_heads: int, n_query: int, n_key: int) -> list[np.ndarray]:
    weights = np.random.default_rng(0).random((n_layers, n_heads, n_query, n_key))
    weights /= weights.sum(axis=-1, keepdims=True)
    return list(weights.astype(np.float32))


def cells(figure: go.Figure) -> go.Heatmap:
    (heatmap,) = [trace for trace in figure.data if isinstance(trace, go.Heatmap)]
    return heatmap


def markers(figure: go.Figure) -> go.Scatter:
    return next(trace for trace in figure.select_traces({"mode": "markers"}))


def frames(figure: go.Figure) -> list[go.Scatter]:
    return list(figure.select_traces({"mode": "lines"}))


def test_maps_when_stitched_stand_at_their_layer_and_head():
    layers = random_layers(3, 5, 7, 11)
    z = cells(head_grid(layers, title="All heads")).z
    assert z.shape == (3 * 8 - 1, 5 * 12 - 1)
    assert z.dtype == np.uint8
    for layer in range(3):
        for head in range(5):
            block = z[layer * 8 : layer * 8 + 7, head * 12 : head * 12 + 11]
            assert np.abs(block / 255 - layers[layer][head]).max() <= 0.5 / 255 + 1e-6


def test_gaps_when_stitched_are_empty():
    heatmap = cells(head_grid(random_layers(3, 5, 7, 11), title=""))
    assert not heatmap.z[7::8].any()
    assert not heatmap.z[:, 11::12].any()
    assert heatmap.colorscale[0][1].endswith(",0.000)")


def test_cells_when_placed_fill_the_place_of_their_head():
    figure = head_grid(random_layers(3, 5, 7, 11), title="")
    assert (len(cells(figure).x), len(cells(figure).y)) == (5 * 12, 3 * 8)
    assert cells(figure).x[[12, 23]] == pytest.approx([0.55, 1.45])
    assert tuple(figure.layout.yaxis.range) == (2.5, -0.5)
    assert list(figure.layout.xaxis.ticktext) == ["H0", "H1", "H2", "H3", "H4"]
    assert list(figure.layout.yaxis.ticktext) == ["L0", "L1", "L2"]


def test_maps_when_drawn_share_one_stated_scale():
    """AV-075."""
    layers = [np.array([[[0.11, 0.12], [0.13, 0.14]], [[0, 1], [0.5, 0.5]]], np.float32)]
    figure = head_grid(layers, title="")
    assert (cells(figure).zmin, cells(figure).zmax) == (0, 255)
    assert cells(figure).z[0].tolist() == [28, 31, 0, 0, 255]
    assert cells(figure).colorbar.ticktext == ("0.00", "0.50", "1.00")
    capped = head_grid(layers, title="", zmax=0.5)
    assert cells(capped).z[0].tolist() == [56, 61, 0, 0, 255]
    assert cells(capped).colorbar.ticktext[-1] == "≥ 0.50"


def test_click_when_anywhere_on_a_map_finds_its_marker():
    figure = head_grid(random_layers(2, 3, 5, 7), title="", summaries={(1, 2): "looks <back>"})
    assert figure.layout.hoverdistance == -1
    assert figure.layout.clickmode == "event+select"
    assert cells(figure).hoverinfo == "skip"
    said = [list(row) for row in markers(figure).customdata]
    assert [row[:2] for row in said] == [[layer, head] for layer in (0, 1) for head in (0, 1, 2)]
    assert said[-1][2] == plotly_text("looks <back>")
    assert markers(figure).x.tolist() == [0, 1, 2] * 2
    assert markers(figure).y.tolist() == [0] * 3 + [1] * 3


def test_selected_maps_when_drawn_are_framed_in_their_colours():
    layers = random_layers(2, 3, 5, 5)
    figure = head_grid(layers, title="", selected={(0, 2): "#112233", (1, 0): "#445566"})
    assert [frame.line.color for frame in frames(figure)[1:]] == ["#112233", "#445566"]
    assert np.nanmean(frames(figure)[1].x) == pytest.approx(2, abs=0.3)


def test_layer_when_it_has_no_attention_says_so_and_takes_no_clicks():
    first, third = random_layers(2, 3, 5, 7)
    figure = head_grid([first, None, third], title="")
    assert [note.text for note in figure.layout.annotations] == ["no attention in this layer"]
    assert figure.layout.annotations[0].y == 1
    assert {row[0] for row in markers(figure).customdata} == {0, 2}
    assert not cells(figure).z[6:12].any()


def test_heads_when_layers_have_fewer_leave_their_places_free():
    layers = [random_layers(1, heads, 5, 7)[0] for heads in (3, 2)]
    figure = head_grid(layers, title="")
    assert len(markers(figure).customdata) == 5
    assert not cells(figure).z[6:, 16:].any()


def test_long_texts_when_drawn_are_pooled_and_say_so():
    """AV-086: all maps of 512 tokens would be hundreds of megabytes."""
    layers = random_layers(2, 3, 512, 512)
    figure = head_grid(layers, title="", zmax=0.01)
    assert cells(figure).z.shape == (2 * 65 - 1, 3 * 65 - 1)
    assert "Pooled 8×8 by maximum" in figure.layout.title.subtitle.text
    assert len(figure.to_json()) < 60_000


def test_caption_when_maps_came_pooled_says_so():
    figure = head_grid(random_layers(2, 3, 5, 5), title="", pooled=3)
    assert "Pooled 3×3 by maximum" in figure.layout.title.subtitle.text
    assert "Pooled" not in head_grid(random_layers(2, 3, 5, 5), title="").layout.title.subtitle.text


def test_pooling_when_blocks_do_not_come_out_even_keeps_each_maximum():
    weights = random_layers(1, 2, 7, 11)[0]
    pooled, factor = pool_maximum(weights, size=4)
    assert factor == 3
    expected = [
        [
            [weights[head, row : row + 3, column : column + 3].max() for column in range(0, 11, 3)]
            for row in range(0, 7, 3)
        ]
        for head in range(2)
    ]
    assert np.array_equal(pooled, np.array(expected, np.float32))


def test_pooling_when_maps_are_small_changes_nothing():
    weights = random_layers(1, 2, 7, 64)[0]
    pooled, factor = pool_maximum(weights)
    assert factor == 1
    assert pooled is weights


@pytest.mark.parametrize(("n_layers", "n_heads"), [(6, 12), (12, 12), (2, 4)])
def test_maps_when_tokens_are_square_are_square_at_the_given_width(n_layers: int, n_heads: int):
    figure = head_grid(random_layers(n_layers, n_heads, 7, 7), title="", width=1000)
    layout = figure.layout
    plot_height = layout.height - layout.margin.t - layout.margin.b
    heads_across = layout.xaxis.range[1] - layout.xaxis.range[0]
    pitch = (1000 - layout.margin.l) / heads_across
    assert pitch == pytest.approx(plot_height / n_layers)
    assert len(figure.data) == 3


def test_grid_of_144_heads_when_drawn_is_three_traces_of_one_byte_a_cell():
    figure = head_grid(random_layers(12, 12, 64, 64), title="", theme=LIGHT)
    assert len(figure.data) == 3
    assert len(figure.to_json()) < 1.5 * 144 * 65 * 65


def test_layers_when_of_different_sizes_are_refused():
    layers = [random_layers(1, 2, 5, 5)[0], random_layers(1, 2, 7, 7)[0]]
    with pytest.raises(ShapeError, match=r"\(5, 5\), \(7, 7\)"):
        head_grid(layers, title="")


def test_layers_when_none_has_attention_are_refused():
    with pytest.raises(ShapeError, match="no layer with attention"):
        head_grid([None, None], title="")
