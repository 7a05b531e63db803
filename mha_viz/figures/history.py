"""A training as curves: one score of every head over the steps, and the loss below it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Int

from mha_viz.errors import ShapeError
from mha_viz.figures.curve_axes import axis_title, bare_axis
from mha_viz.figures.theme import LIGHT, Theme, figure_layout, with_opacity

HEIGHT, TOP, BOTTOM, LEFT, RIGHT = 516, 122, 48, 56, 52
SCORES, LOSS = (0.32, 1.0), (0.0, 0.2)


@dataclass(frozen=True)
class Marks:
    """What is marked in a history.

    Attributes:
        step: The step that is looked at.
        head: Layer and head whose curve stands out.
        null: What a head reaches that sees no words.
        birth: The step at which the best score is half-way to its end.
        rise: First and last step of the stretch in which the score rises fastest; None for none.
    """

    step: int
    head: tuple[int, int]
    null: float
    birth: int
    rise: tuple[int, int] | None


def head_history(
    steps: Int[np.ndarray, " n_steps"],
    scores: Float[np.ndarray, "n_steps n_layers n_heads"],
    loss: Float[np.ndarray, " n_steps"],
    marks: Marks,
    *,
    title: str,
    captions: Sequence[str],
    theme: Theme = LIGHT,
) -> go.Figure:
    """One curve a head above, the loss below, on the same steps.

    At the chosen step a dot names the head that is best there.

    Args:
        steps: When was measured, ascending.
        scores: What each head reached.
        loss: The training loss; NaN where there is none.
        marks: What stands out.
        title: Plain text.
        captions: Plain lines below it.
        theme: Colours.

    Raises:
        ShapeError: If the chosen step was not measured.
    """
    if marks.step not in steps:
        raise ShapeError(
            f"step {marks.step} was not measured; choose one of {', '.join(map(str, steps))}"
        )
    layout = figure_layout(
        theme,
        title=title,
        captions=list(captions),
        height=HEIGHT,
        margin={"l": LEFT, "r": RIGHT, "t": TOP, "b": BOTTOM},
    )
    figure = go.Figure(
        layout=layout
        | _axes(steps, loss, theme)
        | {"shapes": _shapes(marks, theme), "annotations": _names(steps, scores, marks, theme)}
    )
    n_layers, n_heads = scores.shape[1:]
    heads = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    # What stands out is drawn last, above the others.
    heads.sort(key=lambda head: head == marks.head)
    figure.add_traces([_curve(steps, scores, head, marks, theme) for head in heads])
    figure.add_trace(_null(steps, marks, theme))
    figure.add_trace(_best_here(steps, scores, marks, theme))
    figure.add_trace(_loss(steps, loss, theme))
    return figure


def head_name(head: tuple[int, int]) -> str:
    """What a head is called."""
    return f"L{head[0]} H{head[1]}"


def best_at(
    steps: Int[np.ndarray, " n_steps"],
    scores: Float[np.ndarray, "n_steps n_layers n_heads"],
    step: int,
) -> tuple[tuple[int, int], float]:
    """Layer and head of the best head at a step, and its score."""
    here = scores[int(np.flatnonzero(steps == step)[0])]
    layer, head = np.unravel_index(here.argmax(), here.shape)
    return (int(layer), int(head)), float(here.max())


def _axes(steps: np.ndarray, loss: np.ndarray, theme: Theme) -> dict[str, Any]:
    bare, title = bare_axis(theme), axis_title(theme)
    last, highest = float(steps[-1]), float(np.nanmax(loss)) if np.isfinite(loss).any() else 1.0
    # A little room beside the ends: a marker at step 0 is not cut in half.
    return {
        "xaxis": bare
        | {
            "title": title | {"text": "training step"},
            "range": [-last * 0.015, last * 1.01],
            "anchor": "y2",
            "showgrid": False,
            "tickformat": ",d",
            "nticks": 5,
        },
        "yaxis": bare
        | {
            "title": title | {"text": "score"},
            "domain": SCORES,
            "range": [0, 1.03],
            "tickvals": [0, 0.5, 1],
            "ticktext": ["0", "0.5", "1"],
        },
        "yaxis2": bare
        | {
            "title": title | {"text": "loss"},
            "domain": LOSS,
            "range": [0, highest * 1.1],
            "anchor": "x",
            "nticks": 3,
        },
    }


def _shapes(marks: Marks, theme: Theme) -> list[dict[str, Any]]:
    shapes = [
        _upright(marks.birth, {"color": theme.accent, "width": 1, "dash": "dot"}),
        _upright(marks.step, {"color": theme.ink, "width": 1.5}),
    ]
    if marks.rise is not None:
        band = {
            "type": "rect",
            "x0": marks.rise[0],
            "x1": marks.rise[1],
            "yref": "paper",
            "y0": 0,
            "y1": 1,
            "fillcolor": with_opacity(theme.accent, 0.22),
            "line": {"width": 0},
            "layer": "below",
        }
        shapes.insert(0, band)
    return shapes


def _upright(step: int, line: dict[str, Any]) -> dict[str, Any]:
    ends = {"x0": step, "x1": step, "yref": "paper", "y0": 0, "y1": 1}
    return {"type": "line", "line": line, "layer": "below"} | ends


def _names(
    steps: np.ndarray, scores: np.ndarray, marks: Marks, theme: Theme
) -> list[dict[str, Any]]:
    """The curve that stands out is named at its end, the null at its line, the birth above, the best head at its dot."""
    best, value = best_at(steps, scores, marks.step)
    to_the_left = marks.step > steps[-1] / 2
    end = float(scores[-1][marks.head])
    small = {"showarrow": False, "font": {"size": 12, "color": theme.muted}}
    bold = {"showarrow": False, "font": {"size": 13, "color": theme.accent, "weight": 600}}
    late = marks.birth > steps[-1] / 2
    return [
        bold
        | {
            "x": 1,
            "xref": "paper",
            "xanchor": "left",
            "y": end,
            "text": head_name(marks.head),
        },
        small
        | {
            "x": 1,
            "xref": "paper",
            "xanchor": "left",
            # Both names at one height could not be read.
            "y": marks.null if abs(marks.null - end) > 0.08 else marks.null - 0.08,
            "text": "null",
        },
        bold
        | {
            "x": marks.birth,
            "xanchor": "right" if late else "left",
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "text": f"born: {marks.birth:,}",
        },
        small
        | {
            "x": marks.step,
            "xanchor": "right" if to_the_left else "left",
            "xshift": -10 if to_the_left else 10,
            "y": value,
            # Above the curves, as long as that is inside the picture.
            "yshift": 14 if value < 0.8 else 0,
            # Lines run behind it.
            "bgcolor": theme.surface,
            "text": f"{head_name(best)}  {value:.2f}",
            "font": {"size": 13, "color": theme.ink},
        },
    ]


def _curve(
    steps: np.ndarray, scores: np.ndarray, head: tuple[int, int], marks: Marks, theme: Theme
) -> go.Scatter:
    chosen = head == marks.head
    name = head_name(head)
    return go.Scatter(
        x=steps,
        y=scores[:, head[0], head[1]].astype(np.float32),
        mode="lines",
        name=name,
        line={"color": theme.accent, "width": 3} if chosen else {"color": theme.muted, "width": 1},
        opacity=1 if chosen else 0.55,
        hovertemplate=f"<b>{name}</b> step %{{x:,d}}: %{{y:.2f}}<extra></extra>",
    )


def _null(steps: np.ndarray, marks: Marks, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=[int(steps[0]), int(steps[-1])],
        y=[marks.null, marks.null],
        mode="lines",
        name="null",
        line={"color": theme.ink, "width": 1.5, "dash": "dash"},
        hovertemplate="a head that sees no words: %{y:.2f}<extra></extra>",
    )


def _best_here(steps: np.ndarray, scores: np.ndarray, marks: Marks, theme: Theme) -> go.Scatter:
    """A dot on the best score of the chosen step."""
    _, value = best_at(steps, scores, marks.step)
    return go.Scatter(
        x=[marks.step],
        y=[value],
        mode="markers",
        name="best at this step",
        marker={"size": 10, "color": theme.ink, "line": {"color": theme.surface, "width": 1.5}},
        hoverinfo="skip",
        cliponaxis=False,
    )


def _loss(steps: np.ndarray, loss: np.ndarray, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=steps,
        y=loss.astype(np.float32),
        yaxis="y2",
        mode="lines",
        name="loss",
        line={"color": theme.key, "width": 2},
        hovertemplate="loss before step %{x:,d}: %{y:.2f}<extra></extra>",
    )
