"""A Chromium to measure in: processor time of a page's main thread, long tasks, and the time from pointer to paint."""

import json
import os
import shutil
import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

PATIENCE_MS = 300_000
HOVERS = 20
Point = tuple[float, float]

# Two frames: what was to be drawn is laid out in the first, and painted when the second begins.
PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"

_WATCH = """
window.watched = {tasks: [], hovers: [], pressed: 0};
new PerformanceObserver(list => {
    for (const task of list.getEntries()) watched.tasks.push([task.startTime, task.duration]);
}).observe({type: "longtask", buffered: true});
addEventListener("pointerdown", event => {
    watched.pressed = event.timeStamp;
    performance.mark("pressed");
}, true);
addEventListener("pointermove", event => requestAnimationFrame(() => {
    const after = new MessageChannel();  // its message comes once the frame is painted
    after.port1.onmessage = () => watched.hovers.push(performance.now() - event.timeStamp);
    after.port2.postMessage(null);
}), true);
"""

_CENTRES = """([words, most]) => {
    const all = [...document.querySelectorAll(words)];
    all[0]?.scrollIntoView({block: "center"});
    return all.map(word => word.getBoundingClientRect())
        .map(box => [box.x + box.width / 2, box.y + box.height / 2])
        .filter(([x, y]) => x > 0 && y > 0 && x < innerWidth && y < innerHeight).slice(0, most);
}"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser; it asks no other host for anything of its own accord."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, height: int = 900) -> Iterator["Watched"]:
    """A page in a context of its own, watched from its first script on."""
    context = browser.new_context(viewport={"width": 1440, "height": height})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.add_init_script(_WATCH)
    yield Watched(page)
    context.close()


class Watched:
    """A page, and what it costs."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def main_thread_ms(self) -> float:
        """Processor time of the main thread since the document was opened."""
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(entry["value"] for entry in metrics if entry["name"] == "ThreadTime")

    @contextmanager
    def marked(self, last: str) -> Iterator[dict[str, float]]:
        """Processor time of the main thread from a press of a button to a mark of the page's own.

        Args:
            last: The name of the mark; the first of that name counts.

        Yields:
            What is filled in at the end, and left empty where there was no such mark.
        """
        browser, found = self.page.context.browser, {}
        browser.start_tracing(page=self.page, categories=["blink.user_timing"])
        yield found
        marks = json.loads(browser.stop_tracing())["traceEvents"]
        times = {mark["name"]: mark["tts"] for mark in reversed(marks) if "tts" in mark}
        if last in times:
            found["main_thread_ms"] = (times[last] - times["pressed"]) / 1000

    def longest_task_ms(self) -> float:
        """The longest task since the last press of a button; 0 if none took 50 ms."""
        found = "() => Math.max(0, ...watched.tasks.filter(task => task[0] + task[1] > watched.pressed).map(task => task[1]))"
        return self.page.evaluate(found)

    def hover(self, words: str) -> dict[str, float]:
        """Move the pointer from word to word.

        Args:
            words: The selector of the words; those on the screen are taken.
        """
        points: Sequence[Point] = self.page.evaluate(_CENTRES, [words, HOVERS + 1])
        if len(points) < 3:
            raise LookupError(f"expected words to hover at {words!r}, and found {len(points)}")
        self._move(points[0])
        self.page.evaluate("() => { watched.hovers = []; }")
        before = self.main_thread_ms()
        for point in points[1:]:
            self._move(point)
        used = self.main_thread_ms() - before
        paints = self.page.evaluate("() => watched.hovers")
        return {
            "hovers": len(points) - 1,
            "hover_main_thread_ms": round(used / (len(points) - 1), 2),
            "hover_to_paint_p50_ms": round(statistics.median(paints), 1),
            "hover_to_paint_max_ms": round(max(paints), 1),
        }

    def _move(self, point: Point) -> None:
        self.page.mouse.move(*point)
        self.page.evaluate(PAINTED)
