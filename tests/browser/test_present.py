"""The pages for a projector: large, and walked through by two keys."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Visit
from tests.browser.plots import wait_for_rest, wait_for_view

# On Atlas the grid and its table stand side by side, one part: there is nothing to step through.
PAGES = ("", "compare", "step_by_step", "letters", "mask_lab", "heads_born", "about")


def scrolled(page: Page) -> float:
    return page.evaluate("document.querySelector('.stMain').scrollTop")


def wait_for_full_height(page: Page) -> None:
    """Wait until the page no longer grows."""
    wait_for_rest(page)
    height = -1
    while (now := page.evaluate("document.querySelector('.stMain').scrollHeight")) != height:
        height = now
        page.wait_for_timeout(1500)


def press(page: Page, key: str) -> float:
    page.keyboard.press(key)
    page.wait_for_timeout(300)
    return scrolled(page)


@pytest.mark.parametrize("path", PAGES)
def test_page_when_presented_is_large_and_stepped_through(visit: Visit, server: str, path: str):
    page = visit.open(f"{server}/{path}?present=yes")
    page.wait_for_function(
        "document.querySelectorAll('.stMainBlockContainer :is(h2, h3, .mha-row-line, [data-testid=stDataFrame])').length > 0"
    )
    wait_for_full_height(page)
    assert page.evaluate(
        "Number(getComputedStyle(document.querySelector('.stMainBlockContainer')).zoom)"
    ) == pytest.approx(1.35)
    assert page.locator(".stAppHeader").is_hidden()
    first, second = press(page, "PageDown"), press(page, "PageDown")
    assert 0 < first < second
    assert press(page, "PageUp") < second
    while scrolled(page) > 0:
        before = scrolled(page)
        assert press(page, "PageUp") < before


def test_map_when_presented_answers_the_pointer_at_the_right_cell(visit: Visit, server: str):
    page = visit.open(f"{server}/?present=yes&heads=2")
    wait_for_view(page)
    page.locator(".mha-map-body").first.scroll_into_view_if_needed()
    page.locator(".mha-map-body .main-svg").first.wait_for()
    wait_for_view(page)
    across = page.locator(".mha-map-body .xtick text").nth(3).bounding_box()
    down = page.locator(".mha-map-body .ytick text").nth(8).bounding_box()
    assert across is not None
    assert down is not None
    page.mouse.move(across["x"] + across["width"] / 2, down["y"] + down["height"] / 2)
    page.wait_for_function(
        "window.mhaViz.store.hovered?.row === 8 && window.mhaViz.store.hovered.column === 3"
    )


def test_switch_when_turned_changes_the_address_and_back(visit: Visit, server: str):
    page = visit.open(f"{server}/about")
    page.get_by_text("Present", exact=True).click()
    page.wait_for_url("**/about?present=yes")
    page.get_by_text("Present", exact=True).click()
    page.wait_for_url("**/about")
