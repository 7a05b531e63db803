"""How the first page looks, at two widths and in two colour schemes."""

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import ROOT
from tests.browser.plots import (
    FIRST_VIEW,
    clipped_words,
    overlapping_annotations,
    overlapping_ticks,
    wait_for_plots,
)

SCREENSHOTS = ROOT / ".screenshots"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 800])
@pytest.mark.parametrize(
    ("name", "query", "plots"),
    [
        ("first", "", FIRST_VIEW),
        (
            "word",
            "?text=The+animal+didn't+cross+the+street+because+it+was+too+tired.&layer=3&heads=0,1,9&query=10",
            FIRST_VIEW,
        ),
        (
            "long",
            "?text=" + "+".join(f"word{number}+runs" for number in range(30)) + "&layer=2&heads=9",
            3,
        ),
    ],
)
def test_page_when_drawn_has_nothing_clipped_and_nothing_that_overlaps(
    browser: Browser, server: str, scheme: str, width: int, name: str, query: str, plots: int
):
    context = browser.new_context(viewport={"width": width, "height": 1000}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{server}/{query}")
    wait_for_plots(page, plots)
    page.wait_for_timeout(700)
    SCREENSHOTS.mkdir(exist_ok=True)
    height = page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": width, "height": min(height + 40, 6000)})
    page.wait_for_timeout(700)
    page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{scheme}.png")
    assert clipped_words(page) == []
    assert overlapping_ticks(page) == []
    assert overlapping_annotations(page) == []
    assert page.evaluate(
        "() => document.querySelector('[data-testid=stMain]').scrollWidth <= window.innerWidth"
    )
    context.close()
