"""What BertViz costs: its forward pass with all weights, its page, and drawing it in a browser."""

import re
import statistics
import subprocess
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from bertviz import head_view, model_view
from playwright.sync_api import Browser, Error, Route
from transformers import AutoModel, AutoTokenizer

from mha_viz.models.catalog import find_model
from tests.benchmarks.chromium import PAINTED, PATIENCE_MS, Watched, opened
from tests.benchmarks.libraries import fetch_libraries

# Each view, and how many groups its picture has at the end: two of words, the lines, the boxes; or one a head.
VIEWS: dict[str, tuple[Callable, int]] = {
    "head_view": (partial(head_view, layer=0), 4),
    "model_view": (model_view, 72),
}
_WORDS = "#left > g:not(.attentionBoxes) > g > rect.background"


@cache
def _model() -> tuple:
    source = find_model("minilm").source
    model = AutoModel.from_pretrained(source, attn_implementation="eager").eval()
    return AutoTokenizer.from_pretrained(source), model


def measure_bertviz(browser: Browser, view: str, texts: list[str]) -> dict[str, object]:
    """Medians over the texts; where the page cannot be had or breaks down, a word on why.

    Args:
        browser: The Chromium.
        view: A key of VIEWS.
        texts: Texts of the same number of tokens.
    """
    with TemporaryDirectory() as folder:
        try:
            _libraries()
            runs = [_measure(browser, view, text, Path(folder)) for text in texts]
        except (OSError, subprocess.SubprocessError) as error:
            return {"not_measured": f"no libraries for its page: {type(error).__name__}"}
        except Error as error:
            return {"not_measured": f"the page broke down: {error.message.splitlines()[0]}"}
    return {name: round(statistics.median(run[name] for run in runs), 2) for name in runs[0]}


def _measure(browser: Browser, view: str, text: str, folder: Path) -> dict[str, float]:
    html, line = _page(view, text)
    file = folder / "page.html"
    file.write_text(html, encoding="utf-8")
    with opened(browser) as watched:
        watched.page.route(re.compile("^https?:"), partial(_answer, _libraries()))
        line |= _draw(watched, file, VIEWS[view][1])
        if view == "head_view":
            line |= watched.hover(_WORDS)
    return line


def _page(view: str, text: str) -> tuple[str, dict[str, float]]:
    """The page of a text, and what making it costs."""
    tokenizer, model = _model()
    torch.set_num_threads(1)
    wall, used = time.perf_counter(), time.process_time()
    inputs = tokenizer(text, return_tensors="pt")
    with torch.inference_mode():
        attention = model(**inputs, output_attentions=True).attentions
    tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
    html = VIEWS[view][0](attention, tokens, html_action="return").data
    used, wall = time.process_time() - used, time.perf_counter() - wall
    return f"<!doctype html><meta charset=utf-8>{html}", {
        "tokens_read": len(tokens),
        "python_cpu_ms": 1000 * used,
        "python_wall_ms": 1000 * wall,
        "html_megabytes": len(html) / 1e6,
    }


@cache
def _libraries() -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        return fetch_libraries(_page("head_view", "one")[0], Path(folder))


def _answer(libraries: dict[str, bytes], route: Route) -> None:
    """The libraries come from this machine: the network is no part of what is measured."""
    found = [code for part, code in libraries.items() if part in route.request.url]
    if found:
        route.fulfill(body=found[0], content_type="text/javascript")
    else:
        route.abort()


def _draw(watched: Watched, file: Path, groups: int) -> dict[str, float]:
    watched.page.goto(file.as_uri(), wait_until="commit", timeout=PATIENCE_MS)
    watched.page.wait_for_function(
        "groups => document.querySelectorAll('#vis svg > g').length === groups", arg=groups
    )
    wall = watched.page.evaluate(
        f"async () => {{ await ({PAINTED})(); return performance.now(); }}"
    )
    return {
        "main_thread_ms": watched.main_thread_ms(),
        "wall_ms": wall,
        "longest_task_ms": watched.longest_task_ms(),
    }
