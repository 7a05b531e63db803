"""The page of all heads in a real browser: drawn by pointer, clicked, opened elsewhere, cancelled."""

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit, visiting
from tests.browser.plots import (
    assert_fits_the_window,
    clipped_words,
    expect_in_address,
    heads,
    in_plot,
    wait_for_rest,
    wait_for_view,
)

N_TOKENS = 12
# Pixels: where a row of a table is ticked, and how high it is.
ROW_BOX, ROW_HEIGHT = 17, 35
FIRST = re.compile("L0 H2 comes first: 1.00")


def open_atlas(visit: Visit, server: str, query: str = "", plots: int = 1) -> Page:
    page = visit.open(f"{server}/atlas?{query}")
    wait_for_rest(page, plots=plots)
    return page


def square(page: Page, layer: int, head: int) -> tuple[float, float]:
    """Where a head's square is on the screen."""
    return in_plot(page.get_by_test_id("stPlotlyChart"), head, layer)


def test_sub_diagonal_is_drawn_by_pointer_and_its_head_opens_and_comes_back(
    visit: Visit, server: str
):
    visit.page.set_viewport_size({"width": 1440, "height": 1100})
    page = open_atlas(visit, server)
    page.get_by_text("Draw to find").click()
    grid = page.locator(".mha-paint-cell")
    expect(grid).to_have_count(N_TOKENS**2)
    wait_for_rest(page, plots=0)
    for query in range(1, N_TOKENS):
        box = grid.nth(query * N_TOKENS + query - 1).bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 12, box["y"] + 12, steps=5)
        if query == 1:
            page.mouse.down()
    page.mouse.up()
    expect(page.get_by_text(FIRST)).to_be_visible()
    expect(page.locator(".mha-paint-cell[aria-pressed=true]")).to_have_count(N_TOKENS - 1)
    wait_for_rest(page, plots=0)
    page.get_by_role("link", name="Open in Spotlight").click()
    wait_for_view(page)
    assert heads(page)[0].startswith("L0 H2")
    page.get_by_role("link", name="Atlas").click()
    expect(page.get_by_text(FIRST)).to_be_visible()
    expect(page.locator(".mha-paint-cell[aria-pressed=true]")).to_have_count(N_TOKENS - 1)


def test_squares_when_clicked_are_chosen_one_after_the_other(visit: Visit, server: str):
    page = open_atlas(visit, server)
    for layer, head in ((1, 8), (4, 5), (1, 8)):
        page.mouse.click(*square(page, layer, head))
        expect_in_address(page, layer=str(layer), heads=str(head))
        expect(page.get_by_text(f"L{layer} H{head} ·")).to_be_visible()
        wait_for_rest(page, plots=1)
    page.get_by_role("link", name="Open in Step by step").click()
    expect(page.get_by_text("Follow head")).to_be_visible()
    expect_in_address(page, source="model", head="8", layer="1")


def choose_row(page: Page, row: int) -> None:
    """Tick a row of the table: its box stands at the left, below the names of the columns."""
    canvas = page.locator("[data-testid=stDataFrame] canvas").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + ROW_BOX, box["y"] + ROW_HEIGHT * (row + 1.5))


def point_of(page: Page, layer: int, head: int) -> tuple[float, float]:
    """Where a head lies on the map of all heads."""
    x, y = page.locator(".js-plotly-plot").evaluate(
        """(plot, [layer, head]) => {
            for (const trace of plot._fullData) {
                const place = trace.customdata.findIndex(([one, other]) => one === layer && other === head);
                if (place >= 0) return [plot.calcdata[trace.index][place].x, plot.calcdata[trace.index][place].y];
            }
        }""",
        [layer, head],
    )
    return in_plot(page.get_by_test_id("stPlotlyChart"), x, y)


PLACES = {
    "grid": ("colour=entropy&order=previous_share&only=mixed,sink", (1, 8)),
    "table": ("over=examples&order=next_share&size=confidence", (1, 8)),
    "ranking": ("part=draw", (1, 8)),
    "neighbours": ("part=alike&layer=4&heads=5", (2, 7)),
    "map": ("part=alike&map=yes&layer=4&heads=5", (3, 5)),
}


@pytest.mark.parametrize("place", PLACES)
def test_head_chosen_anywhere_opens_on_other_pages_and_the_atlas_comes_back(
    visit: Visit, server: str, place: str
):
    visit.page.set_viewport_size({"width": 1440, "height": 1400})
    query, (layer, head) = PLACES[place]
    plots = int(place in ("grid", "table", "map"))
    page = open_atlas(visit, server, query, plots)
    if place == "ranking":
        page.get_by_role("button", name="After", exact=True).click()
        expect(page.get_by_text("L1 H8 comes first")).to_be_visible()
        wait_for_rest(page, plots=plots)
    if place == "grid":
        # In order of the share of the token before, this head stands second in its layer.
        place_in_row = page.locator(".js-plotly-plot").first.evaluate(
            """plot => { for (const {x, customdata} of plot.data) {
                const at = customdata.findIndex(([layer, head]) => layer === 1 && head === 8);
                if (at >= 0) return x[at];
            } }"""
        )
        page.mouse.click(*square(page, 1, place_in_row))
    elif place == "map":
        page.mouse.click(*point_of(page, layer, head))
    else:
        choose_row(page, 0)
    expect_in_address(page, layer=str(layer), heads=str(head))
    wait_for_rest(page, plots=plots)
    expect(page.get_by_text(f"L{layer} H{head} ·").first).to_be_visible()
    as_it_was = parse_qs(urlparse(page.url).query)

    def come_back() -> None:
        page.get_by_role("link", name="Atlas", exact=True).click()
        expect(page.get_by_role("link", name="Open in Compare")).to_be_visible()
        wait_for_rest(page, plots=plots)
        assert parse_qs(urlparse(page.url).query) == as_it_was

    page.get_by_role("link", name="Open in Compare").click()
    expect(page.locator(".mha-compare-name").first).to_have_text(f"1 · MiniLM L{layer} H{head}")
    come_back()
    page.get_by_role("link", name="Open in Step by step").click()
    expect(page.get_by_text("Follow head")).to_be_visible()
    expect_in_address(page, source="model", layer=str(layer), head=str(head))
    come_back()
    page.get_by_role("link", name="Open in Spotlight").click()
    wait_for_view(page, heads=[f"L{layer} H{head}"])
    come_back()


def test_long_run_shows_how_far_it_is_and_can_be_cancelled(visit: Visit, server: str):
    page = open_atlas(visit, server, "over=own", plots=0)
    box = page.get_by_placeholder("One text a line")
    box.fill("\n".join(f"Text number {number} of a list. " * 8 for number in range(900)))
    box.press("Tab")
    page.get_by_role("button", name="Measure 900 texts").click()
    expect(page.get_by_text(re.compile(r"Reading texts: \d+ of 900"))).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Measure 900 texts")).to_be_visible()
    expect(page.get_by_text("Reading texts")).to_have_count(0)
    assert "number" not in page.url


def test_file_fills_the_list(visit: Visit, server: str):
    page = open_atlas(visit, server, "over=own", plots=0)
    page.locator("input[type=file]").set_input_files(
        {"name": "list.csv", "mimeType": "text/csv", "buffer": b'"One, two",1\nThree,2\n'}
    )
    expect(page.get_by_placeholder("One text a line")).to_have_value("One, two\nThree")
    expect(page.get_by_text("mean over 2 texts of your list").first).to_be_visible()


def test_file_that_is_no_text_says_so_and_leaves_the_list_as_it_was(visit: Visit, server: str):
    page = open_atlas(visit, server, "over=own", plots=0)
    box = page.get_by_placeholder("One text a line")
    box.fill("Hi there")
    box.press("Tab")
    expect(page.get_by_text("mean over 1 text of your list").first).to_be_visible()
    page.locator("input[type=file]").set_input_files(
        {"name": "picture.txt", "mimeType": "text/plain", "buffer": bytes(range(256))}
    )
    expect(page.get_by_text("Expected text in UTF-8, one text a line")).to_be_visible()
    expect(box).to_have_value("Hi there")


def test_grid_is_seen_early_on_a_narrow_screen(visit: Visit, server: str):
    visit.page.set_viewport_size({"width": 800, "height": 900})
    page = open_atlas(visit, server)
    top, third_layer = page.locator(".js-plotly-plot").evaluate(
        "plot => [plot.getBoundingClientRect().top, plot._fullLayout.yaxis._offset + plot._fullLayout.yaxis.l2p(2)]"
    )
    assert top + third_layer < 900


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 800])
@pytest.mark.parametrize("query", ["", "part=draw", "part=alike&map=yes", "part=layers&input=7"])
def test_page_of_any_width_and_theme_fits(
    browser: Browser, server: str, query: str, width: int, scheme: str
):
    with visiting(
        browser, viewport={"width": width, "height": 900}, color_scheme=scheme
    ) as visitor:
        page = open_atlas(visitor, server, query, plots=int(query != "part=draw"))
        assert clipped_words(page) == []
        assert_fits_the_window(page)
