"""One head's weights as a map: a query a row, a key a column."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float

from mha_viz.errors import ShapeError
from mha_viz.figures.labels import fits_flat, text_width, thinning
from mha_viz.figures.pointer import FULL_NAME, unseen_markers
from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import LIGHT, Theme, figure_layout, weight_bar

# A marker for every cell is an SVG element for every cell; above this a page would slow down.
MOST_MARKERS = 64 * 64
CELL_FOR_NUMBERS = 28
CELL_FOR_GAPS = 16
SIDE_TITLE = 38
FRAME_WIDTH = 2.5


def attention_heatmap(
    weights: Float[np.ndarray, "n_query n_key"],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    title: str,
    theme: Theme = LIGHT,
    zmax: float = 1.0,
    query: int | None = None,
    fully_masked: Bool[np.ndarray, " n_query"] | None = None,
    show_scale: bool = True,
    clickable: bool = True,
    width: float = 800,
) -> go.Figure:
    """A head's weights: x is what is looked at, y is what looks, the first token at the top.

    Up to 64 x 64 cells each cell can be clicked (`customdata` [query, key, query text, key text, weight]);
    above, cells only answer to hovering.

    Args:
        weights: Weights after the softmax; a row sums to 1 unless the model kept some back.
        query_tokens: The text of each query.
        key_tokens: The text of each key.
        title: Plain text.
        theme: Colours.
        zmax: The weight that has the last colour; give compared heads the same.
        query: The chosen query, whose row is framed and has its numbers printed where they fit.
        fully_masked: True for a query that may look at nothing; drawn hatched.
        show_scale: Whether the colour bar is drawn.
        clickable: Whether cells can be clicked.
        width: Pixels there are for the figure; cells and labels are made to fit.

    Raises:
        ShapeError: If the tokens do not name the rows and columns of `weights`.
    """
    n_query, n_key = weights.shape
    if (n_query, n_key) != (len(query_tokens), len(key_tokens)):
        raise ShapeError(
            f"expected one token a row and a column of weights {n_query} x {n_key}, "
            f"got {len(query_tokens)} query and {len(key_tokens)} key tokens; give the tokens of this map"
        )
    masked = np.zeros(n_query, bool) if fully_masked is None else fully_masked
    size = _Size.of(query_tokens, key_tokens, width, show_scale=show_scale)
    figure = go.Figure(layout=_layout(size, query_tokens, key_tokens, title, theme))
    figure.add_trace(_cells(weights, size, theme, zmax=zmax, query=query, show_scale=show_scale))
    if masked.any():
        rows = np.flatnonzero(masked)
        figure.add_trace(_hatching(rows, n_key, theme))
        for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
            figure.add_annotation(_masked_label(float(run.mean()), size, theme))
    if clickable and weights.size <= MOST_MARKERS:
        figure.add_trace(_markers(weights, query_tokens, key_tokens, masked, size.cell))
    else:
        figure.update_traces(
            selector={"type": "heatmap"},
            hoverinfo="all",
            hovertemplate=(
                "%{y} → %{x}: <b>%{z:.2f}</b>"
                "<br>query %{pointNumber[0]}, key %{pointNumber[1]}<extra></extra>"
            ),
        )
    if query is not None:
        # Half a line inside the cells: what is outside the axes is cut off.
        half, inset = 0.5, FRAME_WIDTH / 2 / size.cell
        figure.add_shape(
            type="rect",
            x0=-half + inset,
            x1=n_key - half - inset,
            y0=query - half,
            y1=query + half,
            line={"color": theme.accent, "width": FRAME_WIDTH},
        )
    return figure


@dataclass(frozen=True)
class _Size:
    """Pixels: of a cell, of the font, of the room around the map."""

    n_query: int
    n_key: int
    cell: float
    font: int
    x_angle: int
    x_step: int
    y_step: int
    left: float
    right: float
    top: float
    bottom: float

    @classmethod
    def of(
        cls,
        query_tokens: Sequence[str],
        key_tokens: Sequence[str],
        width: float,
        *,
        show_scale: bool,
    ) -> "_Size":
        """Cells as large as fits, labels as large as the cells allow."""
        longest = max(len(query_tokens), len(key_tokens))
        left = max(text_width(text, 12) for text in query_tokens) + SIDE_TITLE
        # Up to 48 pixels a cell; as many tokens as need it may have a map of 640 pixels, others stay below 520.
        room = max(min(width - left - 60, 640), 120)
        cell = min(48, room / longest, max(520 / longest, 13))
        font = int(min(max(cell * 0.8, 10), 14))
        widths = [text_width(text, font) for text in key_tokens]
        flat = fits_flat(key_tokens, cell, font)
        slanted = cell >= font * 1.5
        label_height = font * 1.3 if flat else max(widths) * (0.72 if slanted else 1) + 8
        # A slanted label leans out to the right of its column.
        lean = max(
            width * 0.72 - (len(widths) - column) * cell for column, width in enumerate(widths)
        )
        return cls(
            n_query=len(query_tokens),
            n_key=len(key_tokens),
            cell=cell,
            font=font,
            x_angle=0 if flat else -45 if slanted else -90,
            x_step=1 if flat or slanted else thinning(cell, font),
            y_step=thinning(cell, font),
            left=max(text_width(text, font) for text in query_tokens) + SIDE_TITLE,
            right=max(lean if slanted and not flat else 0, 0) + 24,
            top=48 + 26 + label_height,
            bottom=62 if show_scale else 12,
        )

    @property
    def width(self) -> float:
        return self.left + self.n_key * self.cell + self.right

    @property
    def height(self) -> float:
        return self.top + self.n_query * self.cell + self.bottom


def _layout(
    size: _Size, query_tokens: Sequence[str], key_tokens: Sequence[str], title: str, theme: Theme
) -> go.Layout:
    margin = {"l": size.left, "r": size.right, "t": size.top, "b": size.bottom}
    layout = figure_layout(theme, title=title, captions=[], height=size.height, margin=margin)
    return layout.update(
        # The title may be wider than a map of few tokens.
        width=max(size.width, text_width(title, 18, limit=120) + 30, 320),
        xaxis={
            **_axis(key_tokens, size.x_step, size.font, "looked at (key)", theme),
            "side": "top",
            "tickangle": size.x_angle,
            "range": [-0.5, size.n_key - 0.5],
            "constraintoward": "left",
        },
        yaxis={
            **_axis(query_tokens, size.y_step, size.font, "looks (query)", theme),
            "range": [size.n_query - 0.5, -0.5],
            "scaleanchor": "x",
            "constraintoward": "top",
        },
    )


def _axis(tokens: Sequence[str], step: int, font: int, title: str, theme: Theme) -> dict[str, Any]:
    """Positions with token texts: token texts as positions would merge repeated words."""
    shown = range(0, len(tokens), step)
    return {
        "title": {
            "text": title,
            "font": {"size": 13, "color": theme.muted},
            "standoff": 8,
        },
        "tickmode": "array",
        "tickvals": list(shown),
        "ticktext": [plotly_text(tokens[position]) for position in shown],
        # Hovering names a position that has no label of its own by its alias.
        "labelalias": {
            str(position): plotly_text(token)
            for position, token in enumerate(tokens)
            if position % step
        },
        "tickfont": {"size": font, "color": theme.ink},
        "ticks": "",
        "ticklabelstandoff": 4,
        "constrain": "domain",
        "showgrid": False,
        "zeroline": False,
        "linecolor": theme.grid,
        "linewidth": 1,
        "mirror": True,
        "showline": True,
        "automargin": False,
        "fixedrange": True,
    }


def _cells(
    weights: Float[np.ndarray, "n_query n_key"],
    size: _Size,
    theme: Theme,
    *,
    zmax: float,
    query: int | None,
    show_scale: bool,
) -> go.Heatmap:
    gap = 1 if size.cell >= CELL_FOR_GAPS else 0
    cells = go.Heatmap(
        z=weights.astype(np.float32, copy=False),
        zmin=0,
        zmax=zmax,
        colorscale=theme.colour_scale,
        hoverinfo="skip",
        xgap=gap,
        ygap=gap,
        showscale=show_scale,
        colorbar=weight_bar(theme, zmax, capped=bool((weights > zmax).any())),
    )
    if query is not None and size.cell >= CELL_FOR_NUMBERS:
        numbers = np.full(weights.shape, "", dtype=object)
        numbers[query] = [f"{weight:.2f}" for weight in weights[query]]
        cells.update(text=numbers, texttemplate="%{text}", textfont={"size": 12})
    return cells


def _markers(
    weights: Float[np.ndarray, "n_query n_key"],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    masked: Bool[np.ndarray, " n_query"],
    cell: float,
) -> go.Scatter:
    """An unseen square on every cell."""
    query_names = [plotly_text(token, FULL_NAME) for token in query_tokens]
    key_names = [plotly_text(token, FULL_NAME) for token in key_tokens]
    customdata = np.empty((weights.size, 5), dtype=object)
    queries, keys = np.indices(weights.shape, dtype=np.int32).reshape(2, -1)
    for index, (query, key) in enumerate(zip(queries.tolist(), keys.tolist(), strict=True)):
        number = "masked" if masked[query] else f"{weights[query, key]:.2f}"
        customdata[index] = [query, key, query_names[query], key_names[key], number]
    template = (
        "%{customdata[2]} → %{customdata[3]}: <b>%{customdata[4]}</b>"
        "<br>query %{customdata[0]}, key %{customdata[1]}"
    )
    return unseen_markers(keys, queries, customdata, template, size=cell, symbol="square")


def _hatching(rows: np.ndarray, n_key: int, theme: Theme) -> go.Scatter:
    """Hatched bars over the rows of queries that may look at nothing."""
    left, right = -0.5, n_key - 0.5
    return go.Scatter(
        x=np.tile(np.array([left, right, right, left, left, np.nan], np.float32), len(rows)),
        y=(rows[:, None] + [-0.5, -0.5, 0.5, 0.5, -0.5, np.nan]).ravel().astype(np.float32),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillpattern={
            "shape": "/",
            "size": 7,
            "solidity": 0.2,
            "fgcolor": theme.masked,
            "bgcolor": theme.ground,
        },
        hoverinfo="skip",
    )


def _masked_label(row: float, size: _Size, theme: Theme) -> dict[str, Any]:
    return {
        "x": (size.n_key - 1) / 2,
        "y": row,
        "text": "masked",
        "showarrow": False,
        "font": {"size": min(12, max(10, size.font)), "color": theme.muted},
        "bgcolor": theme.surface,
        "borderpad": 1,
    }
