"""The public figures and measures of a record, of one text and across two."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

import mha_viz
from mha_viz.core.record import AttentionRecord
from mha_viz.errors import ChoiceError, ShapeError
from mha_viz.figures.arcs import ArcRow, spotlight_rows
from mha_viz.figures.head_grid import head_grid
from mha_viz.figures.heatmap import attention_heatmap
from tests.labels import as_read
from tests.model.saved import save_tiny

pytestmark = pytest.mark.model

READ = "the cat token the cat"
READ_TOKENS = ["[CLS]", "the", "cat", "token", "the", "cat", "[SEP]"]


def ticks(axis: Any) -> list[str]:
    return [as_read(text) for text in axis.ticktext]


@pytest.fixture(scope="module")
def self_record() -> AttentionRecord:
    return mha_viz.attend("the cat the")


@pytest.fixture(scope="module")
def cross_record(tmp_path_factory) -> AttentionRecord:
    folder = save_tiny(tmp_path_factory.mktemp("bart"), "bart")
    return mha_viz.attend(READ, folder, target="cat the")


def test_heatmap_of_self_attention_has_the_tokens_and_the_weights(self_record):
    figure = mha_viz.heatmap(self_record, layer=1, head=8)
    assert as_read(figure.layout.title.text) == "L1 H8"
    tokens = ["[CLS]", "the", "cat", "the", "[SEP]"]
    assert ticks(figure.layout.xaxis) == ticks(figure.layout.yaxis) == tokens
    np.testing.assert_array_equal(figure.data[0].z, self_record.weights(1, 8))


def test_heatmap_of_cross_attention_has_queries_down_and_keys_across(cross_record):
    figure = mha_viz.heatmap(cross_record, layer=1, head=4, stream="cross")
    assert ticks(figure.layout.xaxis) == READ_TOKENS
    assert ticks(figure.layout.yaxis) == ["[CLS]", "[CLS]", "cat", "the"]
    np.testing.assert_array_equal(figure.data[0].z, cross_record.stream("cross").weights(1, 4))


def words_of(figure: go.Figure) -> list[str]:
    return [as_read(annotation.text) for annotation in figure.layout.annotations]


def test_arcs_of_several_heads_have_a_row_of_words_for_each(self_record):
    figure = mha_viz.arcs(self_record, layer=0, head=(2, 8), query=2)
    assert as_read(figure.layout.title.text) == "Where each word looks"
    written = " ".join(words_of(figure))
    assert "L0 H2" in written
    assert "L0 H8" in written
    assert words_of(figure).count("cat") == 2
    assert words_of(figure).count("the") == 4
    chosen = [note for note in figure.layout.annotations if note.font.weight == 600]
    assert [as_read(note.text) for note in chosen] == ["cat", "cat"]


def test_arcs_of_cross_attention_have_words_of_both_texts(cross_record):
    written = words_of(mha_viz.arcs(cross_record, layer=1, head=4, stream="cross"))
    both = [*READ_TOKENS, "[CLS]", "[CLS]", "cat", "the"]
    assert sorted(word for word in written if word in READ_TOKENS) == sorted(both)


@pytest.mark.parametrize("stream", ["encoder", "decoder", "cross"])
def test_head_grid_has_a_marker_for_every_head(cross_record, stream):
    figure = mha_viz.head_grid(cross_record, stream=stream)
    assert as_read(figure.layout.title.text) == "All heads"
    markers = next(figure.select_traces({"mode": "markers"}))
    pairs = [tuple(data[:2]) for data in markers.customdata]
    assert pairs == [(layer, head) for layer in range(2) for head in range(6)]


def test_measures_of_cross_attention_have_no_distance(cross_record):
    rows = mha_viz.measures(cross_record, stream="cross")
    assert [(row.layer, row.head) for row in rows] == [(i, j) for i in range(2) for j in range(6)]
    weights = cross_record.stream("cross").weights(1, 4).astype(float)
    assert rows[10].entropy == pytest.approx(-(weights * np.log(weights)).sum(-1).mean(), rel=1e-4)
    assert {row.mean_distance for row in rows} == {None}
    encoder = mha_viz.measures(cross_record, stream="encoder")
    assert all(row.mean_distance > 0 for row in encoder)


@pytest.mark.parametrize("draw", [mha_viz.heatmap, mha_viz.arcs])
@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"layer": 6}, "layer 6 does not exist: layers go from 0 to 5"),
        ({"layer": -1}, "layer -1 does not exist"),
        ({"head": 12}, "head 12 does not exist: layer 0 has heads 0 to 11"),
        ({"head": -1}, "head -1 does not exist"),
        ({"stream": "cross"}, "stream 'cross' does not exist; this model has self"),
    ],
)
def test_figure_of_what_does_not_exist_lists_what_does(self_record, draw, chosen, said):
    with pytest.raises(ChoiceError, match=said):
        draw(self_record, **chosen)


@pytest.mark.parametrize(
    "use", [mha_viz.heatmap, mha_viz.arcs, mha_viz.head_grid, mha_viz.measures]
)
def test_stream_when_there_are_several_has_to_be_named(cross_record, use):
    with pytest.raises(ChoiceError, match="encoder, decoder, cross"):
        use(cross_record)


@pytest.mark.parametrize(
    "given",
    [[0.9, 0.1], np.array([0.9, 0.1]), np.zeros((3, 2, 2, 5)), "weights"],
    ids=["list", "pooled", "whole batch", "text"],
)
@pytest.mark.parametrize(
    "draw",
    [
        lambda given: attention_heatmap(given, ["Hello", "world"], ["Hello", "world"], title=""),
        lambda given: spotlight_rows(
            [ArcRow("L0 H0", given, "#123456")], ["Hello", "world"], title=""
        ),
        lambda given: head_grid([given, given], title=""),
    ],
    ids=["heatmap", "arcs", "all heads"],
)
def test_figure_of_what_is_no_map_says_what_it_expected(unchecked, draw, given):
    """AV-004: what is given may be the pooled output, or a list."""
    with pytest.raises(ShapeError, match=r"expected.*(got|given)"):
        draw(given)


def test_head_given_as_a_numpy_number_is_a_head_like_any(unchecked):
    record = mha_viz.attend("Hi there")
    assert (
        mha_viz.arcs(record, head=np.int64(3)).to_json() == mha_viz.arcs(record, head=3).to_json()
    )
