"""The lines from what looks to what is looked at: their shape, thickness and arrowheads."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from mha_viz.figures.theme import with_opacity

POINTS = 17
WEIGHT_BINS = 8
# Pixels at weights 0 and 1, linear between.
THICKNESS, ARROW_SIZE = (0.6, 7.0), (6.0, 14.0)


@dataclass(frozen=True)
class Pen:
    """How lines are drawn.

    Attributes:
        colour: As #rrggbb.
        opacity: At weights 0 and 1, linear between.
        scale: Thinner than 1 where words stand close together.
    """

    colour: str
    opacity: tuple[float, float] = (0.16, 0.95)
    scale: float = 1.0


@dataclass(frozen=True)
class Curves:
    """Lines in figure coordinates, from query to key, and which way each arrives.

    Attributes:
        x: Along the words, (n_curves, n_points).
        y: Down the figure, (n_curves, n_points).
        upwards: Whether a line goes up where it ends.
    """

    x: Float[np.ndarray, "n_curves n_points"]
    y: Float[np.ndarray, "n_curves n_points"]
    upwards: np.ndarray

    def __getitem__(self, chosen: np.ndarray) -> "Curves":
        """The curves that are chosen, by index or by mask."""
        return Curves(self.x[chosen], self.y[chosen], self.upwards[chosen])

    @property
    def middle(self) -> tuple[np.ndarray, np.ndarray]:
        """The middle of each line; of an arc, its highest point."""
        return self.x[:, POINTS // 2], self.y[:, POINTS // 2]


def half_ellipses(
    start: Float[np.ndarray, " n_curves"],
    end: Float[np.ndarray, " n_curves"],
    base: Float[np.ndarray, " n_curves"],
    rise: Float[np.ndarray, " n_curves"],
) -> Curves:
    """Arcs on a line of words.

    Args:
        start: x where each arc leaves its query.
        end: x where each arc reaches its key.
        base: y of both ends.
        rise: How far the arc bows upwards; negative for one that bows down.
    """
    turn = np.linspace(0, np.pi, POINTS)
    middle, reach = (start + end) / 2, (end - start) / 2
    return Curves(
        x=middle[:, None] - reach[:, None] * np.cos(turn),
        y=base[:, None] - rise[:, None] * np.sin(turn),
        upwards=rise < 0,
    )


def links(
    start: Float[np.ndarray, " n_curves"],
    end: Float[np.ndarray, " n_curves"],
    bottom: float,
    top: float,
) -> Curves:
    """Curves from a line of queries up to a line of keys, upright at both ends.

    Args:
        start: x of each query.
        end: x of each key.
        bottom: y of the queries.
        top: y of the keys.
    """
    way = np.linspace(0, 1, POINTS)
    across = way**2 * (3 - 2 * way)
    return Curves(
        x=start[:, None] + (end - start)[:, None] * across,
        y=np.broadcast_to(bottom + (top - bottom) * way, (len(start), POINTS)),
        upwards=np.ones(len(start), bool),
    )


def lines(
    curves: Curves,
    weights: Float[np.ndarray, " n_curves"],
    pen: Pen,
) -> list[go.Scatter]:
    """One trace for each of eight steps of weight: a trace has one thickness, and one trace an arc would be slow.

    Args:
        curves: The lines.
        weights: The weight of each.
        pen: How they are drawn.
    """
    bins = np.minimum((weights * WEIGHT_BINS).astype(int), WEIGHT_BINS - 1)
    traces = []
    for step in np.unique(bins):
        weight = (step + 0.5) / WEIGHT_BINS
        traces.append(
            go.Scatter(
                x=_joined(curves.x[bins == step]),
                y=_joined(curves.y[bins == step]),
                mode="lines",
                line={
                    "color": with_opacity(
                        pen.colour, float(np.interp(weight, (0, 1), pen.opacity))
                    ),
                    "width": float(np.interp(weight, (0, 1), THICKNESS)) * pen.scale,
                    # Smooth through few points: a third of the data, and no corners.
                    "shape": "spline",
                },
                connectgaps=False,
                hoverinfo="skip",
            )
        )
    return traces


def arrowheads(
    curves: Curves,
    weights: Float[np.ndarray, " n_curves"],
    pen: Pen,
) -> go.Scatter:
    """A triangle at the key of each curve, so that its direction can be read.

    Args:
        curves: The lines.
        weights: The weight of each.
        pen: How they are drawn.
    """
    return go.Scatter(
        x=curves.x[:, -1].astype(np.float32),
        y=(curves.y[:, -1] + np.where(curves.upwards, 2, -2)).astype(np.float32),
        mode="markers",
        marker={
            "symbol": np.where(curves.upwards, "triangle-up", "triangle-down").tolist(),
            "size": (np.interp(weights, (0, 1), ARROW_SIZE) * pen.scale**0.5).astype(np.float32),
            # Opacity as a colour scale: a click on another trace would overwrite the opacity of markers.
            "color": weights.astype(np.float32),
            "cmin": 0,
            "cmax": 1,
            "colorscale": [[end, with_opacity(pen.colour, pen.opacity[end])] for end in (0, 1)],
            "line": {"width": 0},
        },
        unselected={"marker": {"opacity": 1}},
        cliponaxis=False,
        hoverinfo="skip",
    )


def _joined(points: Float[np.ndarray, "n_curves n_points"]) -> Float[np.ndarray, " n_values"]:
    """All curves in one array, with a gap after each."""
    gaps = np.full((len(points), 1), np.nan)
    return np.hstack([points, gaps]).ravel().astype(np.float32)
