"""How the first page looks, at three widths and in two colour schemes."""

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import ROOT, visiting
from tests.browser.live import LINK
from tests.browser.plots import (
    assert_fits_the_window,
    cell,
    chip,
    clipped_words,
    heads,
    overlapping_ticks,
    overlapping_words,
    settle,
    wait_for_view,
)

SCREENSHOTS = ROOT / ".screenshots"
# The last is a page of 1440 pixels at a zoom of 200 %.
WIDTHS = [1440, 800, 720]
LONG = "text=" + "+".join(f"word{number}+runs" for number in range(30)) + "&layer=2&heads=9"


@pytest.mark.parametrize(
    ("scheme", "name", "query"),
    [
        ("light", "first", ""),
        ("dark", "word", f"{LINK}&query=10"),
        ("light", "long", LONG),
        ("dark", "apart", f"{LONG}&key_start=30"),
    ],
    ids=["first", "word", "long", "apart"],
)
def test_page_when_drawn_has_nothing_clipped_and_nothing_that_overlaps(
    browser: Browser, server: str, scheme: str, name: str, query: str
):
    with visiting(browser, color_scheme=scheme) as visitor:
        page = visitor.open(f"{server}/?{query}")
        wait_for_view(page)
        ground, ink = brightness(page)
        assert (ground > 200, ink > 128) == ((True, False) if scheme == "light" else (False, True))
        for width in WIDTHS:
            show_all(page, width)
            SCREENSHOTS.mkdir(exist_ok=True)
            page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{scheme}.png")
            assert_all_can_be_read(page)
            # With a word pointed at, there is more to be read.
            chip(page, 1).hover()
            settle(page)
            assert_all_can_be_read(page)
            page.mouse.move(*cell(page, len(heads(page)) - 1, 3, 8))
            settle(page)
            assert_all_can_be_read(page)
            label = page.locator(".mha-map-body .mha-label").last.bounding_box()
            assert label["x"] >= 0
            assert label["x"] + label["width"] <= width


def brightness(page: Page) -> list[float]:
    """Of the page's ground and of a word on it, from 0 to 255."""
    return page.evaluate(
        r"""() => [["[data-testid=stApp]", "backgroundColor"], [".mha-chip", "color"]].map(([selector, kind]) => {
            const parts = getComputedStyle(document.querySelector(selector))[kind].match(/\d+/g).slice(0, 3);
            return parts.reduce((sum, part) => sum + Number(part), 0) / 3;
        })"""
    )


def show_all(page: Page, width: int) -> None:
    """Make the window as tall as the page, with nothing pointed at."""
    page.mouse.move(1, 1)
    for _ in range(2):
        height = page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollHeight")
        page.set_viewport_size({"width": width, "height": min(height + 40, 6000)})
        page.wait_for_timeout(200)
    wait_for_view(page)


def assert_all_can_be_read(page: Page) -> None:
    assert clipped_words(page) == []
    assert overlapping_ticks(page) == []
    assert overlapping_words(page) == []
    assert_fits_the_window(page)
