"""The exact figures of a view."""

import numpy as np
import pytest

from mha_viz.figures.theme import LIGHT, Theme
from mha_viz.ui.pictures import grid_figure, heatmap_figure, opaque, pictures, spotlight_figure
from mha_viz.ui.spotlight.contents import kept_arcs
from mha_viz.ui.view import View
from tests.app.views import view_of
from tests.labels import as_read

pytestmark = pytest.mark.model

LONG = " ".join(f"the {number} cats saw it," for number in range(13))
WINDOWS = {
    "whole": {},
    "window": {"text": LONG, "start": 17},
    "two windows": {"text": LONG, "start": 17, "key_start": 3},
    "two windows with the same words": {"text": "the " * 60, "start": 5, "key_start": 11},
    "without special tokens": {"text": LONG, "start": 17, "hide": ("special",)},
    "words": {"text": LONG, "unit": "word", "start": 3},
    "the mean of all heads": {"average": True},
}


def drawn(view: View) -> np.ndarray:
    """The arcs of the figure, (n_heads, n_query, n_key) of the part that is shown."""
    figure = spotlight_figure(view, LIGHT)
    n_query, n_key = map(len, view.shown_texts)
    arcs = np.zeros((len(view.maps), n_query, n_key), bool)
    for trace in figure.data:
        for kind, *place in () if trace.customdata is None else trace.customdata:
            if kind == "arc":
                arcs[tuple(place[:3])] = True
    return arcs


@pytest.mark.parametrize("share", [30, 70])
@pytest.mark.parametrize("reading", ["query", "key"])
@pytest.mark.parametrize("choices", WINDOWS.values(), ids=WINDOWS)
def test_rows_of_a_view_draw_the_arcs_that_the_page_draws(
    choices: dict[str, object], reading: str, share: int
):
    view = view_of(layer=2, heads=(1, 9), reading=reading, share=share, **choices)
    kept = kept_arcs(view)
    assert (drawn(view) == kept.kept).all()
    counts = spotlight_figure(view, LIGHT).layout.meta
    assert counts == {
        "drawn": kept.kept.sum(),
        "outside": kept.n_outside,
        "hidden": kept.n_weaker,
    }


@pytest.mark.parametrize(
    ("reading", "title", "said"),
    [
        ("query", "Where each word looks", "of each word’s weight"),
        ("key", "Who looks at each word", "of what each word receives"),
    ],
)
def test_rows_of_a_view_say_which_way_they_are_read(reading: str, title: str, said: str):
    layout = spotlight_figure(view_of(reading=reading), LIGHT).layout
    assert as_read(layout.title.text) == title
    assert said in as_read(layout.title.subtitle.text)


@pytest.mark.parametrize("reading", ["query", "key"])
def test_word_that_is_chosen_stands_out_in_all_figures(reading: str):
    view = view_of(query=7, reading=reading, hide=("special",))
    accented = {
        as_read(word.text)
        for word in spotlight_figure(view, LIGHT).layout.annotations
        if word.bgcolor == LIGHT.accent
    }
    assert accented == {"it"}
    (frame,) = heatmap_figure(view, LIGHT, 5).layout.shapes
    across, down = (frame.x0, frame.x1), (frame.y0, frame.y1)
    assert (down if reading == "query" else across) == (5.5, 6.5)


@pytest.mark.parametrize("reading", ["query", "key"])
def test_word_that_is_chosen_outside_the_window_stands_out_nowhere(reading: str):
    view = view_of(text=LONG, query=2, start=17, reading=reading)
    assert not heatmap_figure(view, LIGHT, 5).layout.shapes
    colours = {word.bgcolor for word in spotlight_figure(view, LIGHT).layout.annotations}
    assert LIGHT.accent not in colours


def test_pictures_of_a_view_are_named_for_what_is_in_them():
    view = view_of(layer=3, heads=(1, 9), average=True)
    assert [(picture.title, picture.file_name) for picture in pictures(view)] == [
        ("Rows of words", "heads-L3-H1-H9-mean"),
        ("L3 H1", "L3-H1"),
        ("L3 H9", "L3-H9"),
        ("L3 mean of 12 heads", "L3-mean"),
        ("All heads", "all-heads"),
    ]
    titles = [as_read(picture.draw(view, LIGHT).layout.title.text) for picture in pictures(view)]
    assert titles == ["Where each word looks", "L3 H1", "L3 H9", "L3 mean of 12 heads", "All heads"]
    everything = view_of(heads=tuple(range(12)), average=True)
    assert pictures(everything)[0].file_name == "heads-L0-13-heads"


@pytest.mark.parametrize("draw", [spotlight_figure, grid_figure])
@pytest.mark.parametrize(
    ("colours", "ground"), [(LIGHT, "rgba(0,0,0,0)"), (opaque(LIGHT), LIGHT.surface)]
)
def test_figures_have_the_ground_that_is_asked_for(draw, colours: Theme, ground: str):
    assert draw(view_of(), colours).layout.paper_bgcolor == ground


def test_heatmap_of_a_view_has_the_scale_that_was_chosen():
    view = view_of(layer=2, heads=(1, 9), scale="each")
    cells = heatmap_figure(view, LIGHT, 9).data[0]
    assert cells.zmax == pytest.approx(view.stream.weights(2, 9).max())
    assert cells.showscale
