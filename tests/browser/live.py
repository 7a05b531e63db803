"""A sentence about a tired animal, whose words the tests point at; and what is to be seen then."""

import re
from collections.abc import Callable
from itertools import pairwise
from urllib.parse import urlencode

import numpy as np
from playwright.sync_api import Page

from mha_viz.figures.arc_selection import ranks
from tests.browser.canvas import has_colour, ink
from tests.browser.notebook import HeadArcs
from tests.browser.plots import cell, centre, chip, row, small_map, store, word_in_row

ANIMAL = "The animal didn't cross the street because it was too tired."
LAYER, HEADS = 3, (0, 1, 9)
IT, N_WORDS = 10, 16
LINK = urlencode({"text": ANIMAL, "layer": LAYER, "heads": ",".join(map(str, HEADS))})
# Of a weight that was sent as one byte.
ONE_BYTE = 0.004
# All of the first page is on the screen.
TALL = {"width": 1440, "height": 3400}


def decoded(page: Page) -> np.ndarray:
    """The weights that the page has, by the words of the format: a code's 255th, squared."""
    codes = np.array(page.evaluate("() => [...window.mhaViz.store.weights.codes]"))
    shape = page.evaluate("() => window.mhaViz.store.weights.codes.shape")
    return (codes.reshape(shape) / 255) ** 2


def names(page: Page) -> list[str]:
    return page.evaluate("() => window.mhaViz.store.view.queries.names")


def says_of_it(line: str, row: np.ndarray, words: list[str], about: str = "≈ ") -> bool:
    """Whether a line names the word that "it" looks at most, its weight and its rank."""
    key = int(row.argmax())
    shown = re.fullmatch(rf"it → (.+?) {about}(\d\.\d\d), (\d+)\w\w of {N_WORDS}", line)
    return shown is not None and (
        shown[1] == words[key]
        and abs(float(shown[2]) - row[key]) <= ONE_BYTE + 0.005
        and int(shown[3]) == ranks(row)[key] + 1
    )


def assert_arcs_are_lit(page: Page, head: int, arcs: HeadArcs, lit: np.ndarray) -> None:
    """The overlay has these arcs of a head, in its colour, and no others; what lies below is faded."""
    picture = row(page, head).locator(".mha-row-picture")
    overlay = picture.locator("canvas").last
    width = picture.evaluate("picture => picture.clientWidth")
    colour = store(page, f"view.heads[{head}].colour")
    assert lit.any()
    on_the_way = arcs.pixels(lit, width)[:, 2:-2].reshape(-1, 2)
    assert has_colour(ink(overlay, on_the_way), colour).all()
    tops = arcs.pixels(~lit, width)[:, 8]
    dense = np.concatenate([np.linspace(a, b, 33) for a, b in pairwise(on_the_way)])
    away = np.abs(tops[:, None] - dense[None]).max(axis=2).min(axis=1) > 12
    assert away.any()
    assert (ink(overlay, tops[away])[:, 3] == 0).all()
    arcs_below = picture.locator(".mha-row-plot .cartesianlayer")
    assert float(arcs_below.evaluate("below => getComputedStyle(below).opacity")) < 0.5


def beside_cells(page: Page, head: int, query: int) -> tuple[float, float]:
    """The word that stands left of a row of cells."""
    x, y = cell(page, head, query, 0)
    return x - 20, y


def row_of_small_map(page: Page, layer: int, head: int, query: int) -> tuple[float, float]:
    x, y = small_map(page, layer, head)
    _, below = small_map(page, layer + 1, head)
    return x, y + ((query + 0.5) / N_WORDS - 0.5) * 0.9 * (below - y)


PLACES: dict[str, Callable[[Page], tuple[float, float]]] = {
    "strip": lambda page: centre(page, chip(page, IT)),
    "row": lambda page: word_in_row(page, 1, IT),
    "map": lambda page: beside_cells(page, 2, IT),
    "overview": lambda page: row_of_small_map(page, 2, 7, IT),
}
