"""A word that is pinned or walked to, with a mouse, a finger or the keyboard alone."""

import re

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit, visiting
from tests.browser.live import IT, LINK, names, says_of_it
from tests.browser.plots import (
    cell,
    chip,
    chips,
    click,
    expect_in_address,
    expect_line,
    lines,
    settle,
    store,
    wait_for_view,
    word_in_row,
)


def test_click_pins_and_says_exact_numbers_that_survive_a_reload(animal: Page, weights: np.ndarray):
    chip(animal, IT).click()
    expect_in_address(animal, query=str(IT))
    animal.mouse.move(1, 1)
    wait_for_view(animal)
    animal.reload()
    wait_for_view(animal)
    expect(chip(animal, IT)).to_have_attribute("aria-selected", "true")
    words = names(animal)
    for head, line in enumerate(lines(animal)):
        assert says_of_it(line, weights[head, IT], words, about="")
        assert f" {weights[head, IT].max():.2f}, " in line


@pytest.mark.parametrize("free", ["again", "Escape", "Back"])
def test_pinned_word_is_freed(animal: Page, free: str):
    click(animal, word_in_row(animal, 0, IT))
    expect_in_address(animal, query=str(IT))
    wait_for_view(animal)
    animal.mouse.move(1, 1)
    expect_line(animal, 1, "it → animal 0.68")
    {
        "again": lambda: click(animal, cell(animal, 1, IT, 0)),
        "Escape": lambda: animal.keyboard.press("Escape"),
        "Back": animal.go_back,
    }[free]()
    expect_in_address(animal, query=None)
    # Back changes the address before the server hears of it.
    animal.wait_for_function("() => window.mhaViz.store.pinned === null")
    animal.mouse.move(1, 1)
    wait_for_view(animal)
    assert store(animal, "active") is None
    expect_line(animal, 1, "mostly at [CLS]")
    expect(animal.locator(".mha-chip[aria-selected=true]")).to_have_count(0)


def test_pinned_word_stays_while_others_are_pointed_at(animal: Page):
    chip(animal, IT).click()
    expect_in_address(animal, query=str(IT))
    chip(animal, 2).hover()
    expect_line(animal, 1, "animal → ")
    animal.mouse.move(1, 1)
    expect_line(animal, 1, "it → animal")


def focused(page: Page) -> str:
    return page.evaluate("() => document.activeElement.textContent")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until something has the focus, and see that it shows that it has it."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            style = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
            assert style == "solid"
            return
    raise AssertionError(f"{selector} was not reached by Tab")


def test_strip_answers_the_keyboard(animal: Page):
    animal.get_by_label("Text", exact=True).focus()
    tab_to(animal, ".mha-chip")
    words = chips(animal)
    for key, expected in [
        ("Home", 0),
        ("ArrowRight", 1),
        ("End", 15),
        ("ArrowLeft", 14),
        ("End", 15),
    ]:
        animal.keyboard.press(key)
        assert focused(animal) == words[expected]
        animal.wait_for_function(f"() => window.mhaViz.store.active?.row === {expected}")
    for _ in range(15 - IT):
        animal.keyboard.press("ArrowLeft")
    expect_line(animal, 1, "it → animal ≈ 0.68")
    said = animal.locator(".mha-rows [aria-live=polite]")
    expect(said).to_contain_text("L3 H1: it → animal")
    animal.keyboard.press("Enter")
    expect_in_address(animal, query=str(IT))
    wait_for_view(animal)
    assert focused(animal) == "it"
    animal.keyboard.press("Escape")
    expect_in_address(animal, query=None)
    wait_for_view(animal)
    # Of all the words one is in the order of Tab.
    assert animal.locator(".mha-chip[tabindex='0']").count() == 1


def test_map_answers_the_keyboard(animal: Page, weights: np.ndarray):
    chip(animal, 0).focus()
    tab_to(animal, ".mha-map-body")
    for key in ["ArrowDown"] + ["ArrowDown"] * IT + ["ArrowRight"] * 2:
        animal.keyboard.press(key)
    animal.wait_for_function(
        f"() => window.mhaViz.store.active?.row === {IT} && window.mhaViz.store.active.column === 2"
    )
    settle(animal)
    label = animal.locator(".mha-map-body .mha-label").first
    expect(label).to_have_text(re.compile(r"^it → animal ≈ "))
    animal.keyboard.press("Enter")
    expect_in_address(animal, query=str(IT))


def test_overview_answers_the_keyboard_and_enter_opens_a_head(visit: Visit, server: str):
    page = visit.open(f"{server}/?{LINK}")
    wait_for_view(page)
    page.locator(".mha-overview").scroll_into_view_if_needed()
    wait_for_view(page)
    page.locator(".mha-map-body").last.focus()
    tab_to(page, ".mha-overview")
    # The first key goes to the first of the heads that are shown.
    for key in ["ArrowDown", "ArrowDown", "ArrowRight"]:
        page.keyboard.press(key)
    expect(page.locator(".mha-overview .mha-label")).to_have_text(re.compile("^L4 H1 · "))
    page.keyboard.press("Enter")
    expect_in_address(page, layer="4", heads="1")
    wait_for_view(page, heads=["L4 H1"])


def test_tap_pins_a_word(browser: Browser, server: str):
    with visiting(browser, has_touch=True, viewport={"width": 800, "height": 1000}) as visitor:
        page = visitor.open(f"{server}/?{LINK}")
        wait_for_view(page)
        chip(page, IT).tap()
        expect_in_address(page, query=str(IT))
        wait_for_view(page)
        page.touchscreen.tap(*word_in_row(page, 0, 2))
        expect_in_address(page, query="2")
        wait_for_view(page)
        page.touchscreen.tap(*cell(page, 0, 7, 3))
        expect_in_address(page, query="7")
        wait_for_view(page)
        chip(page, 7).tap()
        expect_in_address(page, query=None)
