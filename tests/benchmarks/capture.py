"""What recording costs: plain SDPA forward, our capture, eager with attentions, for 16 to 512 tokens.

Run as `python -m tests.benchmarks.capture`; prints one JSON line a length. Times are medians of runs taken in turn, in
milliseconds; the ratios are what counts.
"""

import json
import statistics
import time
from collections.abc import Callable

import torch
from transformers import AutoModel

from mha_viz.models.capture import record_attention
from mha_viz.models.catalog import find_model
from mha_viz.models.loading import load_model

LENGTHS = (16, 32, 64, 128, 256, 512)
RUNS = 25


def main() -> None:
    """Measure every length and print it."""
    torch.set_num_threads(1)
    entry = find_model("minilm")
    ours = load_model(entry).model
    plain = AutoModel.from_pretrained(entry.source, attn_implementation="sdpa").eval()
    eager = AutoModel.from_pretrained(entry.source, attn_implementation="eager").eval()
    for length in LENGTHS:
        inputs = _inputs(length)
        times = _in_turn(
            {
                "sdpa": lambda inputs=inputs: _forward(plain, inputs),
                "capture": lambda inputs=inputs: record_attention(ours, inputs),
                "capture_and_one_layer": lambda inputs=inputs: record_attention(
                    ours, inputs
                ).weights(0),
                "eager": lambda inputs=inputs: _forward(eager, inputs, output_attentions=True),
            }
        )
        line: dict[str, float] = {"tokens": length}
        line |= {
            f"{name}_ms": round(1000 * statistics.median(runs), 2) for name, runs in times.items()
        }
        for name in ("capture", "capture_and_one_layer", "eager"):
            pairs = zip(times[name], times["sdpa"], strict=True)
            line[f"{name}_per_sdpa"] = round(
                statistics.median(own / base for own, base in pairs), 3
            )
        print(json.dumps(line))


def _inputs(length: int) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(length)
    ids = torch.randint(1000, 30000, (1, length), generator=generator)
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


def _forward(model: torch.nn.Module, inputs: dict[str, torch.Tensor], **options: bool) -> object:
    with torch.inference_mode():
        return model(**inputs, **options)


def _in_turn(work: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    """Run each kind of work after the others, so that what else the machine does falls on all of them."""
    times: dict[str, list[float]] = {name: [] for name in work}
    for run in range(RUNS + 3):
        for name, do in work.items():
            begin = time.perf_counter()
            do()
            if run >= 3:
                times[name].append(time.perf_counter() - begin)
    return times


if __name__ == "__main__":
    main()
