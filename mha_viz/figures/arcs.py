"""Chosen heads as spotlights: the words once a head, and an arc from each word to the words it looks at most."""

from collections.abc import Collection, Sequence

import numpy as np
import plotly.graph_objects as go

from mha_viz.errors import ShapeError
from mha_viz.figures.arc_painter import RowPainter
from mha_viz.figures.arc_selection import ArcRow, Picks
from mha_viz.figures.checks import check_chosen
from mha_viz.figures.row_layout import LinkStage, Stage, arc_stages
from mha_viz.figures.theme import LIGHT, Theme, figure_layout
from mha_viz.figures.token_marks import TokenMarks

LEAST_SPAN = 300
# More arcs than this in one row cannot be told apart.
CROWDED = 400


def spotlight_rows(
    rows: Sequence[ArcRow],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    title: str,
    theme: Theme = LIGHT,
    share: float = 0.7,
    by_key: bool = False,
    query: int | None = None,
    key: int | None = None,
    caption: str = "",
    special_queries: Collection[int] = (),
    special_keys: Collection[int] = (),
    typed_queries: Collection[int] = (),
    typed_keys: Collection[int] = (),
) -> go.Figure:
    """Heads one below the other, each with its line of words and its arcs.

    Words that look at each other have arcs: above the words they look back, below they look ahead, and a small loop
    is a word that looks at itself. With other `key_tokens`, two lines of words are linked, keys above queries.
    Clicking a word gives `customdata` ["token", row, position, text]; hovering an arc gives its weight.
    `layout.meta` counts the weights above 0: those `drawn` as arcs, those chosen but `outside` the part that is
    shown, and the weaker ones that are `hidden`.

    Args:
        rows: The heads.
        query_tokens: The text of each query.
        key_tokens: The text of each key that is shown; left out where words look at each other.
        title: Plain text.
        theme: Colours.
        share: Arcs are the fewest that hold this share of what each query gives.
        by_key: The other way round: the fewest that hold this share of what each key gets.
        query: The chosen query, whose arcs stand out with their weights.
        key: A chosen key in its stead: the arcs that arrive at it stand out, with their weights where they come from.
        caption: A plain line more below the title.
        special_queries: Positions, among the queries shown, of tokens that the model added; drawn muted.
        special_keys: The same among the keys shown, where they are another line of words.
        typed_queries: Positions of special tokens that a person typed; hovering says so.
        typed_keys: The same among the keys shown, where they are another line of words.

    Raises:
        ShapeError: If there is no head, if the tokens do not name the rows and columns of a head's weights, if the
            chosen query or key does not exist, or if both are given.
    """
    if not rows:
        raise ShapeError("expected at least one head, got none; choose a head")
    keys = query_tokens if key_tokens is None else key_tokens
    linked = key_tokens is not None
    check_chosen(query, key, len(query_tokens), len(keys))
    picks = [
        Picks.of(row, *row.shown(len(query_tokens), len(keys)), share, by_key=by_key)
        for row in rows
    ]
    numbers = query is not None or key is not None
    stages: list[Stage] = (
        [LinkStage(query_tokens, keys, numbers=numbers) for _ in rows]
        if linked
        else arc_stages(
            query_tokens, [(pick.queries, pick.keys) for pick in picks], numbers=numbers
        )
    )
    captions = [
        *filter(None, [caption]),
        *_captions(picks, share, by_key=by_key, chosen=numbers),
        stages[0].legend,
    ]
    tops = np.cumsum([0, *(stage.row_height for stage in stages)])
    top, height = 40 + 18 * len(captions), float(tops[-1])
    half = max(stages[0].words.span, stages[0].key_words.span, LEAST_SPAN) / 2
    margin = {"l": 12, "r": 12, "t": top, "b": 0}
    figure = go.Figure(
        layout=figure_layout(
            theme, title=title, captions=captions, height=top + height, margin=margin
        )
        | {
            "meta": _counts(picks),
            "xaxis": {"visible": False, "fixedrange": True, "range": [-half, half]},
            "yaxis": {"visible": False, "fixedrange": True, "range": [height, 0]},
        }
    )
    query_marks = TokenMarks(special_queries, typed_queries)
    key_marks = TokenMarks(special_keys, typed_keys) if linked else query_marks
    traces, annotations = [], []
    for index, row in enumerate(rows):
        painter = RowPainter(
            index=index,
            top=float(tops[index]),
            row=row,
            pick=picks[index],
            stage=stages[index],
            theme=theme,
            query=query,
            key=key,
            query_tokens=query_tokens,
            key_tokens=keys,
            query_marks=query_marks,
            key_marks=key_marks,
        )
        traces += painter.traces()
        annotations += painter.annotations()
    # One update for all: each add_trace and add_annotation would go through all those before it again.
    figure.add_traces(traces)
    figure.layout.annotations = annotations
    return figure


def _counts(picks: Sequence[Picks]) -> dict[str, int]:
    return {
        "drawn": sum(len(pick.weights) for pick in picks),
        "outside": sum(pick.n_outside for pick in picks),
        "hidden": sum(pick.n_weaker for pick in picks),
    }


def _captions(picks: Sequence[Picks], share: float, *, by_key: bool, chosen: bool) -> list[str]:
    """What is drawn, what is not, and what can be done where that is too much."""
    counts = _counts(picks)
    lines = [arc_caption(share, outside=counts["outside"], weaker=counts["hidden"], by_key=by_key)]
    most = max(len(pick.weights) for pick in picks)
    if most > CROWDED and not chosen:
        lines.append(f"{most:,} arcs in one row lie over each other; choose a word to see its own.")
    return lines


def arc_caption(share: float, *, outside: int, weaker: int, by_key: bool = False) -> str:
    """Which arcs are drawn, and how many are not.

    Args:
        share: Of each word's weight that the arcs hold.
        outside: Chosen arcs with one end outside the part that is shown.
        weaker: Arcs that are not among the chosen.
        by_key: Whether arcs were chosen by what each word gets, instead of by what it gives.
    """
    weight = "what each word receives" if by_key else "each word’s weight"
    way = "come from" if by_key else "go to"
    leaving = f"{outside:,} of them {way} words outside this part; " if outside else ""
    return f"The fewest arcs that hold {share:.0%} of {weight}; {leaving}{weaker:,} weaker ones hidden."
