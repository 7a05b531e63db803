"""What is done to heads, in plain sentences."""

from collections.abc import Sequence

from mha_viz.core.head_masks import CAUSAL, HALVES, WINDOW
from mha_viz.core.interventions import CutLink, HeadOff, Intervention, MaskHead, Temperature
from mha_viz.figures.text import shown_text
from mha_viz.ui.lab.bench import Bench
from mha_viz.ui.lab.choices import Lab, Restriction

_OFF = {
    "zero": "is off by zero: its output is zeros, and its weights stay as they were",
    "uniform": "is off by uniform weights: every token that may be looked at gets the same",
}


def in_words(made: Restriction, bench: Bench, chosen: Lab) -> dict[int, str]:
    """A sentence for each head to which something is done."""
    said: dict[int, list[str]] = {}
    for one in made.changes:
        if one.head is not None:
            said.setdefault(one.head, []).append(_one(one, made, bench, chosen))
    return {head: f"{'; '.join(parts)}." for head, parts in sorted(said.items())}


def _one(one: Intervention, made: Restriction, bench: Bench, chosen: Lab) -> str:
    match one:
        case MaskHead():
            return _mask(one, made.preset, bench, chosen.reach)
        case HeadOff():
            return _OFF[one.how]
        case Temperature():
            effect = "sharper" if one.value < 1 else "more even"
            return f"has its scores divided by a temperature of {one.value:g}: rows get {effect}"
        case CutLink():
            looks, seen = bench.query_texts[one.query], bench.key_texts[one.key]
            return f"“{shown_text(looks)}” may no longer look at “{shown_text(seen)}”"
    return ""


def _mask(one: MaskHead, preset: str, bench: Bench, reach: int) -> str:
    if preset == HALVES:
        which = "first" if 0 in one.keys else "second"
        return f"may look only at the {which} half: {_span(bench.key_texts, one.keys)}"
    if preset == CAUSAL:
        return "may look only at a word itself and at what stands before it (causal)"
    if preset == WINDOW:
        sides = (
            f"and {reach} {'token' if reach == 1 else 'tokens'} to each side" if reach else "alone"
        )
        return f"may look only at a word itself {sides} (window)"
    may = sum(map(sum, one.rows))
    return f"has a painted mask: {may} of {len(bench.queries) * len(bench.keys)} cells may be looked at"


def _span(texts: Sequence[str], keys: Sequence[int]) -> str:
    """From the first token to the last."""
    if not keys:
        return "no token at all"
    first, last = (shown_text(texts[key]) for key in (keys[0], keys[-1]))
    return f"“{first}” to “{last}”" if len(keys) > 1 else f"“{first}”"
