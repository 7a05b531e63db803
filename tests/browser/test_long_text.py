"""Texts of hundreds and thousands of tokens: a part in full, all of it small, and the way between them."""

import re
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import mha_viz
from tests.browser.canvas import colour_of, extent
from tests.browser.conftest import Server, Visit, serving, visiting
from tests.browser.live import ONE_BYTE, decoded
from tests.browser.plots import (
    chip,
    chips,
    expect_in_address,
    heads,
    lines,
    row,
    settle,
    small_map,
    store,
    wait_for_view,
)
from tests.model.saved import save_tiny

# 63 sentences of 8 tokens, and the two that the model adds: more than a part holds, whatever is counted.
SENTENCES = [f"The tokenization of house {number} sleeps." for number in range(10, 73)]
N_TOKENS, PART = 506, 40
LINK = urlencode({"text": " ".join(SENTENCES), "heads": "2,4"})


@pytest.fixture(scope="module")
def opened(browser: Browser, running: Server) -> Iterator[Visit]:
    with visiting(browser, viewport={"width": 1440, "height": 2600}) as visitor:
        page = visitor.open(f"{running.address}/?{LINK}")
        wait_for_view(page)
        yield visitor


@pytest.fixture
def page(opened: Visit) -> Iterator[Page]:
    """The page that these tests share, left at the start of the text."""
    yield opened.page
    opened.page.mouse.move(1, 1)
    to_the_start(opened.page)


def to_the_start(page: Page) -> None:
    slider(page).press("Home")
    page.wait_for_function(
        "() => window.mhaViz.store.view.same && window.mhaViz.store.view.queries.window[0] === 0"
    )
    expect_in_address(page, start=None, key_start=None)
    wait_for_view(page)


def slider(page: Page) -> Locator:
    return page.locator(".mha-rows").get_by_role("slider").first


def parts(page: Page) -> list[list[int]]:
    """First, last and total of the words that look and of those that are looked at."""
    keys = "store.view.keys ?? window.mhaViz.store.view.queries"
    return [
        store(page, "view.queries.window"),
        page.evaluate(f"() => (window.mhaViz.{keys}).window"),
    ]


def test_long_text_shows_a_part_in_full_and_all_of_it_small(page: Page):
    weights = mha_viz.attend(" ".join(SENTENCES)).weights(0, 2)
    assert weights.shape == (N_TOKENS, N_TOKENS)
    assert parts(page) == [[0, PART, N_TOKENS]] * 2
    assert len(chips(page)) == PART
    assert np.abs(decoded(page)[0] - weights).max() <= ONE_BYTE
    # This head looks at the word before: a line from corner to corner, and nearly nothing beside it.
    dark = page.locator(".mha-whole-body > canvas").first.evaluate(
        """canvas => {
            const {width, height} = canvas, {data} = canvas.getContext("2d").getImageData(0, 0, width, height);
            const at = (row, column) => data[4 * (row * width + column)];
            const rows = [...Array(height).keys()].slice(2);
            return [rows.map(row => Math.min(at(row, row), at(row, row - 1))), rows.map(row => at(row, (row + width / 2) % width | 0))]
                .map(reds => reds.reduce((sum, red) => sum + red) / reds.length);
        }"""
    )
    assert dark[0] < 60
    assert dark[1] > 200


def test_weights_are_sent_once_however_they_are_read(page: Page, opened: Visit):
    packed = max(len(frame) for frame in opened.received if b"mha_viz.weights" in frame)
    assert packed > N_TOKENS**2 / 10
    opened.received.clear()
    for name, reading in [("who looks at it", "key"), ("where it looks", "query")]:
        page.get_by_role("radio", name=name).click()
        page.wait_for_function(f"() => window.mhaViz.store.view.reading === '{reading}'")
        wait_for_view(page)
    assert 0 < sum(map(len, opened.received)) < packed / 2


def test_part_is_moved_by_the_keyboard(page: Page):
    bar = slider(page)
    bar.focus()
    last = N_TOKENS - PART
    for key, start in [("PageDown", PART), ("End", last), ("PageUp", last - PART), ("Home", 0)]:
        page.keyboard.press(key)
        expect_in_address(page, start=str(start) if start else None)
        wait_for_view(page)
        assert parts(page) == [[start, start + PART, N_TOKENS]] * 2
        expect(bar).to_have_attribute("aria-valuenow", str(start))
        expect(bar).to_be_focused()


def test_keys_pressed_quickly_leave_bar_and_picture_in_agreement(page: Page):
    """The server answers the first when the last has long been pressed."""
    for key in ["End", "PageUp", "End", "Home", "PageDown"]:
        slider(page).press(key)
    expect_in_address(page, start=str(PART))
    wait_for_view(page)
    assert parts(page) == [[PART, 2 * PART, N_TOKENS]] * 2
    expect(slider(page)).to_have_attribute("aria-valuenow", str(PART))


def test_part_is_moved_by_a_click_on_the_bar(page: Page):
    box = slider(page).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("() => location.search.includes('start=')")
    wait_for_view(page)
    [[start, _, _], _] = parts(page)
    assert abs(start + PART / 2 - N_TOKENS / 2) <= 2
    page.get_by_role("button", name="later").click()
    expect_in_address(page, start=str(start + PART))


def test_box_on_the_map_of_the_whole_goes_where_it_is_clicked(page: Page):
    whole = page.locator(".mha-whole-body").first
    pixels = whole.bounding_box()["width"] / N_TOKENS
    for query, key in [(400, 90), (250, 250)]:
        place = ((key + 0.5) * pixels, (query + 0.5) * pixels)
        whole.click(position={"x": place[0], "y": place[1]})
        apart = str(query != key).lower()
        page.wait_for_function(f"() => location.search.includes('key_start') === {apart}")
        wait_for_view(page)
        shown = parts(page)
        for part, word in zip(shown, (query, key), strict=True):
            # A pixel is more than a word.
            assert abs(part[0] + PART / 2 - word) <= 2
        expect_in_address(
            page,
            start=str(shown[0][0]),
            key_start=str(shown[1][0]) if query != key else None,
        )
        box = extent(whole.locator(".mha-over"), store(page, "view.theme.ink"))
        assert box[0] < place[0] < box[2]
        assert box[1] < place[1] < box[3]


def test_double_click_and_plus_go_from_sentence_to_word_to_piece(visit: Visit, server: str):
    page = visit.open(f"{server}/?{LINK}&unit=sentence")
    wait_for_view(page)
    # Before the first sentence stands the token that the model added.
    expect(chip(page, 5)).to_have_attribute("aria-label", SENTENCES[4])
    chip(page, 5).dblclick()
    expect_in_address(page, unit="word", query=None)
    page.wait_for_function("() => window.mhaViz.store.view.queries.texts.includes('tokenization')")
    wait_for_view(page)
    assert chips(page)[:6] == ["the", "tokenization", "of", "house", "14", "sleeps"]
    page.mouse.move(1, 1)
    chip(page, 1).focus()
    page.keyboard.press("+")
    expect_in_address(page, unit=None)
    page.wait_for_function("() => window.mhaViz.store.view.queries.texts.includes('·ization')")
    wait_for_view(page)
    assert chips(page)[:5] == ["token", "·ization", "of", "house", "14"]


@pytest.fixture(scope="module")
def long_llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """A server that may open the folder of a tiny model with rotary positions, which reads thousands of tokens."""
    folder: Path = tmp_path_factory.mktemp("folders")
    model = save_tiny(folder / "long", "llama", max_position_embeddings=4096)
    with serving(MHA_VIZ_MODEL_FOLDERS=str(folder)) as server:
        yield server, model


@pytest.mark.parametrize("n_tokens", [1024, 2048])
def test_thousands_of_tokens_are_drawn_and_answer_the_pointer(
    visit: Visit, long_llama: tuple[Server, str], n_tokens: int
):
    server, model = long_llama
    visit.page.set_viewport_size({"width": 1440, "height": 3000})
    page = visit.open(f"{server.address}/?{urlencode({'model': model, 'heads': '1,4'})}")
    page.get_by_role("button", name="Load it", exact=True).click()
    wait_for_view(page)
    words = islice(cycle(["the", "cat", "token"]), n_tokens - 2)
    page.get_by_label("Text", exact=True).fill(" ".join(words))
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_function(f"() => window.mhaViz.store.view.queries.window[2] === {n_tokens}")
    wait_for_view(page)
    assert heads(page) == ["L0 H1", "L0 H4"]
    assert parts(page) == [[0, PART, n_tokens]] * 2
    assert row(page, 1).locator(".mha-row-words text").count() > PART / 4
    # No word looks ahead: what is shown of these rows is all there is.
    shown = decoded(page)
    assert shown.shape == (2, PART, PART)
    assert np.abs(shown.sum(axis=2) - 1).max() < 0.01
    assert (np.triu(shown, 1) == 0).all()
    chip(page, 20).hover()
    settle(page)
    for head, line in enumerate(lines(page)):
        said = re.fullmatch(r"\S+ → .+ ≈ (\d\.\d\d), most in this part", line)
        assert said is not None, line
        assert abs(float(said[1]) - shown[head, 20].max()) <= 0.005 + 1e-6
    slider(page).press("End")
    # The text does not fit the address, and so no place in it does.
    page.wait_for_function(f"() => window.mhaViz.store.view.queries.window[1] === {n_tokens}")
    wait_for_view(page)
    chip(page, 20).click()
    page.wait_for_function("() => window.mhaViz.store.view.exact")
    wait_for_view(page)
    assert store(page, "pinned") == n_tokens - PART + 20
    page.mouse.move(1, 1)
    settle(page)
    # A pinned word's numbers come with its rank among all words, those that are not shown too.
    for line in lines(page):
        assert re.search(rf"\S+ → .+ 0\.\d\d, \d+\w\w of {n_tokens:,}$", line), line
    corners = page.locator(".mha-whole-body > canvas").first.evaluate(
        """canvas => {
            const {width, height} = canvas, {data} = canvas.getContext("2d").getImageData(0, 0, width, height);
            const reds = (rows, columns) => rows.flatMap(row => columns.map(column => data[4 * (row * width + column)]));
            const near = [...Array(20).keys()], far = near.map(place => width - 1 - place);
            return [Math.min(...reds(near, far)), Math.min(...reds(near, near))];
        }"""
    )
    assert corners[0] > 230 > corners[1]


def test_all_heads_of_a_text_that_is_long_for_plotly_are_painted_in_the_colours_of_their_weights(
    visit: Visit, server: str
):
    text = " ".join(["The old dog saw a small green tree near the river"] * 4)
    page = visit.open(f"{server}/?{urlencode({'text': text, 'heads': '0'})}")
    wait_for_view(page)
    host = page.locator(".mha-overview")
    host.scroll_into_view_if_needed()
    wait_for_view(page)
    record = mha_viz.attend(text)
    box, side = host.bounding_box(), 0.9
    for layer, head in [(0, 2), (3, 7), (5, 11)]:
        x, y = small_map(page, layer, head)
        right, _ = small_map(page, layer, head - 1)
        _, below = small_map(page, (layer + 1) % 6, head)
        width, height = side * abs(x - right), side * abs(y - below) / (1 if layer < 5 else 5)
        weights = record.weights(layer=layer, head=head)
        n = len(weights)
        query, key = np.unravel_index(weights.argmax(), weights.shape)
        place = (
            x - box["x"] + ((key + 0.5) / n - 0.5) * width,
            y - box["y"] + ((query + 0.5) / n - 0.5) * height,
        )
        shown = page.locator(".mha-overview-maps").evaluate(
            """(canvas, [x, y]) => {
                const ratio = canvas.width / parseFloat(canvas.style.width);
                return [...canvas.getContext("2d").getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data];
            }""",
            place,
        )
        assert np.abs(np.array(shown[:3]) - colour_of(weights[query, key])).max() <= 8
        assert shown[3] == 255
