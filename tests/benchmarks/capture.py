"""What recording costs: plain SDPA forward, our capture, eager with attentions, for 16 to 512 tokens.

Run as `python -m tests.benchmarks.capture`; prints one JSON line a length. Each length has a process of its own, so that
the memory that one leaves behind does not weigh on the next. Times are medians of runs taken in turn, in milliseconds;
the ratios are what counts.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import torch
from transformers import AutoModel

from mha_viz.models.capture import record_attention
from mha_viz.models.catalog import find_model
from mha_viz.models.loading import load_model

LENGTHS = (16, 32, 64, 128, 256, 512)
RUNS, WARM_UP = 41, 4


def main() -> None:
    """Measure every length and print it."""
    for length in LENGTHS:
        command = [sys.executable, "-m", "tests.benchmarks.capture", str(length)]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def measure(length: int) -> dict[str, float]:
    """The line of one length."""
    torch.set_num_threads(1)
    entry = find_model("minilm")
    ours = load_model(entry).model
    plain = AutoModel.from_pretrained(entry.source, attn_implementation="sdpa").eval()
    eager = AutoModel.from_pretrained(entry.source, attn_implementation="eager").eval()
    inputs = _inputs(length)
    sdpa = partial(_forward, plain, inputs)
    kinds: dict[str, Callable[[], object]] = {
        "capture": partial(record_attention, ours, inputs),
        "capture_and_one_layer": lambda: record_attention(ours, inputs).weights(0),
        "eager": partial(_forward, eager, inputs, output_attentions=True),
    }
    line: dict[str, float] = {"tokens": length}
    for name, run in kinds.items():
        pairs = _paired(sdpa, run)
        line.setdefault("sdpa_ms", round(1000 * statistics.median(base for base, _ in pairs), 2))
        line[f"{name}_ms"] = round(1000 * statistics.median(own for _, own in pairs), 2)
        line[f"{name}_per_sdpa"] = round(statistics.median(own / base for base, own in pairs), 3)
    return line


def _inputs(length: int) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(length)
    ids = torch.randint(1000, 30000, (1, length), generator=generator)
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


def _forward(model: torch.nn.Module, inputs: dict[str, torch.Tensor], **options: bool) -> object:
    with torch.inference_mode():
        return model(**inputs, **options)


def _paired(base: Callable[[], object], own: Callable[[], object]) -> list[tuple[float, float]]:
    """Run both in turn, so that what else the machine does falls on both; seconds of each pair."""
    pairs = [(_seconds(base), _seconds(own)) for _ in range(WARM_UP + RUNS)]
    return pairs[WARM_UP:]


def _seconds(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]))))
    else:
        main()
