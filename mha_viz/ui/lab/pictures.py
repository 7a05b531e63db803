"""Original and restricted side by side: maps, what each weight gained or lost, output vectors, expected words."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from mha_viz.core.differences import Expected, OutputChange, expected_changes
from mha_viz.core.record import Token
from mha_viz.figures.difference_map import (
    describe_difference,
    difference_heatmap,
    largest_change,
)
from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.summary import describe_head
from mha_viz.figures.text import shown_text
from mha_viz.figures.theme import PLOTLY_CONFIG, Theme
from mha_viz.ui import state
from mha_viz.ui.lab.bench import Compared
from mha_viz.ui.messages import literal
from mha_viz.ui.table_height import table_height
from mha_viz.ui.window import Window

# Pixels.
SMALL_MAP, LARGE_MAP, LEAST_WIDTH, MOST_WORDS_SMALL = 365, 620, 370, 20
TABLE_WIDTH, MOST_HEIGHT = 520, 700
# Heads that are drawn; the numbers count them all.
MOST_DRAWN = 4
_HOW_TO_READ = """
Something was done to some heads. Each row is one of them: **as it was**, **restricted**, and **what each weight gained
(orange) or lost (blue)**. Then read on: did the output of the words change as much as the maps?
"""
ORIGINAL, RESTRICTED, DIFFERENCE = "original", "restricted", "difference"


@dataclass(frozen=True, eq=False)
class Pictures:
    """The maps that are drawn of a comparison.

    Attributes:
        compared: The layer without and with what is done to it.
        queries: The part of the tokens that look that is drawn.
        keys: The part of those that are looked at.
    """

    compared: Compared
    queries: Window
    keys: Window

    @classmethod
    def of(cls, compared: Compared, start: int) -> "Pictures":
        """Those that show the tokens from `start` on, as many as can be read."""
        bench = compared.bench
        return cls(
            compared,
            Window.around(start, len(bench.queries)),
            Window.around(start, len(bench.keys)),
        )

    @property
    def heads(self) -> tuple[int, ...]:
        """The heads that are drawn."""
        return self.compared.heads[:MOST_DRAWN]

    @property
    def texts(self) -> tuple[list[str], list[str]]:
        """What is written for the queries and the keys."""
        bench = self.compared.bench
        return bench.query_texts[self.queries.slice], bench.key_texts[self.keys.slice]

    @property
    def scale_end(self) -> float:
        """The weight that has the last colour in all maps: the heaviest of them."""
        runs = (self.compared.before, self.compared.after)
        return max(float(run.weights[list(self.heads)].max(initial=0.0)) for run in runs) or 1.0

    @property
    def limit(self) -> float:
        """The change that has the last colour in all maps."""
        return largest_change(self.compared.difference[list(self.heads)])

    def cut(self, maps: np.ndarray, head: int) -> np.ndarray:
        """The part of a head's map that is drawn."""
        return maps[head, self.queries.slice, self.keys.slice]

    def figures(self, head: int, theme: Theme) -> dict[str, go.Figure]:
        """A head's maps, by what they are."""
        compared, name = self.compared, self.compared.bench.name(head)
        marks: dict[str, Any] = {
            "special_queries": _special(compared.bench.queries[self.queries.slice]),
            "special_keys": _special(compared.bench.keys[self.keys.slice]),
            "theme": theme,
            "width": SMALL_MAP if len(self.texts[1]) <= MOST_WORDS_SMALL else LARGE_MAP,
        }
        drawn = {
            kind: attention_heatmap(
                self.cut(run.weights, head).astype(np.float32),
                *self.texts,
                title=f"{name} {kind}",
                zmax=self.scale_end,
                fully_masked=run.masked[head, self.queries.slice],
                sink=None if run.sink is None else run.sink[head, self.queries.slice],
                clickable=False,
                **marks,
            )
            for kind, run in ((ORIGINAL, compared.before), (RESTRICTED, compared.after))
        }
        drawn[DIFFERENCE] = difference_heatmap(
            self.cut(compared.difference, head).astype(np.float32),
            *self.texts,
            title=f"{name} {DIFFERENCE}",
            limit=self.limit,
            **marks,
        )
        return drawn

    def summary(self, head: int, kind: str) -> str:
        """A map in a few words."""
        compared, bench = self.compared, self.compared.bench
        if kind == DIFFERENCE:
            return describe_difference(
                compared.difference[head], bench.query_texts, bench.key_texts
            )
        run = compared.before if kind == ORIGINAL else compared.after
        return describe_head(
            run.weights[head], bench.key_texts, same_tokens=bench.queries == bench.keys
        )

    @property
    def said_of_scales(self) -> str:
        """What the colours mean, and what is not drawn."""
        said = (
            f"Weights from 0 to {self.scale_end:.2f}. Differences from −{self.limit:.2f} (lost) over 0, the page’s own colour, "
            f"to +{self.limit:.2f} (gained). All maps share these scales."
        )
        more = len(self.compared.heads) - len(self.heads)
        if more:
            said += f" {more} more changed {'head is' if more == 1 else 'heads are'} not drawn; all numbers below count them."
        if not (self.queries.is_whole and self.keys.is_whole):
            said += (
                f" Drawn are tokens {self.queries.start} to {self.queries.stop - 1} of {self.queries.total}; "
                "scales and words are of all of them."
            )
        return said


def maps(shown: Pictures, said: dict[int, str], theme: Theme) -> None:
    """A row a head: original, restricted, difference."""
    st.markdown(_HOW_TO_READ)
    for head in shown.heads:
        st.markdown(f"**{shown.compared.bench.name(head)}** {literal(said[head])}")
        figures = shown.figures(head, theme)
        # All as wide as the widest, so that what stands below each other is the same kind of map.
        width = math.ceil(max(LEAST_WIDTH, *(figure.layout.width for figure in figures.values())))
        with st.container(horizontal=True, gap="small", key=f"maps {head}"):
            for kind, figure in figures.items():
                with st.container(width=width, gap=None):
                    st.plotly_chart(
                        figure,
                        width="content",
                        theme=None,
                        key=f"{kind} {head}",
                        config=PLOTLY_CONFIG,
                        alt=f"{shown.compared.bench.name(head)} {kind}: {shown.summary(head, kind)}.",
                    )
                    st.caption(literal(shown.summary(head, kind)))
    st.caption(literal(shown.said_of_scales))
    _window_mover(shown)


def _window_mover(shown: Pictures) -> None:
    last = max(
        window.total - (window.stop - window.start) for window in (shown.queries, shown.keys)
    )
    if last:
        st.slider(
            "First token that is drawn",
            min_value=0,
            max_value=last,
            **state.bound("start", shown.queries.start, lambda start: state.change(start=start)),
        )


def outputs(compared: Compared) -> None:
    """How far the output vector of each position moves, and whether it turns."""
    st.subheader("What becomes of each position", anchor=False)
    if not compared.outputs:
        st.markdown("The output vectors of this layer were not seen.")
        return
    st.markdown(
        r"The output of a position is a vector, $y$ before and $y'$ after. It moves by the length $\lVert y' - y \rVert$; the cosine of "
        "the angle between them is 1.00 where only the length changed. "
        + literal(said_of_outputs(compared))
    )
    words = pd.Index(numbered(compared.bench.query_texts), name="Token")
    with st.container(horizontal=True, gap="medium"):
        for where, change in compared.outputs.items():
            with st.container(width=TABLE_WIDTH, gap="xsmall"):
                st.caption(f"{where[0].upper()}{where[1:]}")
                _output_table(where, change, words)


def _output_table(where: str, change: OutputChange, words: pd.Index) -> None:
    numbers = {"Moves by": change.norm, "Was long": change.length, "Cosine": change.cosine}
    config = {name: st.column_config.NumberColumn(name, format="%.2f") for name in numbers}
    config["Moves by"] = st.column_config.ProgressColumn(
        "Moves by", format="%.2f", min_value=0.0, max_value=float(change.norm.max()) or 1.0
    )
    st.dataframe(
        pd.DataFrame(numbers, index=words),
        column_config=config,
        height=table_height(len(words), MOST_HEIGHT),
        key=f"outputs {where}",
        alt=f"How far each position’s output moves {where}, how long it was, and the cosine of its turn.",
    )


def said_of_outputs(compared: Compared) -> str:
    """Which position moves most."""
    return " ".join(
        _furthest(where, change, compared) for where, change in compared.outputs.items()
    )


def _furthest(where: str, change: OutputChange, compared: Compared) -> str:
    place = int(change.norm.argmax())
    word = shown_text(compared.bench.query_texts[place])
    if not change.norm[place]:
        return f"{where[0].upper()}{where[1:]}, no output moves."
    return (
        f"{where[0].upper()}{where[1:]}, “{word}” moves most: by {change.norm[place]:.2f}, having been {change.length[place]:.2f} "
        f"long (cosine {signed(change.cosine[place])})."
    )


def expected(compared: Compared) -> None:
    """What the model expects as words, before and after."""
    st.subheader("What the model predicts", anchor=False)
    if compared.bench.expects_nothing:
        st.markdown(literal(compared.bench.expects_nothing))
        return
    for title, rows in expected_tables(compared):
        st.markdown(literal(title))
        st.dataframe(
            pd.DataFrame(
                [
                    (shown_text(row.text), *map(probability, (row.before, row.after)))
                    for row in rows
                ],
                columns=["Token", "Original", "Restricted"],
            ),
            hide_index=True,
            width=480,
            alt=title,
        )


def expected_tables(compared: Compared) -> list[tuple[str, list[Expected]]]:
    """The likeliest tokens at each position where some are expected, with a title."""
    tables = []
    for before, after in zip(compared.before.expected, compared.after.expected, strict=True):
        word = shown_text(compared.bench.query_texts[before.position])
        title = f"At “{word}” (position {before.position}), out of all tokens it knows:"
        tables.append((title, expected_changes(before, after)))
    return tables


def probability(given: float | None) -> str:
    """A probability as it is written; a dash for one that is not among the ten likeliest."""
    return "not among the first 10" if given is None else f"{given:.3f}"


def signed(number: float) -> str:
    """Two decimals, with a minus that is as wide as a plus, and no minus before 0."""
    return f"{round(float(number), 2) + 0.0:.2f}".replace("-", "−")


def numbered(texts: list[str]) -> list[str]:
    """Tokens with their positions: repeated words stay apart."""
    return [f"{position} · {shown_text(text)}" for position, text in enumerate(texts)]


def _special(tokens: tuple[Token, ...]) -> list[int]:
    return [place for place, token in enumerate(tokens) if token.special]
