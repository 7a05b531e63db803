"""The page of letters as pictures: rows of words with arcs, and maps."""

import numpy as np
import streamlit as st

from mha_viz.figures.arcs import ArcRow, spotlight_rows
from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.summary import describe_head
from mha_viz.figures.theme import PLOTLY_CONFIG, Theme
from mha_viz.ui import state
from mha_viz.ui.board import N_HEADS, N_WORDS, Board, Letters, head_name

MAP_WIDTH = 400
# A head's looks at other words are named one by one if there are few, and none is weak.
CLEAR, MOST_NAMED = 0.25, 3


def rows_of_words(built: Board, chosen: Letters, colours: Theme) -> None:
    """Each head with its line of words; a word can be chosen by a click."""
    rows = [
        ArcRow(
            head_name(head),
            built.weights[head],
            colours.head_colour(head),
            note=_note(built, head),
        )
        for head in built.shown_heads
    ]

    def choose(point: list) -> None:
        _, row, position, _ = point
        head, word = range(N_HEADS).index(row), range(N_WORDS).index(position)
        again = (chosen.head, chosen.word) == (head, word)
        state.change_own(set_head=head, word=None if again else word)

    st.plotly_chart(
        spotlight_rows(
            rows,
            built.words,
            title="Where each word looks",
            theme=colours,
            query=chosen.word,
        ),
        theme=None,
        key="rows",
        config=PLOTLY_CONFIG,
        alt=" ".join(f"{row.name}: {row.note}." for row in rows),
        on_select=state.on_pick("rows", choose),
        selection_mode="points",
    )


def maps(built: Board, chosen: Letters, colours: Theme) -> None:
    """Each head as a map."""
    with st.container(horizontal=True, gap="medium"):
        for head in built.shown_heads:
            weights = built.weights[head]
            st.plotly_chart(
                attention_heatmap(
                    weights,
                    built.words,
                    built.words,
                    title=head_name(head),
                    theme=colours,
                    query=chosen.word,
                    width=MAP_WIDTH,
                    show_scale=head == 0,
                    clickable=False,
                ),
                width="content",
                theme=None,
                key=f"map {head}",
                config=PLOTLY_CONFIG,
                alt=f"{head_name(head)}: {_note(built, head)}.",
            )


def _note(built: Board, head: int) -> str:
    """The looks at other words, where these are few; else what the head does on the whole."""
    weights, words = built.weights[head], built.words
    clear = (weights >= CLEAR) & ~np.eye(N_WORDS, dtype=bool)
    if not 0 < clear.sum() <= MOST_NAMED:
        return describe_head(weights, words)
    looks = zip(*np.nonzero(clear), strict=True)
    return ", ".join(
        f"{words[one]} → {words[other]} {weights[one, other]:.2f}" for one, other in looks
    )
