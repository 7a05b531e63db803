"""A page that is turned from light to dark while it is looked at."""

import pytest

from mha_viz.figures.theme import DARK, LIGHT
from tests.browser.conftest import Visit

_INK = """ink => {
    const drawn = [...document.querySelectorAll(".js-plotly-plot")].filter(plot => plot._fullLayout);
    return drawn.length > 0 && drawn.every(plot => plot._fullLayout.font.color === ink);
}"""


@pytest.mark.parametrize("path", ["", "letters", "mask_lab", "heads_born", "atlas", "compare"])
def test_pictures_when_the_page_is_turned_dark_and_back_follow_with_no_click(
    visit: Visit, server: str, path: str
):
    page = visit.open(f"{server}/{path}")
    page.wait_for_function(_INK, arg=LIGHT.ink)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(_INK, arg=DARK.ink)
    page.emulate_media(color_scheme="light")
    page.wait_for_function(_INK, arg=LIGHT.ink)
