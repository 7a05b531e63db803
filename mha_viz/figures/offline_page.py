"""Figures in one file that opens anywhere, with no network."""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go
from plotly.io import to_html
from plotly.offline import get_plotlyjs

from mha_viz.figures.report import Section, Table
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
h2 {{ font-size: 1.05rem; font-weight: 600; margin: 2rem 0 0.5rem; overflow-wrap: anywhere; }}
p {{ color: {muted}; }}
section p {{ color: {ink}; max-width: 60rem; white-space: pre-wrap; overflow-wrap: anywhere; }}
summary {{ cursor: pointer; color: {muted}; }}
.table {{ overflow-x: auto; }}
table {{ border-collapse: collapse; margin: 0.5rem 0 1rem; font-variant-numeric: tabular-nums; }}
caption {{ text-align: left; color: {muted}; padding-bottom: 0.25rem; }}
th, td {{ padding: 0.15rem 0.6rem; border-bottom: 1px solid {grid}; text-align: right; white-space: nowrap; font-weight: 400; }}
th {{ color: {muted}; }}
tr > :first-child {{ text-align: left; color: {ink}; }}
.figures {{ display: flex; flex-wrap: wrap; gap: 1rem; }}
.wide > div:first-child {{ width: 100%; }}
</style>
<script>{script}</script>
</head>
<body>
<h1>{title}</h1>
<p>{note}</p>
{figures}{sections}
</body>
</html>
"""


def offline_page(
    figures: Sequence[go.Figure],
    *,
    title: str,
    note: str,
    theme: Theme = LIGHT,
    sections: Sequence[Section] = (),
) -> str:
    """One HTML file that holds figures, words and tables, and what draws them.

    Args:
        figures: Figures of this package; the first takes the whole width.
        title: Plain text, such as the text that the figures are of.
        note: Plain text below it.
        theme: The colours that the figures were made with.
        sections: What comes below.
    """
    return _PAGE.format(
        title=escape(title),
        note=escape(note),
        font=escape(FONT_FAMILY, quote=False),
        ink=theme.ink,
        muted=theme.muted,
        grid=theme.grid,
        surface=theme.surface,
        script=get_plotlyjs(),
        figures=_drawn(figures, "figures wide"),
        sections="".join(map(_section, sections)),
    )


def _drawn(figures: Sequence[go.Figure], kind: str) -> str:
    drawn = [
        f"<div>{to_html(figure, config=PLOTLY_CONFIG, include_plotlyjs=False, full_html=False)}</div>"
        for figure in figures
    ]
    return f'<div class="{kind}">{"".join(drawn)}</div>' if drawn else ""


def _section(section: Section) -> str:
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in section.paragraphs)
    tables = "".join(map(_table, section.tables))
    return (
        f"<section><h2>{escape(section.title)}</h2>{paragraphs}"
        f"{_drawn(section.figures, 'figures')}{tables}</section>"
    )


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.columns)
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for name, *cells in table.rows
    )
    title = escape(table.title)
    caption = "" if table.folded else f"<caption>{title}</caption>"
    written = f'<div class="table"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    return f"<details><summary>{title}</summary>{written}</details>" if table.folded else written
