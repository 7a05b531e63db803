"""The page of letters in a real browser."""

import re
import struct

import pytest
from playwright.sync_api import Browser, Page, expect

import mha_viz
from mha_viz.ui.letters import ASKED_WORDS, HIDDEN_HEADS, SENTENCE
from tests.browser.conftest import Visit, visiting
from tests.browser.plots import (
    assert_fits_the_window,
    centre,
    click,
    clipped_words,
    expect_in_address,
    overlapping_ticks,
    overlapping_words,
    wait_for_rest,
)


def open_letters(visit: Visit, server: str) -> Page:
    """By the way of the first page, as a person comes."""
    page = visit.open(server)
    page.get_by_role("link", name="A–F").click()
    expect(page.locator("[data-testid=stButtonGroup]", has_text="Remove a head")).to_be_visible()
    wait_for_rest(page, plots=4)
    return page


def picture(page: Page) -> list[str]:
    """The texts of the rows of words."""
    texts = page.locator(".js-plotly-plot").first.locator("text").all_text_contents()
    return [text.replace("\u2068", "").replace("\u2069", "") for text in texts]


def arcs_drawn(page: Page) -> list[list[int]]:
    """Head, query and key of each arc that is drawn."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".js-plotly-plot")][0]._fullData
            .flatMap(trace => Array.from(trace.customdata ?? []))
            .filter(data => data[0] === "arc").map(data => data.slice(1, 4).map(Number))"""
    )


def test_arrows_of_the_text_are_drawn_at_once(visit: Visit, server: str):
    page = open_letters(visit, server)
    texts = picture(page)
    assert [text for text in texts if text in "ABCDEF" and text] == list("ABCDEF") * 3
    said = " ".join(texts)
    for arrow in ("E → D 0.50, E → F 0.50", "B → A 1.00", "C → F 1.00"):
        assert arrow in said
    arcs = [arc for arc in arcs_drawn(page) if arc[1] != arc[2]]
    assert sorted(arcs) == [[0, 4, 3], [0, 4, 5], [1, 1, 0], [2, 2, 5]]


def test_word_when_clicked_in_the_picture_is_the_one_that_is_set(visit: Visit, server: str):
    page = open_letters(visit, server)
    words = page.locator(".js-plotly-plot").first.locator(".annotation-text-g")
    click(page, centre(page, words.filter(has_text=re.compile("^\u2068C\u2069$")).nth(2)))
    expect_in_address(page, word="2", set_head="2")
    expect(page.get_by_text("What C looks at in head 3")).to_be_visible()


def test_puzzle_is_solved_by_keyboard_alone(visit: Visit, server: str):
    page = open_letters(visit, server)
    press(page, "What to do", "Puzzle: first word")
    wait_for_rest(page, plots=2)
    for number, letter in enumerate("ABCDEF"):
        if number:
            press(page, "The word that looks", letter)
        press(page, f"What {letter} looks at in head 1", "A")
        expect(page.get_by_text("All of it goes to A.")).to_be_visible()
        wait_for_rest(page, plots=2)
    expect(page.get_by_text("Solved")).to_be_visible()
    expect(page.get_by_text("Score 1.00")).to_be_visible()


def press(page: Page, group: str, name: str) -> None:
    """Tab to a group of buttons, walk to one of them with the arrow keys, and press Enter on it."""
    expect(page.locator("[data-testid=stButtonGroup]", has_text=group)).to_be_visible()
    tab_until(page, "Tab", group, ".*", most=120)
    for _ in range(8):
        page.keyboard.press("ArrowLeft")
    if not is_on(page, group, name):
        tab_until(page, "ArrowRight", group, name, most=8)
    page.keyboard.press("Enter")


def tab_until(page: Page, key: str, group: str, name: str, *, most: int) -> None:
    for _ in range(most):
        page.keyboard.press(key)
        if is_on(page, group, name):
            return
    raise AssertionError(f"{name} in {group} cannot be reached by keyboard")


def is_on(page: Page, group: str, name: str) -> bool:
    """Whether the focus is on a button of that group with that name."""
    return page.evaluate(
        """([group, name]) => {
            const active = document.activeElement;
            return active?.closest("[data-testid=stButtonGroup]")?.textContent.startsWith(group)
                && new RegExp(`^${name}$`).test(active.textContent.trim());
        }""",
        [group, name],
    )


def test_head_when_removed_changes_the_table_of_outputs(visit: Visit, server: str):
    page = open_letters(visit, server)
    control = page.locator("[data-testid=stButtonGroup]", has_text="Remove a head")
    before = numbers(page, 3)
    assert before
    control.get_by_role("radio", name="Head 2").click()
    expect_in_address(page, without="1")
    expect(page.get_by_text("Output without head 2")).to_be_visible()
    wait_for_rest(page, plots=4)
    after = numbers(page, 4)
    assert len(after) == len(before)
    assert after != before


def numbers(page: Page, place: int) -> list[str]:
    """The numbers of a table, as a screen reader is told them."""
    grid = page.locator("[data-testid=stDataFrame]").nth(place)
    grid.scroll_into_view_if_needed()
    grid.locator("td").first.wait_for(state="attached")
    return grid.locator("td").all_text_contents()


def test_guess_is_made_and_revealed_and_nothing_leaks_before(visit: Visit, server: str):
    page = open_letters(visit, server)
    # The first page has sent the weights of another sentence.
    visit.received.clear()
    page.get_by_role("radio", name="Predict first").click()
    wait_for_rest(page, plots=0)
    page.get_by_text("L5 H11", exact=True).click()
    expect_in_address(page, question="12")
    layer, head = HIDDEN_HEADS[2]
    truth = mha_viz.attend(SENTENCE).weights(layer=layer, head=head)[ASKED_WORDS[0]]
    page.locator("[data-testid=stButtonGroup]", has_text="It will look at").get_by_text(
        "mouse", exact=True
    ).click()
    expect(page.get_by_text("All of it goes to mouse.")).to_be_visible()
    wait_for_rest(page, plots=0)
    row = struct.pack(f"<{len(truth)}f", *truth)
    largest = [struct.pack("<f", truth.max()), f"{truth.max():.2f}".encode()]
    received = b"".join(visit.received)
    assert not any(secret in received for secret in [row, *largest])
    page.get_by_role("button", name="Reveal").click()
    expect(page.get_by_text("You scored")).to_contain_text(f"{truth[6]:.2f}")
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    assert row in b"".join(visit.received)
    page.get_by_role("button", name="Another word").click()
    expect(page.get_by_text("You scored")).to_have_count(0)
    expect(page.get_by_text("Guess where mouse looks")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 800])
def test_link_opened_cold_restores_the_page_and_nothing_overlaps(
    browser: Browser, server: str, width: int, scheme: str
):
    link = f"{server}/letters?task=verb&word=1&maps=2.100-2.50_3.50----~-----~-----"
    with visiting(
        browser, viewport={"width": width, "height": 900}, color_scheme=scheme
    ) as visitor:
        page = visitor.open(link)
        wait_for_rest(page, plots=2)
        expect(page.get_by_text("Score 0.28")).to_be_visible()
        expect(page.get_by_text("What cat looks at in head 1")).to_be_visible()
        assert clipped_words(page) == []
        assert overlapping_ticks(page) == []
        assert overlapping_words(page) == []
        assert_fits_the_window(page)
