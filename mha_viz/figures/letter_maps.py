"""Small maps of all heads on a few letters that are said twice, with the cells framed that an induction head looks at."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from mha_viz.figures.head_grid import LARGEST_MAP, LEFT, MAP, head_grid
from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import LIGHT, Theme

# Pixels of a cell from which on its letter can be read.
SMALLEST_LETTER = 11
LETTER_FONT = 11


def letter_maps(
    weights_of_layers: Sequence[Float[np.ndarray, "_ _ _"]],
    letters: Sequence[str],
    *,
    title: str,
    theme: Theme = LIGHT,
    width: float,
) -> go.Figure:
    """A map a head, a framed cell for each letter that was there before.

    Args:
        weights_of_layers: Weights after the softmax, (n_heads, n_query, n_key) a layer.
        letters: What is read, one half said twice.
        title: Plain text.
        theme: Colours.
        width: Pixels of the figure.

    Raises:
        ShapeError: If a layer is no array of maps, or if layers differ in their numbers of tokens.
    """
    figure = head_grid(weights_of_layers, title=title, theme=theme, width=width)
    n, n_heads = len(letters), max(len(layer) for layer in weights_of_layers)
    cell = MAP / n
    pixels = cell * min((width - LEFT) / n_heads, LARGEST_MAP)
    heads = [(at, head) for at, maps in enumerate(weights_of_layers) for head in range(len(maps))]
    half = n // 2
    figure.add_trace(
        go.Scatter(
            x=[
                _place(head, query - half + 1, cell)
                for _, head in heads
                for query in range(half, n - 1)
            ],
            y=[_place(layer, query, cell) for layer, _ in heads for query in range(half, n - 1)],
            mode="markers",
            marker={
                "symbol": "square-open",
                "size": pixels,
                "color": theme.accent,
                "line": {"width": 1, "color": theme.accent},
            },
            hoverinfo="skip",
        )
    )
    if pixels >= SMALLEST_LETTER:
        figure.add_trace(_letters(heads, letters, cell, theme))
    return figure


def _letters(
    heads: Sequence[tuple[int, int]], letters: Sequence[str], cell: float, theme: Theme
) -> go.Scatter:
    """The letters that look, left of each map, and those that are looked at, below it."""
    edge = MAP / 2 + cell / 2
    written = [plotly_text(letter) for letter in letters]
    points = [
        point
        for layer, head in heads
        for at in range(len(letters))
        for point in (
            (head - edge, _place(layer, at, cell), written[at]),
            (_place(head, at, cell), layer + edge, written[at]),
        )
    ]
    x, y, text = zip(*points, strict=True)
    return go.Scatter(
        x=x,
        y=y,
        text=text,
        mode="text",
        textfont={"size": LETTER_FONT, "color": theme.muted},
        cliponaxis=False,
        hoverinfo="skip",
    )


def _place(map_index: int, cell_index: int, cell: float) -> float:
    """The middle of a cell on the axis on which maps are one apart."""
    return map_index - MAP / 2 + (cell_index + 0.5) * cell
