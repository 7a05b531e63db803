"""The colours and the frame that all figures share, for a light and a dark page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mha_viz.figures.text import plotly_text

FONT_FAMILY = '"Source Sans", "Source Sans Pro", "Source Sans 3", sans-serif'

# showSendToCloud is on by default in plotly.js 4 and would offer to upload what a person typed.
PLOTLY_CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "showSendToCloud": False,
    "modeBarButtonsToRemove": [
        "select2d",
        "lasso2d",
        "zoom2d",
        "pan2d",
        "zoomIn2d",
        "zoomOut2d",
        "autoScale2d",
        "resetScale2d",
    ],
}


@dataclass(frozen=True)
class Theme:
    """Colours that mean the same in every figure.

    Attributes:
        name: "light" or "dark".
        ink: Words and numbers.
        muted: What explains: axis titles, captions.
        ground: Behind a figure; transparent, so that the page shows through.
        surface: The page's own colour, where something must stand out from the lines it covers.
        grid: Frames and thin lines.
        accent: The word that looks.
        on_accent: Ink on the accent.
        ramp: Weights from 0, which blends with the page, to the maximum; evenly spaced.
        diverging: Differences from the most lost over 0, which is the page, to the most gained; evenly spaced.
        masked: A query that may look at nothing.
        query: The colour of Q.
        key: The colour of K.
        value: The colour of V.
        output: The colour of what a head puts out.
        heads: Colours of heads that a colour-blind person can tell apart.
    """

    name: str
    ink: str
    muted: str
    surface: str
    grid: str
    accent: str
    on_accent: str
    ramp: tuple[str, ...] = field(repr=False)
    diverging: tuple[str, ...] = field(repr=False)
    masked: str
    query: str
    key: str
    value: str
    output: str
    heads: tuple[str, ...] = field(repr=False)
    ground: str = "rgba(0,0,0,0)"

    def head_colour(self, index: int) -> str:
        """The colour of the head that is the `index`-th of those shown; repeats after the last colour."""
        return self.heads[index % len(self.heads)]

    @property
    def colour_scale(self) -> list[tuple[float, str]]:
        """The ramp as Plotly wants a colour scale."""
        return _evenly_spaced(self.ramp)

    @property
    def diverging_scale(self) -> list[tuple[float, str]]:
        """The colours of differences as Plotly wants a colour scale."""
        return _evenly_spaced(self.diverging)


def _evenly_spaced(colours: tuple[str, ...]) -> list[tuple[float, str]]:
    last = len(colours) - 1
    return [(step / last, colour) for step, colour in enumerate(colours)]


LIGHT = Theme(
    name="light",
    ink="#22262b",
    muted="#5d6570",
    surface="#ffffff",
    grid="#dde2e8",
    accent="#b5451b",
    on_accent="#ffffff",
    ramp=("#fafcfe", "#cfe2f2", "#a6cae6", "#78aed8", "#4a8fc7", "#2870b1", "#124d8e", "#082a5c"),
    diverging=(
        *("#0b3f78", "#2870b1", "#78aed8", "#cfe2f2"),
        "#ffffff",
        *("#fbe1c6", "#efa565", "#c7661a", "#7f3906"),
    ),
    masked="#b9bec6",
    query="#b5451b",
    key="#1f6fb2",
    value="#2a7d53",
    output="#7b4fa3",
    heads=("#0063ad", "#cf4507", "#008a6c", "#7a1f6d", "#7a74e0", "#5f4210", "#33208c", "#86486e"),
)

DARK = Theme(
    name="dark",
    ink="#e8eaee",
    muted="#a2abb8",
    surface="#0e1117",
    grid="#2c3440",
    accent="#ff9d5c",
    on_accent="#1d0f06",
    ramp=("#10151d", "#16385a", "#1b5280", "#246fa8", "#3b8fca", "#68b0e3", "#a6d2f3", "#e8f5ff"),
    diverging=(
        *("#b5dbf7", "#5fabe0", "#2b7abb", "#1a4166"),
        "#0e1117",
        *("#5c3614", "#a9631f", "#e29143", "#ffd6ad"),
    ),
    masked="#59616d",
    query="#ff9d5c",
    key="#6db8f2",
    value="#6fcf9b",
    output="#c79bec",
    heads=("#4aa8e0", "#ff8f45", "#5fe3b0", "#c46f9c", "#f7ee5a", "#8563f5", "#8a8032", "#d5ebfc"),
)


def with_opacity(colour: str, opacity: float) -> str:
    """A #rrggbb colour made see-through.

    Args:
        colour: As #rrggbb.
        opacity: From 0, unseen, to 1.
    """
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:.3f})"


def figure_layout(
    theme: Theme,
    *,
    title: str,
    captions: list[str],
    height: float,
    margin: Mapping[str, float],
) -> dict[str, Any]:
    """The frame of every figure: title and captions on the left, nothing behind, nothing that moves.

    A plain dict: Plotly's own class checks each part when it is set, which takes longer than all the rest of a layout.

    Args:
        theme: Colours.
        title: Plain text; it is escaped here.
        captions: Plain lines below the title; they are escaped here.
        height: Height of the whole figure in pixels.
        margin: Pixels at `l`, `r`, `t`, `b`.
    """
    return {
        # An empty template: Plotly's default one is 7 kB of colours that are not ours.
        "template": {},
        "title": {
            "text": plotly_text(title, limit=120),
            "font": {"size": 18, "color": theme.ink, "weight": 600},
            "subtitle": {
                "text": "<br>".join(plotly_text(line, limit=160) for line in captions),
                "font": {"size": 13, "color": theme.muted},
            },
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"l": 4, "t": 6},
        },
        "font": {"family": FONT_FAMILY, "size": 14, "color": theme.ink},
        "paper_bgcolor": theme.ground,
        "plot_bgcolor": theme.ground,
        "hoverlabel": {
            "bgcolor": theme.surface,
            "bordercolor": theme.muted,
            "font": {"family": FONT_FAMILY, "size": 14, "color": theme.ink},
            "align": "left",
            "namelength": 0,
        },
        "modebar": {
            "bgcolor": theme.ground,
            "color": theme.muted,
            "activecolor": theme.accent,
        },
        "height": height,
        "margin": {**margin, "pad": 0, "autoexpand": False},
        "hovermode": "closest",
        "clickmode": "event+select",
        "dragmode": False,
        "showlegend": False,
        "uirevision": "kept",
    }


def weight_bar(
    theme: Theme, zmax: float, *, capped: bool, last: float | None = None
) -> dict[str, Any]:
    """A colour bar below the map that states the weights of the first and the last colour.

    Args:
        theme: Colours.
        zmax: The weight that has the last colour.
        capped: Whether there are larger weights, which have that colour too.
        last: The `zmax` of the trace, where its values are not the weights themselves.
    """
    last = zmax if last is None else last
    return {
        "orientation": "h",
        "lenmode": "pixels",
        "len": 200,
        "thickness": 10,
        "x": 0,
        "xanchor": "left",
        "xpad": 0,
        "y": 0,
        "yref": "container",
        "yanchor": "bottom",
        "ypad": 8,
        "outlinewidth": 0,
        "tickvals": [0, last / 2, last],
        "ticktext": ["0.00", f"{zmax / 2:.2f}", f"{'≥ ' * capped}{zmax:.2f}"],
        "tickfont": {"size": 12, "color": theme.muted},
        "ticks": "",
        "title": {"text": "weight", "side": "right", "font": {"size": 12, "color": theme.muted}},
    }
