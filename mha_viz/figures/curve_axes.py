"""The axes of curves over training steps, as Plotly takes them."""

from typing import Any

from mha_viz.figures.theme import Theme


def bare_axis(theme: Theme) -> dict[str, Any]:
    """An axis of a faint grid and small numbers, which cannot be dragged."""
    return {
        "fixedrange": True,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "gridcolor": theme.grid,
        "tickfont": {"size": 12, "color": theme.muted},
        "automargin": False,
    }


def axis_title(theme: Theme) -> dict[str, Any]:
    """How its title is written; the text is still to be set."""
    return {"font": {"size": 13, "color": theme.muted}, "standoff": 8}
