"""Training a small model in a real browser: its curves grow while nothing else moves, and leaving the page ends it."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.plots import wait_for_rest

CURVES = ".st-key-train_pictures .mha-figure .js-plotly-plot"


def open_part(visit: Visit, server: str) -> Page:
    page = visit.open(f"{server}/heads_born")
    page.get_by_role("heading", name="Train it here").scroll_into_view_if_needed()
    page.get_by_text("Short:").click()
    return page


def last_step(page: Page) -> float:
    """How far the curve of the loss has got."""
    return page.evaluate(
        f"""() => {{
            const traces = document.querySelector("{CURVES}")?._fullData;
            return Math.max(...(traces?.find(trace => trace.yaxis === "y3").x ?? [-1]));
        }}"""
    )


def test_curve_grows_in_place_until_the_training_is_stopped(visit: Visit, server: str):
    page = open_part(visit, server)
    # Streamlit's own button to stop a run has the same name.
    trainer = page.locator(".st-key-train-start")
    trainer.get_by_role("button", name="Start").click()
    expect(page.locator(CURVES)).to_have_count(2)
    early = last_step(page)
    page.evaluate(f"""() => {{ window.first = document.querySelector("{CURVES}"); }}""")
    page.wait_for_function(
        f"""early => Math.max(...document.querySelector("{CURVES}")._fullData.find(
            trace => trace.yaxis === "y3").x) > early""",
        arg=early,
    )
    # The very same drawing: nothing was taken away and put there anew.
    assert page.evaluate(f"""() => window.first === document.querySelector("{CURVES}")""")
    trainer.get_by_role("button", name="Stop").click()
    expect(trainer.get_by_role("button", name="Start")).to_be_visible()
    expect(page.get_by_text("You stopped it.")).to_be_visible()
    wait_for_rest(page)
    stopped = last_step(page)
    page.wait_for_timeout(2500)
    assert last_step(page) == stopped > 0
