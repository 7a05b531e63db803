"""A picture that is there before the page's own run, and the page that follows it."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, Visit
from tests.browser.gate import Gate
from tests.browser.live import IT, LINK
from tests.browser.plots import (
    CAT_TOKENS,
    chip,
    chips,
    expect_in_address,
    heads,
    layer,
    store,
    wait_for_view,
)

TYPED = "Two dogs sleep."
TYPED_TOKENS = ["[CLS]", "two", "dogs", "sleep", ".", "[SEP]"]


def expect_heads(page: Page, names: list[str]) -> None:
    page.wait_for_function(
        "names => JSON.stringify(window.mhaViz.store.view.heads.map(head => head.name)) === JSON.stringify(names)",
        arg=names,
    )


def test_layer_when_chosen_is_drawn_before_the_server_hears_of_it(visit: Visit, server: str):
    gate = Gate(visit.page)
    page = visit.open(server)
    wait_for_view(page)
    gate.is_shut = True
    layer(page, 3).click()
    expect_heads(page, ["L3 H2", "L3 H5", "L3 H8"])
    expect(page.locator(".mha-map-title b").first).to_have_text("L3 H2")
    assert heads(page) == ["L3 H2", "L3 H5", "L3 H8"]
    assert "layer=" not in page.url
    ahead = store(page, "weights.id")
    gate.open()
    expect_in_address(page, layer="3")
    wait_for_view(page, heads=["L3 H2", "L3 H5", "L3 H8"])
    # The page's own run brings the very same weights.
    assert store(page, "weights.id") == ahead


@pytest.mark.parametrize(
    "show",
    [
        lambda page: page.get_by_role("button", name="Show", exact=True).click(),
        lambda page: page.keyboard.press("Control+Enter"),
    ],
    ids=["Show", "Control+Enter"],
)
def test_text_when_shown_is_drawn_before_the_server_hears_of_it(
    visit: Visit, server: str, show: Callable[[Page], None]
):
    gate = Gate(visit.page)
    page = visit.open(server)
    wait_for_view(page)
    box = page.get_by_label("Text", exact=True)
    box.click()
    box.fill(TYPED)
    gate.is_shut = True
    show(page)
    page.wait_for_function(
        "words => JSON.stringify(window.mhaViz.store.view.queries.texts) === JSON.stringify(words)",
        arg=TYPED_TOKENS,
    )
    assert chips(page) == TYPED_TOKENS
    assert "text=" not in page.url
    gate.open()
    expect_in_address(page, text=TYPED)
    wait_for_view(page, words=TYPED_TOKENS)
    expect(box).to_have_value(TYPED)


def test_page_answers_by_itself_where_there_is_no_picture_ahead_of_it(visit: Visit, server: str):
    visit.page.route("**/spotlight/ahead", lambda route: route.fulfill(status=204))
    page = visit.open(server)
    wait_for_view(page)
    layer(page, 2).click()
    expect_in_address(page, layer="2")
    wait_for_view(page, heads=["L2 H2", "L2 H5", "L2 H8"])
    box = page.get_by_label("Text", exact=True)
    box.fill(TYPED)
    page.get_by_role("button", name="Show", exact=True).click()
    wait_for_view(page, words=TYPED_TOKENS)
    box.fill("  ")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("the text is empty", exact=False).first).to_be_visible()


def test_layers_when_chosen_quickly_end_with_the_last_everywhere(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_view(page)
    for number in (1, 4, 2, 5):
        layer(page, number).click()
    expect_in_address(page, layer="5")
    wait_for_view(page, heads=["L5 H2", "L5 H5", "L5 H8"])
    assert layer(page, 5).is_checked()


def test_layers_answer_the_keyboard(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_view(page)
    layer(page, 0).focus()
    page.keyboard.press("ArrowRight")
    expect_in_address(page, layer="1")
    wait_for_view(page, heads=["L1 H2", "L1 H5", "L1 H8"])
    page.go_back()
    expect_in_address(page, layer=None)
    wait_for_view(page, heads=["L0 H2", "L0 H5", "L0 H8"], words=CAT_TOKENS)
    assert layer(page, 0).is_checked()


def test_pinned_word_stays_when_the_layer_changes(visit: Visit, server: str):
    page = visit.open(f"{server}/?{LINK}")
    wait_for_view(page)
    chip(page, IT).click()
    expect_in_address(page, query=str(IT))
    wait_for_view(page)
    layer(page, 2).click()
    expect_in_address(page, layer="2")
    wait_for_view(page)
    assert store(page, "pinned") == IT


def ask(server: str, body: bytes, kind: str = "application/json") -> tuple[int, bytes]:
    """What the server answers to such a body."""
    request = urllib.request.Request(
        f"{server}/spotlight/ahead", data=body, headers={"Content-Type": kind}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "application/json", 204),
        (b"[]", "application/json", 204),
        (b"{}", "application/json", 204),
        (b'{"link": 3, "text": "one"}', "application/json", 204),
        (b'{"link": {}, "text": 3}', "application/json", 204),
        (b'{"link": {}, "text": "one", "layer": "two"}', "application/json", 204),
        (b'{"link": {}, "text": "one", "other": 1}', "application/json", 204),
        (b"\xff\xfe", "application/json", 204),
        (b"x" * 1_000_001, "application/json", 204),
        # A form of another site needs no leave to send this.
        (b'{"link": {}, "text": "one"}', "text/plain", 415),
    ],
)
def test_what_no_page_of_ours_sends_is_answered_with_nothing(
    running: Server, body: bytes, kind: str, status: int
):
    assert ask(running.address, body, kind) == (status, b"")
    assert "Traceback" not in running.log


def test_text_that_is_sent_is_not_in_the_log(running: Server):
    secret = "Xylophone quagmire"
    status, body = ask(running.address, json.dumps({"link": {}, "text": secret}).encode())
    assert status == 200
    assert len(body) > 100
    assert secret not in running.log
    assert "quagmire" not in running.log
