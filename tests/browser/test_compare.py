"""The page of comparisons in a real browser."""

from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import mha_viz
from mha_viz.core.intervention_text import to_text
from mha_viz.core.interventions import MaskHead
from mha_viz.ui.compare.choices import BIG, SMALL
from tests.browser.canvas import colour_of, ink
from tests.browser.conftest import Visit, serving, visiting
from tests.browser.plots import (
    assert_fits_the_window,
    clipped_words,
    expect_in_address,
    overlapping_ticks,
    wait_for_rest,
)
from tests.model.saved import save_tiny

N_TOKENS, IT, SUITCASE, BIG_AT = 17, 11, 9, 14
# Pixels of a cell where there is room.
CELL = 26


def open_compare(visit: Visit, server: str, query: str = "", panels: int = 2) -> Page:
    page = visit.open(f"{server}/compare?{query}")
    wait(page, panels)
    return page


def wait(page: Page, panels: int = 2) -> None:
    """Until nothing is coming any more."""
    expect(page.locator(".mha-compare canvas")).to_have_count(panels)
    wait_for_rest(page, plots=1)


def point_at(page: Page, panel: int, query: int, key: int | None = None) -> None:
    """Move the pointer to a cell, or to the name of a row; the cells fill the lower right of the canvas."""
    canvas = page.locator(".mha-compare canvas").nth(panel)
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    edge = box["height"] - CELL * N_TOKENS
    across = 10 if key is None else edge + (key + 0.5) * CELL
    page.mouse.move(box["x"] + across, box["y"] + edge + (query + 0.5) * CELL)


def said(page: Page) -> list[str]:
    return page.locator(".mha-compare-said").all_text_contents()


def names(page: Page) -> list[str]:
    return page.locator(".mha-compare-name").all_text_contents()


def weight(text: str, query: int, key: int) -> str:
    return f"{mha_viz.attend(text).weights(0, 6)[query, key]:.2f}"


def test_first_look_is_the_minimal_pair_and_its_difference(visit: Visit, server: str):
    page = visit.open(server)
    page.get_by_role("link", name="Compare").click()
    wait(page)
    assert names(page) == ["1 · MiniLM L0 H6", "2 · MiniLM L0 H6"]
    expect(page.get_by_text("Change one word")).to_be_visible()
    expect(page.get_by_text("Gained and lost")).to_be_visible()
    expect(page.get_by_text("The ten largest changes")).to_be_visible()
    one, other = page.locator(".mha-compare canvas").evaluate_all(
        "canvases => canvases.map(canvas => canvas.getBoundingClientRect().toJSON())"
    )
    assert one["y"] == other["y"]
    assert one["x"] < other["x"]


def test_hover_lights_the_same_words_in_both_panels_and_sends_nothing(visit: Visit, server: str):
    page = open_compare(visit, server)
    sent = len(visit.sent)
    point_at(page, 0, IT, SUITCASE)
    expected = [f"it → suitcase {weight(text, IT, SUITCASE)}" for text in (BIG, SMALL)]
    assert said(page) == expected
    point_at(page, 1, IT)
    assert all(sentence.startswith("it looks most at suitcase") for sentence in said(page))
    point_at(page, 0, BIG_AT)
    assert said(page)[0].startswith("big looks most at")
    assert said(page)[1] == "“big” has no partner here"
    page.mouse.move(1, 1)
    assert all("looks most" not in sentence for sentence in said(page))
    page.wait_for_timeout(1000)
    assert len(visit.sent) == sent


def test_click_keeps_a_word_and_escape_lets_go(visit: Visit, server: str):
    page = open_compare(visit, server)
    point_at(page, 0, IT, SUITCASE)
    page.mouse.down()
    page.mouse.up()
    page.mouse.move(1, 1)
    assert len(said(page)) == 2
    assert all(sentence.startswith("it → suitcase") for sentence in said(page))
    page.keyboard.press("ArrowDown")
    assert all(sentence.startswith("is → suitcase") for sentence in said(page))
    page.keyboard.press("Escape")
    assert all("→" not in sentence for sentence in said(page))


def test_word_that_is_kept_is_let_go_when_the_words_change(visit: Visit, server: str):
    page = open_compare(visit, server)
    point_at(page, 1, IT)
    page.mouse.down()
    page.mouse.up()
    page.get_by_role("button", name="same text twice").click()
    expect(page.get_by_text("every difference is exactly 0")).to_be_visible()
    wait(page)
    page.mouse.move(1, 1)
    assert all(page.locator(".mha-compare-said").nth(place).inner_text() for place in (0, 1))
    assert page.locator(".mha-compare-said[data-active]").count() == 0
    for canvas in page.locator(".mha-compare canvas").all():
        assert canvas.bounding_box()["height"] > N_TOKENS * CELL


def test_keys_of_the_browser_are_left_to_it(visit: Visit, server: str):
    """Alt and an arrow go back a page."""
    page = open_compare(visit, server)
    point_at(page, 0, IT, SUITCASE)
    taken = page.locator(".mha-compare canvas").first.evaluate(
        """canvas => [false, true].map(altKey => !canvas.dispatchEvent(
            new KeyboardEvent("keydown", {key: "ArrowLeft", altKey, bubbles: true, cancelable: true})))"""
    )
    assert taken == [True, False]


def test_word_that_may_look_at_nothing_is_said_to_look_at_nothing(visit: Visit, server: str):
    rows = [[query != IT] * N_TOKENS for query in range(N_TOKENS)]
    masked = urlencode({"panel_1": f"minilm|0|6|{to_text([MaskHead(0, 6, rows)])}"})
    page = open_compare(visit, server, masked)
    for key in (None, SUITCASE):
        point_at(page, 0, IT, key)
        assert said(page)[0] == "it: masked, looks at nothing"
        assert said(page)[1].startswith("it")
        assert "suitcase" in said(page)[1]
    point_at(page, 0, IT + 1)
    assert said(page)[0].startswith("is looks most at")


def test_cells_have_the_colours_of_their_weights_on_one_scale(visit: Visit, server: str):
    page = open_compare(visit, server)
    page.mouse.move(1, 1)
    maps = [mha_viz.attend(text).weights(0, 6) for text in (BIG, SMALL)]
    cells = [(IT, SUITCASE), (0, 0), (IT, IT), (3, 2)]
    for place, weights in enumerate(maps):
        canvas = page.locator(".mha-compare canvas").nth(place)
        edge = canvas.bounding_box()["height"] - CELL * N_TOKENS
        middles = [(edge + (key + 0.5) * CELL, edge + (query + 0.5) * CELL) for query, key in cells]
        scale = max(one.max() for one in maps)
        expected = [colour_of(weights[cell] / scale) for cell in cells]
        assert np.abs(ink(canvas, middles)[:, :3] - expected).max() <= 1


def test_another_head_is_chosen_and_drawn(visit: Visit, server: str):
    page = open_compare(visit, server)
    page.get_by_role("combobox", name="Head").first.click()
    page.get_by_role("option", name="H7", exact=True).click()
    expect(page.locator(".mha-compare-name").first).to_have_text("1 · MiniLM L0 H7")
    expect_in_address(page, panel_1="minilm|0|7|")
    wait(page)
    assert names(page)[1] == "2 · MiniLM L0 H6"


def test_all_heads_of_a_layer_are_drawn_and_linked(visit: Visit, server: str):
    page = open_compare(visit, server, "show=heads", panels=12)
    page.locator(".mha-compare canvas").first.focus()
    page.keyboard.press("ArrowDown")
    assert len(said(page)) == 12
    assert all(sentence.startswith("the looks most at") for sentence in said(page))


def test_words_of_both_sides_of_an_encoder_decoder_light_up(browser: Browser, tmp_path: Path):
    """Its panels are of other words, other sizes, and of one text that looks at another."""
    folder = save_tiny(tmp_path / "bart", "bart")
    query = urlencode(
        {
            "panel_1": f"{folder}|encoder/1|4|",
            "panel_2": f"{folder}|cross/1|4|",
            "text_1": "the cat token the able cat",
            "text_2": "the cat token the able cat",
            "target": "token the un",
        }
    )
    with serving(MHA_VIZ_MODEL_FOLDERS=str(tmp_path)) as server, visiting(browser) as visitor:
        page = visitor.open(f"{server.address}/compare?{query}")
        page.get_by_role("button", name="Load it").first.click()
        wait(page)
        encoder, cross = (page.locator(".mha-compare canvas").nth(place) for place in (0, 1))
        one, other = encoder.bounding_box(), cross.bounding_box()
        assert one["height"] - other["height"] == (8 - 5) * CELL
        assert one["width"] == other["width"]
        cross.scroll_into_view_if_needed()
        box = cross.bounding_box()
        # Row 2 of the rows [CLS] [CLS] token the un, column 2 of the columns [CLS] the cat …
        page.mouse.move(
            box["x"] + box["width"] - (8 - 2.5) * CELL, box["y"] + box["height"] - (5 - 2.5) * CELL
        )
        page.wait_for_function(
            "() => document.querySelectorAll('.mha-compare-said[data-active]').length === 2"
        )
        assert [sentence[:11] for sentence in said(page)] == ["token → cat"] * 2
        page.mouse.move(box["x"] + 10, box["y"] + box["height"] - 0.5 * CELL)
        page.wait_for_function(
            "() => document.querySelectorAll('.mha-compare-said')[1].textContent.startsWith('un looks')"
        )
        assert said(page)[0] == "“un” has no partner here"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 800])
def test_page_of_any_width_and_theme_fits(browser: Browser, server: str, width: int, scheme: str):
    with visiting(
        browser, viewport={"width": width, "height": 900}, color_scheme=scheme
    ) as visitor:
        page = open_compare(visitor, server, "panel_3=minilm|1|mean|&text_3=It is too big.", 3)
        assert clipped_words(page) == []
        assert overlapping_ticks(page) == []
        assert_fits_the_window(page)
