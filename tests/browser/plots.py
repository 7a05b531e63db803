"""What a browser has drawn: the figures on a page, and where things are in them."""

from typing import Any

from playwright.sync_api import Page

# Figures on the page that nobody has changed: the rows of arcs, three heatmaps, all heads.
FIRST_VIEW = 5

_PLOTS = "[...document.querySelectorAll('.js-plotly-plot')].filter(plot => plot._fullLayout)"


def wait_for_plots(page: Page, count: int) -> None:
    """Wait until so many figures are drawn, and no script is running."""
    page.wait_for_function(
        f"count => {_PLOTS}.length === count && !document.querySelector('[data-testid=stStatusWidget]')"
        " && !document.querySelector('[data-stale=true]')",
        arg=count,
        timeout=120_000,
    )


def titles(page: Page) -> list[str]:
    """The title of each figure."""
    found = page.evaluate(f"() => {_PLOTS}.map(plot => plot._fullLayout.title.text)")
    return [title.strip("\u2068\u2069") for title in found]


def drawn_words(page: Page, plot: int) -> list[str]:
    """Every text that a figure shows, as a reader sees it."""
    return page.evaluate(
        f"plot => [...{_PLOTS}[plot].querySelectorAll('text')].map(text => text.textContent.replace(/[\\u2068\\u2069]/g, ''))",
        plot,
    )


def click_point(
    page: Page, plot: int, customdata: list[Any], offset: tuple[float, float] = (0, 0)
) -> None:
    """Click on the point of a figure whose data begin so, or a few pixels beside it."""
    place = page.evaluate(
        f"""([plot, wanted]) => {{
            const figure = {_PLOTS}[plot];
            figure.scrollIntoView({{block: "center"}});
            const layout = figure._fullLayout, box = figure.getBoundingClientRect();
            for (const trace of figure._fullData) {{
                const index = [...(trace.customdata ?? [])].findIndex(data => wanted.every((part, at) => data[at] === part));
                if (index >= 0) return [
                    box.x + layout.xaxis._offset + layout.xaxis.d2p(trace.x[index]),
                    box.y + layout.yaxis._offset + layout.yaxis.d2p(trace.y[index]),
                ];
            }}
        }}""",
        [plot, customdata],
    )
    assert place is not None, f"no point with {customdata} in figure {plot}"
    page.mouse.move(place[0] + offset[0], place[1] + offset[1])
    page.mouse.click(place[0] + offset[0], place[1] + offset[1])


def clipped_words(page: Page) -> list[str]:
    """Texts that stick out of their figure."""
    return page.evaluate(
        f"""() => {_PLOTS}.flatMap(plot => {{
            const frame = plot.getBoundingClientRect();
            return [...plot.querySelectorAll('text')].filter(text => {{
                const box = text.getBoundingClientRect();
                return box.width && (box.left < frame.left - 1 || box.right > frame.right + 1
                    || box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
            }}).map(text => text.textContent);
        }})"""
    )


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


def overlapping_annotations(page: Page) -> list[list[str]]:
    """Texts written into a figure, such as the words under the arcs, that cover each other; turned ones are left out."""
    return page.evaluate(
        f"""() => {_PLOTS}.flatMap(plot => {{
            const flat = [...plot.querySelectorAll('.annotation-text-g')].filter(
                group => !/rotate\\(-?[1-9]/.test(group.getAttribute('transform') ?? ''));
            const texts = flat.map(group => group.querySelector('text')).filter(text => text?.textContent.trim());
            const boxes = texts.map(text => text.getBoundingClientRect());
            return boxes.flatMap((a, one) => boxes.slice(one + 1).flatMap((b, later) => {{
                const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                return width > 2 && height > 2 ? [[texts[one].textContent, texts[one + 1 + later].textContent]] : [];
            }}));
        }})"""
    )
