"""Other models in a real browser: chosen with the keyboard, or asked for by a link."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.plots import expect_in_address, heads, wait_for_view


def test_model_that_cannot_be_had_gives_one_sentence_and_keeps_the_text(visit: Visit, server: str):
    page = visit.open(f"{server}/?text=kept+as+typed&heads=2,5,8")
    wait_for_view(page)
    picker = page.get_by_role("combobox", name="Model")
    picker.click()
    page.keyboard.type("no/such-model")
    page.keyboard.press("Enter")
    sentences = page.get_by_role("alert")
    expect(sentences.filter(has_text="needs the network")).to_be_visible()
    expect(sentences).to_have_count(1)
    expect_in_address(page, model="no/such-model")
    expect(page.get_by_label("Text", exact=True)).to_have_value("kept as typed")
    expect(page.locator(".mha-chip")).to_have_count(0)
    picker.click()
    page.keyboard.type("MiniLM")
    page.keyboard.press("Enter")
    expect(page.locator(".mha-chip")).to_have_text(["[CLS]", "kept", "as", "typed", "[SEP]"])
    wait_for_view(page)
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_label("Text", exact=True)).to_have_value("kept as typed")
    assert "model" not in page.url


def test_link_to_another_model_asks_and_takes_no_for_an_answer(visit: Visit, server: str):
    page = visit.open(f"{server}/?text=Hi+there&model=gpt2&heads=2")
    expect(page.get_by_role("button", name="Load it", exact=True)).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="asks for the model GPT-2")).to_be_visible()
    page.get_by_role("button", name="Use the bundled model").click()
    wait_for_view(page, words=["[CLS]", "hi", "there", "[SEP]"])
    assert heads(page) == ["L0 H2"]
    assert "model" not in page.url
