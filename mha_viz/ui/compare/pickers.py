"""What is chosen on the page of comparisons: what to start from, and in each panel a text, a model, a head, a change."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from mha_viz.errors import MhaVizError
from mha_viz.models.catalog import CATALOG
from mha_viz.ui import cache, messages, state
from mha_viz.ui.compare.choices import (
    HEADS,
    LAYERS,
    LEAST_PANELS,
    MEAN,
    MOST_PANELS,
    PANELS,
    Compare,
    Wanted,
    minimal_pair,
    panel_field,
    text_field,
)
from mha_viz.ui.compare.panels import Panel
from mha_viz.ui.messages import literal

ENCODER, DECODER = "minilm", "gpt2"
_SHOWN = {
    PANELS: "Side by side",
    LAYERS: "This head in every layer",
    HEADS: "All heads of this layer",
}


def presets() -> None:
    """What to start from, each one click."""
    chosen = state.own(Compare)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.segmented_control(
            "Show",
            list(_SHOWN),
            format_func=_SHOWN.__getitem__,
            required=True,
            width="content",
            help="The last two take model, layer, head and text from panel 1.",
            **state.bound("show", chosen.show, lambda show: _change(show=show, first=0, second=1)),
        )
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", width="content"
        ):
            st.caption("Try:", width="content")
            one, _ = chosen.wanted(0)
            _preset("big / small", "Two sentences that differ in one word.", minimal_pair())
            _preset(
                "same text twice",
                "Nothing differs: the map of differences is exactly 0.",
                {"text_2": chosen.text_1, "panel_2": chosen.panel_1},
            )
            _preset(
                "encoder / decoder",
                f"The same text read by {CATALOG[ENCODER].title} and {CATALOG[DECODER].title}. {CATALOG[DECODER].note}",
                {
                    "panel_1": replace(one, model=ENCODER, changes="").to_text(),
                    "panel_2": replace(one, model=DECODER, changes="").to_text(),
                    "text_2": chosen.text_1,
                },
                asks_for=DECODER,
            )


def _preset(title: str, help_text: str, fields: dict[str, str], asks_for: str = "") -> None:
    def apply() -> None:
        if asks_for:
            state.confirm_model(asks_for)
        _change(show=PANELS, first=0, second=1, **fields)

    st.button(
        title, key=f"preset {title}", type="tertiary", help=literal(help_text), on_click=apply
    )


def panels() -> list[Panel]:
    """Choose what each panel shows; those that can be shown."""
    chosen = state.own(Compare)
    count = chosen.n_panels if chosen.show == PANELS else 1
    found = []
    for place, column in enumerate(st.columns(count)):
        with column:
            panel = _panel(place)
        if panel is not None:
            found.append(panel)
    if chosen.show == PANELS:
        _more_or_fewer(chosen)
    return found


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


def _panel(place: int) -> Panel | None:
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
        here = st.container(horizontal=True, vertical_alignment="bottom", gap="small", width=350)
    panel = _open(place, wanted, chosen.text(place))
    if panel is not None:
        with here:
            _head(place, panel)
    return panel


def _open(place: int, wanted: Wanted, text: str) -> Panel | None:
    try:
        entry = cache.entry(wanted.model)
        if entry.kind != "bundled" and not state.is_confirmed(wanted.model):
            st.info(
                f"This link asks for the model **{literal(entry.title)}**. {literal(entry.note)}"
            )
            st.button(
                "Load it",
                key=f"confirm {place}",
                type="primary",
                on_click=state.confirm_model,
                args=(wanted.model,),
            )
            return None
        with st.spinner("Reading the text …"):
            panel = Panel.of(place + 1, wanted, text)
    except MhaVizError as error:
        messages.show(error)
        return None
    for sentence in panel.notices:
        messages.notice(sentence)
    return panel


def _model(place: int, wanted: Wanted) -> None:
    names = list(CATALOG)
    if wanted.model not in names:
        names.append(wanted.model)

    def choose(name: str | None) -> None:
        name = (name or "").strip() or Wanted().model
        state.confirm_model(name)
        _want(place, replace(wanted, model=name))

    st.selectbox(
        "Model",
        names,
        format_func=lambda name: CATALOG[name].title if name in CATALOG else name,
        accept_new_options=True,
        width=150,
        **state.bound(f"model {place}", wanted.model, choose),
    )


def _head(place: int, panel: Panel) -> None:
    wanted, stream = panel.wanted, panel.stream
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
        _changes(place, wanted)


def _changes(place: int, wanted: Wanted) -> None:
    head = "*" if wanted.head is None else wanted.head
    names = {"": "nothing: as the model is"}
    names |= {
        f"off:{wanted.layer}.{head}:uniform": "this head’s weights are even",
        f"temp:{wanted.layer}.{head}:0.5": "this head is sharper (temperature 0.5)",
        f"temp:{wanted.layer}.{head}:2": "this head is softer (temperature 2)",
    }
    if wanted.layer:
        names[f"off:{wanted.layer - 1}.*:zero"] = "all heads of the layer before are off"
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
        help="Or type it: off:3.1:zero;mask:0.0:0-5,8;temp:2.*:0.5;cut:3.1:10>2, which is layer.head, * for all.",
        **state.bound(f"changes {place}", wanted.changes, choose),
    )


def _tied(
    place: int, name: str, wanted: Wanted, value: object, read: Callable[[Any], int | None]
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
