"""One head's weights as a map: a query a row, a key a column, and what goes to no word beside them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float

from mha_viz.figures.checks import check_chosen, check_rows, check_tokens, check_weights
from mha_viz.figures.click_targets import unseen_markers
from mha_viz.figures.heatmap_layout import SINK, MapSize, map_layout
from mha_viz.figures.theme import LIGHT, Theme, weight_bar
from mha_viz.figures.token_marks import TokenMarks

# A marker for every cell is an SVG element for every cell; above this a page would slow down.
MOST_MARKERS = 64 * 64
CELL_FOR_NUMBERS = 28
CELL_FOR_GAPS = 16
FRAME_WIDTH = 2.5


@dataclass(frozen=True)
class Block:
    """Columns that stand side by side: the keys, or the sink.

    Attributes:
        weights: A row a query.
        x: Where the first column is.
        columns: What a click calls each column: the position of the key.
        names: What hovering calls each column.
        printed: Where the weight is printed, if it fits into a cell.
        name: What hovering calls a column where there are too many to be told apart by markers.
        position: What hovering says of a column's position.
    """

    weights: Float[np.ndarray, "n_query n_columns"]
    x: float
    columns: Sequence[int | str]
    names: Sequence[str]
    printed: Bool[np.ndarray, "n_query n_columns"]
    name: str = "%{x}"
    position: str = ", key %{customdata[1]}"


def attention_heatmap(
    weights: Float[np.ndarray, "n_query n_key"],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    title: str,
    theme: Theme = LIGHT,
    zmax: float = 1.0,
    query: int | None = None,
    key: int | None = None,
    fully_masked: Bool[np.ndarray, " n_query"] | None = None,
    sink: Float[np.ndarray, " n_query"] | None = None,
    special_queries: Collection[int] = (),
    special_keys: Collection[int] = (),
    typed_queries: Collection[int] = (),
    typed_keys: Collection[int] = (),
    show_scale: bool = True,
    clickable: bool = True,
    width: float = 800,
) -> go.Figure:
    """A head's weights: x is what is looked at, y is what looks, the first token at the top.

    Up to 64 x 64 cells each cell can be clicked (`customdata` [query, key, query text, key text, weight], with
    "sink" as the key of a sink's cell); above, cells only answer to hovering.

    Args:
        weights: Weights after the softmax; a row sums to 1 less what goes to a sink.
        query_tokens: The text of each query.
        key_tokens: The text of each key.
        title: Plain text.
        theme: Colours.
        zmax: The weight that has the last colour; give compared heads the same.
        query: The chosen query, whose row is framed and has its numbers printed where they fit.
        key: A chosen key in its stead: the same for its column.
        fully_masked: True for a query that may look at nothing; drawn hatched.
        sink: The share of each query that goes to a learned sink, to no word: one more column, set apart.
        special_queries: Positions of queries that the model added, as [CLS]; drawn muted.
        special_keys: Positions of keys that the model added.
        typed_queries: Positions of queries that are special tokens which a person typed; hovering says so.
        typed_keys: The same among the keys.
        show_scale: Whether the colour bar is drawn.
        clickable: Whether cells can be clicked.
        width: Pixels there are for the figure; cells and labels are made to fit.

    Raises:
        ShapeError: If `weights` is no map of numbers, if tokens, sink or mask do not name its rows and columns, or
            if the chosen query or key does not exist, or if both are given.
    """
    check_weights(weights, 2, "weights of one head")
    check_tokens(weights.shape, query_tokens, key_tokens, "weights of one head")
    check_chosen(query, key, len(query_tokens), len(key_tokens))
    masked = np.zeros(len(query_tokens), bool) if fully_masked is None else fully_masked
    check_rows(masked, len(query_tokens), "fully_masked")
    query_marks = TokenMarks(special_queries, typed_queries)
    key_marks = TokenMarks(special_keys, typed_keys)
    size = MapSize.of(
        query_tokens, key_tokens, width, show_scale=show_scale, has_sink=sink is not None
    )
    in_row = (np.arange(size.n_query) == query)[:, None]
    in_column = np.arange(size.n_key) == key
    has_number = ~masked[:, None]
    names = key_marks.hover_names(key_tokens)
    blocks = [
        Block(weights, 0, range(size.n_key), names, printed=(in_row | in_column) & has_number)
    ]
    if sink is not None:
        check_weights(sink, 1, "the sink of one head")
        check_rows(sink, len(query_tokens), "sink")
        blocks.append(_sink_block(sink, size, printed=in_row & has_number))
    figure = go.Figure(
        layout=map_layout(
            size,
            query_tokens,
            key_tokens,
            query_marks=query_marks,
            key_marks=key_marks,
            title=title,
            theme=theme,
        )
    )
    figure.add_traces([_cells(block, size, theme, zmax=zmax) for block in blocks])
    capped = any(bool((block.weights > zmax).any()) for block in blocks)
    figure.data[0].update(showscale=show_scale, colorbar=weight_bar(theme, zmax, capped=capped))
    if masked.any():
        figure.add_trace(hatching(np.flatnonzero(masked), size, theme))
        for label in masked_labels(np.flatnonzero(masked), size, theme):
            figure.add_annotation(label)
    if clickable and weights.size <= MOST_MARKERS:
        query_names = query_marks.hover_names(query_tokens)
        figure.add_traces([_markers(block, query_names, masked, size.cell) for block in blocks])
    else:
        for trace, block in zip(figure.data, blocks, strict=False):
            trace.update(hoverinfo="all", hovertemplate=_hover_template(block))
    if query is not None or key is not None:
        figure.add_shape(_frame(query, key, size, theme))
    return figure


def _sink_block(
    sink: Float[np.ndarray, " n_query"], size: MapSize, *, printed: Bool[np.ndarray, "n_query 1"]
) -> Block:
    name = "the model’s sink (no word)"
    return Block(sink[:, None], size.sink_x, [SINK], [name], printed, name, position="")


def cell_style(size: MapSize, theme: Theme) -> dict[str, Any]:
    """How the cells of a map are drawn, whatever their weights."""
    gap = 1 if size.cell >= CELL_FOR_GAPS else 0
    return {
        "dx": 1,
        "zmin": 0,
        "colorscale": theme.colour_scale,
        "showscale": False,
        "hoverinfo": "skip",
        "xgap": gap,
        "ygap": gap,
    }


def _cells(block: Block, size: MapSize, theme: Theme, *, zmax: float) -> go.Heatmap:
    cells = go.Heatmap(
        z=block.weights.astype(np.float32, copy=False),
        x0=block.x,
        zmax=zmax,
        **cell_style(size, theme),
    )
    if block.printed.any() and size.cell >= CELL_FOR_NUMBERS:
        numbers = np.full(block.weights.shape, "", dtype=object)
        numbers[block.printed] = [f"{weight:.2f}" for weight in block.weights[block.printed]]
        cells.update(text=numbers, texttemplate="%{text}", textfont={"size": 12})
    return cells


def _markers(
    block: Block, query_names: Sequence[str], masked: Bool[np.ndarray, " n_query"], cell: float
) -> go.Scatter:
    """An unseen square on every cell."""
    queries, places = np.indices(block.weights.shape, dtype=np.int32).reshape(2, -1)
    customdata = [
        [
            query,
            block.columns[place],
            query_names[query],
            block.names[place],
            "masked" if masked[query] else f"{weight:.2f}",
        ]
        for query, row in enumerate(block.weights.tolist())
        for place, weight in enumerate(row)
    ]
    template = (
        "%{customdata[2]} → %{customdata[3]}: <b>%{customdata[4]}</b>"
        f"<br>query %{{customdata[0]}}{block.position}"
    )
    return unseen_markers(
        block.x + places, queries, customdata, template, size=cell, symbol="square"
    )


def _hover_template(block: Block) -> str:
    """What a cell without a marker says."""
    position = block.position.replace("customdata", "pointNumber")
    return (
        f"%{{y}} → {block.name}: <b>%{{z:.2f}}</b>"
        f"<br>query %{{pointNumber[0]}}{position}<extra></extra>"
    )


def _frame(query: int | None, key: int | None, size: MapSize, theme: Theme) -> dict[str, Any]:
    """Around the chosen row, or the chosen column."""
    # Half a line inside the cells: what is outside the axes is cut off.
    inset = FRAME_WIDTH / 2 / size.cell
    x = (-0.5 + inset, size.right_edge - inset) if key is None else (key - 0.5, key + 0.5)
    y = (-0.5 + inset, size.n_query - 0.5 - inset) if query is None else (query - 0.5, query + 0.5)
    return {
        "type": "rect",
        "x0": x[0],
        "x1": x[1],
        "y0": y[0],
        "y1": y[1],
        "line": {"color": theme.accent, "width": FRAME_WIDTH},
    }


def hatching(rows: np.ndarray, size: MapSize, theme: Theme) -> go.Scatter:
    """Hatched bars over the rows of queries that may look at nothing."""
    left, right = -0.5, size.right_edge
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


def masked_labels(rows: np.ndarray, size: MapSize, theme: Theme) -> list[dict[str, Any]]:
    """A word on each run of rows that are hatched, as Plotly annotations."""
    return [
        {
            "x": (size.n_key - 1) / 2,
            "y": float(run.mean()),
            "text": "masked",
            "showarrow": False,
            "font": {"size": min(12, max(10, size.font)), "color": theme.muted},
            "bgcolor": theme.surface,
            "borderpad": 1,
        }
        for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    ]
