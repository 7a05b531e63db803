"""What is sent of a view: the weights once, and apart from them what changes with every choice."""

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import numpy as np

from mha_viz.core.record import Token
from mha_viz.figures.arc_selection import KeptArcs, ranks
from mha_viz.figures.arcs import arc_caption
from mha_viz.figures.head_grid import pool_maximum
from mha_viz.figures.plates import (
    Words,
    grid_plate,
    map_extras,
    map_plate,
    rows_plate,
    theme_plate,
)
from mha_viz.figures.text import shown_text
from mha_viz.figures.theme import Theme
from mha_viz.figures.token_marks import TokenMarks
from mha_viz.ui import cache
from mha_viz.ui.spotlight.payload import pack, weight_codes
from mha_viz.ui.view import View
from mha_viz.ui.window import Window

# Longer texts are sent pooled, with the windows that are shown in full.
MOST_WHOLE = 512
# Pixels: three small maps stand side by side on a wide page, two on a narrow one.
SMALL_MAP, LARGE_MAP, WHOLE_MAP = 375, 620, 320
MOST_WORDS_SMALL = 20


def weights_id(view: View) -> str:
    """A name for the weights that are sent; the same for the same weights."""
    tile = "" if _is_whole(view) else (view.query_window, view.key_window)
    return _name(view.source, view.stream.name, view.selection.layer, view.manner, view.maps, tile)


def _small_maps_id(view: View) -> str:
    return _name("small maps", view.source, view.stream.name)


def _name(*parts: object) -> str:
    """The same for the same parts, without telling what they are."""
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def weights(view: View) -> bytes:
    """The codes of the maps that are shown."""
    name = weights_id(view)
    return cache.packed(name, lambda: _pack_weights(view, name))


def rows(view: View, theme: Theme) -> bytes:
    """Words, and which arcs are drawn between them, a row a head."""
    arcs = kept_arcs(view)
    queries = shown_words(view.queries.tokens, view.query_window)
    keys = None if view.one_line else shown_words(view.keys.tokens, view.key_window)
    plate = rows_plate(arcs, queries, keys, theme)
    plate["queries"]["window"] = _limits(view.query_window)
    if keys is not None:
        plate["keys"]["window"] = _limits(view.key_window)
    stages = plate.pop("stages")
    masked = view.reading.masked[list(view.maps), view.query_window.slice]
    heads = [
        _head(view, theme, place)
        | {"stage": stage, "masked": np.flatnonzero(masked[place]).tolist()}
        for place, stage in enumerate(stages)
    ]
    share = view.selection.share / 100
    caption = arc_caption(share, outside=arcs.n_outside, weaker=arcs.n_weaker, by_key=view.by_key)
    header = plate | {
        "weights": weights_id(view),
        "theme": theme_plate(theme),
        "reading": view.selection.reading,
        "same": view.one_line,
        "heads": heads,
        "pinned": view.chosen,
        "pinned_name": "" if view.chosen is None else shown_text(view.chosen_text),
        "caption": " ".join([caption, plate["legend"], view.said_of_hidden]).strip(),
    }
    packed = np.packbits(arcs.kept.reshape(len(heads), -1), axis=1)
    return pack(header, {"kept": packed} | _exact(view))


def maps(view: View, theme: Theme) -> bytes:
    """Heatmaps of the windows, and where a text is longer the size of an image of all of it."""
    queries = shown_words(view.queries.tokens, view.query_window)
    keys = shown_words(view.keys.tokens, view.key_window)
    sink = view.reading.sink
    plate, size = map_plate(
        queries,
        keys,
        theme,
        width=map_width(view),
        has_sink=sink is not None,
    )
    window, one_scale = view.query_window.slice, view.selection.scale == "one"
    heads = [
        _head(view, theme, place)
        | map_extras(
            size,
            theme,
            zmax=scale_end(view, index),
            masked=view.reading.masked[index, window],
            sink=None if sink is None else sink[index, window],
        )
        | {"draws_bar": place == 0 or not one_scale}
        for place, index in enumerate(view.maps)
    ]
    whole = None
    if not (view.query_window.is_whole and view.key_window.is_whole):
        whole = {
            "size": WHOLE_MAP,
            "n_query": view.query_window.total,
            "n_key": view.key_window.total,
            "unit": view.selection.unit,
        }
    header = plate | {
        "weights": weights_id(view),
        "theme": theme_plate(theme),
        "heads": heads,
        "whole": whole,
    }
    return pack(header, {})


def small_maps(view: View) -> bytes:
    """The codes of a small map of every head of every layer, token by token."""
    content, name = cache.overview(view.source, view.stream), _small_maps_id(view)

    def make() -> bytes:
        codes = [weight_codes(small) for small in content.maps if small is not None]
        return pack({"id": name}, {"codes": np.concatenate(codes)})

    return cache.packed(name, make)


def overview(view: View, theme: Theme) -> bytes:
    """What is drawn around the small maps."""
    content = cache.overview(view.source, view.stream)
    plate = grid_plate(content.maps, theme, pooled=content.pooled)
    pairs = [
        (layer, head)
        for layer, small in enumerate(content.maps)
        if small is not None
        for head in range(len(small))
    ]
    colours = {index: theme.head_colour(place) for place, index in enumerate(view.maps)}
    token_by_token = view.manner.unit == "token" and not view.manner.hide
    header = plate | {
        "codes": _small_maps_id(view),
        "theme": theme_plate(theme),
        "maps": [(layer, head, content.summaries[layer, head]) for layer, head in pairs],
        "selected": [(view.selection.layer, head, colours[head]) for head in view.selection.heads],
        "first": 0 if token_by_token else None,
    }
    return pack(header, {})


def kept_arcs(view: View) -> KeptArcs:
    """Which arcs are drawn of the maps that are shown."""
    return KeptArcs.of(
        view.weights[list(view.maps)],
        view.query_window.slice,
        view.key_window.slice,
        view.selection.share / 100,
        by_key=view.by_key,
    )


def scale_end(view: View, index: int) -> float:
    """The weight that has the last colour: 1 for all maps, or the heaviest that is shown of each."""
    return 1.0 if view.selection.scale == "one" else float(view.shown_weights[index].max()) or 1.0


def map_width(view: View) -> int:
    """Pixels for a map: several stand side by side while their words can be read."""
    return SMALL_MAP if len(view.shown_texts[1]) <= MOST_WORDS_SMALL else LARGE_MAP


def shown_words(units: Sequence[Token], window: Window) -> Words:
    """The words of a window, those that the model added and special names that a person typed told apart."""
    shown = units[window.slice]
    return Words(
        [unit.text for unit in shown],
        TokenMarks(
            [place for place, unit in enumerate(shown) if unit.special],
            [place for place, unit in enumerate(shown) if unit.typed_special],
        ),
    )


def _pack_weights(view: View, name: str) -> bytes:
    shown = view.weights[list(view.maps)]
    n_query, n_key = shown.shape[1:]
    header: dict[str, Any] = {"id": name, "n_query": n_query, "n_key": n_key, "pooled": 1}
    if _is_whole(view):
        header["tile"] = [0, n_query, 0, n_key]
        return pack(header, {"codes": weight_codes(shown)})
    queries, keys = view.query_window, view.key_window
    small, header["pooled"] = pool_maximum(shown, MOST_WHOLE)
    header["tile"] = [queries.start, queries.stop, keys.start, keys.stop]
    tile = np.ascontiguousarray(shown[:, queries.slice, keys.slice])
    return pack(header, {"codes": weight_codes(tile), "whole": weight_codes(small)})


def _is_whole(view: View) -> bool:
    """Whether the text is short enough to be sent whole."""
    return max(len(view.queries.tokens), len(view.keys.tokens)) <= MOST_WHOLE


def _exact(view: View) -> dict[str, np.ndarray]:
    """The chosen word's weights with all their digits, and the place of each in the order of the whole text."""
    chosen, chosen_window, window = view.chosen, view.query_window, view.key_window
    shown = view.weights[list(view.maps)]
    if view.by_key:
        chosen_window, window, shown = window, chosen_window, shown.swapaxes(1, 2)
    if chosen is None or not chosen_window.holds(chosen):
        return {}
    all_of_it = np.ascontiguousarray(shown[:, chosen])
    places = ranks(all_of_it)[:, window.slice].astype(np.uint16) + np.uint16(1)
    return {"exact": all_of_it[:, window.slice], "ranks": places}


def _head(view: View, theme: Theme, place: int) -> dict[str, Any]:
    index = view.maps[place]
    sink = view.reading.sink
    to_sink = [] if sink is None else [f"{sink[index].mean():.2f} to the sink"]
    return {
        "name": view.name(index),
        "colour": theme.head_colour(place),
        "note": "; ".join([view.summaries[index], *to_sink]),
    }


def _limits(window: Window) -> tuple[int, ...]:
    return tuple(asdict(window).values())
