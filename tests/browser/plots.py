"""What a browser has drawn: the words, rows and maps on the first page, and where things are in them."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlparse

from playwright.sync_api import Locator, Page, expect

# The heads of the view that nobody has changed, and the words of its sentence.
FIRST_HEADS = ["L0 H2", "L0 H5", "L0 H8"]
CAT_TOKENS = ["[CLS]", "the", "cat", "chased", "the", "mouse", "because", "it", "was", "hungry"]
CAT_TOKENS += [".", "[SEP]"]

# The server has answered, what it sent has arrived, and nobody has drawn anew for some frames.
_STILL = """
    const fault = document.querySelector("[data-testid=stException]");
    if (fault) throw new Error(fault.textContent);
    const idle = document.querySelector("[data-test-script-state]")?.dataset.testScriptState === "notRunning"
        && !document.querySelector("[data-stale=true], [data-testid=stSkeleton]") && document.fonts.status === "loaded";
    const still = (ready, seen) => {
        const before = window.testStill ?? {frames: 0, seen: []};
        const same = seen.length === before.seen.length && seen.every((one, place) => one === before.seen[place]);
        const frames = idle && ready && same ? before.frames + 1 : 0;
        window.testStill = {frames: frames % 20, seen};
        return frames === 20;
    };
"""

_AT_REST = f"""wanted => {{
    {_STILL}
    // Before the first answer there is at most a place that is kept free.
    const answered = document.querySelectorAll("[data-testid=stElementContainer]").length > 1;
    const plots = [...document.querySelectorAll(".js-plotly-plot")];
    const ready = answered && plots.every(plot => plot._fullLayout) && [null, plots.length].includes(wanted);
    return still(ready, plots.flatMap(plot => [...plot.querySelectorAll("text")]));
}}"""

_DRAWN = f"""([words, heads]) => {{
    {_STILL}
    const {{view, weights}} = window.mhaViz?.store ?? {{}};
    const [began, ended] = ["drawing", "drawn"].map(
        mark => performance.getEntriesByName(`spotlight ${{mark}}`).at(-1)?.startTime);
    const same = (wanted, list) => !wanted || JSON.stringify(wanted) === JSON.stringify(list);
    // The view outlives the page: on another one it has no rows.
    const ready = view && weights.id === view.weights && began <= ended
        && document.querySelectorAll(".mha-row-line b").length === view.heads.length
        && same(words, view.queries.texts) && same(heads, view.heads.map(head => head.name));
    return still(ready, [view, ended]);
}}"""

# Figures, and the rows of words, which are copies of one figure that nobody sees.
_PLOTS = """[...document.querySelectorAll('.js-plotly-plot, .mha-row-words')].filter(
    plot => (plot._fullLayout || plot.matches('.mha-row-words')) && !plot.closest('.mha-unseen'))"""


def wait_for_view(
    page: Page, *, words: Sequence[str] | None = None, heads: Sequence[str] | None = None
) -> None:
    """Wait until the words and heads that are awaited, or whatever is coming, are drawn where they can be seen."""
    page.wait_for_function(_DRAWN, arg=[words, heads])


def wait_for_rest(page: Page, *, plots: int | None = None) -> None:
    """Wait until nothing is coming any more, and so many figures of Plotly, if that is said, are drawn."""
    page.wait_for_function(_AT_REST, arg=plots)


def heads(page: Page) -> list[str]:
    """The names of the heads that are shown, which are the same in the rows and above the maps."""
    rows = page.locator(".mha-row-line b").all_text_contents()
    assert page.locator(".mha-map-title b").all_text_contents() == rows
    return rows


def chips(page: Page) -> list[str]:
    """The words of the strip."""
    return page.get_by_role("option").and_(page.locator(".mha-chip")).all_text_contents()


def chip(page: Page, place: int) -> Locator:
    return page.locator(".mha-chip").nth(place)


def layer(page: Page, number: int) -> Locator:
    """The switch of a layer."""
    layers = page.get_by_role("group", name="Layer")
    return layers.get_by_role("radio", name=str(number), exact=True)


def row(page: Page, place: int) -> Locator:
    return page.locator(".mha-row").nth(place)


def lines(page: Page) -> list[str]:
    """What is said of each head beside its name."""
    return page.locator(".mha-row-line span").all_text_contents()


def expect_line(page: Page, row: int, start: str) -> None:
    """Wait until what is said of a head begins so."""
    line = page.locator(".mha-row-line span").nth(row)
    expect(line).to_have_text(re.compile(f"^{re.escape(start)}"))


def settle(page: Page) -> None:
    """Let the picture answer the pointer: it does so in the next frame."""
    page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def drawn_words(figure: Locator) -> list[str]:
    """Every text that a figure shows, as a reader sees it."""
    figure.scroll_into_view_if_needed()
    figure.locator("svg text").first.wait_for(state="attached")
    texts = figure.locator("svg text").all_text_contents()
    return [text.replace("\u2068", "").replace("\u2069", "") for text in texts]


def store(page: Page, part: str) -> Any:
    """A part of what the page's scripts share, as "active.row"."""
    return page.evaluate(f"() => window.mhaViz.store.{part} ?? null")


def centre(page: Page, thing: Locator) -> tuple[float, float]:
    """The middle of something, which is brought to the screen."""
    thing.scroll_into_view_if_needed()
    box = thing.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def word_in_row(page: Page, head: int, word: int) -> tuple[float, float]:
    """Where a word stands in the row of a head."""
    return centre(page, row(page, head).locator(".mha-row-words text").nth(word))


def cell(page: Page, head: int, query: int, key: int) -> tuple[float, float]:
    """Where a cell of a head's map is, counted in the part that is shown."""
    return in_plot(page.locator(".mha-map-body").nth(head), key, query)


def small_map(page: Page, layer: int, head: int) -> tuple[float, float]:
    """Where the map of a head is, among all heads."""
    return in_plot(page.locator(".mha-overview"), head, layer)


def in_plot(host: Locator, x: float, y: float) -> tuple[float, float]:
    """Where a point of a figure's axes is on the screen, once that is drawn."""
    host.scroll_into_view_if_needed()
    plot = host.locator(".js-plotly-plot")
    plot.locator("svg").first.wait_for()
    across, down = plot.evaluate(
        """(plot, [x, y]) => {
            const box = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout;
            return [box.x + xaxis._offset + xaxis.l2p(x), box.y + yaxis._offset + yaxis.l2p(y)];
        }""",
        [x, y],
    )
    return across, down


def click(page: Page, place: tuple[float, float]) -> None:
    page.mouse.move(*place)
    page.mouse.click(*place)


def address_of(page: Page) -> dict[str, str]:
    """The parameters of the address."""
    return {
        name: values[0]
        for name, values in parse_qs(urlparse(page.url).query, keep_blank_values=True).items()
    }


def expect_in_address(page: Page, **parts: str | None) -> None:
    """Wait until the address has these parameters; None for one that it must not have."""
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


def clipped_words(page: Page) -> list[str]:
    """Texts that stick out of their figure, and words of the strip that stick out of the page."""
    return page.evaluate(
        f"""() => [...{_PLOTS}.flatMap(plot => {{
            const frame = (plot.closest('.mha-row-picture') ?? plot).getBoundingClientRect();
            return [...plot.querySelectorAll('text')].filter(text => {{
                const box = text.getBoundingClientRect();
                return box.width && (box.left < frame.left - 1 || box.right > frame.right + 1
                    || box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
            }});
        }}), ...[...document.querySelectorAll('.mha-chip')].filter(chip => {{
            const box = chip.getBoundingClientRect();
            return box.left < 0 || box.right > innerWidth || chip.scrollWidth > chip.clientWidth;
        }})].map(text => text.textContent)"""
    )


def assert_fits_the_window(page: Page) -> None:
    """Nothing has to be scrolled sideways."""
    main = page.get_by_test_id("stMain")
    assert main.evaluate("main => main.scrollWidth <= innerWidth")


def overlapping_ticks(page: Page) -> list[list[str]]:
    """Neighbouring labels of an axis that cover each other."""
    return page.evaluate(
        f"""() => {_PLOTS}.flatMap(plot => ['xtick', 'ytick'].flatMap(kind => {{
            const labels = [...plot.querySelectorAll('.' + kind + ' text')];
            return labels.slice(1).map((label, index) => [labels[index], label]).filter(([one, other]) => {{
                if (one.getAttribute('transform')?.includes('rotate(-45')) return false;  // their boxes overlap, they do not
                const a = one.getBoundingClientRect(), b = other.getBoundingClientRect();
                return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
                    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
            }}).map(pair => pair.map(label => label.textContent));
        }}))"""
    )


def overlapping_words(page: Page) -> list[list[str]]:
    """Words of a row or of the strip that cover each other; turned ones are left out."""
    return page.evaluate(
        f"""() => [...{_PLOTS}.map(plot => [...plot.querySelectorAll('.annotation-text-g')].filter(
                group => !/rotate\\(-?[1-9]/.test(group.getAttribute('transform') ?? '')
            ).map(group => group.querySelector('text')).filter(text => text?.textContent.trim())),
            [...document.querySelectorAll('.mha-chip')],
        ].flatMap(texts => {{
            const boxes = texts.map(text => text.getBoundingClientRect());
            return boxes.flatMap((a, one) => boxes.slice(one + 1).flatMap((b, later) => {{
                const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                return width > 2 && height > 2 ? [[texts[one].textContent, texts[one + 1 + later].textContent]] : [];
            }}));
        }})"""
    )
