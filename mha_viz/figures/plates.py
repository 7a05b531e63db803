"""Figures without their weights: what a browser needs to draw the same pictures from weights it is given apart."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from mha_viz.figures.arc_painter import FADED, FULL_TINT, STRESSED
from mha_viz.figures.arc_selection import KeptArcs
from mha_viz.figures.arcs import LEAST_SPAN
from mha_viz.figures.curves import ARROW_SIZE, THICKNESS, WEIGHT_BINS, Pen
from mha_viz.figures.head_grid import MAP, grid_cells, grid_layout, no_attention
from mha_viz.figures.heatmap import cell_style, hatching, masked_labels
from mha_viz.figures.heatmap_layout import MapSize, map_layout
from mha_viz.figures.row_layout import LinkStage, Stage, arc_stages
from mha_viz.figures.text import shown_text
from mha_viz.figures.theme import FONT_FAMILY, Theme, weight_bar
from mha_viz.figures.token_marks import TokenMarks, long_names
from mha_viz.figures.word_labels import WORD_LIMIT, word_labels
from mha_viz.figures.word_layout import WordLine

# More arcs in one row, or more words in one line, than this take Plotly longer than a frame of the screen.
MOST_PLOTLY_ARCS = 100
MOST_PLOTLY_WORDS = 24
# And more cells in all small maps than this take it longer than a tenth of a second.
MOST_PLOTLY_CELLS = 50_000


@dataclass(frozen=True)
class Words:
    """One line of words that a picture shows.

    Attributes:
        texts: What a person reads for each.
        marks: Which of them are no words of the text.
    """

    texts: Sequence[str]
    marks: TokenMarks


def rows_plate(arcs: KeptArcs, queries: Words, keys: Words | None, theme: Theme) -> dict[str, Any]:
    """Rows of words with arcs, one a head.

    Args:
        arcs: Which arcs are drawn in each row.
        queries: The words that look.
        keys: The words that are looked at, where they are another line.
        theme: Colours.

    Returns:
        `queries` and `keys`: the words and where they stand; `stages`: where lines go in each row; `half`: half the
        width of the coordinates; `curves`: how lines are drawn.
    """
    pairs = []
    for kept in arcs.kept:
        from_query, to_key = np.nonzero(kept)
        pairs.append((from_query, to_key))
    stages: Sequence[Stage] = (
        arc_stages(queries.texts, pairs, numbers=True)
        if keys is None
        else [LinkStage(queries.texts, keys.texts, numbers=True)] * len(pairs)
    )
    first = stages[0]
    return {
        "queries": _line(first.words, queries, theme, above=False),
        "keys": None if keys is None else _line(first.key_words, keys, theme, above=True),
        "stages": [stage.geometry() for stage in stages],
        "half": max(first.words.span, first.key_words.span, LEAST_SPAN) / 2,
        "legend": first.legend,
        "arcs_plotly": MOST_PLOTLY_ARCS,
        "words_plotly": MOST_PLOTLY_WORDS,
        "curves": {
            "thickness": THICKNESS,
            "arrow": ARROW_SIZE,
            "bins": WEIGHT_BINS,
            "opacity": Pen("").opacity,
            "faded": FADED,
            "stressed": STRESSED,
            "tint": FULL_TINT,
        },
    }


def map_plate(
    queries: Words,
    keys: Words,
    theme: Theme,
    *,
    width: float,
    has_sink: bool,
) -> tuple[dict[str, Any], MapSize]:
    """A heatmap without title and weights, the same for all heads.

    Args:
        queries: The words that look.
        keys: The words that are looked at.
        theme: Colours.
        width: Pixels there are.
        has_sink: Whether a column is kept free for a sink.

    Returns:
        `layout` and `cells` as Plotly takes them, `grid`: pixels of the cells; and the size, for `map_extras`.
    """
    size = MapSize.of(queries.texts, keys.texts, width, show_scale=True, has_sink=has_sink)
    layout = map_layout(
        size,
        queries.texts,
        keys.texts,
        query_marks=queries.marks,
        key_marks=keys.marks,
        title="",
        theme=theme,
    )
    return {
        "layout": layout,
        "cells": {"type": "heatmap", "x0": 0, **cell_style(size, theme)},
        "grid": {"left": size.left, "top": size.top, "cell": size.cell},
    }, size


def map_extras(
    size: MapSize,
    theme: Theme,
    *,
    zmax: float,
    masked: Bool[np.ndarray, " n_query"],
    sink: Float[np.ndarray, " n_query"] | None,
) -> dict[str, Any]:
    """What one head's map has beside its weights: its scale, hatching where a query may look at nothing, the sink.

    Args:
        size: Of the map.
        theme: Colours.
        zmax: The weight that has the last colour.
        masked: True for a query that may look at nothing.
        sink: The share of each query that goes to a learned sink.
    """
    traces, rows = [], np.flatnonzero(masked)
    if sink is not None:
        column = {"type": "heatmap", "z": sink[:, None], "x0": size.sink_x, "zmax": zmax}
        traces.append(column | cell_style(size, theme))
    if len(rows):
        traces.append(hatching(rows, size, theme).to_plotly_json())
    return {
        "zmax": zmax,
        "bar": weight_bar(theme, zmax, capped=sink is not None and bool((sink > zmax).any())),
        "traces": traces,
        "annotations": masked_labels(rows, size, theme) if len(rows) else [],
    }


def grid_plate(
    layers: Sequence[Float[np.ndarray, "_ _ _"] | None],
    theme: Theme,
    *,
    pooled: int,
    width: float = 1000,
) -> dict[str, Any]:
    """The small maps of all heads, without weights.

    Args:
        layers: The maps of each layer; None where a layer has no attention.
        theme: Colours.
        pooled: How many tokens a cell stands for, along each side.
        width: Pixels at which the maps of a square head are square.
    """
    shapes = [maps.shape for maps in layers if maps is not None]
    n_heads, shape = max(shape[0] for shape in shapes), shapes[0][1:]
    layout = grid_layout(
        n_heads,
        len(layers),
        shape,
        title="All heads",
        theme=theme,
        pooled=pooled,
        width=width,
        invitation="Click one to open it.",
    )
    layout["annotations"] = [
        no_attention(layer, n_heads, theme) for layer, maps in enumerate(layers) if maps is None
    ]
    return {
        "layout": layout,
        "cells": {
            "type": "heatmap",
            **grid_cells(len(layers), n_heads, shape, theme, 1.0, capped=False),
        },
        "cells_plotly": MOST_PLOTLY_CELLS,
        "shape": shape,
        "pooled": pooled,
        "n_layers": len(layers),
        "n_heads": n_heads,
        "map": MAP,
    }


def theme_plate(theme: Theme) -> Mapping[str, Any]:
    """The colours and the font of all pictures."""
    return asdict(theme) | {"font": FONT_FAMILY}


def _line(line: WordLine, words: Words, theme: Theme, *, above: bool) -> dict[str, Any]:
    return {
        "texts": [shown_text(text, WORD_LIMIT) for text in words.texts],
        "names": long_names(words.texts, words.marks),
        "special": sorted(words.marks.special),
        "line": {
            "centres": line.centres,
            "angle": line.angle,
            "font": line.font_size,
            "height": line.height,
            "step": line.step,
            "words": word_labels(line, words.texts, words.marks, theme, top=0, above=above),
        },
    }
