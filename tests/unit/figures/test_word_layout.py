import math

import numpy as np
import pytest

from mha_viz.figures.word_layout import fits_flat, set_words, text_width, thinning


def test_text_width_when_letters_are_wide_is_larger():
    assert text_width("iii", 10) < text_width("nnn", 10) < text_width("MMM", 10)
    assert text_width("漢字", 10) == pytest.approx(21)
    assert text_width("e\u0301", 10) == text_width("e", 10)


def test_text_width_when_the_text_is_long_is_bounded():
    assert text_width("a" * 600, 10) == text_width("a" * 60, 10)


def test_fits_flat_when_neighbours_are_long_says_no():
    assert fits_flat(["the", "cat", "sat"], pitch=40, font_size=14)
    assert not fits_flat(["interesting", "sentences"], pitch=40, font_size=14)
    assert fits_flat(["alone" * 3], pitch=1, font_size=14)


@pytest.mark.parametrize(
    ("pitch", "font_size", "step"), [(40, 14, 1), (12, 10, 1), (6, 10, 2), (5, 10, 3), (1, 10, 12)]
)
def test_thinning_when_positions_are_close_leaves_a_line_for_each_label(
    pitch: float, font_size: float, step: int
):
    assert thinning(pitch, font_size) == step
    assert step * pitch >= font_size


@pytest.mark.parametrize("tilt", [-60, -90])
@pytest.mark.parametrize("n_tokens", [1, 2, 13, 29, 48, 211])
def test_words_when_set_never_touch_and_stay_within_the_width(n_tokens: int, tilt: int):
    texts = [f"word{position}" for position in range(n_tokens)]
    line = set_words(texts, 776, tilt)
    room = np.diff(line.centres).min(initial=np.inf) * line.step
    if line.angle == 0:
        widths = [text_width(text, line.font_size) for text in texts]
        assert room >= max(widths)
    else:
        assert room * math.sin(math.radians(-tilt)) >= line.font_size
        assert line.height > text_width(texts[-1], line.font_size) * math.sin(math.radians(60))
    assert line.font_size >= 10
    assert line.span <= 776.01
    assert abs(line.centres[0] + line.centres[-1]) < line.slot


def test_words_when_few_lie_flat_and_when_many_tilt():
    assert set_words("ABCDEF", 776, -60).angle == 0
    assert set_words(["because"] * 40, 776, -60).angle == -60
    assert set_words(["because"] * 48, 776, -90).step == 1
