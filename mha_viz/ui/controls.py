"""What a person types and chooses: text, examples, model, layer, heads, word."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from mha_viz.figures.text import shown_text
from mha_viz.ui import examples, messages, state
from mha_viz.ui.messages import literal
from mha_viz.ui.model_choice import model_box
from mha_viz.ui.selection import HIDEABLE, LEAST_SHARE, Selection
from mha_viz.ui.view import View, lines

MOST_PILLS = 40
DIRECTIONS = {"query": "where it looks", "key": "who looks at it"}
UNIT_NAMES = {"token": "pieces", "word": "words", "sentence": "sentences"}
HIDE_NAMES = {"special": "special tokens", "first": "first token"}
SCALE_NAMES = {"one": "one scale", "each": "one each"}
LONGEST_WORD = 40
MEAN = "mean"


def text_box(selection: Selection) -> None:
    """The text, a button that shows it, and sentences to start from."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="text_row"):
        st.text_area(
            "Text",
            height=80,
            placeholder="Type a sentence …",
            **state.bound("text", selection.text, lambda typed: state.change(text=typed)),
        )
        # Leaving the box to press the button is what commits the text.
        st.button("Show", type="primary", key="show", on_click=state.touch)
    say_what_link_leaves_out()
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="examples_row"
    ):
        st.caption("Try:", width="content")
        for example in examples.of(selection.model):
            st.button(
                example.title,
                key=f"example {example.title}",
                type="tertiary",
                help=literal(example.text),
                on_click=state.change,
                kwargs=example.view(),
            )


def say_what_link_leaves_out() -> None:
    """Say so where the address cannot hold what was written."""
    if missing := " and ".join(state.left_out()):
        messages.notice(
            f"all of this is too long for a link: the address leaves out {missing}, so send {missing} along"
        )


def model_picker(selection: Selection) -> None:
    """The model: one of the catalog, or any hub id or folder that is typed."""
    model_box(selection.model, state.bound("model", selection.model, _choose_model))


def layer_picker(view: View) -> None:
    """The layer that is shown."""
    st.selectbox(
        "Layer",
        view.stream.attending_layers,
        **state.bound("layer", view.selection.layer, lambda layer: state.change(layer=layer)),
    )


def head_picker(view: View) -> None:
    """The heads of the layer that are shown, any number of them, and their mean."""
    choices = [*range(view.stream.layer(view.selection.layer).n_heads), MEAN]

    def choose(chosen: list[int | str]) -> None:
        heads = [head for head in chosen if isinstance(head, int)]
        state.change(heads=tuple(sorted(heads)), average=MEAN in chosen)

    shown = [*view.selection.heads, *([MEAN] if view.selection.average else [])]
    tie = state.bound("heads", shown, choose)
    if len(choices) <= MOST_PILLS:
        st.pills(
            "Heads",
            choices,
            selection_mode="multi",
            default=None,
            format_func=_head_name,
            wrap=True,
            **tie,
        )
    else:
        st.multiselect("Heads", choices, format_func=_head_name, **tie)


def _head_name(head: int | str) -> str:
    return MEAN if head == MEAN else f"H{head}"


def word_picker(view: View) -> None:
    """The word whose arcs stand out; clicking it in a picture does the same."""
    line = view.chosen_line
    words, window = line.units.tokens, view.key_window if view.by_key else view.query_window

    def choose(position: int | None) -> None:
        place = None if position is None else line.place(position)
        if place is None or window.holds(place):
            state.change(query=position)
        else:
            half = (window.stop - window.start) // 2
            state.change(query=position, start=max(0, place - half), key_start=None)

    st.selectbox(
        "Word",
        np.flatnonzero(line.kept).tolist(),
        index=None,
        placeholder="all words",
        format_func=lambda position: (
            f"{position} · {shown_text(words[position].text, LONGEST_WORD)}"
        ),
        **state.bound("query", None if view.chosen is None else view.selection.query, choose),
    )


def reading_pickers(view: View) -> None:
    """How the picture is read: which way, in what units, what is left out, on what scale."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="reading"):
        ask = state.bound("reading", view.selection.reading, partial(_turn, view))
        pick_one("Ask a word", DIRECTIONS, ask)
        read_in = state.bound("unit", view.selection.unit, partial(_read_in, view))
        pick_one("Read in", UNIT_NAMES, read_in)
        st.pills(
            "Leave out",
            HIDEABLE,
            selection_mode="multi",
            format_func=HIDE_NAMES.__getitem__,
            width="content",
            **state.bound(
                "hide", list(view.selection.hide), lambda chosen: state.change(hide=tuple(chosen))
            ),
        )
        if view.selection.hide:
            st.toggle(
                "Rescale rows",
                help="Stretch what is left of each row to the sum it had.",
                **state.bound(
                    "rescale", view.selection.rescale, lambda on: state.change(rescale=on)
                ),
            )
        scale = state.bound("scale", view.selection.scale, lambda scale: state.change(scale=scale))
        pick_one("Colours", SCALE_NAMES, scale)


def pick_one(label: str, names: Mapping[Any, str], tie: state.Bound) -> None:
    """One of a few, side by side.

    Args:
        label: What is chosen.
        names: What there is to choose from, and what each is called.
        tie: What it belongs to.
    """
    st.segmented_control(
        label,
        list(names),
        format_func=names.__getitem__,
        required=True,
        width="content",
        **tie,
    )


def _turn(view: View, reading: str) -> None:
    """The other way round, the same word stays chosen, where it is one of both lines."""
    chosen = view.selection.query if view.stream.same_tokens else None
    state.change(reading=reading, query=chosen)


def _read_in(view: View, unit: str) -> None:
    """In other units, the same word stays chosen and the same part is shown."""
    before = view.queries, view.keys
    after = lines(view.stream, view.source, replace(view.manner, unit=unit))

    def moved(side: int, position: int) -> int:
        return after[side].units.groups[before[side].units.starts[position]]

    chosen, first = view.selection.query, view.queries.position(view.query_window.start)
    state.change(
        unit=unit,
        query=None if chosen is None else moved(view.by_key, chosen),
        start=after[0].place(moved(0, first)) or 0,
        key_start=None,
    )


def share_picker(view: View) -> None:
    """How much of each word's weight the arcs hold: more arcs, or fewer."""
    what = "what a word receives" if view.by_key else "a word's weight"
    st.slider(
        f"Arcs hold this share of {what}",
        min_value=LEAST_SHARE,
        max_value=100,
        step=5,
        format="%d %%",
        **state.bound("share", view.selection.share, lambda share: state.change(share=share)),
    )


def more_pickers(view: View) -> None:
    """What only some models need: the kind of attention, and the target."""
    if len(view.record.streams) > 1:
        kind, target = st.columns([1, 2])
        with kind:
            st.segmented_control(
                "Attention",
                view.record.streams,
                required=True,
                **state.bound(
                    "stream",
                    view.stream.name,
                    lambda name: state.change(stream=name, query=None, start=0, key_start=None),
                ),
            )
        with target:
            st.text_input(
                "Target: what the decoder is made to say",
                **state.bound(
                    "target",
                    view.selection.target,
                    lambda typed: state.change(target=typed, query=None),
                ),
            )


def _choose_model(name: str | None) -> None:
    name = (name or "").strip() or Selection().model
    state.confirm_model(name)
    state.change(model=name, **examples.instead_of(state.selection().text, name))
