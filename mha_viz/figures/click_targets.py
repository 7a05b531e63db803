"""What answers to the pointer: markers that are not drawn, since browsers report clicks on nothing else."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

# The longest name that hovering shows; labels are shorter.
FULL_NAME = 80


def unseen_markers(
    x: np.ndarray,
    y: np.ndarray,
    customdata: Sequence[Sequence[Any]],
    template: str,
    *,
    size: float,
    symbol: str = "circle",
) -> go.Scatter:
    """Markers that can be hovered and clicked, and stay unseen when they are chosen.

    Args:
        x: Of each marker.
        y: Of each marker.
        customdata: What a click on each marker says, and what hovering shows; texts already escaped.
        template: What hovering shows, with customdata by index; no text of a person may be part of it.
        size: In pixels.
        symbol: Its shape.
    """
    unseen = {"marker": {"opacity": 0}}
    return go.Scatter(
        x=x.astype(np.float32),
        y=y.astype(np.float32),
        mode="markers",
        marker={"size": size, "symbol": symbol, "opacity": 0},
        selected=unseen,
        unselected=unseen,
        # Plotly looks at every entry of a list, but takes an array as it is.
        customdata=np.array(customdata, dtype=object),
        hovertemplate=template + "<extra></extra>",
    )
