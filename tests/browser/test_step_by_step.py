"""The page of the four steps in a real browser: clicks, keys and edits on single numbers."""

import math
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.plots import expect_in_address, wait_for_rest

TEXT = "The cat saw it"


def open_page(visit: Visit, server: str, **parameters: str) -> Page:
    page = visit.open(f"{server}/step_by_step?{urlencode({'text': TEXT} | parameters)}")
    expect(matrix(page, "X")).to_be_visible()
    expect(matrix(page, "O")).to_be_visible()
    wait_for_rest(page)
    return page


def matrix(page: Page, name: str) -> Locator:
    """Where it comes about; the same matrix may be drawn again further down."""
    return page.locator(f'table[data-name="{name}"]').first


def cell(page: Page, name: str, row: int, column: int) -> Locator:
    return matrix(page, name).locator("tbody tr").nth(row).locator("td.mha-cell").nth(column)


def number(text: str) -> float:
    return float(text.strip().removeprefix("=").replace("−", "-"))


def shown(page: Page, name: str, row: int, column: int) -> float:
    """With nine digits, as the pointer finds it."""
    return number(cell(page, name, row, column).get_attribute("title").rpartition(": ")[2])


def panel(page: Page) -> Locator:
    return page.locator(".mha-explained")


def worked_out(terms: Locator) -> float:
    """Multiply and add what is written."""
    values = terms.locator(".mha-term").evaluate_all(
        "terms => terms.map(term => [...term.querySelectorAll('.mha-factor')].map(factor => factor.dataset.value))"
    )
    return math.fsum(math.prod(map(number, factors)) for factors in values)


def expect_explained(page: Page, name: str, row: int, column: int) -> None:
    expect(page.locator(".mha-explained-where")).to_be_visible()
    expect_in_address(page, cell=f"{name}.{row}.{column}")
    wait_for_rest(page)
    expect(cell(page, name, row, column)).to_have_class(re.compile("mha-chosen"))


def test_click_on_a_cell_writes_out_the_product_and_lights_up_what_it_came_from(
    visit: Visit, server: str
):
    page = open_page(visit, server)
    cell(page, "Q", 1, 2).click()
    expect_explained(page, "Q", 1, 2)
    assert page.locator(".mha-explained-first strong").inner_text().replace("\n", "") == "Q0"
    expect(page.locator(".mha-explained-where")).to_have_text("[cat, 2]")
    value = number(page.locator(".mha-explained-value").inner_text())
    assert value == pytest.approx(shown(page, "Q", 1, 2), rel=1e-8)
    assert worked_out(page.locator(".mha-explained-sum")) == pytest.approx(value, rel=1e-6)
    written = page.locator(".mha-explained-sum .mha-term").first.inner_text()
    first, second = (
        cell(page, name, *at).inner_text() for name, at in {"X": (1, 0), "WQ": (0, 2)}.items()
    )
    assert [float(part.strip("()−")) for part in written.split("\n")[0].split(" × ")] == [
        float(part.strip("−")) for part in (first, second)
    ]
    assert matrix(page, "X").locator(".mha-lit").count() == 8
    assert matrix(page, "WQ").locator(".mha-lit").count() == 8
    assert page.locator(".mha-lit").count() == 16


def test_click_on_a_weight_shows_exp_over_the_sum_of_exp(visit: Visit, server: str):
    page = open_page(visit, server, causal="yes")
    cell(page, "A", 2, 1).click()
    expect_explained(page, "A", 2, 1)
    over = page.locator(".mha-denominator")
    share = worked_out(page.locator(".mha-numerator")) / worked_out(over)
    assert share == pytest.approx(shown(page, "A", 2, 1), rel=1e-6)
    assert over.inner_text().count("exp(") == 4
    assert "exp(−∞)" in over.inner_text()


def test_number_of_the_formula_is_written_out_and_stands_in_no_matrix(visit: Visit, server: str):
    page = open_page(visit, server)
    cell(page, "SS", 1, 2).click()
    expect_explained(page, "SS", 1, 2)
    expect(page.locator(".mha-result")).to_be_visible()
    product = worked_out(page.locator(".mha-explained-sum"))
    assert product == pytest.approx(shown(page, "SS", 1, 2), rel=1e-6)
    titles = page.locator(".mha-factor").evaluate_all("all => all.map(one => one.title)")
    assert [bool(title) for title in titles] == [True, False]


def test_cell_above_the_diagonal_of_a_causal_mask_is_forbidden(visit: Visit, server: str):
    page = open_page(visit, server, causal="yes")
    expect(cell(page, "SM", 0, 3)).to_have_text("−∞")
    cell(page, "SM", 0, 3).click()
    expect(panel(page)).to_contain_text("Forbidden")


def test_shapes_change_with_the_number_of_heads(visit: Visit, server: str):
    page = open_page(visit, server)
    assert matrix(page, "Q").locator("thead th").count() == 4
    heads = page.get_by_role("radiogroup", name="Heads h")
    heads.get_by_text("8", exact=True).click()
    expect(page.locator('table[data-name="head7"]')).to_be_visible()
    wait_for_rest(page)
    assert matrix(page, "Q").locator("thead th").count() == 1
    expect(
        matrix(page, "Q").locator("xpath=ancestor::figure").locator(".mha-matrix-shape")
    ).to_have_text("4 × 1")
    assert matrix(page, "O").locator("thead th").count() == 8


def test_keyboard_walks_explains_and_frees(visit: Visit, server: str):
    page = open_page(visit, server)
    cell(page, "V", 0, 0).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    expect_explained(page, "V", 1, 1)
    expect(cell(page, "V", 1, 1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel(page)).to_be_hidden()
    wait_for_rest(page)
    assert page.locator(".mha-lit, .mha-chosen").count() == 0


def test_keyboard_at_the_edge_moves_the_window(visit: Visit, server: str):
    page = open_page(visit, server, d_model="16")
    cell(page, "X", 1, 7).focus()
    page.keyboard.press("ArrowRight")
    expect(matrix(page, "X").locator("thead th").last).to_have_text("8")
    wait_for_rest(page)
    expect(cell(page, "X", 1, 7)).to_be_focused()
    assert matrix(page, "WQ").locator("tbody th").last.inner_text() == "8"


def test_number_that_is_typed_over_is_followed_by_everything_after_it(visit: Visit, server: str):
    page = open_page(visit, server)
    before = {name: shown(page, name, 1, 1) for name in ("Q", "K", "O")}
    old = shown(page, "X", 1, 3)
    cell(page, "X", 1, 3).focus()
    page.keyboard.type("2.5")
    page.keyboard.press("Enter")
    expect(cell(page, "X", 1, 3)).to_have_text("2.50")
    wait_for_rest(page)
    expect(cell(page, "X", 1, 3)).to_have_class(re.compile("mha-edited"))
    gain = (2.5 - old) * shown(page, "WQ", 3, 1)
    assert shown(page, "Q", 1, 1) == pytest.approx(before["Q"] + gain, abs=1e-6)
    assert shown(page, "O", 1, 1) != before["O"]
    page.get_by_role("button", name="Undo all").click()
    expect(page.get_by_role("button", name="Undo all")).to_be_hidden()
    wait_for_rest(page)
    assert {name: shown(page, name, 1, 1) for name in before} == before


def test_edit_that_is_given_up_or_no_number_changes_nothing(visit: Visit, server: str):
    page = open_page(visit, server)
    old = cell(page, "WV", 2, 1).inner_text()
    cell(page, "WV", 2, 1).focus()
    page.keyboard.press("F2")
    page.keyboard.type("9")
    page.keyboard.press("Escape")
    expect(cell(page, "WV", 2, 1)).to_have_text(old)
    cell(page, "WV", 2, 1).dblclick()
    box = matrix(page, "WV").locator("input")
    box.fill("nine")
    page.keyboard.press("Enter")
    expect(box).to_be_visible()
    assert box.evaluate("box => box.validationMessage") != ""
    page.keyboard.press("Escape")
    cell(page, "Q", 0, 0).focus()
    page.keyboard.type("7")
    wait_for_rest(page)
    assert matrix(page, "Q").locator("input").count() == 0
    assert "edits" not in page.url


def test_layer_of_the_model_is_followed_to_its_own_output(visit: Visit, server: str):
    page = open_page(visit, server, source="model", layer="2")
    expect(
        page.get_by_text("The steps end in the model’s own attention output").or_(
            page.get_by_text("The steps end in the model's own attention output")
        )
    ).to_be_visible()
    cell(page, "O'", 3, 4).click()
    expect(page.locator(".mha-explained-sum .mha-term")).to_have_count(384)
    wait_for_rest(page)
    assert worked_out(page.locator(".mha-explained-sum")) == pytest.approx(
        shown(page, "O'", 3, 4), rel=1e-6
    )


def test_map_of_one_of_many_heads_when_clicked_is_followed(visit: Visit, server: str):
    page = open_page(visit, server)
    page.get_by_role("button", name=re.compile("h = 4, head 2")).click()
    expect(page.locator('table[data-name="head3"]')).to_be_visible()
    wait_for_rest(page)
    expect(page.get_by_role("button", name=re.compile("h = 4, head 2"))).to_have_attribute(
        "aria-pressed", "true"
    )
    assert (
        matrix(page, "A")
        .locator("xpath=ancestor::figure")
        .locator(".mha-matrix-name sub")
        .inner_text()
        == "2"
    )


@pytest.mark.parametrize("width", [1440, 800])
def test_nothing_is_wider_than_the_page(visit: Visit, server: str, width: int):
    visit.page.set_viewport_size({"width": width, "height": 900})
    page = open_page(
        visit, server, text="Supercalifragilistic words because of everything in between"
    )
    assert page.evaluate(
        """() => [...document.querySelectorAll(".mha-matrix, .mha-glass-line, .mha-head-row")]
            .every(part => part.getBoundingClientRect().right <= innerWidth)"""
    )
