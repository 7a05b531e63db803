"""The same width in one head or in many: what it costs, and what it sees."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from mha_viz.core.costs import STEPS, Cost
from mha_viz.core.edits import edited
from mha_viz.core.small_layer import module_steps, small_numbers
from mha_viz.figures.theme import Theme
from mha_viz.ui import cache, state
from mha_viz.ui.glass.choices import HEADS, SIZES, GlassChoices
from mha_viz.ui.glass.contents import frame
from mha_viz.ui.glass.followed import Followed
from mha_viz.ui.served import component

LARGER = (256, 512)
_MULTIPLIED = {
    "project": "to Q, K, V",
    "scores": "Q Kᵀ",
    "softmax": "softmax",
    "values": "A V",
    "project back": "to the output",
}
_maps = component("glass", "head_maps")


def one_head_or_many(shown: Followed, theme: Theme) -> None:
    """Costs side by side, and the maps."""
    choices = state.own(GlassChoices)
    st.subheader("One head or many", anchor=False)
    st.markdown(
        "Many heads cost what one costs: each is narrower by as much as there are more of them. "
        "What changes is what can be seen: one head has a single set of weights for all it looks at, many have one each."
    )
    st.segmented_control(
        "Counted and timed for",
        list(SIZES),
        format_func=SIZES.__getitem__,
        required=True,
        **state.tied("size", choices.size),
    )
    n_tokens, d_model = len(shown.numbers.query_labels), shown.d_model
    if choices.size == "layer":
        n_tokens, d_model = LARGER
    counted = cache.costs(n_tokens, d_model, tuple(h for h in HEADS if d_model % h == 0))
    st.markdown(_table(counted, n_tokens, d_model))
    if choices.source == "ours":
        _draw_maps(shown, theme, choices)


def _table(counted: tuple[Cost, ...], n_tokens: int, d_model: int) -> str:
    """A row a step, a column a number of heads: multiply–adds, and the time that they took."""
    names = " | ".join(f"h = {one.n_heads}, d_k = {d_model // one.n_heads}" for one in counted)
    rows = [
        _row(
            _MULTIPLIED[step],
            counted[0].parameters[step],
            [(one.operations[step], one.seconds[step]) for one in counted],
        )
        for step in STEPS
    ]
    whole = [(one.multiply_adds, sum(one.seconds.values())) for one in counted]
    rows.append(_row("**all**", sum(counted[0].parameters.values()), whole))
    ruler = "|".join(["---", *["---:"] * (len(counted) + 1)])
    return (
        f"| step | parameters | {names} |\n|{ruler}|\n"
        + "\n".join(rows)
        + f"\n\nMultiply–adds (for the softmax: exponentials, not in the sum) for n = {n_tokens} and d_model = {d_model}; "
        "beside them the fastest of five runs on this server."
    )


def _row(name: str, parameters: int, cells: list[tuple[int, float]]) -> str:
    written = " | ".join(f"{_count(count)} · {_time(seconds)}" for count, seconds in cells)
    return f"| {name} | {_count(parameters) if parameters else '–'} | {written} |"


def _count(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def _draw_maps(shown: Followed, theme: Theme, choices: GlassChoices) -> None:
    st.markdown(
        "The maps of the same matrices $W$, cut into one head or into many. A row is a word that looks, a column a word that is "
        "looked at; click a map to follow its head."
    )
    words = shown.numbers.query_labels
    rows = []
    for h in HEADS:
        numbers = small_numbers(words, replace(choices.small_layer, n_heads=h))
        weights = module_steps(edited(numbers, shown.edits)).weights.numpy()
        codes = np.rint(weights * 255).astype(int).reshape(h, -1)
        rows.append({"h": h, "maps": codes.tolist()})
    chosen = [shown.numbers.n_heads, shown.head]
    theme_of_maps = frame(theme) | {"ramp": theme.ramp}
    _maps(
        data={"theme": theme_of_maps, "rows": rows, "words": words, "chosen": chosen},
        key="head_maps",
        on_chosen_change=state.on_event("head_maps", _follow),
    )


def _follow(event: dict[str, Any]) -> None:
    h, head = event["follow"]
    state.change_own(h=HEADS[HEADS.index(h)], head=range(h).index(head))
