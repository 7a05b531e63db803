"""The words of one line of a spotlight figure, as what Plotly writes."""

from collections.abc import Mapping, Sequence
from typing import Any

from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import Theme
from mha_viz.figures.token_marks import TokenMarks
from mha_viz.figures.word_layout import WordLine

WORD_LIMIT = 16


def word_labels(
    line: WordLine,
    tokens: Sequence[str],
    marks: TokenMarks,
    theme: Theme,
    *,
    top: float,
    chosen: int | None = None,
    tints: Mapping[int, str] | None = None,
    above: bool = False,
) -> list[dict[str, Any]]:
    """Plotly annotations: the chosen word on the accent, tinted ones on their tint, crowded ones left out.

    Args:
        line: Where the words stand.
        tokens: The text of each.
        marks: Which of them are no words of the text.
        theme: Colours.
        top: y of the line.
        chosen: The word that stands out.
        tints: What colour is behind a word, by position; tinted words are never left out.
        above: Whether arcs reach the words from below.
    """
    words = []
    for position, token in enumerate(tokens):
        tint = (tints or {}).get(position)
        if position % line.step and position != chosen and tint is None:
            continue
        added = position in marks.special
        word = {
            "text": plotly_text(token, WORD_LIMIT),
            "font": {
                "size": line.font_size,
                # On a tint the muted ink could not be read.
                "color": theme.muted if added and tint is None else theme.ink,
                "style": "italic" if added else "normal",
            },
            "showarrow": False,
            "x": float(line.centres[position]),
            "textangle": line.angle,
            "borderpad": 2 if line.angle == 0 else 0,
            **_place(line, top, above=above),
        }
        if position == chosen:
            word["font"] |= {"color": theme.on_accent, "weight": 600}
            word["bgcolor"] = theme.accent
        elif tint is not None:
            word["bgcolor"] = tint
        words.append(word)
    return words


def _place(line: WordLine, top: float, *, above: bool) -> dict[str, Any]:
    """Where a word hangs: flat ones by their middle, tilted ones by the end that is next to the arcs."""
    if line.angle == 0:
        return {"y": top + line.height / 2, "yanchor": "middle", "xanchor": "center"}
    if line.angle == -90:
        return {"y": top, "yanchor": "top", "xanchor": "center"}
    lean = line.font_size * 0.6
    if above:
        return {"y": top + line.height, "yanchor": "bottom", "xanchor": "left", "xshift": -lean}
    return {"y": top, "yanchor": "top", "xanchor": "right", "xshift": lean}
