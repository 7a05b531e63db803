import numpy as np
import plotly.graph_objects as go
import pytest

from mha_viz.errors import ShapeError
from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import DARK, LIGHT
from mha_viz.figures.token_marks import added_text

HARD = [
    "<b>x</b>",
    "$x^2$",
    "%{x}",
    "#000001",
    '<a href="https://example.org">l</a>',
    "&lt;",
    "\0",
    "שלום",
    "مرحبا",
    "Z\u0351\u036b\u0343",
    "👩\u200d👧",
    "a" * 60,
    "",
]


def random_weights(n_query: int, n_key: int) -> np.ndarray:
    scores = np.random.default_rng(0).normal(size=(n_query, n_key))
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return weights.astype(np.float32)


def cells(figure: go.Figure) -> go.Heatmap:
    return next(trace for trace in figure.data if isinstance(trace, go.Heatmap))


def markers(figure: go.Figure) -> go.Scatter:
    return next(trace for trace in figure.select_traces({"mode": "markers"}))


def test_repeated_tokens_when_drawn_keep_their_rows_and_columns():
    """AV-068: Plotly merges equal category names."""
    tokens = ["[CLS]", "the", "cat", "saw", "the", "dog", "[SEP]"]
    weights = (10 * np.arange(7)[:, None] + np.arange(7)).astype(np.float32)
    figure = attention_heatmap(weights, tokens, tokens, title="L0 H0", zmax=66)
    assert np.array_equal(cells(figure).z, weights)
    assert cells(figure).x is None
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert list(axis.tickvals) == list(range(7))
        assert list(axis.ticktext) == [plotly_text(token) for token in tokens]


def test_rows_when_drawn_begin_at_the_top():
    """AV-072: a causal map fills the lower left."""
    figure = attention_heatmap(random_weights(5, 7), list("abcde"), list("ABCDEFG"), title="")
    assert tuple(figure.layout.yaxis.range) == (4.5, -0.5)
    assert tuple(figure.layout.xaxis.range) == (-0.5, 6.5)


def test_axes_when_drawn_say_who_looks_at_whom():
    """AV-095."""
    figure = attention_heatmap(random_weights(2, 3), ["it", "was"], ["a", "cat", "<s>"], title="")
    assert figure.layout.xaxis.title.text == "looked at (key)"
    assert figure.layout.yaxis.title.text == "looks (query)"
    names = [plotly_text(name) for name in ("was", "<s>")]
    weight = random_weights(2, 3)[1, 2]
    assert list(markers(figure).customdata[5]) == [1, 2, *names, f"{weight:.2f}"]
    assert (
        "%{customdata[2]} → %{customdata[3]}: <b>%{customdata[4]}" in markers(figure).hovertemplate
    )


def test_two_heads_when_one_is_flat_share_the_colour_range():
    """AV-075: a flat head must not look as dramatic as a sharp one."""
    flat = np.array([[0.11, 0.12], [0.13, 0.14]], np.float32)
    sharp = np.array([[0, 1], [0.5, 0.5]], np.float32)
    ranges = [
        (cells(figure).zmin, cells(figure).zmax)
        for figure in (
            attention_heatmap(w, ["a", "b"], ["a", "b"], title="") for w in (flat, sharp)
        )
    ]
    assert ranges == [(0, 1), (0, 1)]


def test_colour_bar_when_a_maximum_is_chosen_states_it():
    figure = attention_heatmap(random_weights(2, 3), ["a", "b"], list("ABC"), title="", zmax=0.2)
    assert cells(figure).colorbar.ticktext == ("0.00", "0.10", "≥ 0.20")
    figure = attention_heatmap(
        random_weights(2, 3), ["a", "b"], list("ABC"), title="", show_scale=False
    )
    assert cells(figure).showscale is False


def test_first_row_of_a_causal_head_when_drawn_is_all_on_itself():
    """AV-096: nothing is renormalised or hidden."""
    weights = np.tril(np.ones((5, 5), np.float32))
    weights /= weights.sum(axis=1, keepdims=True)
    figure = attention_heatmap(weights, list("abcde"), list("abcde"), title="")
    assert cells(figure).z[0].tolist() == [1, 0, 0, 0, 0]


@pytest.mark.parametrize("n_tokens", [1, 2, 13, 48, 120, 512])
def test_labels_when_tokens_are_many_are_thinned_before_they_touch(n_tokens: int):
    """AV-073: Plotly would skip labels silently."""
    tokens = [f"w{position}" for position in range(n_tokens)]
    figure = attention_heatmap(random_weights(n_tokens, n_tokens), tokens, tokens, title="")
    plot_height = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    cell = plot_height / n_tokens
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        positions = list(axis.tickvals)
        step = positions[1] - positions[0] if len(positions) > 1 else 1
        assert positions == list(range(0, n_tokens, step))
        assert axis.tickfont.size >= 10
        assert step * cell >= axis.tickfont.size
        # Every position has a name to be hovered, be it a label of its own or an alias.
        named = {str(position) for position in positions} | set(axis.labelalias)
        assert named == {str(position) for position in range(n_tokens)}


def test_cells_when_there_are_48_tokens_all_answer():
    tokens = ["the"] * 48
    figure = attention_heatmap(random_weights(48, 48), tokens, tokens, title="")
    assert len(markers(figure).customdata) == 48 * 48
    assert len(figure.layout.xaxis.tickvals) == 48
    assert cells(figure).hoverinfo == "skip"


def test_cells_when_there_are_too_many_for_markers_answer_by_themselves():
    """AV-073, AV-086: each cell can be reached, in one float32 map of small size."""
    tokens = [f"w{position}" for position in range(512)]
    figure = attention_heatmap(random_weights(512, 512), tokens, tokens, title="")
    assert [trace.type for trace in figure.data] == ["heatmap"]
    assert cells(figure).z.dtype == np.float32
    assert "%{y} → %{x}: <b>%{z:.2f}" in cells(figure).hovertemplate
    assert len(figure.to_json()) < 1.5 * 512 * 512 * 4


def test_markers_when_chosen_stay_unseen():
    figure = attention_heatmap(random_weights(2, 3), ["a", "b"], list("ABC"), title="")
    layer = markers(figure)
    assert layer.marker.opacity == 0
    assert layer.selected.marker.opacity == 0
    assert layer.unselected.marker.opacity == 0
    assert layer.hoverinfo is None
    assert figure.layout.clickmode == "event+select"


def test_map_when_not_clickable_has_no_markers():
    figure = attention_heatmap(
        random_weights(2, 3), ["a", "b"], list("ABC"), title="", clickable=False
    )
    assert [trace.type for trace in figure.data] == ["heatmap"]


def test_chosen_query_when_drawn_is_framed_with_its_numbers():
    weights = random_weights(5, 7)
    figure = attention_heatmap(
        weights, list("abcde"), list("ABCDEFG"), title="", query=3, theme=DARK
    )
    (frame,) = figure.layout.shapes
    assert (frame.y0, frame.y1, frame.line.color) == (2.5, 3.5, DARK.accent)
    assert list(cells(figure).text[3]) == [f"{weight:.2f}" for weight in weights[3]]
    assert set(cells(figure).text[[0, 1, 2, 4]].ravel()) == {""}


def test_chosen_key_when_drawn_is_framed_with_its_numbers():
    weights = random_weights(5, 7)
    figure = attention_heatmap(weights, list("abcde"), list("ABCDEFG"), title="", key=4)
    (frame,) = figure.layout.shapes
    assert (frame.x0, frame.x1, frame.line.color) == (3.5, 4.5, LIGHT.accent)
    assert (frame.y0, frame.y1) == (pytest.approx(-0.5, abs=0.05), pytest.approx(4.5, abs=0.05))
    assert list(cells(figure).text[:, 4]) == [f"{weight:.2f}" for weight in weights[:, 4]]
    assert set(np.delete(cells(figure).text, 4, axis=1).ravel()) == {""}


def test_chosen_key_when_there_is_a_sink_leaves_its_column_without_numbers():
    main, column = with_sink(key=6).select_traces({"type": "heatmap"})
    assert (main.text != "").sum() == 5
    assert column.text is None


@pytest.mark.parametrize(("chosen", "n_numbers"), [({"query": 2}, 0), ({"key": 3}, 6)])
def test_queries_when_masked_have_no_numbers(chosen: dict[str, int], n_numbers: int):
    masked = np.arange(7) == 2
    figure = attention_heatmap(
        random_weights(7, 5),
        list("abcdefg"),
        list("ABCDE"),
        title="",
        fully_masked=masked,
        **chosen,
    )
    text = cells(figure).text
    assert (0 if text is None else (text != "").sum()) == n_numbers


def test_masked_queries_when_drawn_are_hatched_and_say_so():
    weights = random_weights(7, 5)
    masked = np.array([False, True, True, False, False, True, False])
    weights[masked] = 0
    figure = attention_heatmap(
        weights, list("abcdefg"), list("ABCDE"), title="", fully_masked=masked
    )
    (hatched,) = figure.select_traces({"fill": "toself"})
    assert np.nanmax(hatched.y) == 5.5
    assert hatched.fillpattern.shape == "/"
    assert [(label.text, label.y) for label in figure.layout.annotations] == [
        ("masked", 1.5),
        ("masked", 5),
    ]
    said = {row[4] for row in markers(figure).customdata if masked[row[0]]}
    assert said == {"masked"}


def test_hard_tokens_when_drawn_are_data_and_never_templates():
    weights = random_weights(len(HARD), len(HARD))
    figure = attention_heatmap(weights, HARD, HARD, title="<i>L0</i>", query=2)
    assert list(figure.layout.xaxis.ticktext) == [plotly_text(token) for token in HARD]
    templates = [markers(figure).hovertemplate, cells(figure).texttemplate]
    assert all("x^2" not in template and "aaa" not in template for template in templates)
    assert "<b>x" not in figure.to_json().replace("\\u003c", "<")
    assert "#000001" not in figure.to_json()


def test_one_token_when_drawn_has_one_cell_in_a_figure_of_usual_width():
    figure = attention_heatmap(np.ones((1, 1), np.float32), ["hello"], ["hello"], title="One")
    assert cells(figure).z.tolist() == [[1]]
    assert figure.layout.width >= 320


def test_zero_weights_when_drawn_stay_zero():
    figure = attention_heatmap(np.zeros((2, 3), np.float32), ["a", "b"], list("ABC"), title="")
    assert not cells(figure).z.any()


@pytest.mark.parametrize("width", [380, 800])
def test_figure_when_given_a_width_fits_it(width: float):
    tokens = ["token", "because"] * 8
    figure = attention_heatmap(random_weights(16, 16), tokens, tokens, title="", width=width)
    assert figure.layout.width <= width


def test_cells_when_drawn_are_square():
    figure = attention_heatmap(random_weights(5, 11), list("abcde"), list("ABCDEFGHIJK"), title="")
    layout = figure.layout
    plot_width = layout.width - layout.margin.l - layout.margin.r
    plot_height = layout.height - layout.margin.t - layout.margin.b
    assert plot_width / 11 == pytest.approx(plot_height / 5)
    assert layout.yaxis.scaleanchor == "x"


def test_theme_when_dark_gives_its_own_ramp():
    figure = attention_heatmap(random_weights(2, 2), ["a", "b"], ["a", "b"], title="", theme=DARK)
    assert cells(figure).colorscale[-1][1] == DARK.ramp[-1] != LIGHT.ramp[-1]


def test_tokens_when_they_do_not_fit_the_map_are_refused():
    with pytest.raises(ShapeError, match=r"for 2 query and 2 key tokens, got 2 x 3"):
        attention_heatmap(random_weights(2, 3), ["a", "b"], ["a", "b"], title="")


def with_sink(n_query: int = 5, n_key: int = 7, **options) -> go.Figure:
    weights = random_weights(n_query, n_key + 1)
    tokens = [f"q{place}" for place in range(n_query)], [f"k{place}" for place in range(n_key)]
    return attention_heatmap(weights[:, :-1], *tokens, title="", sink=weights[:, -1], **options)


def test_sink_when_drawn_is_one_more_column_set_apart():
    weights = random_weights(5, 8)
    figure = with_sink(query=3)
    main, column = figure.select_traces({"type": "heatmap"})
    assert np.array_equal(main.z, weights[:, :-1])
    assert np.array_equal(column.z, weights[:, -1:])
    assert (column.x0, column.dx) == (pytest.approx(7.4), 1)
    assert (column.zmin, column.zmax, column.colorscale) == (main.zmin, main.zmax, main.colorscale)
    assert (main.showscale, column.showscale) == (True, False)
    assert column.text[3, 0] == f"{weights[3, -1]:.2f}"
    axis = figure.layout.xaxis
    assert axis.range[1] == pytest.approx(7.9)
    assert axis.tickvals[-1] == pytest.approx(7.4)
    assert axis.ticktext[-1] == added_text(plotly_text("sink"), LIGHT)
    assert figure.layout.shapes[0].x1 == pytest.approx(7.9, abs=0.05)


def test_sink_when_clicked_names_its_query_and_when_hovered_no_word():
    _, column = with_sink().select_traces({"mode": "markers"})
    share = random_weights(5, 8)[4, -1]
    assert list(column.customdata[4]) == [
        4,
        "sink",
        plotly_text("q4"),
        "the model’s sink (no word)",
        f"{share:.2f}",
    ]
    assert column.x.tolist() == pytest.approx([7.4] * 5)
    assert "key" not in column.hovertemplate


def test_sink_when_cells_are_too_many_answers_to_hovering_and_has_room_for_its_label():
    figure = with_sink(151, 149)
    _, column = figure.select_traces({"type": "heatmap"})
    assert "%{y} → the model’s sink (no word): <b>%{z:.2f}" in column.hovertemplate
    layout = figure.layout
    cell = (layout.height - layout.margin.t - layout.margin.b) / 151
    last, sink = layout.xaxis.tickvals[-2:]
    assert (sink - last) * cell >= layout.xaxis.tickfont.size


def test_cells_when_there_is_a_sink_stay_square():
    layout = with_sink().layout
    plot_width = layout.width - layout.margin.l - layout.margin.r
    plot_height = layout.height - layout.margin.t - layout.margin.b
    columns = layout.xaxis.range[1] - layout.xaxis.range[0]
    assert plot_width / columns == pytest.approx(plot_height / 5)


def test_special_tokens_when_drawn_are_marked_in_labels_and_on_hovering():
    """AV-063: a typed [SEP] looks as typed, the one that the model added does not."""
    tokens = ["[CLS]", "[SEP]", "x", "[SEP]"]
    figure = attention_heatmap(
        random_weights(3, 4),
        tokens[1:],
        tokens,
        title="",
        special_queries=[2],
        special_keys={0, 3},
        typed_queries=[0],
        typed_keys=[1],
    )
    labels = [plotly_text(token) for token in tokens]
    marked = [added_text(label, LIGHT) for label in labels]
    assert list(figure.layout.xaxis.ticktext) == [marked[0], *labels[1:3], marked[3]]
    assert list(figure.layout.yaxis.ticktext) == [*labels[1:3], marked[3]]
    said = [row[2:4] for row in markers(figure).customdata.tolist()]
    assert said[0][1].endswith("⟨added by the model⟩")
    assert said[1] == [labels[1] + " ⟨typed, read as special⟩"] * 2
    assert said[6] == [labels[2]] * 2
