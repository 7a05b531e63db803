"""A grid of cells in which a person paints: a row for each word that looks, a column for each that is looked at."""

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from mha_viz.core.head_masks import Rows
from mha_viz.figures.text import shown_text
from mha_viz.figures.theme import FONT_FAMILY, Theme
from mha_viz.ui import state
from mha_viz.ui.served import component

_paint = component("lab", "paint")


def paint_cells(
    words: tuple[Sequence[str], Sequence[str]],
    rows: Rows,
    apply: Callable[[Rows], None],
    *,
    key: str,
    label: str,
    states: tuple[str, str],
    theme: Theme,
) -> None:
    """Show the grid.

    Args:
        words: The words that look, and those that are looked at.
        rows: Which cells are filled.
        apply: Called with the rows that the person made of it.
        key: Of the component.
        label: What the grid is, for who cannot see it.
        states: What a filled and an empty cell mean.
        theme: Colours.
    """
    queries, keys = words
    stroke = f"stroke of {key}"

    def painted(event: dict[str, Any]) -> None:
        # The browser holds on to what it has painted until it is answered.
        state.keep(stroke, index(event["stroke"]))
        # A row or cell too few or too many is no painting of these words: a ValueError, and nothing is chosen.
        apply(
            tuple(
                tuple("01".index(cell) == 1 for _, cell in zip(keys, row, strict=True))
                for _, row in zip(queries, event["rows"], strict=True)
            )
        )

    _paint(
        data={
            "theme": {
                name: getattr(theme, name) for name in ("ink", "muted", "surface", "grid", "accent")
            }
            | {"font": FONT_FAMILY},
            "queries": [shown_text(text) for text in queries],
            "keys": [shown_text(text) for text in keys],
            "rows": rows,
            "answered": state.kept(stroke) or 0,
            "label": label,
            "states": states,
        },
        key=key,
        on_chosen_change=state.on_event(key, painted),
    )
