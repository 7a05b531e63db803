"""The first page in a real browser."""

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server, Visit, serving
from tests.browser.plots import (
    FIRST_VIEW,
    click_point,
    drawn_words,
    titles,
    wait_for_plots,
)

CAT_TOKENS = [
    "[CLS]",
    "the",
    "cat",
    "chased",
    "the",
    "mouse",
    "because",
    "it",
    "was",
    "hungry",
    ".",
    "[SEP]",
]
SPOTLIGHTS, HEATMAP, ALL_HEADS = 0, 1, -1


def address_of(page: Page) -> dict[str, str]:
    return {
        name: values[0]
        for name, values in parse_qs(urlparse(page.url).query, keep_blank_values=True).items()
    }


def expect_in_address(page: Page, **parts: str) -> None:
    page.wait_for_function(
        "parts => Object.entries(parts).every(([name, value]) => new URLSearchParams(location.search).get(name) === value)",
        arg=parts,
    )


def type_text(page: Page, text: str) -> None:
    box = page.get_by_label("Text", exact=True)
    box.click()
    page.keyboard.press("Control+A")
    page.keyboard.type(text)
    page.get_by_role("button", name="Show", exact=True).click()


def test_first_visit_draws_the_sentence_with_no_click(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_plots(page, FIRST_VIEW)
    assert titles(page) == ["Where each word looks", "L0 H2", "L0 H5", "L0 H8", "All heads"]
    assert [word for word in drawn_words(page, HEATMAP) if word in CAT_TOKENS] == CAT_TOKENS * 2


def test_sentence_typed_with_the_keyboard_is_seen_in_every_figure(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_plots(page, FIRST_VIEW)
    type_text(page, "Birds sing at dawn")
    expect_in_address(page, text="Birds sing at dawn")
    wait_for_plots(page, FIRST_VIEW)
    page.wait_for_function(
        "() => document.querySelector('.js-plotly-plot').textContent.includes('dawn')"
    )
    for plot in (SPOTLIGHTS, HEATMAP, 2, 3):
        assert {"birds", "sing", "at", "dawn"} <= set(drawn_words(page, plot))


def test_layer_and_heads_when_chosen_are_drawn(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_plots(page, FIRST_VIEW)
    page.get_by_label("Layer", exact=False).first.click()
    page.get_by_role("option", name="3", exact=True).click()
    expect_in_address(page, layer="3")
    page.get_by_role("button", name="H1", exact=True).click()
    expect_in_address(page, heads="1,2,5,8")
    wait_for_plots(page, FIRST_VIEW + 1)
    assert titles(page)[1:-1] == ["L3 H1", "L3 H2", "L3 H5", "L3 H8"]


@pytest.mark.parametrize(
    "offset", [(0, 0), (-20, -14), (22, 12)], ids=["middle", "upper left", "lower right"]
)
def test_small_map_when_clicked_anywhere_opens_that_head(
    visit: Visit, server: str, offset: tuple[float, float]
):
    page = visit.open(server)
    wait_for_plots(page, FIRST_VIEW)
    click_point(page, FIRST_VIEW - 1, [4, 7], offset)
    expect_in_address(page, layer="4", heads="7")
    wait_for_plots(page, 3)
    assert titles(page) == ["Where each word looks", "L4 H7", "All heads"]


def test_heatmap_cell_when_clicked_chooses_its_word_and_again_frees_it(visit: Visit, server: str):
    """AV-077, AV-078."""
    page = visit.open(server)
    wait_for_plots(page, FIRST_VIEW)
    click_point(page, HEATMAP, [7, 2])
    expect_in_address(page, query="7")
    wait_for_plots(page, FIRST_VIEW)
    page.wait_for_timeout(500)
    click_point(page, HEATMAP, [7, 4])
    page.wait_for_function("() => !location.search.includes('query')")


def test_word_in_a_spotlight_row_when_clicked_is_chosen(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_plots(page, FIRST_VIEW)
    click_point(page, SPOTLIGHTS, ["token", 1, 2])
    expect_in_address(page, query="2")


def test_link_opened_cold_restores_the_whole_view(browser: Browser):
    """A fresh browser on a fresh server."""
    with serving() as fresh:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.goto(f"{fresh.address}/?text=A+B+C+D+E+F&layer=1&heads=3,8&query=2")
        wait_for_plots(page, 4)
        assert titles(page) == ["Where each word looks", "L1 H3", "L1 H8", "All heads"]
        expect(page.get_by_label("Text", exact=True)).to_have_value("A B C D E F")
        assert address_of(page) == {
            "text": "A B C D E F",
            "layer": "1",
            "heads": "3,8",
            "query": "2",
        }
        context.close()


@pytest.mark.parametrize("path", ["numbers", "about"])
def test_page_opened_cold_by_its_link_is_drawn_and_knows_the_way_home(browser: Browser, path: str):
    with serving() as fresh:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{fresh.address}/{path}?text=Hi+there")
        expect(page.get_by_role("link", name="Spotlight", exact=True)).to_be_visible()
        page.get_by_role("link", name="Spotlight", exact=True).click()
        wait_for_plots(page, FIRST_VIEW)
        assert address_of(page)["text"] == "Hi there"
        context.close()


def test_moving_to_another_page_and_back_keeps_text_and_choices(visit: Visit, server: str):
    page = visit.open(f"{server}/?text=Hi+there&layer=2&heads=9")
    wait_for_plots(page, 3)
    page.get_by_role("link", name="Numbers").click()
    expect(page.get_by_label("Text", exact=True)).to_have_value("Hi there")
    expect_in_address(page, text="Hi there", layer="2", heads="9")
    page.get_by_role("link", name="Spotlight", exact=True).click()
    wait_for_plots(page, 3)
    assert titles(page)[1] == "L2 H9"
    expect_in_address(page, text="Hi there", layer="2", heads="9")


def test_copy_link_copies_the_address_and_reset_goes_back(visit: Visit, server: str):
    page = visit.open(f"{server}/?text=Hi+there&layer=2&heads=9")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    wait_for_plots(page, 3)
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.get_by_role("button", name="Reset", exact=True).click()
    wait_for_plots(page, FIRST_VIEW)
    assert urlparse(page.url).query == ""


@pytest.mark.parametrize(
    "text",
    [
        "<b>x</b> $x^2$ %{x} #000001 &lt;",
        "<img src=x onerror=alert(1)>",
        '<a href="https://evil.example">lnk</a>',
    ],
    ids=["markup", "image", "link"],
)
def test_markup_in_a_text_stays_text(visit: Visit, server: str, text: str):
    page = visit.open(server)
    wait_for_plots(page, FIRST_VIEW)
    type_text(page, text)
    page.wait_for_function("() => location.search.includes('text=')")
    wait_for_plots(page, FIRST_VIEW)
    page.wait_for_timeout(500)
    assert page.locator(".js-plotly-plot img, .js-plotly-plot a").count() == 0
    # Our own markup is on the tokens that the model added, and on nothing else.
    marked = page.locator(".xtick tspan, .ytick tspan").all_text_contents()
    assert {text.strip("\u2068\u2069") for text in marked} <= {"[CLS]", "[SEP]"}
    assert "<" in drawn_words(page, HEATMAP)


def test_bad_text_gives_a_sentence_and_no_traceback(visit: Visit, server: str):
    page = visit.open(f"{server}/?text=+++&layer=99&heads=x")
    expect(page.get_by_role("alert").filter(has_text=re.compile("empty"))).to_be_visible()
    assert "Traceback" not in page.content()
    expect(page.get_by_label("Text", exact=True)).to_have_value("   ")


def test_text_of_one_person_is_in_no_log_and_on_no_other_page(browser: Browser, running: Server):
    secret = "zanzibar"
    one, other = browser.new_context(), browser.new_context()
    page, bystander = one.new_page(), other.new_page()
    bystander.goto(running.address)
    page.goto(f"{running.address}/?text=my+{secret}")
    wait_for_plots(page, FIRST_VIEW)
    wait_for_plots(bystander, FIRST_VIEW)
    type_text(page, f"their {secret} and mine")
    page.wait_for_function("() => location.search.includes('mine')")
    wait_for_plots(page, FIRST_VIEW)
    bystander.get_by_role("button", name="H3", exact=True).click()
    wait_for_plots(bystander, FIRST_VIEW + 1)
    assert secret not in bystander.content()
    assert secret not in running.log
    assert "Traceback" not in running.log
    one.close()
    other.close()


def test_half_a_character_typed_is_mended_and_the_page_goes_on(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_plots(page, FIRST_VIEW)
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
    wait_for_plots(page, FIRST_VIEW)
    expect(box).to_have_value("half \ufffd of it")


def test_back_and_forward_go_through_the_views(visit: Visit, server: str):
    page = visit.open(server)
    wait_for_plots(page, FIRST_VIEW)
    click_point(page, FIRST_VIEW - 1, [4, 7])
    expect_in_address(page, layer="4", heads="7")
    wait_for_plots(page, 3)
    click_point(page, 2, [1, 8])
    expect_in_address(page, layer="1", heads="8")
    wait_for_plots(page, 3)
    page.go_back()
    page.wait_for_function("() => document.body.textContent.includes('L4 H7')")
    expect_in_address(page, layer="4", heads="7")
    page.go_forward()
    page.wait_for_function("() => !document.body.textContent.includes('L4 H7')")
    expect_in_address(page, layer="1", heads="8")
