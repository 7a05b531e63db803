"""The page of masks in a real browser."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit, visiting
from tests.browser.gate import Gate
from tests.browser.plots import (
    assert_fits_the_window,
    clipped_words,
    expect_in_address,
    overlapping_ticks,
    wait_for_rest,
)

N_TOKENS, HALF = 12, 6
TITLES = [
    f"L0 H{head} {kind}" for head in (0, 1) for kind in ("original", "restricted", "difference")
]
ANSWER = "H0 lost “hungry” <img src=x onerror=alert(1)> & more."


def open_lab(visit: Visit, server: str, query: str = "") -> Page:
    page = visit.open(f"{server}/mask_lab?{query}")
    wait(page)
    return page


def wait(page: Page) -> None:
    """Until nothing is coming any more."""
    wait_for_rest(page, plots=6)


def wait_until(page: Page, is_so: Callable[[], bool]) -> None:
    """Until something is so that the page itself does not know of."""
    for _ in range(1000):
        if is_so():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it did not come to be so")


def titles(page: Page) -> list[str]:
    return [text.strip("\u2068\u2069") for text in page.locator(".gtitle").all_text_contents()]


def cells(page: Page, place: int) -> list[list[float]]:
    """The numbers of a map, as Plotly has them."""
    return page.evaluate(
        """place => [...document.querySelectorAll(".js-plotly-plot")][place]._fullData[0].z
            .map(row => Array.from(row))""",
        place,
    )


def wait_for_seen(page: Page, query: int, seen: list[bool]) -> None:
    """Until the first head, as it is restricted, looks from a word at these words and no others."""
    page.wait_for_function(
        """([query, seen]) => {
            const weights = document.querySelectorAll(".js-plotly-plot")[1]?._fullData?.[0].z[query];
            return weights && seen.every((one, key) => one === weights[key] > 0);
        }""",
        arg=[query, seen],
    )


def colour_at(page: Page, place: int, query: int, key: int) -> list[int]:
    """The colour that is drawn in the middle of a cell."""
    return page.evaluate(
        """async ([place, query, key]) => {
            const plot = [...document.querySelectorAll(".js-plotly-plot")][place];
            const image = plot.querySelector(".hm image"), {xaxis, yaxis} = plot._fullLayout;
            const bitmap = await createImageBitmap(await (await fetch(image.getAttribute("href"))).blob());
            const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), pen = canvas.getContext("2d");
            pen.drawImage(bitmap, 0, 0);
            const x = (xaxis.l2p(key) - image.x.baseVal.value) * bitmap.width / image.width.baseVal.value;
            const y = (yaxis.l2p(query) - image.y.baseVal.value) * bitmap.height / image.height.baseVal.value;
            return [...pen.getImageData(x, y, 1, 1).data];
        }""",
        [place, query, key],
    )


def test_exercise_is_done_at_once_on_a_real_sentence(visit: Visit, server: str):
    page = visit.open(server)
    page.get_by_role("link", name="Mask lab").click()
    wait(page)
    assert titles(page) == TITLES
    for place, seen in ((1, range(HALF)), (4, range(HALF, N_TOKENS))):
        for row in cells(page, place):
            assert all((weight > 0) == (key in seen) for key, weight in enumerate(row))
            assert sum(row) == pytest.approx(1, abs=1e-5)
    expect(page.get_by_text("may look only at the first half")).to_be_visible()
    expect(page.get_by_text("may look only at the second half")).to_be_visible()


def test_gained_is_orange_and_lost_is_blue(visit: Visit, server: str):
    page = open_lab(visit, server)
    difference = cells(page, 2)
    places = [(query, key) for query in range(N_TOKENS) for key in range(N_TOKENS)]
    most = max(places, key=lambda place: difference[place[0]][place[1]])
    least = min(places, key=lambda place: difference[place[0]][place[1]])
    red, _, blue, _ = colour_at(page, 2, *most)
    assert red > blue + 30
    red, _, blue, _ = colour_at(page, 2, *least)
    assert blue > red + 30


def test_mask_is_painted_by_pointer_and_by_keyboard(visit: Visit, server: str):
    page = open_lab(visit, server, "preset=own")
    grid = page.locator(".mha-paint-cell")
    expect(grid).to_have_count(N_TOKENS**2)
    first, last = grid.nth(HALF).bounding_box(), grid.nth(HALF + 3).bounding_box()
    assert first is not None
    assert last is not None
    page.mouse.move(first["x"] + 9, first["y"] + 9)
    page.mouse.down()
    page.mouse.move(last["x"] + 9, last["y"] + 9, steps=9)
    page.mouse.up()
    expect(page.get_by_text("76 of 144 cells")).to_be_visible()
    wait_for_seen(page, 0, [True] * 10 + [False] * 2)
    grid.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_text("75 of 144 cells")).to_be_visible()
    wait_for_seen(page, 1, [False] + [True] * 5 + [False] * 6)
    expect(grid.nth(N_TOKENS)).to_have_attribute("aria-pressed", "false")
    page.locator(".mha-paint-name").first.click()
    expect(page.get_by_text("76 of 144 cells")).to_be_visible()


def test_cells_when_clicked_faster_than_the_server_answers_are_all_painted(
    visit: Visit, server: str
):
    gate = Gate(visit.page)
    page = open_lab(visit, server, "preset=own")
    grid = page.locator(".mha-paint-cell")
    clicked = [grid.nth(HALF + place) for place in (0, 2, 4)]
    gate.is_shut = True
    for count, cell in enumerate(clicked[:2], start=1):
        cell.click()
        wait_until(page, lambda count=count: gate.n_held == count)
    gate.let_one_through()
    # The first click is answered, the second not yet.
    expect(page.get_by_text("73 of 144 cells")).to_be_visible()
    wait(page)
    clicked[2].click()
    for cell in clicked:
        expect(cell).to_have_attribute("aria-pressed", "true")
    gate.open()
    expect(page.get_by_text("75 of 144 cells")).to_be_visible()
    wait(page)
    for cell in clicked:
        expect(cell).to_have_attribute("aria-pressed", "true")
    assert [weight > 0 for weight in cells(page, 1)[0]] == [True] * 7 + [False, True] * 2 + [False]


def test_what_takes_the_place_of_a_painting_is_shown_before_the_painting_was_answered(
    visit: Visit, server: str
):
    gate = Gate(visit.page)
    page = visit.open(f"{server}/atlas?part=draw")
    wait_for_rest(page)
    grid = page.locator(".mha-paint-cell")
    expect(grid).to_have_count(N_TOKENS**2)
    gate.is_shut = True
    grid.first.click()
    wait_until(page, lambda: gate.n_held == 1)
    page.get_by_role("button", name="Empty", exact=True).click()
    expect(grid.first).to_have_attribute("aria-pressed", "true")
    wait_until(page, lambda: gate.n_held == 2)
    gate.let_one_through()
    # Streamlit may take up together, in another order, what comes before a run has begun.
    page.wait_for_function(
        """document.querySelector("[data-test-script-state]").dataset.testScriptState === "running" """
    )
    gate.open()
    expect(grid.first).to_have_attribute("aria-pressed", "false")


def test_report_when_saved_opens_with_no_network_and_shows_everything(
    visit: Visit, server: str, browser: Browser, tmp_path: Path
):
    page = open_lab(visit, server)
    box = page.get_by_placeholder("Which words lost")
    box.fill(ANSWER)
    # Leaving the box commits what is in it.
    box.press("Tab")
    expect_in_address(page, answer=ANSWER)
    wait(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Report (HTML)").click()
    assert download.value.suggested_filename == "mask-lab.html"
    file = tmp_path / "mask-lab.html"
    file.write_bytes(Path(download.value.path()).read_bytes())
    context = browser.new_context(offline=True, viewport={"width": 1440, "height": 900})
    saved, errors, requests = context.new_page(), [], []
    saved.on("pageerror", lambda error: errors.append(str(error)))
    saved.on("dialog", lambda dialog: errors.append(dialog.message))
    saved.on("request", lambda request: requests.append(request.url.partition(":")[0]))
    saved.goto(file.as_uri())
    expect(saved.locator(".gtitle")).to_have_count(6)
    assert titles(saved) == TITLES
    assert saved.locator(".hm image").count() == 6
    assert cells(saved, 1) == cells(page, 1)
    expect(saved.get_by_text(ANSWER, exact=True)).to_be_visible()
    expect(saved.get_by_text("L0 H0 may look only at the first half")).to_be_visible()
    assert saved.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert errors == []
    assert set(requests) <= {"file", "data", "blob"}
    context.close()


def test_report_when_saved_as_markdown_holds_words_and_numbers(visit: Visit, server: str):
    page = open_lab(visit, server, "answer=Fine.")
    with page.expect_download() as download:
        page.get_by_role("button", name="Report (Markdown)").click()
    assert download.value.suggested_filename == "mask-lab.md"
    written = Path(download.value.path()).read_text(encoding="utf-8")
    assert "Fine." in written
    assert "Markdown holds no pictures" in written
    assert written.count("| --- |") == 6 + 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 800])
def test_page_of_any_width_and_theme_fits(browser: Browser, server: str, width: int, scheme: str):
    with visiting(
        browser, viewport={"width": width, "height": 900}, color_scheme=scheme
    ) as visitor:
        page = open_lab(visitor, server, "preset=own&layer=1")
        expect(page.locator(".mha-paint-cell")).to_have_count(N_TOKENS**2)
        wait(page)
        assert clipped_words(page) == []
        assert overlapping_ticks(page) == []
        assert_fits_the_window(page)
        one, other, *_ = page.locator(".js-plotly-plot").evaluate_all(
            "plots => plots.map(plot => plot.getBoundingClientRect().toJSON())"
        )
        # Original and restricted stand side by side.
        assert one["y"] == other["y"]
        assert one["x"] < other["x"]
