"""The room around a heatmap: pixels of its cells, its labels and its margins, and the two axes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import Theme, figure_layout
from mha_viz.figures.token_marks import TokenMarks, added_text
from mha_viz.figures.word_layout import fits_flat, text_width, thinning

SIDE_TITLE = 38
SINK = "sink"
# Cells that stay free before the column of the sink.
SINK_GAP = 0.4


@dataclass(frozen=True)
class MapSize:
    """Pixels: of a cell, of the font, of the room around the map; and the columns, in cells."""

    n_query: int
    n_key: int
    sink_gap: float | None
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
        has_sink: bool,
    ) -> "MapSize":
        """Cells as large as fits, labels as large as the cells allow."""
        columns = [*key_tokens, SINK] if has_sink else key_tokens
        longest = max(len(query_tokens), len(columns) + SINK_GAP * has_sink)
        left = max(text_width(text, 12) for text in query_tokens) + SIDE_TITLE
        # Up to 48 pixels a cell; as many tokens as need it may have a map of 640 pixels, others stay below 520.
        room = max(min(width - left - 60, 640), 120)
        cell = min(48, room / longest, max(520 / longest, 13))
        font = int(min(max(cell * 0.8, 10), 14))
        widths = [text_width(text, font) for text in columns]
        flat = fits_flat(columns, cell, font)
        slanted = cell >= font * 1.5
        label_height = font * 1.3 if flat else max(widths) * (0.72 if slanted else 1) + 8
        # A slanted label leans out to the right of its column.
        lean = max(
            width * 0.72 - (len(widths) - column) * cell for column, width in enumerate(widths)
        )
        return cls(
            n_query=len(query_tokens),
            n_key=len(key_tokens),
            # Where cells are small, the last key's label needs more room before the next.
            sink_gap=max(SINK_GAP, font * 1.4 / cell - 1) if has_sink else None,
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
    def sink_x(self) -> float:
        """Where the column of the sink is, if there is one."""
        return self.n_key + (self.sink_gap or 0)

    @property
    def right_edge(self) -> float:
        """Where the last column ends."""
        return self.n_key - 0.5 if self.sink_gap is None else self.sink_x + 0.5

    @property
    def width(self) -> float:
        """Of the whole figure."""
        return self.left + (self.right_edge + 0.5) * self.cell + self.right

    @property
    def height(self) -> float:
        """Of the whole figure."""
        return self.top + self.n_query * self.cell + self.bottom


def map_layout(
    size: MapSize,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    query_marks: TokenMarks,
    key_marks: TokenMarks,
    title: str,
    theme: Theme,
) -> dict[str, Any]:
    """The frame and the axes of a heatmap, as Plotly takes them.

    Args:
        size: Pixels.
        query_tokens: The text of each query.
        key_tokens: The text of each key.
        query_marks: Which queries are no words of the text.
        key_marks: Which keys are no words of the text.
        title: Plain text.
        theme: Colours.
    """
    margin = {"l": size.left, "r": size.right, "t": size.top, "b": size.bottom}
    layout = figure_layout(theme, title=title, captions=[], height=size.height, margin=margin)
    layout |= {
        # The title may be wider than a map of few tokens.
        "width": max(size.width, text_width(title, 18, limit=120) + 30, 320),
        "xaxis": {
            **_axis(key_tokens, key_marks, size.x_step, size.font, "looked at (key)", theme),
            "side": "top",
            "tickangle": size.x_angle,
            "range": [-0.5, size.right_edge],
            "constraintoward": "left",
        },
        "yaxis": {
            **_axis(query_tokens, query_marks, size.y_step, size.font, "looks (query)", theme),
            "range": [size.n_query - 0.5, -0.5],
            "scaleanchor": "x",
            "constraintoward": "top",
        },
    }
    if size.sink_gap is not None:
        layout["xaxis"]["tickvals"].append(size.sink_x)
        layout["xaxis"]["ticktext"].append(added_text(plotly_text(SINK), theme))
    return layout


def _axis(
    tokens: Sequence[str], marks: TokenMarks, step: int, font: int, title: str, theme: Theme
) -> dict[str, Any]:
    """Positions with token texts: token texts as positions would merge repeated words."""
    labels = [marks.label(position, token, theme) for position, token in enumerate(tokens)]
    return {
        "title": {
            "text": title,
            "font": {"size": 13, "color": theme.muted},
            "standoff": 8,
        },
        "tickmode": "array",
        "tickvals": list(range(0, len(tokens), step)),
        "ticktext": labels[::step],
        # Hovering names a position that has no label of its own by its alias.
        "labelalias": {
            str(position): label for position, label in enumerate(labels) if position % step
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
