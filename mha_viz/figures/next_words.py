"""What a model expects next, as bars: now, and once its training is over."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from mha_viz.errors import ShapeError
from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import LIGHT, Theme, figure_layout, with_opacity

BAR, GROUP_TITLE, TOP, BOTTOM, LEFT, RIGHT = 26, 34, 72, 12, 104, 52
LONGEST = 13


@dataclass(frozen=True)
class NextWords:
    """The likeliest words of one model.

    Attributes:
        title: Whose they are, plain text.
        words: The likeliest first.
        probabilities: Of each.
    """

    title: str
    words: Sequence[str]
    probabilities: Sequence[float]


def next_words(
    groups: Sequence[NextWords],
    *,
    title: str,
    caption: str,
    right: Collection[str] = (),
    theme: Theme = LIGHT,
) -> go.Figure:
    """Groups of bars, one below the other, on one scale from 0 to 1.

    Args:
        groups: What is expected; each with as many probabilities as words.
        title: Plain text.
        caption: A plain line below it.
        right: Words that would be right, marked by a tick and a full colour; empty if that is not known.
        theme: Colours.

    Raises:
        ShapeError: If a group has not one probability for each word.
    """
    for group in groups:
        if len(group.words) != len(group.probabilities):
            raise ShapeError(
                f"expected one probability for each of {len(group.words)} words, got {len(group.probabilities)}"
            )
    heights = [GROUP_TITLE + BAR * len(group.words) for group in groups]
    layout = figure_layout(
        theme,
        title=title,
        captions=[caption],
        height=TOP + sum(heights) + BOTTOM,
        margin={"l": LEFT, "r": RIGHT, "t": TOP, "b": BOTTOM},
    )
    # In pixels from the top, as the words stand.
    tops = [sum(heights[:index]) for index in range(len(groups))]
    middles = [
        [top + GROUP_TITLE + BAR * (rank + 0.5) for rank in range(len(group.words))]
        for top, group in zip(tops, groups, strict=True)
    ]
    figure = go.Figure(
        layout=layout
        | {
            "annotations": [
                _heading(group.title, top, theme) for group, top in zip(groups, tops, strict=True)
            ],
            "bargap": 0.25,
            "xaxis": {"visible": False, "fixedrange": True, "range": [0, 1]},
            "yaxis": {
                "range": [sum(heights), 0],
                "fixedrange": True,
                "showgrid": False,
                "zeroline": False,
                "ticks": "",
                "tickmode": "array",
                "tickvals": [middle for group in middles for middle in group],
                "ticktext": [_name(word, right) for group in groups for word in group.words],
                "tickfont": {"size": 13, "color": theme.ink},
                "automargin": False,
            },
        }
    )
    for group, places in zip(groups, middles, strict=True):
        figure.add_trace(_bars(group, places, right, theme))
    return figure


def _heading(title: str, top: float, theme: Theme) -> dict[str, Any]:
    return {
        "text": plotly_text(title, limit=60),
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "xshift": 4 - LEFT,
        "y": top + GROUP_TITLE / 2 + 4,
        "showarrow": False,
        "font": {"size": 13, "color": theme.muted, "weight": 600},
    }


def _name(word: str, right: Collection[str]) -> str:
    return ("✓ " if word in right else "") + plotly_text(word, limit=LONGEST)


def _bars(group: NextWords, places: list[float], right: Collection[str], theme: Theme) -> go.Bar:
    full, faded = theme.output, with_opacity(theme.output, 0.4)
    return go.Bar(
        x=list(group.probabilities),
        y=places,
        width=BAR * 0.75,
        orientation="h",
        marker={
            "color": [full if not right or word in right else faded for word in group.words],
            "line": {"width": 0},
        },
        text=[f"{probability:.2f}" for probability in group.probabilities],
        textposition="outside",
        textfont={"size": 12, "color": theme.ink},
        cliponaxis=False,
        hoverinfo="skip",
    )
