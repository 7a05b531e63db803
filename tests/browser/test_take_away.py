"""Files that a person takes away, as a browser saves them."""

import csv
import io
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from mha_viz.figures.theme import DARK
from tests.browser.conftest import Visit, visiting
from tests.browser.plots import CAT_TOKENS, wait_for_view

SIGNATURE = b"\x89PNG\r\n\x1a\n"
LEAST_BYTES = 5000


def opened(visit: Visit, server: str, **choices: str) -> Page:
    page = visit.open(f"{server}/?{urlencode(choices)}")
    wait_for_view(page)
    return page


def pressed(page: Page, name: str) -> tuple[str, bytes]:
    """The file that a button saves: its name and what is in it."""
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def picture(page: Page, kind: str, title: str | None = None) -> tuple[str, bytes]:
    page.get_by_role("button", name="Picture (PNG, SVG)").click()
    if title is not None:
        page.get_by_role("radio", name=title, exact=True).click()
    return pressed(page, kind)


def words_in(svg: bytes) -> list[str]:
    """What is written in a drawing, which has to be XML without scripts."""
    drawing = ElementTree.fromstring(svg)
    assert not [part for part in drawing.iter() if part.tag.endswith("script")]
    texts = ["".join(part.itertext()) for part in drawing.iter() if part.tag.endswith("}text")]
    return [text.strip("\u2068\u2069 ") for text in texts]


def pixels(page: Page, png: bytes) -> dict[str, object]:
    """Size of a picture, the colour of its first pixel, and how many colours it has."""
    return page.evaluate(
        """async (bytes) => {
            const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
            const canvas = new OffscreenCanvas(image.width, image.height);
            const pen = canvas.getContext("2d");
            pen.drawImage(image, 0, 0);
            const {data} = pen.getImageData(0, 0, image.width, image.height);
            const all = new Uint32Array(data.buffer);
            return {width: image.width, first: [...data.slice(0, 4)], colours: new Set(all).size};
        }""",
        list(png),
    )


def test_rows_when_saved_as_png_are_a_picture_on_the_ground_of_the_page(visit: Visit, server: str):
    page = opened(visit, server)
    name, png = picture(page, "PNG")
    assert name == "heads-L0-H2-H5-H8.png"
    assert png.startswith(SIGNATURE)
    assert len(png) > LEAST_BYTES
    found = pixels(page, png)
    assert (found["width"], found["first"]) == (2000, [255, 255, 255, 255])
    assert found["colours"] > 50


@pytest.mark.parametrize("title", ["L0 H5", "All heads"])
def test_map_when_saved_as_png_has_its_cells(visit: Visit, server: str, title: str):
    page = opened(visit, server)
    name, png = picture(page, "PNG", title)
    assert name == {"L0 H5": "L0-H5.png", "All heads": "all-heads.png"}[title]
    assert len(png) > LEAST_BYTES
    assert pixels(page, png)["colours"] > 100


def test_rows_when_saved_as_svg_hold_the_words_and_no_script(visit: Visit, server: str):
    page = opened(visit, server, text="The cat saw <b>it</b> & left.", reading="key", query="2")
    name, svg = picture(page, "SVG")
    assert name == "heads-L0-H2-H5-H8.svg"
    written = words_in(svg)
    assert {"Who looks at each word", "cat", "saw", "<", "&", "[CLS]"} <= set(written)
    assert any("of what each word receives" in text for text in written)
    assert written.count("cat") == 3
    assert b"NaN" not in svg


def test_heatmap_when_saved_as_svg_holds_the_words_of_both_axes(visit: Visit, server: str):
    page = opened(visit, server)
    _, svg = picture(page, "SVG", "L0 H5")
    written = words_in(svg)
    for word in set(CAT_TOKENS):
        assert written.count(word) == 2 * CAT_TOKENS.count(word)
    assert b"data:image/png" in svg


def test_two_files_when_saved_one_after_the_other_are_both_there(visit: Visit, server: str):
    page = opened(visit, server)
    names = [picture(page, kind)[0] for kind in ("PNG", "SVG", "PNG")]
    assert [name.rpartition(".")[2] for name in names] == ["png", "svg", "png"]


def test_picture_when_the_page_is_dark_is_dark(browser: Browser, server: str):
    with visiting(browser, color_scheme="dark") as visitor:
        page = opened(visitor, server)
        _, png = picture(page, "PNG")
        ground = [int(DARK.surface[start : start + 2], 16) for start in (1, 3, 5)]
        assert pixels(page, png)["first"] == [*ground, 255]


def test_page_when_saved_opens_with_no_network_and_shows_everything(
    visit: Visit, server: str, browser: Browser, tmp_path: Path
):
    page = opened(visit, server, hide="special")
    name, html = pressed(page, "Pictures (HTML)")
    assert name == "heads.html"
    (tmp_path / name).write_bytes(html)
    context = browser.new_context(offline=True, viewport={"width": 1440, "height": 900})
    saved, errors, requests = context.new_page(), [], []
    saved.on("pageerror", lambda error: errors.append(str(error)))
    saved.on("request", lambda request: requests.append(request.url.partition(":")[0]))
    saved.goto((tmp_path / name).as_uri())
    expect(saved.locator(".gtitle")).to_have_count(5)
    titles = [title.strip("\u2068\u2069") for title in saved.locator(".gtitle").all_text_contents()]
    assert titles == ["Where each word looks", "L0 H2", "L0 H5", "L0 H8", "All heads"]
    assert "Hidden: [CLS], [SEP]" in saved.locator("p").first.inner_text()
    assert saved.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert errors == []
    assert set(requests) <= {"file", "data", "blob"}
    context.close()


def test_numbers_when_saved_are_a_row_a_cell(visit: Visit, server: str):
    page = opened(visit, server, heads="5", average="yes", unit="word", hide="special")
    name, table = pressed(page, "Numbers (CSV)")
    assert name == "weights.csv"
    rows = list(csv.DictReader(io.StringIO(table.decode())))
    assert len(rows) == 2 * 10 * 10
    assert {row["head"] for row in rows} == {"5", "mean"}
    assert [row["looked at"] for row in rows[:10]] == CAT_TOKENS[1:-1]
    assert {int(row["query"]) for row in rows} == set(range(1, 11))
