"""The live picture: the browser is given the weights once and answers the pointer by itself.

`browser/` holds what runs there. Each part of the picture is a component of its own, so that a page can put them where
it likes; they share what they know in the browser. What a person chooses comes back as one event.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import streamlit as st

from mha_viz.figures.theme import Theme
from mha_viz.ui import cache, messages, state
from mha_viz.ui.selection import UNITS
from mha_viz.ui.served import component
from mha_viz.ui.spotlight import contents
from mha_viz.ui.view import View, lines

# Weights in all layers above which the picture of all heads takes seconds, and waits to be asked for.
MOST_WEIGHTS_AT_ONCE = 50_000_000
# And above which it takes long enough for a word on it.
MOST_WEIGHTS_UNSAID = 5_000_000

_layers, _weights, _rows, _maps, _small_maps, _overview, _save = (
    component("spotlight", kind)
    for kind in ("layers", "weights", "rows", "maps", "small_maps", "overview", "save")
)


def layers(view: View) -> None:
    """The layers to choose from; the picture of another one is there before the page's run of it."""
    data = {"layers": view.stream.attending_layers, "chosen": view.selection.layer}
    _draw(_layers, "layers", data, view)


def rows(view: View, theme: Theme) -> None:
    """The words, and below them a row of arcs for each head that is shown."""
    if not view.maps:
        st.info(
            "Choose one or more heads above, or click one of the small maps below.",
            icon=":material/touch_app:",
        )
        return
    _weights(data=contents.weights(view), key="weights")
    _draw(_rows, "rows", contents.rows(view, theme), view)


def maps(view: View, theme: Theme) -> None:
    """The heads that are shown as heatmaps; `rows` has to be on the same page."""
    if view.maps:
        _draw(_maps, "maps", contents.maps(view, theme), view)


def overview(view: View, theme: Theme) -> None:
    """Every head of the model as a small map; where that takes long, only when it is asked for."""
    stream = view.stream
    n_heads = sum(layer.n_heads for layer in stream.layers if layer is not None)
    n_weights = n_heads * len(stream.query_tokens) * len(stream.key_tokens)
    if n_weights > MOST_WEIGHTS_AT_ONCE and not st.toggle(
        "Draw all heads of this long text (takes a while)",
        key="draw all heads",
        on_change=state.touch,
    ):
        return
    with st.empty(), messages.spinner("Looking at every head …", n_weights > MOST_WEIGHTS_UNSAID):
        cache.overview(view.source, stream)
    _small_maps(data=contents.small_maps(view), key="small_maps")
    _draw(_overview, "overview", contents.overview(view, theme), view)


def save(figure: dict[str, Any], *, kind: str, name: str, width: float, height: float) -> None:
    """Let the browser save a figure as a file.

    Args:
        figure: `data` and `layout`, as JSON holds them.
        kind: "png" or "svg".
        name: Of the file, without its ending.
        width: In pixels.
        height: In pixels.
    """
    size = {"width": width, "height": height}
    data = {"nonce": uuid4().hex, "figure": figure, "format": kind, "name": name} | size
    _save(data=data, key="save")


def _draw(component: Callable[..., Any], key: str, data: object, view: View) -> None:
    component(
        data=data,
        key=key,
        on_chosen_change=state.on_event(key, lambda event: _choose(view, event)),
    )


def _choose(view: View, event: dict[str, Any]) -> None:
    """What was chosen in the picture; places count the words that are shown, positions all of them."""
    if "query" in event:
        place = event["query"]
        state.change(query=None if place is None else _position(view, place))
    elif "start" in event:
        key_start = event.get("key_start")
        state.change(
            start=_below(view.query_window.total, event["start"]),
            key_start=None if key_start is None else _below(view.key_window.total, key_start),
        )
    elif "open" in event:
        _open(view, _position(view, event["open"]))
    elif "head" in event:
        layer = _below(view.stream.n_layers, event["layer"])
        state.change(layer=layer, heads=(_below(view.stream.n_heads, event["head"]),))
    else:
        state.change(layer=_below(view.stream.n_layers, event["layer"]))


def _position(view: View, place: int) -> int:
    line = view.chosen_line
    return line.position(_below(len(line.tokens), place))


def _below(total: int, number: int) -> int:
    """The number, if it is one from 0 to below `total`; a ValueError for whatever else a browser may send."""
    return range(total).index(number)


def _open(view: View, position: int) -> None:
    """From a sentence to its words, from a word to its pieces."""
    if view.selection.unit == UNITS[0]:
        return
    finer = UNITS[UNITS.index(view.selection.unit) - 1]
    by_finer = lines(view.stream, view.source, replace(view.manner, unit=finer))
    line = by_finer[view.by_key]
    first = line.units.groups[view.chosen_line.units.starts[position]]
    state.change(unit=finer, query=None, start=line.place(first) or 0, key_start=None)
