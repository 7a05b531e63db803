"""A training while it runs: what is drawn is what was measured, and the axes do not wait for it."""

import numpy as np
import pytest

from mha_viz.errors import ShapeError
from mha_viz.figures.letter_maps import letter_maps
from mha_viz.figures.theme import LIGHT
from mha_viz.figures.training_curves import ScoreCurves, training_curves

STEPS = np.array([0, 20, 40])
LOSS = np.array([np.nan, 3.5, 2.25])
RANDOM = np.random.default_rng(0)
UPPER, LOWER = (
    ScoreCurves(title, RANDOM.random((3, 2, 5)), null)
    for title, null in (("Induction", 0.25), ("Previous <b>token</b>", 0.125))
)


def drawn(loss: np.ndarray = LOSS):
    return training_curves(
        STEPS, (UPPER, LOWER), loss, last_step=300, title="Heads", captions=["Below"]
    )


def test_line_of_each_head_holds_its_scores():
    figure = drawn()
    for axis, score in (("y", UPPER), ("y2", LOWER)):
        lines = {trace.name: trace for trace in figure.data if trace.yaxis == axis}
        for layer in range(2):
            for head in range(5):
                line = lines[f"L{layer} H{head}"]
                assert line.x.tolist() == STEPS.tolist()
                np.testing.assert_allclose(line.y, score.values[:, layer, head], rtol=1e-6)
        assert list(lines["a head that sees no letters"].y) == [score.null] * 2


def test_head_has_one_colour_in_both_scores_and_one_place_in_the_legend():
    figure = drawn()
    traces = [trace for trace in figure.data if trace.name == "L1 H3"]
    assert len({trace.line.color for trace in traces}) == 1
    assert [trace.showlegend for trace in traces] == [True, False]


def test_axis_reaches_to_the_last_step_before_it_is_trained():
    low, high = drawn().layout.xaxis.range
    assert low < 0
    assert high >= 300


def test_loss_is_drawn_where_there_is_one():
    (loss,) = [trace for trace in drawn().data if trace.yaxis == "y3"]
    np.testing.assert_array_equal(loss.y, LOSS.astype(np.float32))
    drawn(np.full(3, np.nan))


def test_title_of_a_score_is_never_read_as_markup():
    texts = " ".join(one.text for one in drawn().layout.annotations)
    assert "&lt;b&gt;" in texts
    assert "<b>" not in texts


def test_scores_that_are_not_as_many_as_the_steps_are_refused():
    with pytest.raises(ShapeError, match=r"each of 3 steps, got \[3, 3, 2\]"):
        drawn(LOSS[:2])


def test_frames_stand_on_the_letter_that_followed_the_same_letter_before():
    letters = "QKMXTQKMXT"
    figure = letter_maps([np.zeros((3, 10, 10), np.float32)] * 2, letters, title="", width=900)
    (frames,) = figure.select_traces({"marker.symbol": "square-open"})
    assert len(frames.x) == 2 * 3 * 4
    for x, y in zip(frames.x, frames.y, strict=True):
        key, query = (round((place - round(place) + 0.45) / 0.09 - 0.5) for place in (x, y))
        assert letters[key - 1] == letters[query]
        assert key - 1 < query - 1


def test_letters_are_written_where_they_can_be_read():
    def texts(n_heads: int) -> list:
        maps = [np.zeros((n_heads, 10, 10), np.float32)] * 2
        figure = letter_maps(maps, "QKMXTQKMXT", title="", width=500, theme=LIGHT)
        return list(figure.select_traces({"mode": "text"}))

    (written,) = texts(2)
    assert len(written.text) == 2 * 2 * 10 * 2
    assert texts(13) == []
