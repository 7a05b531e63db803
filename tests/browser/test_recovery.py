"""After an error, a quick second click, or Back: what the controls show is what is chosen."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.plots import FIRST_HEADS, chip, heads, store, wait_for_view


def show(page: Page, text: str) -> None:
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Show", exact=True).click()


def lit_heads(page: Page) -> list[str]:
    return page.locator("button[aria-pressed=true]").all_inner_texts()


def test_choices_when_an_error_was_shown_between_are_still_shown_and_kept(
    visit: Visit, server: str
):
    page = visit.open(f"{server}/?text=alpha+beta+gamma&layer=3&heads=1,4")
    wait_for_view(page)
    show(page, "   ")
    expect(page.get_by_role("alert").filter(has_text="empty")).to_be_visible()
    show(page, "hello world")
    wait_for_view(page, words=["[CLS]", "hello", "world", "[SEP]"])
    assert heads(page) == ["L3 H1", "L3 H4"]
    assert lit_heads(page) == ["H1", "H4"]
    page.get_by_role("button", name="H7", exact=True).click()
    wait_for_view(page, heads=["L3 H1", "L3 H4", "L3 H7"])
    assert heads(page) == ["L3 H1", "L3 H4", "L3 H7"]


def test_back_to_a_text_too_long_for_a_link_keeps_the_text(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_view(page)
    long_text = "precious words of mine " * 300
    show(page, long_text)
    page.wait_for_function("() => location.search.includes('left_out')")
    wait_for_view(page)
    page.get_by_role("button", name="H7", exact=True).click()
    wait_for_view(page, heads=["L0 H2", "L0 H5", "L0 H7", "L0 H8"])
    page.go_back()
    wait_for_view(page, heads=FIRST_HEADS)
    expect(page.get_by_label("Text", exact=True)).to_have_value(long_text)
    assert store(page, "view.queries.texts[1]") == "precious"


def test_two_quick_clicks_leave_picture_box_and_address_in_agreement(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_view(page)
    chip(page, 3).click()
    page.wait_for_timeout(100)
    chip(page, 3).click()
    page.wait_for_timeout(2500)
    wait_for_view(page)
    chosen = page.get_by_role("combobox", name="Word").input_value()
    assert bool(chosen) == ("query=3" in page.url)
    assert store(page, "pinned") == (3 if chosen else None)
