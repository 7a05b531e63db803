"""What is chosen in each panel of the page of comparisons: a text, a model, a head, a change."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from mha_viz.core.intervention_text import to_text
from mha_viz.core.interventions import HeadOff, Temperature
from mha_viz.errors import MhaVizError
from mha_viz.ui import messages, model_cache, state
from mha_viz.ui.compare.choices import (
    LEAST_PANELS,
    MEAN,
    MOST_PANELS,
    PANELS,
    Compare,
    Wanted,
    panel_field,
    text_field,
)
from mha_viz.ui.compare.panels import Panel
from mha_viz.ui.model_choice import may_load, model_box

_HOW_TO_TYPE = """
Or type it: a word, then layer and head, counted from 0 (`*` is all of them), then how. Put `;` between several.

- `off:3.1:zero`: layer 3, head 1 gives zeros as its output
- `off:3.1:uniform`: layer 3, head 1 looks evenly at all that it may look at
- `mask:0.0:0-5,8`: layer 0, head 0 may look at positions 0 to 5 and 8 only; `-` is no position
- `temp:2.*:0.5`: every head of layer 2 divides its scores by 0.5: under 1 is sharper, over 1 softer
- `cut:3.1:10>2`: in layer 3, head 1, position 10 may not look at position 2
"""
# The last of the examples, for a model that has several kinds of attention.
_OF_KIND = "- `off:{kind}/3.1:zero`: the kind of attention stands before the layer"


def panels(target: str) -> list[Panel]:
    """Choose what each panel shows; those that can be shown.

    Args:
        target: What encoder–decoders are made to say.
    """
    chosen = state.own(Compare)
    count = chosen.n_panels if chosen.show == PANELS else 1
    found = []
    for place, column in enumerate(st.columns(count)):
        with column:
            panel = _panel(place, target)
        if panel is not None:
            found.append(panel)
    if chosen.show == PANELS:
        _more_or_fewer(chosen)
    if any(len(panel.streams) > 1 for panel in found):
        _target(target)
    return found


def _target(target: str) -> None:
    st.text_input(
        "What the decoder is made to say",
        placeholder="nothing yet: its start token alone",
        width=560,
        **state.bound("target", target, lambda typed: state.change(target=typed, query=None)),
    )


def _more_or_fewer(chosen: Compare) -> None:
    count = chosen.n_panels
    with st.container(horizontal=True, gap="small"):
        if count < MOST_PANELS:
            last = {
                panel_field(count): getattr(chosen, panel_field(count - 1)),
                text_field(count): chosen.text(count - 1),
            }
            _button("Add a panel", ":material/add:", last)
        if count > LEAST_PANELS:
            nothing = {panel_field(count - 1): "", text_field(count - 1): ""}
            _button("Remove the last panel", ":material/remove:", nothing)


def _button(label: str, icon: str, fields: dict[str, str]) -> None:
    st.button(label, icon=icon, key=label, type="tertiary", on_click=_change, kwargs=fields)


def _panel(place: int, target: str) -> Panel | None:
    """One panel's pickers; None, and a sentence, if it cannot be shown."""
    chosen = state.own(Compare)
    wanted, unread = chosen.wanted(place)
    if unread:
        messages.notice(unread)
    st.text_area(
        f"Text {place + 1}",
        height=80,
        placeholder="Type a sentence …",
        **state.bound(
            text_field(place),
            chosen.text(place),
            lambda text: _change(**{text_field(place): text}),
        ),
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _model(place, wanted)
        here = st.container(
            horizontal=True, vertical_alignment="bottom", gap="small", width="content"
        )
    panel = _open(place, wanted, chosen.text(place), target)
    if panel is not None:
        with here:
            _head(place, panel)
    return panel


def _open(place: int, wanted: Wanted, text: str, target: str) -> Panel | None:
    try:
        entry = model_cache.entry(wanted.model)
        if not may_load(entry, wanted.model, lambda: _choose_model(place, wanted, ""), f" {place}"):
            return None
        with st.spinner("Reading the text …"):
            panel = Panel.of(place + 1, wanted, text, target)
    except MhaVizError as error:
        messages.show(error)
        return None
    for sentence in panel.notices:
        messages.notice(sentence)
    return panel


def _model(place: int, wanted: Wanted) -> None:
    def choose(name: str | None) -> None:
        _choose_model(place, wanted, name or "")

    model_box(wanted.model, state.bound(f"model {place}", wanted.model, choose), width=150)


def _choose_model(place: int, wanted: Wanted, name: str) -> None:
    """Another model in a panel; the usual one for no name."""
    name = name.strip() or Wanted().model
    state.confirm_model(name)
    # What was done to heads was written for the other model's kinds of attention.
    _want(place, replace(wanted, model=name, stream="", changes=""))


def _head(place: int, panel: Panel) -> None:
    wanted, stream = panel.wanted, panel.stream
    if len(panel.streams) > 1:
        st.selectbox(
            "Attention",
            panel.streams,
            width=120,
            **_tied(place, "stream", wanted, stream.name, lambda kind: kind),
        )
    st.selectbox(
        "Layer",
        stream.attending_layers,
        width=75,
        **_tied(place, "layer", wanted, wanted.layer, lambda layer: layer),
    )
    heads = [MEAN, *range(stream.layer(wanted.layer).n_heads)]
    st.selectbox(
        "Head",
        heads,
        width=90,
        format_func=lambda head: MEAN if head == MEAN else f"H{head}",
        **_tied(
            place,
            "head",
            wanted,
            MEAN if wanted.head is None else wanted.head,
            lambda head: None if head == MEAN else head,
        ),
    )
    with st.popover("Change", icon=":material/tune:", help="Do something to heads in this panel."):
        _changes(place, panel)


def _changes(place: int, panel: Panel) -> None:
    wanted, layer = panel.wanted, panel.wanted.layer
    kind = panel.stream.name if len(panel.streams) > 1 else None
    ours = {"layer": layer, "head": wanted.head, "stream": kind}
    whose = "every head of this layer" if wanted.head is None else "this head"
    usual = {
        f"even weights in {whose}": HeadOff(**ours, how="uniform"),
        f"{whose} is sharper (temperature 0.5)": Temperature(**ours, value=0.5),
        f"{whose} is softer (temperature 2)": Temperature(**ours, value=2),
    }
    if layer:
        usual["all heads of the layer before are off"] = HeadOff(layer - 1, None, stream=kind)
    names = {"": "nothing: as the model is"} | {to_text([one]): says for says, one in usual.items()}
    if wanted.changes not in names:
        names[wanted.changes] = wanted.changes

    def choose(changes: str | None) -> None:
        changed = replace(wanted, changes=(changes or "").strip())
        _want(place, changed)

    st.selectbox(
        "What is done to heads here",
        list(names),
        format_func=lambda text: names.get(text, text),
        accept_new_options=True,
        width=360,
        help=_HOW_TO_TYPE if kind is None else f"{_HOW_TO_TYPE}{_OF_KIND.format(kind=kind)}",
        **state.bound(f"changes {place}", wanted.changes, choose),
    )


def _tied(
    place: int, name: str, wanted: Wanted, value: object, read: Callable[[Any], object]
) -> Any:  # noqa: ANN401 - a widget's own options
    """A widget that shows a part of what a panel shows and changes it."""
    return state.bound(
        f"{name} {place}",
        value,
        lambda picked: _want(place, replace(wanted, **{name: read(picked)})),
    )


def _want(place: int, wanted: Wanted) -> None:
    _change(**{panel_field(place): wanted.to_text()})


def _change(**fields: object) -> None:
    state.change_own(**fields)
