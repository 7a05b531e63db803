"""Figures in one file that opens anywhere, with no network."""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go
from plotly.io import to_html
from plotly.offline import get_plotlyjs

from mha_viz.figures.theme import FONT_FAMILY, LIGHT, PLOTLY_CONFIG, Theme

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font-family: {font}; color: {ink}; background: {surface}; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }}
h1 {{ font-size: 1.2rem; font-weight: 600; overflow-wrap: anywhere; }}
p {{ color: {muted}; }}
.figures {{ display: flex; flex-wrap: wrap; gap: 1rem; }}
.figures > div:first-child {{ width: 100%; }}
</style>
<script>{script}</script>
</head>
<body>
<h1>{title}</h1>
<p>{note}</p>
<div class="figures">{figures}</div>
</body>
</html>
"""


def offline_page(
    figures: Sequence[go.Figure], *, title: str, note: str, theme: Theme = LIGHT
) -> str:
    """One HTML file that holds the figures and what draws them.

    Args:
        figures: Figures of this package; the first takes the whole width.
        title: Plain text, such as the text that the figures are of.
        note: Plain text below it.
        theme: The colours that the figures were made with.
    """
    drawn = [
        f"<div>{to_html(figure, config=PLOTLY_CONFIG, include_plotlyjs=False, full_html=False)}</div>"
        for figure in figures
    ]
    return _PAGE.format(
        title=escape(title),
        note=escape(note),
        font=escape(FONT_FAMILY, quote=False),
        ink=theme.ink,
        muted=theme.muted,
        surface=theme.surface,
        script=get_plotlyjs(),
        figures="".join(drawn),
    )
