"""What the person makes of it, and the report that holds it with pictures and numbers."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

from mha_viz.figures.offline_page import offline_page
from mha_viz.figures.report import Section, Table, markdown
from mha_viz.figures.text import shown_text
from mha_viz.figures.theme import Theme
from mha_viz.ui import state
from mha_viz.ui.lab.choices import LONGEST_ANSWER, Lab
from mha_viz.ui.lab.pictures import (
    DIFFERENCE,
    ORIGINAL,
    RESTRICTED,
    Pictures,
    expected_tables,
    numbered,
    probability,
    said_of_outputs,
    signed,
)

QUESTION = "What changed, and what does it suggest about the role of heads?"
TITLE = "Heads with a mask: what changed"


def answer_and_report(shown: Pictures, said: dict[int, str], theme: Theme) -> None:
    """A box for the answer, and buttons that save it with all that is shown."""
    chosen = state.own(Lab)
    st.subheader(QUESTION, anchor=False)
    st.text_area(
        QUESTION,
        height=140,
        max_chars=LONGEST_ANSWER,
        placeholder="Which words lost what they looked at most? Whose output moved far, whose hardly? Did other heads make up for it?",
        label_visibility="collapsed",
        **state.tied("answer", chosen.answer),
    )

    def report(write: Callable[[list[Section]], str]) -> bytes:
        return write(sections(shown, said, chosen.answer, theme)).encode("utf-8", "replace")

    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        # Leaving the box to press a button is what commits the text; a file is made after that.
        st.download_button(
            "Report (HTML)",
            partial(report, partial(page, shown=shown, theme=theme)),
            file_name="mask-lab.html",
            mime="text/html",
            icon=":material/download:",
            on_click="ignore",
            help="Your words, the pictures and the numbers in one file that opens in any browser, with no network.",
        )
        st.download_button(
            "Report (Markdown)",
            partial(report, partial(markdown, TITLE)),
            file_name="mask-lab.md",
            mime="text/markdown",
            icon=":material/download:",
            on_click="ignore",
            help="Your words and the numbers; Markdown holds no pictures.",
        )


def page(parts: list[Section], *, shown: Pictures, theme: Theme) -> str:
    """The report as one file for any browser."""
    return offline_page(
        [], title=TITLE, note=shown.compared.bench.owner, theme=theme, sections=parts
    )


def sections(shown: Pictures, said: dict[int, str], answer: str, theme: Theme) -> list[Section]:
    """All parts of the report.

    Args:
        shown: The pictures.
        said: What is done to each head, in words.
        answer: What the person wrote.
        theme: Colours.
    """
    compared, bench = shown.compared, shown.compared.bench
    restricted = [f"{bench.name(head)} {sentence}" for head, sentence in said.items()]
    checked = f" {bench.checked.capitalize()} (on a test text)." if bench.checked else ""
    owner = f"Read by {bench.owner}.{checked}"
    return [
        Section("The text", (bench.text, owner)),
        Section("What was restricted", restricted or ("Nothing.",)),
        Section(QUESTION, (answer.strip() or "(nothing written)",)),
        Section("The maps", (shown.said_of_scales,)),
        *(
            Section(
                bench.name(head),
                [
                    f"{kind}: {shown.summary(head, kind)}."
                    for kind in (ORIGINAL, RESTRICTED, DIFFERENCE)
                ],
                list(shown.figures(head, theme).values()),
                _map_tables(shown, head),
            )
            for head in shown.heads
        ),
        Section(
            "What becomes of each position",
            (said_of_outputs(compared),),
            tables=_output_tables(shown),
        ),
        _expected_section(shown),
    ]


def _map_tables(shown: Pictures, head: int) -> list[Table]:
    queries, keys = shown.texts
    name, compared = shown.compared.bench.name(head), shown.compared
    maps = {
        ORIGINAL: compared.before.weights,
        RESTRICTED: compared.after.weights,
        DIFFERENCE: compared.difference,
    }
    columns = ["looks \\ looked at", *map(shown_text, keys)]
    return [
        Table(
            f"{name} {kind}, in numbers",
            columns,
            _rows(list(map(shown_text, queries)), shown.cut(one, head)),
            folded=True,
        )
        for kind, one in maps.items()
    ]


def _output_tables(shown: Pictures) -> list[Table]:
    words = numbered(shown.compared.bench.query_texts)
    return [
        Table(
            f"The output vector of each position, {where}",
            ["position", "moves by (norm)", "was long (norm)", "cosine"],
            _rows(words, np.stack([change.norm, change.length, change.cosine], axis=1)),
        )
        for where, change in shown.compared.outputs.items()
    ]


def _expected_section(shown: Pictures) -> Section:
    compared = shown.compared
    tables = [
        Table(
            title,
            ["token", ORIGINAL, RESTRICTED],
            [(shown_text(row.text), *map(probability, (row.before, row.after))) for row in rows],
        )
        for title, rows in expected_tables(compared)
    ]
    nothing = compared.bench.expects_nothing
    return Section("What the model predicts", (nothing,) if nothing else (), tables=tables)


def _rows(names: list[str], numbers: np.ndarray) -> list[list[str]]:
    return [[name, *map(signed, row)] for name, row in zip(names, numbers.tolist(), strict=True)]
