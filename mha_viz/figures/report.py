"""A report: sections of words, figures and tables, which can be written as a page or as Markdown."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

# What Markdown or HTML could read as its own, anywhere or at the start of a line; after a backslash it is a letter like any other.
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&@]|:(?=//)|(?i:(?<=www))\.|^[-+=])")
_LISTED = re.compile(r"^(\d+)([.)])(?= |$)")
_LEFT_OUT = "*{} can be seen in the report as a page (HTML): Markdown holds no pictures.*"


@dataclass(frozen=True)
class Table:
    """Numbers, and what they are.

    Attributes:
        title: Plain text.
        columns: Plain texts.
        rows: Plain texts, as many a row as there are columns; the first names the row.
        folded: Whether a page shows it only when it is asked for.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    folded: bool = False


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a report.

    Attributes:
        title: Plain text.
        paragraphs: Plain texts; lines within them stay lines.
        figures: Side by side.
        tables: One below the other.
    """

    title: str
    paragraphs: Sequence[str] = ()
    figures: Sequence[go.Figure] = ()
    tables: Sequence[Table] = ()


def markdown(title: str, sections: Sequence[Section]) -> str:
    """A report as Markdown, whose pictures are left out and counted.

    Args:
        title: Plain text.
        sections: The parts.
    """
    parts = [f"# {markdown_text(title)}"]
    for section in sections:
        parts.append(f"## {markdown_text(section.title)}")
        parts += [_lines(paragraph) for paragraph in section.paragraphs]
        if count := len(section.figures):
            parts.append(_LEFT_OUT.format(f"{count} picture{'s' * (count > 1)}"))
        for table in section.tables:
            parts += [f"**{markdown_text(table.title)}**", _table(table)]
    return "\n\n".join(parts) + "\n"


def markdown_text(text: str) -> str:
    """A text as Markdown has to be given it so that it shows as typed, on one line."""
    return _LISTED.sub(r"\1\\\2", _MARKUP.sub(r"\\\1", " ".join(text.split())))


def _lines(text: str) -> str:
    """Each line a line of its own; an empty one begins a new paragraph."""
    blocks = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join("\\\n".join(map(markdown_text, block.splitlines())) for block in blocks)


def _table(table: Table) -> str:
    ruler = ["---", *["---:"] * (len(table.columns) - 1)]
    rows = [table.columns, *table.rows]
    head, *body = (f"| {' | '.join(map(markdown_text, row))} |" for row in rows)
    return "\n".join([head, f"| {' | '.join(ruler)} |", *body])
