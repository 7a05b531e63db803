"""The first page in a real browser."""

import re
from urllib.parse import urlencode, urlparse

from playwright.sync_api import Browser, expect

from tests.browser.conftest import Visit, serving, visiting
from tests.browser.plots import (
    CAT_TOKENS,
    FIRST_HEADS,
    address_of,
    cell,
    chips,
    click,
    drawn_words,
    expect_in_address,
    heads,
    layer,
    lines,
    row,
    small_map,
    store,
    type_text,
    wait_for_view,
    word_in_row,
)


def test_first_visit_draws_the_sentence_with_no_click(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_view(page, words=CAT_TOKENS)
    assert chips(page) == CAT_TOKENS
    assert heads(page) == FIRST_HEADS
    assert page.locator(".mha-row-words .annotation-text-g").count() >= len(CAT_TOKENS)
    heatmap = page.locator(".mha-map-body").first
    assert [word for word in drawn_words(heatmap) if word in CAT_TOKENS] == CAT_TOKENS * 2
    assert "All heads" in drawn_words(page.locator(".mha-overview"))


def test_sentence_typed_with_the_keyboard_is_seen_in_every_figure(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_view(page)
    words = ["[CLS]", "birds", "sing", "at", "dawn", "[SEP]"]
    type_text(page, "Birds sing at dawn")
    expect_in_address(page, text="Birds sing at dawn")
    wait_for_view(page, words=words)
    assert chips(page) == words
    for place in range(3):
        assert drawn_words(row(page, place)) == words
        assert [
            word for word in drawn_words(page.locator(".mha-map-body").nth(place)) if word in words
        ] == words * 2


def test_layer_and_heads_when_chosen_are_drawn(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_view(page)
    layer(page, 3).click()
    expect_in_address(page, layer="3")
    page.get_by_role("button", name="H1", exact=True).click()
    expect_in_address(page, heads="1,2,5,8")
    wait_for_view(page, heads=["L3 H1", "L3 H2", "L3 H5", "L3 H8"])
    assert heads(page) == ["L3 H1", "L3 H2", "L3 H5", "L3 H8"]


def test_small_map_when_clicked_anywhere_opens_that_head(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_view(page)
    for number, head, offset in [(4, 7, (0, 0)), (0, 3, (-20, -14)), (5, 11, (22, 12))]:
        x, y = small_map(page, number, head)
        click(page, (x + offset[0], y + offset[1]))
        expect_in_address(page, layer=str(number) if number else None, heads=str(head))
        wait_for_view(page, heads=[f"L{number} H{head}"])
        assert heads(page) == [f"L{number} H{head}"]


def test_word_when_clicked_in_a_map_or_a_row_is_chosen_and_again_freed(visit: Visit, server: str):
    """AV-077, AV-078."""
    page = visit.open(server)
    wait_for_view(page)
    for chosen, once, again in [
        (7, (cell, 0, 7, 2), (cell, 0, 7, 4)),
        (2, (word_in_row, 1, 2), (word_in_row, 0, 2)),
    ]:
        for pinned, (find, *numbers) in [(chosen, once), (None, again)]:
            click(page, find(page, *numbers))
            expect_in_address(page, query=None if pinned is None else str(pinned))
            wait_for_view(page)
            assert store(page, "pinned") == pinned


def test_link_opened_cold_restores_the_whole_view(browser: Browser):
    """A fresh browser on a fresh server."""
    link = {
        "text": "Transformers tokenization is unbelievable",
        "layer": "1",
        "heads": "3,8",
        "query": "2",
        "unit": "word",
        "reading": "key",
        "hide": "special",
        "average": "yes",
        "scale": "each",
    }
    with serving() as fresh, visiting(browser) as visitor:
        page = visitor.open(f"{fresh.address}/?{urlencode(link)}")
        wait_for_view(page)
        assert chips(page) == ["transformers", "tokenization", "is", "unbelievable"]
        assert heads(page) == ["L1 H3", "L1 H8", "L1 mean of 12 heads"]
        # Word 2 of the text is the second of those that are shown.
        assert [store(page, part) for part in ("pinned", "view.reading")] == [1, "key"]
        assert all(re.search(r" → tokenization 0\.\d\d, ", line) for line in lines(page))
        assert "Hidden: [CLS], [SEP]" in page.locator(".mha-strip-caption").first.inner_text()
        expect(page.get_by_label("Text", exact=True)).to_have_value(link["text"])
        expect(page.get_by_role("combobox", name="Word")).to_have_value("2 · tokenization")
        pressed = page.locator("button[aria-pressed=true], [role=radio][aria-checked=true]")
        assert {
            "H3",
            "H8",
            "mean",
            "who looks at it",
            "words",
            "special tokens",
            "one each",
        } <= set(pressed.all_inner_texts())
        assert address_of(page) == link


def test_pages_opened_cold_by_their_links_are_drawn_and_know_the_way_home(browser: Browser):
    with serving() as fresh:
        for path in ("step_by_step", "about"):
            with visiting(browser) as visitor:
                page = visitor.open(f"{fresh.address}/{path}?text=Hi+there")
                page.get_by_role("link", name="Spotlight", exact=True).click()
                wait_for_view(page, words=["[CLS]", "hi", "there", "[SEP]"])
                assert address_of(page)["text"] == "Hi there"


def test_moving_to_another_page_and_back_keeps_text_and_choices(visit: Visit, server: str):
    page = visit.open(f"{server}/?text=Hi+there&layer=2&heads=9")
    wait_for_view(page, heads=["L2 H9"])
    page.get_by_role("link", name="Step by step").click()
    expect(page.get_by_label("Text", exact=True)).to_have_value("Hi there")
    expect_in_address(page, text="Hi there", layer="2", heads="9")
    page.get_by_role("link", name="Spotlight", exact=True).click()
    wait_for_view(page)
    assert heads(page) == ["L2 H9"]
    expect_in_address(page, text="Hi there", layer="2", heads="9")


def test_copy_link_copies_the_address_and_reset_goes_back(visit: Visit, server: str):
    page = visit.open(f"{server}/?text=Hi+there&layer=2&heads=9")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    wait_for_view(page)
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.get_by_role("button", name="Reset", exact=True).click()
    expect_in_address(page, text=None, layer=None, heads=None)
    wait_for_view(page)
    assert urlparse(page.url).query == ""


def test_bad_text_gives_a_sentence_and_no_traceback(visit: Visit, server: str):
    page = visit.open(f"{server}/?text=+++&layer=99&heads=x")
    expect(page.get_by_role("alert").filter(has_text=re.compile("empty"))).to_be_visible()
    assert "Traceback" not in page.content()
    expect(page.get_by_label("Text", exact=True)).to_have_value("   ")


def test_half_a_character_typed_is_mended_and_the_page_goes_on(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_view(page)
    box = page.get_by_label("Text", exact=True)
    box.focus()
    box.evaluate(
        """box => {
            const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
            set.call(box, "half \\ud83d of it");
            box.dispatchEvent(new Event("input", {bubbles: true}));
        }"""
    )
    page.get_by_role("button", name="Show", exact=True).click()
    expect_in_address(page, text="half \ufffd of it")
    wait_for_view(page)
    expect(box).to_have_value("half \ufffd of it")


def test_back_and_forward_go_through_the_views(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_view(page)
    click(page, small_map(page, 4, 7))
    expect_in_address(page, layer="4", heads="7")
    wait_for_view(page)
    click(page, small_map(page, 1, 8))
    expect_in_address(page, layer="1", heads="8")
    wait_for_view(page)
    page.go_back()
    wait_for_view(page, heads=["L4 H7"])
    expect_in_address(page, layer="4", heads="7")
    page.go_forward()
    wait_for_view(page, heads=["L1 H8"])
    expect_in_address(page, layer="1", heads="8")
