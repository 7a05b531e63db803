"""Chosen heads as spotlights: the words once a head, and an arc from each word to the words it looks at most."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mha_viz.errors import ShapeError
from mha_viz.figures.arc_painter import RowPainter
from mha_viz.figures.picks import ArcRow, Picks, fewest_keys
from mha_viz.figures.stages import LinkStage, Stage, arc_stages
from mha_viz.figures.theme import LIGHT, Theme, figure_layout

__all__ = ["ArcRow", "fewest_keys", "spotlight_rows"]

LEAST_SPAN = 300


def spotlight_rows(
    rows: Sequence[ArcRow],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    title: str,
    theme: Theme = LIGHT,
    share: float = 0.7,
    query: int | None = None,
    caption: str = "",
) -> go.Figure:
    """Heads one below the other, each with its line of words and its arcs.

    Words that look at each other have arcs: above the words they look back, below they look ahead, and a small loop
    is a word that looks at itself. With other `key_tokens`, two lines of words are linked, keys above queries.
    Clicking a word gives `customdata` ["token", row, position, text]; hovering an arc gives its weight.
    `layout.meta` counts the arcs that are drawn and the weights above 0 that are not.

    Args:
        rows: The heads.
        query_tokens: The text of each query.
        key_tokens: The text of each key; the same as the queries, or left out, where words look at each other.
        title: Plain text.
        theme: Colours.
        share: Arcs are the fewest keys that hold this share of each query's weight.
        query: The chosen query, whose arcs stand out with their weights.
        caption: A plain line more below the title.

    Raises:
        ShapeError: If there is no head, or if the tokens do not name the rows and columns of a head's weights.
    """
    if not rows:
        raise ShapeError("expected at least one head, got none; choose a head")
    keys = query_tokens if key_tokens is None else key_tokens
    linked = list(keys) != list(query_tokens)
    for row in rows:
        if row.weights.shape != (len(query_tokens), len(keys)):
            raise ShapeError(
                f"expected weights of {row.name} for {len(query_tokens)} query and {len(keys)} key tokens, "
                f"got {row.weights.shape[0]} x {row.weights.shape[1]}; give the tokens of this map"
            )
    picks = [Picks.of(row, share) for row in rows]
    numbers = query is not None
    stages: list[Stage] = (
        [LinkStage(query_tokens, keys, numbers=numbers) for _ in rows]
        if linked
        else arc_stages(
            query_tokens, [(pick.queries, pick.keys) for pick in picks], numbers=numbers
        )
    )
    drawn = sum(len(pick.weights) for pick in picks)
    hidden = sum(int((row.weights > 0).sum()) for row in rows) - drawn
    captions = [
        *([caption] if caption else []),
        f"The fewest arcs that hold {share:.0%} of each word’s weight; {hidden:,} weaker ones hidden.",
        stages[0].legend,
    ]
    tops = np.cumsum([0, *(stage.row_height for stage in stages)])
    top, height = 40 + 18 * len(captions), float(tops[-1])
    half = max(stages[0].words.span, stages[0].key_words.span, LEAST_SPAN) / 2
    margin = {"l": 12, "r": 12, "t": top, "b": 0}
    figure = go.Figure(
        layout=figure_layout(
            theme, title=title, captions=captions, height=top + height, margin=margin
        ).update(
            meta={"drawn": drawn, "hidden": hidden},
            xaxis={"visible": False, "fixedrange": True, "range": [-half, half]},
            yaxis={"visible": False, "fixedrange": True, "range": [height, 0]},
        )
    )
    annotations = []
    for index, row in enumerate(rows):
        painter = RowPainter(
            index=index,
            top=float(tops[index]),
            row=row,
            pick=picks[index],
            stage=stages[index],
            theme=theme,
            query=query,
            query_tokens=query_tokens,
            key_tokens=keys,
        )
        figure.add_traces(painter.traces())
        annotations += painter.annotations()
    # One update for all: each add_annotation would validate all those before it again.
    figure.layout.annotations = annotations
    return figure
