"""A word that is pointed at: every head answers at once, in the browser alone."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.browser.canvas import extent, has_colour, ink, rgb
from tests.browser.conftest import Visit
from tests.browser.live import (
    IT,
    N_WORDS,
    ONE_BYTE,
    PLACES,
    assert_arcs_are_lit,
    decoded,
    names,
    row_of_small_map,
    says_of_it,
)
from tests.browser.notebook import head_arcs
from tests.browser.plots import (
    cell,
    centre,
    chip,
    chips,
    expect_line,
    lines,
    row,
    settle,
    store,
    word_in_row,
)


@pytest.mark.parametrize("place", PLACES)
def test_word_when_pointed_at_anywhere_is_lit_in_every_head(
    animal: Page, weights: np.ndarray, place: str
):
    animal.mouse.move(*PLACES[place](animal))
    animal.wait_for_function(f"() => window.mhaViz.store.active?.row === {IT}")
    settle(animal)
    words = names(animal)
    for head, arcs in enumerate(head_arcs(weights, chips(animal))):
        assert says_of_it(lines(animal)[head], weights[head, IT], words)
        assert_arcs_are_lit(animal, head, arcs, arcs.queries == IT)
    overlays = animal.locator(".mha-map-body > .mha-over").all()
    assert len(overlays) == 3
    for overlay in overlays:
        frame = extent(overlay, store(animal, "view.theme.accent"))
        assert frame is not None
        assert frame[2] - frame[0] > 10 * (frame[3] - frame[1])
    assert extent(animal.locator(".mha-overview > .mha-over"), store(animal, "view.theme.accent"))
    assert "0.68, 1st of 16" in lines(animal)[1]
    assert "animal" in lines(animal)[1]


def test_words_when_one_is_pointed_at_are_tinted_by_its_weight(animal: Page, weights: np.ndarray):
    chip(animal, IT).hover()
    settle(animal)
    head, accent = 1, store(animal, "view.theme.accent")
    picture = row(animal, head).locator(".mha-row-picture")
    box = picture.bounding_box()
    for word in (2, 8, IT):
        x, y = word_in_row(animal, head, word)
        below, above = (
            ink(canvas, [(x - box["x"], y - box["y"] - 9)])
            for canvas in (picture.locator("canvas").first, picture.locator("canvas").last)
        )
        if word == IT:
            assert has_colour(above, accent).all()
        else:
            assert abs(below[0, 3] / 255 - 0.5 * weights[head, IT, word]) < 0.01
    background = chip(animal, IT).evaluate("chip => getComputedStyle(chip).backgroundColor")
    assert background == f"rgb({', '.join(map(str, rgb(accent)))})"


def test_cell_when_pointed_at_says_its_own_weight_and_not_the_heaviest(
    animal: Page, weights: np.ndarray
):
    animal.mouse.move(*cell(animal, 0, IT, 8))
    animal.wait_for_function("() => window.mhaViz.store.active?.column === 8")
    settle(animal)
    label = animal.locator(".mha-map-body .mha-label").first
    for head, line in enumerate(lines(animal)):
        said = re.fullmatch(r"it → street ≈ (\d\.\d\d)(, \d+\w\w of 16)?", line)
        assert said is not None, line
        assert abs(float(said[1]) - weights[head, IT, 8]) <= ONE_BYTE + 0.005
    assert label.inner_text() == lines(animal)[0]


BOXES = """() => [document.querySelector("[data-testid=stMain]").scrollHeight, ...[...document.querySelectorAll(
    "[data-testid=stElementContainer], .mha-rows > *, .mha-chip, .mha-row > *, .mha-maps > *, .mha-map > *, .mha-overview"
)].flatMap(block => {
    const {x, y, width, height} = block.getBoundingClientRect();
    return [x, y, width, height];
})]"""


def test_pointing_sends_nothing_to_the_server_and_moves_nothing_on_the_page(
    animal: Page, animal_visit: Visit
):
    before = animal.evaluate(BOXES)
    assert len(before) > 100
    animal_visit.sent.clear()
    spots = [
        *(centre(animal, chip(animal, place)) for place in range(N_WORDS)),
        *(word_in_row(animal, 1, place) for place in range(N_WORDS)),
        *(cell(animal, place % 3, place, 15 - place) for place in range(N_WORDS)),
        *(row_of_small_map(animal, place % 6, place % 12, place) for place in range(N_WORDS)),
    ]
    seen = set()
    for spot in spots:
        animal.mouse.move(*spot)
        animal.evaluate("() => new Promise(requestAnimationFrame)")
        seen.add(store(animal, "active.row"))
        assert animal.evaluate(BOXES) == before
    assert seen == set(range(N_WORDS))
    animal.wait_for_timeout(1000)
    assert animal_visit.sent == []


def test_arc_when_pointed_at_lights_its_words_and_says_its_weight(
    animal: Page, weights: np.ndarray
):
    arcs = head_arcs(weights, chips(animal))[1]
    lit = (arcs.queries == IT) & (arcs.keys == 2)
    picture = row(animal, 1).locator(".mha-row-picture")
    box = picture.bounding_box()
    [top] = arcs.pixels(lit, box["width"])[:, 8]
    animal.mouse.move(box["x"] + top[0], box["y"] + top[1])
    animal.wait_for_function("() => window.mhaViz.store.active?.column === 2")
    assert store(animal, "active.row") == IT
    expect_line(animal, 1, "it → animal")


def test_arcs_with_nothing_chosen_are_those_of_the_notebook(animal: Page, weights: np.ndarray):
    for head, arcs in enumerate(head_arcs(weights, chips(animal))):
        traces = (
            row(animal, head)
            .locator(".mha-row-plot")
            .evaluate(
                "plot => plot.data.filter(({mode}) => mode === 'lines').map(({x, y, line}) => ({x, y, width: line.width}))"
            )
        )
        drawn, widths = [], []
        for trace in traces:
            points = np.array([trace["x"], trace["y"]], float).T
            for arc in np.split(points, np.flatnonzero(np.isnan(points[:, 0]))):
                inner = arc[~np.isnan(arc[:, 0])]
                if len(inner) == 17:
                    drawn.append(inner)
                    widths.append(trace["width"])
        expected = np.stack([arcs.curves.x, arcs.curves.y], axis=-1)
        assert len(drawn) == len(expected)
        distance = np.abs(expected[:, None] - np.stack(drawn)[None]).max(axis=(2, 3))
        match = distance.argmin(axis=1)
        assert len(set(match)) == len(expected)
        assert distance.min(axis=1).max() < 0.01
        # Thickness is linear in the weight, in eight steps.
        step = (7.0 - 0.6) / 8
        linear = 0.6 + arcs.weights * (7.0 - 0.6)
        assert np.abs(np.array(widths)[match] / arcs.stage.pen - linear).max() <= step / 2 + 0.03


def test_weights_on_the_page_are_those_of_the_model(animal: Page, weights: np.ndarray):
    assert np.abs(decoded(animal) - weights).max() <= ONE_BYTE


def test_nothing_on_the_page_moves_by_itself(animal: Page):
    n_parts, moving = animal.evaluate(
        """() => {
            const parts = [...document.querySelectorAll(".mha-rows *, .mha-maps *, .mha-overview, .mha-overview *")];
            return [parts.length, parts.filter(part => {
                const style = getComputedStyle(part);
                return style.animationName !== "none" || style.transitionDuration.split(",").some(time => parseFloat(time) > 0);
            }).map(part => part.className.baseVal ?? part.className)];
        }"""
    )
    assert n_parts > 100
    assert moving == []
