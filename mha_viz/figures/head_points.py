"""Every head of a model as a square: in a grid of layers and heads, or on a map where those that look alike lie together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import LIGHT, Theme, figure_layout, weight_bar

SMALLEST, LARGEST = 9.0, 30.0
ROW, LEFT, BOTTOM, TOP = 62, 40, 64, 96
MAP_HEIGHT = 620
FADED = 0.15


@dataclass(frozen=True)
class HeadPoint:
    """A head.

    Attributes:
        layer: Which layer, from 0.
        head: Which head, from 0.
        x: Where it stands.
        y: Where it stands.
        group: What gives it its colour, where groups do.
        value: What gives it its colour, where a number does; None for none.
        size: From 0 to 1.
        label: What is written below it.
        says: What hovering says.
        shown: Whether it is not faded.
        framed: Whether it is chosen.
    """

    layer: int
    head: int
    x: float
    y: float
    group: str
    value: float | None
    size: float
    label: str
    says: str
    shown: bool = True
    framed: bool = False


def grid_of_heads(
    points: Sequence[HeadPoint],
    *,
    title: str,
    captions: list[str],
    colours: Mapping[str, str] | None,
    measure: str = "",
    in_order: bool = False,
    theme: Theme = LIGHT,
) -> go.Figure:
    """Layers down, heads across; a click on a head gives `customdata` [layer, head].

    Args:
        points: The heads; x is the place in the layer's row, y the layer.
        title: Plain text.
        captions: Plain lines.
        colours: The colour of each group; None where a number gives the colour.
        measure: What that number is called.
        in_order: Whether heads stand in another order than that of their numbers.
        theme: Colours.
    """
    n_layers = 1 + max(point.layer for point in points)
    n_heads = 1 + max(point.head for point in points)
    bare = {
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
        "showline": False,
        "fixedrange": True,
        "tickmode": "array",
        "tickangle": 0,
        "tickfont": {"size": 13, "color": theme.muted},
    }
    numbers = [] if in_order else list(range(n_heads))
    figure = go.Figure(
        layout=_layout(theme, title, captions, TOP + ROW * n_layers + BOTTOM)
        | {
            "xaxis": bare
            | {
                "side": "top",
                "tickvals": numbers,
                "ticktext": [f"H{head}" for head in numbers],
                "range": [-0.5, n_heads - 0.5],
            },
            "yaxis": bare
            | {
                "tickvals": list(range(n_layers)),
                "ticktext": [f"L{layer}" for layer in range(n_layers)],
                "range": [n_layers - 0.3, -0.6],
            },
        }
    )
    figure.add_traces(_traces(points, colours, measure, theme))
    return figure


def map_of_points(
    points: Sequence[HeadPoint],
    *,
    title: str,
    captions: list[str],
    colours: Mapping[str, str],
    theme: Theme = LIGHT,
) -> go.Figure:
    """Heads on a plane whose axes mean nothing, only distances do; a click gives `customdata` [layer, head].

    Args:
        points: The heads.
        title: Plain text.
        captions: Plain lines.
        colours: The colour of each group.
        theme: Colours.
    """
    bare = {"visible": False, "fixedrange": True}
    figure = go.Figure(
        layout=_layout(theme, title, captions, MAP_HEIGHT)
        | {"xaxis": bare, "yaxis": bare | {"scaleanchor": "x"}}
    )
    figure.add_traces(_traces(points, colours, "", theme))
    return figure


def _layout(theme: Theme, title: str, captions: list[str], height: float) -> dict[str, Any]:
    layout = figure_layout(
        theme,
        title=title,
        captions=captions,
        height=height,
        margin={"l": LEFT, "r": 8, "t": TOP, "b": BOTTOM},
    )
    return layout | {
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
            "itemclick": False,
            "itemdoubleclick": False,
            "itemsizing": "constant",
            "font": {"size": 12, "color": theme.muted},
        },
    }


def _traces(
    points: Sequence[HeadPoint], colours: Mapping[str, str] | None, measure: str, theme: Theme
) -> list[go.Scatter]:
    if colours is None:
        values = [np.nan if point.value is None else point.value for point in points]
        largest = float(np.nanmax(values)) if not np.isnan(values).all() else 1.0
        bar = weight_bar(theme, largest or 1.0, capped=False)
        marker = {
            "color": values,
            "colorscale": theme.colour_scale,
            "cmin": 0,
            "cmax": largest or 1.0,
            "colorbar": bar | {"title": bar["title"] | {"text": plotly_text(measure)}},
        }
        return [_trace(points, marker, "", theme)]
    return [
        _trace([point for point in points if point.group == group], {"color": colour}, group, theme)
        for group, colour in colours.items()
    ]


def _trace(
    points: Sequence[HeadPoint], marker: dict[str, Any], name: str, theme: Theme
) -> go.Scatter:
    opacity = [1.0 if point.shown else FADED for point in points]
    as_it_is = {"marker": {"opacity": None}}
    return go.Scatter(
        x=[point.x for point in points],
        y=[point.y for point in points],
        mode="markers+text",
        name=plotly_text(name),
        showlegend=bool(name),
        marker=marker
        | {
            "symbol": "square",
            "size": [SMALLEST + (LARGEST - SMALLEST) * point.size for point in points],
            "opacity": opacity,
            "line": {
                "color": [theme.accent if point.framed else theme.grid for point in points],
                "width": [4 if point.framed else 1 for point in points],
            },
        },
        selected=as_it_is,
        unselected=as_it_is,
        text=[plotly_text(point.label) if point.label else "" for point in points],
        textposition="bottom center",
        textfont={
            "size": 11,
            "color": [theme.ink if point.framed else theme.muted for point in points],
        },
        customdata=[
            [point.layer, point.head, plotly_text(point.says, limit=80)] for point in points
        ],
        hovertemplate="<b>L%{customdata[0]} H%{customdata[1]}</b> %{customdata[2]}<extra></extra>",
        cliponaxis=False,
    )
