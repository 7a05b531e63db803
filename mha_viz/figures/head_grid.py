"""Every head of a model in one picture: layers down, heads across, one stitched map."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, UInt8

from mha_viz.errors import ShapeError
from mha_viz.figures.checks import check_weights
from mha_viz.figures.click_targets import unseen_markers
from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import LIGHT, Theme, figure_layout, weight_bar, with_opacity

MOST_CELLS = 64
SMALLEST_LABEL, LARGEST_MAP = 22, 220
LEFT, BOTTOM = 40, 52
# How much of its place a map fills.
MAP = 0.9
FULL_COLOUR = 255


def pool_maximum(
    weights: Float[np.ndarray, "n_heads n_query n_key"], size: int = MOST_CELLS
) -> tuple[Float[np.ndarray, "n_heads n_rows n_columns"], int]:
    """Maps small enough to be drawn small: each block of cells becomes its largest weight.

    A mean would wash out what matters, one heavy cell among many that are almost 0.

    Args:
        weights: Maps of one layer.
        size: The most rows and columns that may be left.

    Returns:
        The maps, and how many tokens a row or a column now stands for.

    Raises:
        ShapeError: If `weights` is no array of maps.
    """
    check_weights(weights, 3, "weights of one layer")
    factor = math.ceil(max(weights.shape[1:]) / size)
    if factor == 1:
        return weights, 1
    for axis in (1, 2):
        starts = np.arange(0, weights.shape[axis], factor)
        weights = np.maximum.reduceat(weights, starts, axis=axis)
    return weights, factor


def head_grid(
    weights_of_layers: Sequence[Float[np.ndarray, "_ _ _"] | None],
    *,
    title: str,
    theme: Theme = LIGHT,
    selected: Mapping[tuple[int, int], str] | None = None,
    zmax: float = 1.0,
    pooled: int = 1,
    summaries: Mapping[tuple[int, int], str] | None = None,
    width: float = 1000,
) -> go.Figure:
    """Small maps of all heads on one colour scale; a click anywhere on a map gives `customdata` [layer, head].

    Args:
        weights_of_layers: Weights after the softmax, (n_heads, n_query, n_key) a layer; None where a layer has no
            attention. Maps of more than 64 tokens are pooled here.
        title: Plain text.
        theme: Colours.
        selected: The colour of the frame of each map to be framed, by (layer, head).
        zmax: The weight that has the last colour.
        pooled: How many tokens a cell stands for already, along each side.
        summaries: A sentence a head, shown on hovering.
        width: Pixels at which the maps of a square head are square.

    Raises:
        ShapeError: If a layer is no array of maps, if none has weights, or if layers differ in their numbers of tokens.
    """
    _check_layers(weights_of_layers)
    maps: list[np.ndarray | None] = []
    for weights in weights_of_layers:
        small, factor = (None, 1) if weights is None else pool_maximum(weights)
        maps.append(small)
        pooled = max(pooled, factor)
    attending = [small for small in maps if small is not None]
    n_heads = max(len(small) for small in attending)
    pairs = [
        (layer, head)
        for layer, small in enumerate(maps)
        if small is not None
        for head in range(len(small))
    ]
    capped = any(bool((small > zmax).any()) for small in attending)
    figure = go.Figure(
        layout=grid_layout(
            n_heads,
            len(maps),
            attending[0].shape[1:],
            title=title,
            theme=theme,
            pooled=pooled,
            width=width,
        )
    )
    figure.add_trace(_stitched(maps, n_heads, theme, zmax, capped=capped))
    figure.add_trace(_frames(pairs, theme.grid, 1))
    for pair, colour in (selected or {}).items():
        figure.add_trace(_frames([pair], colour, 3))
    for layer, small in enumerate(maps):
        if small is None:
            figure.add_annotation(no_attention(layer, n_heads, theme))
    figure.add_trace(_markers(pairs, summaries or {}))
    return figure


def _check_layers(weights_of_layers: Sequence[Any]) -> None:
    attending = {
        layer: weights for layer, weights in enumerate(weights_of_layers) if weights is not None
    }
    for layer, weights in attending.items():
        check_weights(weights, 3, f"weights of layer {layer}")
    sizes = {weights.shape[1:] for weights in attending.values()}
    if len(sizes) != 1:
        raise ShapeError(
            f"expected layers with maps of one size, got {sorted(sizes) or 'no layer with attention'}; "
            "give the layers of one stream of one text"
        )


def grid_layout(
    n_heads: int,
    n_layers: int,
    shape: tuple[int, ...],
    *,
    title: str,
    theme: Theme,
    pooled: int,
    width: float,
    invitation: str = "",
) -> dict[str, Any]:
    """The frame and the axes: heads across, layers down.

    Args:
        n_heads: The most heads a layer has.
        n_layers: Layers of the model.
        shape: Rows and columns of a map.
        title: Plain text.
        theme: Colours.
        pooled: How many tokens a cell stands for, along each side.
        width: Pixels at which the maps of a square head are square.
        invitation: What can be done with the maps, where something can.
    """
    pitch = min((width - LEFT) / n_heads, LARGEST_MAP)
    row = max(pitch * shape[0] / shape[1], SMALLEST_LABEL)
    captions = [
        " ".join(["One small map a head: rows look, columns are looked at.", invitation]).strip()
    ]
    if pooled > 1:
        captions.append(
            f"Pooled {pooled}×{pooled} by maximum: a cell is the largest of {pooled}×{pooled} weights."
        )
    top = 64 + 18 * len(captions)
    step = math.ceil(SMALLEST_LABEL * 1.4 / pitch)
    layout = figure_layout(
        theme,
        title=title,
        captions=captions,
        height=top + row * n_layers + BOTTOM,
        margin={"l": LEFT, "r": 8, "t": top, "b": BOTTOM},
    )
    return layout | {
        # Maps touch nowhere, so that the nearest marker is the marker of the map under the pointer.
        "hoverdistance": -1,
        "xaxis": {
            **_axis("H", n_heads, step, theme),
            "side": "top",
            # Few maps stay small instead of filling the page.
            "range": [-0.5, max(n_heads, (width - LEFT) / LARGEST_MAP) - 0.5],
        },
        "yaxis": {**_axis("L", n_layers, 1, theme), "range": [n_layers - 0.5, -0.5]},
    }


def _axis(letter: str, count: int, step: int, theme: Theme) -> dict[str, Any]:
    shown = list(range(0, count, step))
    return {
        "tickmode": "array",
        "tickvals": shown,
        "ticktext": [f"{letter}{index}" for index in shown],
        "tickfont": {"size": 13, "color": theme.muted},
        "tickangle": 0,
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
        "showline": False,
        "automargin": False,
        "fixedrange": True,
    }


def _stitched(
    maps: Sequence[np.ndarray | None], n_heads: int, theme: Theme, zmax: float, *, capped: bool
) -> go.Heatmap:
    """All maps in one trace of one byte a cell, a free row and column after each."""
    n_query, n_key = next(small.shape[1:] for small in maps if small is not None)
    cells = np.zeros((len(maps) * (n_query + 1), n_heads * (n_key + 1)), np.uint8)
    for layer, small in enumerate(maps):
        for head, weights in enumerate(() if small is None else small):
            rows = slice(layer * (n_query + 1), layer * (n_query + 1) + n_query)
            columns = slice(head * (n_key + 1), head * (n_key + 1) + n_key)
            cells[rows, columns] = _bytes(weights, zmax)
    return go.Heatmap(
        z=cells[:-1, :-1],
        **grid_cells(len(maps), n_heads, (n_query, n_key), theme, zmax, capped=capped),
    )


def grid_cells(
    n_layers: int,
    n_heads: int,
    shape: tuple[int, int],
    theme: Theme,
    zmax: float,
    *,
    capped: bool,
) -> dict[str, Any]:
    """How the cells of all maps are drawn as one map, whatever their weights.

    Args:
        n_layers: How many maps there are from top to bottom.
        n_heads: How many from left to right.
        shape: Rows and columns of a map.
        theme: Colours.
        zmax: The weight that has the last colour, which is the value 255.
        capped: Whether there are larger weights.
    """
    return {
        "x": _edges(n_heads, shape[1]),
        "y": _edges(n_layers, shape[0]),
        "zmin": 0,
        "zmax": FULL_COLOUR,
        # What is free is 0, and 0 lets the page show through.
        "colorscale": [(0.0, with_opacity(theme.ramp[0], 0)), *theme.colour_scale[1:]],
        "colorbar": weight_bar(theme, zmax, capped=capped, last=FULL_COLOUR),
        "hoverinfo": "skip",
    }


def _bytes(
    weights: Float[np.ndarray, "n_query n_key"], zmax: float
) -> UInt8[np.ndarray, "n_query n_key"]:
    """A colour has 256 steps: one byte a weight shows the same as four, and a page gets it four times as fast."""
    return np.rint(np.clip(weights / zmax, 0, 1) * FULL_COLOUR).astype(np.uint8)


def _edges(n_maps: int, n_cells: int) -> Float[np.ndarray, " n_edges"]:
    """Where cells begin and end: map m fills m - 0.45 to m + 0.45, what is between two maps is one free cell."""
    within = np.linspace(-MAP / 2, MAP / 2, n_cells + 1)
    return (np.arange(n_maps)[:, None] + within).ravel().astype(np.float32)


def _frames(pairs: Sequence[tuple[int, int]], colour: str, width: float) -> go.Scatter:
    """Frames around maps, all in one line with gaps."""
    layers, heads = np.array(pairs, np.float32).T
    reach = MAP / 2 + 0.01
    around_x = np.array([-reach, reach, reach, -reach, -reach, np.nan])
    around_y = np.array([-reach, -reach, reach, reach, -reach, np.nan])
    return go.Scatter(
        x=(heads[:, None] + around_x).ravel().astype(np.float32),
        y=(layers[:, None] + around_y).ravel().astype(np.float32),
        mode="lines",
        line={"color": colour, "width": width},
        hoverinfo="skip",
    )


def _markers(
    pairs: Sequence[tuple[int, int]], summaries: Mapping[tuple[int, int], str]
) -> go.Scatter:
    """An unseen marker in the middle of each map."""
    layers, heads = np.array(pairs, np.float32).T
    customdata = [
        [
            layer,
            head,
            plotly_text(summaries[layer, head], 160) if (layer, head) in summaries else "",
        ]
        for layer, head in pairs
    ]
    template = "<b>L%{customdata[0]} H%{customdata[1]}</b>  %{customdata[2]}"
    return unseen_markers(heads, layers, customdata, template, size=12)


def no_attention(layer: int, n_heads: int, theme: Theme) -> dict[str, Any]:
    """What stands in the place of the maps of a layer that has none, as a Plotly annotation."""
    return {
        "x": (n_heads - 1) / 2,
        "y": layer,
        "text": "no attention in this layer",
        "showarrow": False,
        "font": {"size": 13, "color": theme.muted},
    }
