"""The part of a long text that is shown."""

import pytest

from mha_viz.ui.window import MOST_TOKENS, Window


@pytest.mark.parametrize("total", [1, 2, MOST_TOKENS])
def test_short_text_is_shown_whole(total: int):
    window = Window.around(0, total)
    assert window.is_whole
    assert (window.start, window.stop) == (0, total)


@pytest.mark.parametrize(
    ("start", "shown"),
    [(0, (0, 40)), (7, (7, 47)), (70, (43, 83)), (10_000, (43, 83)), (-5, (0, 40))],
)
def test_long_text_is_shown_from_its_start_as_far_as_it_goes(start: int, shown: tuple[int, int]):
    window = Window.around(start, 83)
    assert (window.start, window.stop) == shown
    assert not window.is_whole
    assert window.holds(shown[0])
    assert not window.holds(shown[1])
