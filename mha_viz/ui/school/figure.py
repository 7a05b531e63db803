"""A figure that changes in place while a training plays: Streamlit's own charts are taken away and drawn anew."""

import math
from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from mha_viz.figures.theme import PLOTLY_CONFIG, Theme
from mha_viz.ui import state
from mha_viz.ui.served import component

_figure = component("school", "figure")


def figure(
    drawn: go.Figure,
    *,
    key: str,
    alt: str,
    theme: Theme,
    pick: Callable[[list[Any]], None] | None = None,
) -> None:
    """Show a figure.

    Args:
        drawn: The figure; its layout has a height.
        key: The same key, the same place: what changes is drawn into it.
        alt: What it shows, for who cannot see it.
        theme: Colours that it was drawn with.
        pick: Called with the data of a point that was clicked.
    """

    def chosen(event: dict[str, Any]) -> None:
        if pick is not None:
            pick(list(event["point"]))

    _figure(
        data={
            "figure": drawn.to_json(),
            "alt": alt,
            "config": PLOTLY_CONFIG | {"displayModeBar": False},
            "theme": theme.name,
        },
        key=key,
        # Its place is kept free until the browser can draw.
        height=math.ceil(drawn.layout.height),
        on_chosen_change=state.on_event(key, chosen),
    )
