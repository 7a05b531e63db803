"""The training in a real browser: it plays by itself once asked, what does not move keeps its place, and a head opens elsewhere."""

import re
from statistics import mean

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Visit
from tests.browser.plots import (
    click,
    expect_in_address,
    in_plot,
    settle,
    wait_for_rest,
    wait_for_view,
)

FIGURES = ".mha-figure"
LATE = re.compile(r"/school/main\.js|/static/js/DataFrame\.")


def open_training(visit: Visit, server: str, query: str = "") -> Page:
    visit.page.set_viewport_size({"width": 1440, "height": 1000})
    page = visit.open(f"{server}/heads_born?{query}")
    wait_for_figures(page)
    return page


def wait_for_figures(page: Page) -> None:
    """Until nothing is coming any more."""
    expect(page.locator(f"{FIGURES} .js-plotly-plot")).to_have_count(4)
    wait_for_rest(page)


def label(page: Page) -> str:
    return page.locator(FIGURES).first.get_attribute("aria-label") or ""


def cells(page: Page) -> list[list[float]]:
    """The map that is drawn large."""
    return page.evaluate(
        f"""() => {{
            const {{ z }} = document.querySelector("{FIGURES} .js-plotly-plot")._fullData[0];
            return [...z].map(row => [...row]);
        }}"""
    )


def test_play_when_pressed_moves_the_step_in_place_and_stops(visit: Visit, server: str):
    page = open_training(visit, server, "step=1550")
    before = cells(page)
    page.evaluate(
        f"""() => {{
            window.places = new Set();
            window.gone = 0;
            const look = () => {{
                const plots = [...document.querySelectorAll("{FIGURES} .js-plotly-plot .main-svg")];
                window.gone += plots.length === 0;
                const tops = [...document.querySelectorAll("{FIGURES}, h3")].map(part => Math.round(part.getBoundingClientRect().top));
                window.places.add(tops.join());
                requestAnimationFrame(look);
            }};
            look();
        }}"""
    )
    # Streamlit's own button to stop a run has the same name.
    player = page.locator(".st-key-play")
    player.get_by_role("button", name="Play").click()
    expect(page.locator(FIGURES).first).to_have_attribute("aria-label", re.compile("step 1700"))
    player.get_by_role("button", name="Stop").click()
    expect(player.get_by_role("button", name="Play")).to_be_visible()
    wait_for_figures(page)
    stopped = label(page)
    # Longer than a step lasts.
    page.wait_for_timeout(3500)
    assert label(page) == stopped
    assert page.evaluate("window.gone") == 0
    places = page.evaluate("[...window.places]")
    assert places == places[:1]
    after = cells(page)
    length = 8
    stripe = [(place, place - length + 1) for place in range(length + 1, 2 * length)]
    assert mean(before[query][key] for query, key in stripe) < 0.2
    assert mean(after[query][key] for query, key in stripe) > 0.8


def test_page_when_scripts_come_late_keeps_their_places_free(visit: Visit, server: str):
    page = visit.page
    page.set_viewport_size({"width": 1440, "height": 1000})
    # Everything that draws figures and tables waits until the page has been looked at.
    held: list[Route] = []
    is_looked_at = False

    def hold(route: Route) -> None:
        if is_looked_at:
            route.continue_()
        else:
            held.append(route)

    page.route(LATE, hold)
    page.goto(f"{server}/heads_born?step=1550")
    last = page.get_by_role("heading", name="Train it here")
    expect(last).to_be_visible()
    page.wait_for_function(
        "document.querySelector('[data-test-script-state]')?.dataset.testScriptState === 'notRunning'"
    )
    # All else is there: what still waits for its script are the two tables.
    expect(page.get_by_test_id("stSkeleton")).to_have_count(2)
    page.wait_for_function("document.fonts.status === 'loaded'")
    settle(page)
    before = last.bounding_box()
    assert held
    assert page.locator(FIGURES).count() == 0
    is_looked_at = True
    for route in held:
        route.continue_()
    wait_for_figures(page)
    expect(page.get_by_test_id("stDataFrame").last).to_be_visible()
    assert last.bounding_box() == before


def test_back_when_the_step_was_moved_goes_to_the_step_before(visit: Visit, server: str):
    page = open_training(visit, server, "step=1550")
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    expect_in_address(page, step="1600")
    expect(page.locator(FIGURES).first).to_have_attribute("aria-label", re.compile("step 1600"))
    page.go_back()
    expect(page.locator(FIGURES).first).to_have_attribute("aria-label", re.compile("step 1550"))


def test_small_map_when_clicked_is_seen_large_and_opens_in_spotlight(visit: Visit, server: str):
    page = open_training(visit, server, "step=1700")
    click(page, in_plot(page.locator(FIGURES).nth(3), 2, 0))
    expect(page.locator(FIGURES).first).to_have_attribute("aria-label", re.compile("L0 H2"))
    expect_in_address(page, watched="0.2")
    page.get_by_role("link", name="Open L0 H2 at this step in Spotlight").click()
    expect_in_address(page, model="school@1700", heads="2")
    wait_for_view(page)
