"""What is chosen on the page of masks: whose heads, which mask, which heads get it, and what else is done to them."""

from collections.abc import Sequence

import streamlit as st

from mha_viz.core.head_masks import (
    CAUSAL,
    HALVES,
    NONE,
    OWN,
    WINDOW,
    Rows,
    painting_to_text,
)
from mha_viz.core.interventions import OFF_HOWS
from mha_viz.figures.text import shown_text
from mha_viz.figures.theme import Theme
from mha_viz.ui import state
from mha_viz.ui.controls import pick_one
from mha_viz.ui.lab.bench import Bench
from mha_viz.ui.lab.choices import (
    COMPARE,
    MOST_REACH,
    PREDICT,
    SOURCES,
    Lab,
    Restriction,
)
from mha_viz.ui.painting import paint_cells
from mha_viz.ui.seed_and_temperature import seed_picker, temperature_picker

MOST_PILLS = 40
_TASKS = {COMPARE: "Restrict and compare", PREDICT: "Predict first"}
_SOURCES = dict(zip(SOURCES, ("A model", "Our own layer"), strict=True))
_PRESETS = {
    HALVES: "First half / second half",
    CAUSAL: "Causal",
    WINDOW: "Window",
    OWN: "Paint your own",
    NONE: "No mask",
}
_HOWS = {"zero": "its output is zeros", "uniform": "its weights are even"}


def task_and_source() -> None:
    """What to do, and whose heads."""
    chosen = state.own(Lab)
    pick_one("What to do", _TASKS, state.tied("task", chosen.task))
    pick_one("Whose heads", _SOURCES, state.tied("source", chosen.source))


def our_layer() -> None:
    """What our own layer reads and is drawn from."""
    chosen = state.own(Lab)
    seed_picker(chosen.seed)
    st.toggle(
        "Four tokens",
        help="Four vectors that stand for no words, instead of your own words.",
        **state.tied("four", chosen.four),
    )
    st.caption("Width 8, two heads of width 4, one text at a time.", width="content")


def mask_pickers(bench: Bench, made: Restriction) -> None:
    """Which mask, and the heads that get it."""
    chosen = state.own(Lab)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        pick_one("Each head may only see …", _PRESETS, state.tied("preset", chosen.preset))
        if made.preset == WINDOW:
            st.slider(
                "Tokens to each side",
                min_value=0,
                max_value=MOST_REACH,
                width=180,
                **state.tied("reach", chosen.reach),
            )
        _heads("Heads that are restricted", "restricted", made.heads, bench)
        with st.popover(
            "More",
            icon=":material/tune:",
            help="Switch heads off, change their temperature, cut one link.",
        ):
            _more(bench, made, chosen)


def _more(bench: Bench, made: Restriction, chosen: Lab) -> None:
    off = tuple(head for head in chosen.off if 0 <= head < bench.n_heads)
    _heads("Switch heads off", "off", off, bench)
    pick_one(
        "A head that is off",
        {how: _HOWS[how] for how in OFF_HOWS},
        state.tied("how", chosen.how),
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        temperature_picker("Temperature of the restricted heads", chosen.temperature, width=260)
        _word(
            "In the restricted heads, this word …", "cut_query", bench.query_texts, chosen.cut_query
        )
        _word("… may not look at", "cut_key", bench.key_texts, chosen.cut_key)
    if not made.heads:
        st.caption("Temperature and cut links are for the restricted heads: choose one above.")


def painter(bench: Bench, made: Restriction, theme: Theme) -> None:
    """A grid in which one head's mask is painted."""
    if made.preset != OWN or not made.heads:
        return
    chosen = state.own(Lab)
    brush = chosen.brush if chosen.brush in made.heads else made.heads[0]
    if len(made.heads) > 1:
        pick_one(
            "Paint the mask of",
            {head: bench.name(head) for head in made.heads},
            state.tied("brush", brush),
        )
    st.caption(
        f"**Press and drag** over the cells: a filled one may be looked at. A row is a word that looks in {bench.name(brush)}, "
        "a column a word that is looked at; press a name for its whole row or column. By keyboard: arrow keys and Enter."
    )

    def paint(rows: Rows) -> None:
        state.change_own(painting=painting_to_text(made.painting | {brush: rows}), brush=brush)

    paint_cells(
        (bench.query_texts, bench.key_texts),
        made.painting[brush],
        paint,
        key="paint",
        label=f"What each word may look at in {bench.name(brush)}",
        states=("may look", "may not look"),
        theme=theme,
    )


def _heads(label: str, name: str, heads: Sequence[int], bench: Bench) -> None:
    """Any number of heads."""
    everything = list(range(bench.n_heads))
    tie = state.bound(
        name, list(heads), lambda picked: state.change_own(**{name: tuple(sorted(picked))})
    )
    if len(everything) <= MOST_PILLS:
        st.pills(
            label,
            everything,
            selection_mode="multi",
            format_func=lambda head: f"H{head}",
            wrap=True,
            width="content",
            **tie,
        )
    else:
        st.multiselect(label, everything, format_func=lambda head: f"H{head}", **tie)


def _word(label: str, name: str, texts: Sequence[str], place: int | None) -> None:
    st.selectbox(
        label,
        range(len(texts)),
        index=None,
        placeholder="none",
        format_func=lambda position: f"{position} · {shown_text(texts[position])}",
        width=260,
        **state.tied(name, place if place in range(len(texts)) else None),
    )
