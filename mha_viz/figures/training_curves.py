"""A training while it runs: two scores of every head over the steps, and the loss, on axes that stay where they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Int

from mha_viz.errors import ShapeError
from mha_viz.figures.curve_axes import axis_title, bare_axis
from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import LIGHT, Theme, figure_layout

HEIGHT, TOP, BOTTOM, LEFT, RIGHT = 560, 116, 48, 60, 16
# From the bottom up, as shares of the height: the loss, then the scores.
LOSS, LOWER, UPPER = (0.0, 0.22), (0.34, 0.61), (0.73, 1.0)


@dataclass(frozen=True, eq=False)
class ScoreCurves:
    """One score of every head.

    Attributes:
        title: What is scored.
        values: What each head reached at each step.
        null: What a head reaches that sees no words.
    """

    title: str
    values: Float[np.ndarray, "n_steps n_layers n_heads"]
    null: float


def training_curves(
    steps: Int[np.ndarray, " n_steps"],
    scores: tuple[ScoreCurves, ScoreCurves],
    loss: Float[np.ndarray, " n_losses"],
    *,
    last_step: int,
    title: str,
    captions: Sequence[str],
    theme: Theme = LIGHT,
) -> go.Figure:
    """Two scores one below the other, a line a head in the head's colour, and below them the loss.

    Args:
        steps: When was measured, ascending.
        scores: The upper and the lower one.
        loss: The training loss; NaN where there is none.
        last_step: Where the training is to end.
        title: Plain text.
        captions: Plain lines below it.
        theme: Colours.

    Raises:
        ShapeError: If scores or loss are not as many as the steps.
    """
    if not all(len(part) == len(steps) for part in (scores[0].values, scores[1].values, loss)):
        given = [len(part) for part in (scores[0].values, scores[1].values, loss)]
        raise ShapeError(
            f"expected two scores and a loss for each of {len(steps)} steps, got {given}"
        )
    figure = go.Figure(
        layout=figure_layout(
            theme,
            title=title,
            captions=list(captions),
            height=HEIGHT,
            margin={"l": LEFT, "r": RIGHT, "t": TOP, "b": BOTTOM},
        )
        | _axes(loss, last_step, theme)
        | {"annotations": _names(scores, theme), "showlegend": True, "legend": _legend(theme)}
    )
    for axis, score in zip(("y", "y2"), scores, strict=True):
        figure.add_traces(_lines(steps, score, axis, theme))
        figure.add_trace(_null(score.null, last_step, axis, theme))
    figure.add_trace(
        go.Scatter(
            x=steps,
            y=loss.astype(np.float32),
            yaxis="y3",
            mode="lines",
            line={"color": theme.ink, "width": 2},
            showlegend=False,
            hovertemplate="step %{x:,d}: loss %{y:.2f}<extra></extra>",
        )
    )
    return figure


def _lines(steps: np.ndarray, score: ScoreCurves, axis: str, theme: Theme) -> list[go.Scatter]:
    _, n_layers, n_heads = score.values.shape
    return [
        go.Scatter(
            x=steps,
            y=score.values[:, layer, head].astype(np.float32),
            yaxis=axis,
            mode="lines",
            name=f"L{layer} H{head}",
            legendgroup=f"L{layer} H{head}",
            showlegend=axis == "y",
            line={"color": theme.head_colour(layer * n_heads + head), "width": 2},
            hovertemplate=f"<b>L{layer} H{head}</b> step %{{x:,d}}: %{{y:.2f}}<extra></extra>",
        )
        for layer in range(n_layers)
        for head in range(n_heads)
    ]


def _null(null: float, last_step: int, axis: str, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=[0, last_step],
        y=[null, null],
        yaxis=axis,
        mode="lines",
        name="a head that sees no letters",
        showlegend=axis == "y",
        line={"color": theme.muted, "width": 1.5, "dash": "dash"},
        hovertemplate="a head that sees no letters: %{y:.2f}<extra></extra>",
    )


def _names(scores: Sequence[ScoreCurves], theme: Theme) -> list[dict[str, Any]]:
    """What is drawn, above each part."""
    titles = [*(score.title for score in scores), "Training loss"]
    tops = [UPPER[1], LOWER[1], LOSS[1]]
    return [
        {
            "text": plotly_text(text, limit=60),
            "x": 0,
            "xref": "paper",
            "xanchor": "left",
            "y": top,
            "yref": "paper",
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": 13, "color": theme.ink, "weight": 600},
        }
        for text, top in zip(titles, tops, strict=True)
    ]


def _legend(theme: Theme) -> dict[str, Any]:
    return {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        # Pixels above the drawing, as its share.
        "y": 1 + 24 / (HEIGHT - TOP - BOTTOM),
        "yanchor": "bottom",
        "font": {"size": 12, "color": theme.ink},
        "itemclick": False,
        "itemdoubleclick": False,
        "bgcolor": theme.ground,
    }


def _axes(loss: np.ndarray, last_step: int, theme: Theme) -> dict[str, Any]:
    bare, title = bare_axis(theme), axis_title(theme)
    score = bare | {
        "title": title | {"text": "score"},
        "range": [0, 1.03],
        "tickvals": [0, 0.5, 1],
        "ticktext": ["0", "0.5", "1"],
    }
    highest = float(np.nanmax(loss)) if np.isfinite(loss).any() else 1.0
    return {
        "xaxis": bare
        | {
            "title": title | {"text": "training step"},
            "range": [-last_step * 0.01, last_step * 1.01],
            "anchor": "y3",
            "showgrid": False,
            "tickformat": ",d",
            "nticks": 6,
        },
        "yaxis": score | {"domain": UPPER},
        "yaxis2": score | {"domain": LOWER, "anchor": "x"},
        "yaxis3": bare
        | {
            "title": title | {"text": "loss"},
            "domain": LOSS,
            "anchor": "x",
            "range": [0, highest * 1.1],
            "nticks": 3,
        },
    }
