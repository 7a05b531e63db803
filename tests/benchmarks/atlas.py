"""What the atlas costs: the numbers of 144 heads on 64 tokens, and the memory of a run over many texts.

Run as `python -m tests.benchmarks.atlas`; prints JSON lines. The model of the first is a BERT of 12 layers of 12 heads with
weights drawn at random, made on the spot: what its numbers are does not change what they cost. Seconds are medians of runs
taken in turn, by the clock and of the processor; what counts are the ratios to the forward pass that comes before. The
second is the page's own run over a list, with the bundled model, in a process of its own for each length.
"""

import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import BertConfig, BertModel

from mha_viz.core.all_heads import all_heads
from mha_viz.core.head_distance import head_distances, map_of_heads
from mha_viz.core.head_numbers import head_numbers
from mha_viz.core.pattern_search import search_pattern
from mha_viz.core.record import Stream, Token
from mha_viz.core.roles import roles
from mha_viz.models.capture import record_attention
from mha_viz.ui import cache
from mha_viz.ui.atlas import measured
from mha_viz.ui.selection import Selection, fit
from mha_viz.ui.view import View, source_of, view_of
from tests.benchmarks.words import text

N_TOKENS, RUNS, WARM_UP = 64, 21, 3
N_TEXTS, WORDS, TEXTS_BEFORE = (100, 1000), 12, 20
CLS, SEP, FULL_STOP = 101, 102, 1012


def main() -> None:
    """Measure everything and print it."""
    for part in ("numbers", *map(str, N_TEXTS)):
        command = [sys.executable, "-m", "tests.benchmarks.atlas", part]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        print(done.stdout.strip(), flush=True)


# The numbers of all heads


@dataclass(frozen=True)
class Seconds:
    """How long something took, by the clock and of the processor."""

    wall: float
    processor: float


def numbers() -> Iterator[dict[str, Any]]:
    """A line for the forward pass, and one for each thing that follows it."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = BertModel(BertConfig()).eval()
    inputs, tokens = _text()

    def forward() -> Stream:
        return record_attention(model, inputs, tokens={"input": tokens}).only_stream

    def found(stream: Stream) -> None:
        roles(head_numbers(stream).evidence)

    def alike(stream: Stream) -> None:
        map_of_heads(head_distances(all_heads(stream).weights))

    def sketched(stream: Stream) -> None:
        search_pattern(all_heads(stream).weights, np.eye(N_TOKENS, k=-1))

    after: dict[str, Callable[[Stream], None]] = {
        "all numbers and roles": found,
        "all distances and the map": alike,
        "a sketch among all heads": sketched,
    }
    runs: dict[str, list[Seconds]] = {"forward": [], **{name: [] for name in after}}
    for _ in range(WARM_UP + RUNS):
        stream, taken = _timed(forward)
        runs["forward"].append(taken)
        for name, work in after.items():
            runs[name].append(_timed(lambda work=work, stream=stream: work(stream))[1])
    base = runs["forward"][WARM_UP:]
    for name, each in runs.items():
        yield {"heads": 144, "tokens": N_TOKENS, "what": name} | _line(each[WARM_UP:], base)


def _line(each: list[Seconds], base: list[Seconds]) -> dict[str, float]:
    pairs = list(zip(each, base, strict=True))
    return {
        "wall_s": round(statistics.median(one.wall for one in each), 3),
        "cpu_s": round(statistics.median(one.processor for one in each), 3),
        "per_forward_wall": round(statistics.median(one.wall / to.wall for one, to in pairs), 2),
        "per_forward_cpu": round(
            statistics.median(one.processor / to.processor for one, to in pairs), 2
        ),
    }


def _timed(work: Callable[[], Any]) -> tuple[Any, Seconds]:
    begin, began = time.perf_counter(), time.process_time()
    done = work()
    return done, Seconds(time.perf_counter() - begin, time.process_time() - began)


def _text() -> tuple[dict[str, torch.Tensor], tuple[Token, ...]]:
    """Tokens as a text has them: some come twice, some are punctuation, the first and the last are special."""
    draw = random.Random(0)
    ids = [draw.choice((FULL_STOP, *range(2000, 2040))) for _ in range(N_TOKENS - 2)]
    tokens = (
        Token("[CLS]", id=CLS, special=True),
        *(Token("." if one == FULL_STOP else f"w{one}", id=one) for one in ids),
        Token("[SEP]", id=SEP, special=True),
    )
    row = torch.tensor([[CLS, *ids, SEP]])
    return {"input_ids": row, "attention_mask": torch.ones_like(row)}, tokens


# A run over many texts


def corpus(n_texts: int) -> dict[str, Any]:
    """How much memory a run over so many texts leaves taken, and takes at most."""
    list(measured.over_texts(_view(), _texts(TEXTS_BEFORE, seed=-1)))
    before = most = _memory()
    begin, began = time.perf_counter(), time.process_time()
    for _ in measured.over_texts(_view(), _texts(n_texts, seed=0)):
        most = max(most, _memory())
    return {
        "texts": n_texts,
        "words": WORDS,
        "wall_s": round(time.perf_counter() - begin, 1),
        "cpu_s": round(time.process_time() - began, 1),
        "memory_before_mb": round(before / 2**20, 1),
        "memory_grown_by_mb": round((_memory() - before) / 2**20, 1),
        "at_most_by_mb": round((most - before) / 2**20, 1),
    }


def _view() -> View:
    selection = Selection()
    source = source_of(selection, selection.model)
    return view_of(
        selection, source, cache.record(source), lambda extent: fit(selection, extent)[0]
    )


def _texts(n_texts: int, seed: int) -> tuple[str, ...]:
    return tuple(text(WORDS, (seed, number)) for number in range(n_texts))


def _memory() -> int:
    """Bytes of this process that are in memory."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (one for one in status.splitlines() if one.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    elif sys.argv[1] == "numbers":
        for line in numbers():
            print(json.dumps(line), flush=True)
    else:
        print(json.dumps(corpus(int(sys.argv[1]))))
