"""Whatever is typed is shown as typed: it is never read as markup, and reorders nothing."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.plots import (
    cell,
    chip,
    chips,
    drawn_words,
    expect_line,
    row,
    settle,
    wait_for_view,
    word_in_row,
)

# Each is a line of the text, and so a sentence of its own.
SENTENCES = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(2)</script>",
    "<b>bold</b> &lt;",
    '<a href="https://evil.example">lnk</a>',
    "$x^2$ for $5",
    "%{x} %{customdata}",
    "#000001",
    "all a\u202eb 👨\u200d👩\u200d👧\u200d👦 met",
]
# What turns the order of letters round is left out.
SHOWN = [sentence.replace("\u202e", "") for sentence in SENTENCES]
OURS = ".mha-rows, .mha-maps, .mha-overview"


def assert_nothing_was_read_as_markup(page: Page) -> None:
    """No element comes from a text: of those that markup could make, there are only those that we made."""
    inside = ", ".join(
        f"{place} {kind}"
        for place in OURS.split(", ")
        for kind in ("img", "script", "a", "iframe", "math", "mjx-container", "[onerror]", "[href]")
    )
    assert page.locator(inside).count() == 0
    titles = page.locator(f":is({OURS}) b").all_text_contents()
    assert titles
    assert all(re.fullmatch(r"L\d+ H\d+", title) for title in titles)
    # Our own markup is on the tokens that the model added, and on nothing else.
    marked = page.locator(":is(.mha-rows, .mha-maps) tspan").all_text_contents()
    assert marked
    assert {text.strip("\u2068\u2069") for text in marked} <= {"[CLS]", "[SEP]"}
    assert "\u202e" not in "".join(page.locator(OURS).all_text_contents())


def test_markup_in_a_text_is_shown_as_typed_wherever_it_is_pointed_at(visit: Visit, server: str):
    visit.page.set_viewport_size({"width": 1440, "height": 3400})
    page = visit.open(f"{server}/?unit=sentence&heads=2,5")
    wait_for_view(page)
    page.get_by_label("Text", exact=True).fill("\n".join(SENTENCES))
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator(".mha-chip")).to_have_count(len(SENTENCES) + 2)
    wait_for_view(page)
    short = [text for text in SHOWN if len(text) <= 16]
    assert len(short) == 3
    assert set(short) <= set(chips(page))
    assert set(short) <= set(drawn_words(row(page, 1)))
    assert set(short) <= set(drawn_words(page.locator(".mha-map-body").first))
    for place, text in enumerate(SHOWN, start=1):
        expect(chip(page, place)).to_have_attribute("aria-label", text)
        for spot in (word_in_row(page, 0, place), cell(page, 1, place, place)):
            page.mouse.move(*spot)
            expect_line(page, 0, f"{text} → ")
        label = page.locator(".mha-map-body .mha-label").nth(1)
        expect(label).to_have_text(re.compile(f"^{re.escape(f'{text} → {text} ≈ ')}"))
        assert_nothing_was_read_as_markup(page)
    page.get_by_role("radio", name="pieces").click()
    page.wait_for_function("() => window.mhaViz.store.view.queries.texts.includes('script')")
    wait_for_view(page)
    page.mouse.move(1, 1)
    assert chips(page)[1] == "<"
    assert "<" in drawn_words(page.locator(".mha-map-body").first)
    chip(page, 1).hover()
    settle(page)
    assert_nothing_was_read_as_markup(page)
