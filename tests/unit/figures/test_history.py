"""A training as curves, and what is expected next as bars."""

import numpy as np
import pytest

from mha_viz.errors import ShapeError
from mha_viz.figures.history import Marks, best_at, head_history
from mha_viz.figures.next_words import NextWords, next_words
from mha_viz.figures.theme import DARK, LIGHT
from tests.labels import as_read

N_STEPS, N_LAYERS, N_HEADS = 11, 2, 3
STEPS = np.arange(N_STEPS) * 50
MARKS = Marks(step=150, head=(1, 2), null=0.3, birth=200, rise=(150, 250))


def scores() -> np.ndarray:
    drawn = np.random.default_rng(5).random((N_STEPS, N_LAYERS, N_HEADS)).astype(np.float32) / 2
    drawn[3, 0, 1] = 0.75
    return drawn


def losses() -> np.ndarray:
    return np.array([np.nan, *np.linspace(5, 2, N_STEPS - 1)])


def drawn(marks: Marks = MARKS, theme=LIGHT):
    return head_history(
        STEPS, scores(), losses(), marks, title="A <b>", captions=["one"], theme=theme
    )


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_history_has_a_line_a_head_with_its_scores_and_the_chosen_one_on_top(theme):
    figure = drawn(theme=theme)
    lines = figure.data[: N_LAYERS * N_HEADS]
    assert {trace.name for trace in lines} == {
        f"L{layer} H{head}" for layer in range(N_LAYERS) for head in range(N_HEADS)
    }
    for trace in lines:
        layer, head = int(trace.name[1]), int(trace.name[4])
        np.testing.assert_array_equal(trace.y, scores()[:, layer, head])
    assert lines[-1].name == "L1 H2"
    assert [trace.line.color for trace in lines].count(theme.accent) == 1
    assert lines[-1].line.color == theme.accent


def test_history_marks_the_step_the_birth_the_rise_and_the_null():
    figure = drawn()
    rectangle, birth, step = figure.layout.shapes
    assert (rectangle.x0, rectangle.x1) == MARKS.rise
    assert (birth.x0, step.x0) == (MARKS.birth, MARKS.step)
    null = next(trace for trace in figure.data if trace.name == "null")
    assert list(null.y) == [0.3, 0.3]
    assert null.line.dash == "dash"
    loss = next(trace for trace in figure.data if trace.name == "loss")
    np.testing.assert_allclose(loss.y, losses(), rtol=1e-6)
    assert loss.yaxis == "y2"


def test_history_names_the_best_head_of_the_chosen_step():
    assert best_at(STEPS, scores(), 150) == ((0, 1), 0.75)
    figure = drawn()
    dot = next(trace for trace in figure.data if trace.name == "best at this step")
    assert (dot.x, dot.y) == ((150,), (0.75,))
    texts = [note.text for note in figure.layout.annotations]
    assert "L0 H1  0.75" in texts
    assert "L1 H2" in texts


def test_history_without_a_rise_has_no_band():
    figure = drawn(Marks(step=0, head=(0, 0), null=0.3, birth=0, rise=None))
    assert [shape.type for shape in figure.layout.shapes] == ["line", "line"]


def test_history_at_a_step_that_was_not_measured_is_refused():
    with pytest.raises(ShapeError, match="step 151 was not measured"):
        drawn(Marks(step=151, head=(0, 0), null=0.3, birth=0, rise=None))


GROUPS = [NextWords("now", ["a", "<b>"], [0.5, 0.25]), NextWords("then", ["c"], [0.125])]


def test_next_words_are_bars_of_their_probabilities_with_names_as_typed():
    figure = next_words(GROUPS, title="Next", caption="")
    assert [list(bars.x) for bars in figure.data] == [[0.5, 0.25], [0.125]]
    axis = figure.layout.yaxis
    places = [place for bars in figure.data for place in bars.y]
    assert list(axis.tickvals) == places == sorted(places)
    assert [as_read(text) for text in axis.ticktext] == ["a", "<b>", "c"]
    assert max(places) < axis.range[0]


def test_right_words_when_known_are_ticked_and_stand_out():
    figure = next_words(GROUPS, title="Next", caption="", right=["c", "a"])
    assert [text[0] == "✓" for text in figure.layout.yaxis.ticktext] == [True, False, True]
    full = LIGHT.output
    assert [colour == full for bars in figure.data for colour in bars.marker.color] == [
        True,
        False,
        True,
    ]


def test_next_words_with_a_probability_too_few_are_refused():
    with pytest.raises(ShapeError, match="each of 2 words, got 1"):
        next_words([NextWords("now", ["a", "b"], [0.5])], title="", caption="")
