"""The ways to read a layer: the other way round, in words, with tokens left out, with the mean of its heads."""

import numpy as np
from playwright.sync_api import Page, expect

import mha_viz
from tests.browser.canvas import extent
from tests.browser.conftest import Visit
from tests.browser.live import (
    ANIMAL,
    IT,
    LAYER,
    LINK,
    N_WORDS,
    ONE_BYTE,
    TALL,
    assert_arcs_are_lit,
    decoded,
    names,
)
from tests.browser.notebook import head_arcs
from tests.browser.plots import (
    cell,
    chip,
    chips,
    expect_in_address,
    expect_line,
    heads,
    lines,
    row,
    settle,
    store,
    wait_for_view,
)


def test_reading_turned_round_shows_who_looks_at_a_word(
    visit: Visit, server: str, weights: np.ndarray
):
    visit.page.set_viewport_size(TALL)
    page = visit.open(f"{server}/?{LINK}")
    wait_for_view(page)
    page.get_by_role("radio", name="who looks at it").click()
    expect_in_address(page, reading="key")
    page.wait_for_function("() => window.mhaViz.store.view.reading === 'key'")
    wait_for_view(page)
    animal = 2
    chip(page, animal).hover()
    settle(page)
    words = names(page)
    for head, arcs in enumerate(head_arcs(weights, chips(page), by_key=True)):
        assert_arcs_are_lit(page, head, arcs, arcs.keys == animal)
        heaviest = int(weights[head, :, animal].argmax())
        line = lines(page)[head]
        assert line.startswith(f"{words[heaviest]} → animal ≈ ")
        assert line.endswith(", 1st of 16")
    overlays = page.locator(".mha-map-body > .mha-over").all()
    assert len(overlays) == 3
    for head, overlay in enumerate(overlays):
        left, top, right, bottom = extent(overlay, store(page, "view.theme.accent"))
        assert bottom - top > 10 * (right - left)
        x, _ = cell(page, head, 0, animal)
        box = page.locator(".mha-map-body").nth(head).bounding_box()
        assert left < x - box["x"] < right
    chip(page, animal).click()
    expect_in_address(page, query=str(animal))


def test_row_with_many_arcs_is_drawn_without_plotly(visit: Visit, server: str):
    visit.page.set_viewport_size(TALL)
    for share, many in [(70, False), (100, True)]:
        page = visit.open(f"{server}/?{LINK}&share={share}")
        wait_for_view(page)
        limit = store(page, "view.arcs_plotly")
        for head in range(3):
            picture = row(page, head).locator(".mha-row-picture")
            n_arcs = page.evaluate(
                "head => { const {kept} = window.mhaViz.store.view, [, n] = kept.shape;"
                " return [...kept.subarray(head * n, head * n + n)].reduce((sum, bits) => sum + bits.toString(2).replaceAll('0', '').length, 0); }",
                head,
            )
            assert (n_arcs > limit) == many
            paths = picture.locator(".scatterlayer .js-line").count()
            canvas = picture.locator("canvas.mha-row-arcs")
            drawn = canvas.evaluate(
                "canvas => canvas.width > 0 && canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)"
            )
            assert (paths == 0, drawn) == (many, many)
    chip(page, IT).hover()
    settle(page)
    opacity = (
        row(page, 0).locator(".mha-row-arcs").evaluate("below => getComputedStyle(below).opacity")
    )
    assert float(opacity) < 0.5


def test_special_tokens_when_left_out_are_gone_and_the_caption_says_so(
    visit: Visit, server: str, weights: np.ndarray
):
    page = visit.open(f"{server}/?{LINK}&hide=special")
    wait_for_view(page)
    kept = weights[:, 1:-1, 1:-1]
    caption = page.locator(".mha-strip-caption").first
    share = 1 - kept.sum(axis=2).mean()
    assert chips(page)[0] == "the"
    assert len(chips(page)) == N_WORDS - 2
    assert f"Hidden: [CLS], [SEP], which get {share:.2f} of the weight" in caption.inner_text()
    assert "rows not rescaled" in caption.inner_text()
    assert np.abs(decoded(page) - kept).max() <= ONE_BYTE
    page.get_by_role("switch", name="Rescale rows").check(force=True)
    expect_in_address(page, rescale="yes")
    expect(caption).to_contain_text("rows rescaled to the sum they had")
    wait_for_view(page)
    rescaled = decoded(page)
    assert np.abs(rescaled - kept / kept.sum(axis=2, keepdims=True)).max() <= ONE_BYTE
    assert np.abs(rescaled.sum(axis=2) - 1).max() < 0.01


def test_words_when_read_instead_of_pieces_have_the_sums_of_their_pieces(visit: Visit, server: str):
    text = "Transformers tokenization is unbelievable"
    page = visit.open(f"{server}/?text={text.replace(' ', '+')}&heads=4")
    wait_for_view(page)
    pieces = chips(page)
    assert len(pieces) > 6
    page.get_by_role("radio", name="words").click()
    expect_in_address(page, unit="word")
    words = ["[CLS]", "transformers", "tokenization", "is", "unbelievable", "[SEP]"]
    wait_for_view(page, words=words)
    assert chips(page) == words
    # A word starts where a piece does that is not the rest of one.
    starts = [place for place, piece in enumerate(pieces) if not piece.startswith("·")]
    weights = mha_viz.attend(text).weights(0, 4)
    received = np.add.reduceat(weights, starts, axis=1)
    given = np.add.reduceat(received, starts, axis=0)
    sizes = np.diff([*starts, len(pieces)])
    assert np.abs(decoded(page)[0] - given / sizes[:, None]).max() <= ONE_BYTE


def test_mean_of_the_heads_is_a_row_and_a_map_of_its_own(animal: Page):
    alone = heads(animal)
    record = mha_viz.attend(ANIMAL)
    mean = np.mean([record.weights(LAYER, head) for head in range(12)], axis=0)
    switch = animal.get_by_role("button", name="mean", exact=True)
    switch.click()
    expect_in_address(animal, average="yes")
    with_mean = [*alone, f"L{LAYER} mean of 12 heads"]
    wait_for_view(animal, heads=with_mean)
    assert heads(animal) == with_mean
    assert np.abs(decoded(animal)[-1] - mean).max() <= ONE_BYTE
    chip(animal, IT).hover()
    expect_line(animal, len(alone), f"it → {names(animal)[int(mean[IT].argmax())]} ≈ ")
    switch.click()
    expect_in_address(animal, average=None)
    wait_for_view(animal, heads=alone)


def test_colours_have_one_scale_or_one_each(animal: Page, weights: np.ndarray):
    assert scale_ends(animal) == ([1, 1, 1], 1)
    animal.get_by_role("radio", name="one each").click()
    expect_in_address(animal, scale="each")
    wait_for_view(animal)
    ends, n_bars = scale_ends(animal)
    assert np.allclose(ends, weights.max(axis=(1, 2)), atol=1e-3)
    assert n_bars == 3
    animal.get_by_role("radio", name="one scale").click()
    expect_in_address(animal, scale=None)
    wait_for_view(animal)
    assert scale_ends(animal) == ([1, 1, 1], 1)


def scale_ends(page: Page) -> tuple[list[float], int]:
    """The weight that has the last colour in each map, and how many maps say what their colours mean."""
    maps = page.locator(".mha-map-body > .js-plotly-plot")
    ends = maps.evaluate_all("plots => plots.map(plot => plot._fullData[0].zmax)")
    return ends, page.locator(".mha-map-body .colorbar").count()
