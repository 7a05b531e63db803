"""From a sentence to its picture in a browser, and what a hover costs: BertViz's page and ours in the same Chromium in turn.

Run as `python -m tests.benchmarks.browser`, with `bertviz` or `ours` for one half and numbers of tokens if wanted; prints
JSON lines. Model, texts and heads are the same: all twelve heads of layer 0 of the bundled model. BertViz draws all words of
a text, our page a window of it: `words_shown`. Times are medians over new texts; the ratios are what counts.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Error

from tests.benchmarks.bertviz_view import measure_bertviz
from tests.benchmarks.chromium import chromium
from tests.benchmarks.long_model import save_long_model
from tests.benchmarks.our_view import ONE, TWELVE, medians, our_page
from tests.benchmarks.words import text
from tests.browser.conftest import serving

LENGTHS = (16, 64, 128, 256)
LONG_LENGTHS = (512, 1024, 2048)
WITH_ALL_HEADS = (64, 128)
SWITCHING = 64
SPECIAL = 2
FIVE = 5
# High enough that every part of the page is on the screen, and so is drawn.
ALL_OF_THE_PAGE = 8000
Line = dict[str, object]


def main(halves: tuple[str, ...], lengths: tuple[int, ...]) -> None:
    """Measure and print, length by length; then texts that are too long for BertViz."""
    with (
        TemporaryDirectory() as folder,
        serving(MHA_VIZ_MODEL_FOLDERS=folder) as server,
        chromium() as browser,
    ):
        for length in lengths:
            compare(browser, server.address, length, halves)
        if "ours" in halves and lengths == LENGTHS:
            measure_long(browser, server.address, save_long_model(Path(folder) / "long"))


def compare(browser: Browser, address: str, length: int, halves: tuple[str, ...]) -> None:
    """Both pages with texts of one length, and the ratios of what they cost."""
    theirs = ours = {}
    if "bertviz" in halves:
        theirs = measure_bertviz(browser, "head_view", texts(length))
        show("bertviz head_view", length, theirs)
    if "ours" in halves:
        ours = measure_ours(browser, address, length)
    show_ratios("ours / bertviz head_view", length, ours, theirs)
    if length not in WITH_ALL_HEADS:
        return
    if "bertviz" in halves:
        theirs = measure_bertviz(browser, "model_view", texts(length))
        show("bertviz model_view", length, theirs)
    if "ours" in halves:
        with our_page(browser, address, ONE, ALL_OF_THE_PAGE) as page:
            page.wait()
            ours = medians([page.show(each) for each in texts(length, "all of the page", FIVE)])
        show("ours, all of the page with one head and all 72 small maps", length, ours)
    show_ratios("ours / bertviz model_view", length, ours, theirs, part="page_")


def measure_ours(browser: Browser, address: str, length: int) -> Line:
    """A text's picture, hovering it, and another layer of it; each is printed."""
    with our_page(browser, address, TWELVE) as page:
        page.wait()
        drawn = medians([page.show(each) for each in texts(length, runs=FIVE)])
        show("ours", length, drawn)
        show("ours, hover", length, page.hover())
        if length == SWITCHING:
            layers = medians([page.choose_layer(layer) for layer in (1, 2, 3, 4, 5)])
            show("ours, another layer", length, layers)
    return drawn


def measure_long(browser: Browser, address: str, folder: str) -> None:
    """Texts that a model with rotary positions reads."""
    first = {"model": folder, "text": text(LONG_LENGTHS[0] // 2, "first")}
    with our_page(browser, address, TWELVE | first) as page:
        page.allow_model()
        page.wait()
        for length in LONG_LENGTHS:
            try:
                show("ours, long text", length, medians([page.show(text(length, length))]))
                show("ours, long text, hover", length, page.hover())
            except Error as error:
                show("ours, long text", length, {"not_measured": error.message.splitlines()[0]})


def texts(length: int, occasion: str = "", runs: int = 0) -> list[str]:
    """New texts of so many tokens for the bundled model, fewer where each takes long.

    Args:
        length: Tokens, those that the model adds included.
        occasion: Another one gives other texts, for the server remembers those that it has read.
        runs: How many; where it is not said, fewer the longer they are.
    """
    runs = runs or (5 if length <= 16 else 3 if length <= 64 else 1)
    return [text(length - SPECIAL, (length, turn, occasion)) for turn in range(runs)]


def show(what: str, tokens: int, line: Line) -> None:
    """Print a line."""
    print(json.dumps({"what": what, "tokens": tokens} | line), flush=True)


def show_ratios(what: str, tokens: int, ours: Line, theirs: Line, part: str = "") -> None:
    """Print how much of BertViz's cost ours is: processor time of both sides, and time until it is drawn.

    Args:
        what: The two that are compared.
        tokens: Of the texts.
        ours: Medians of our page.
        theirs: Medians of BertViz.
        part: Of our page: "" for the picture that was asked for, "page_" for all of it at rest.
    """
    if f"{part}wall_ms" not in ours or "wall_ms" not in theirs:
        return
    cpu = (ours[f"{part}server_cpu_ms"] + ours[f"{part}main_thread_ms"]) / (
        theirs["python_cpu_ms"] + theirs["main_thread_ms"]
    )
    wall = ours[f"{part}wall_ms"] / (theirs["python_wall_ms"] + theirs["wall_ms"])
    show(what, tokens, {"cpu": round(cpu, 4), "wall": round(wall, 4)})


if __name__ == "__main__":
    given = sys.argv[1:]
    main(
        tuple(word for word in given if not word.isdigit()) or ("bertviz", "ours"),
        tuple(int(word) for word in given if word.isdigit()) or LENGTHS,
    )
