"""Predict first: say where a word will look before the model says it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float

from mha_viz.core.guessing import chance, even, guess_score
from mha_viz.core.shares import Row, row_from_text, row_to_text, weights_of
from mha_viz.errors import ChoiceError
from mha_viz.figures.text import shown_text
from mha_viz.ui import messages, state
from mha_viz.ui.link import Choices, fingerprint
from mha_viz.ui.marking import mark_words
from mha_viz.ui.table_height import table_height

# Pixels.
WIDTH = 960


@dataclass(frozen=True)
class Guess(Choices):
    """What a page that lets people predict has to keep: its own choices are derived from this.

    Attributes:
        question: Which question is asked, from 0; the page says which head and which word that is.
        guess: The words that are marked, as `core.shares` writes a row.
        revealed: Whether the model's answer is shown.
        about: A fingerprint of what is guessed: a guess belongs to it alone.
    """

    question: int = 0
    guess: str = ""
    revealed: bool = False
    about: int = 0


def let_go_unless(about: object) -> None:
    """Let go of what was guessed or revealed about something else, another text or another head.

    Args:
        about: All that tells what is guessed now, as something whose `repr` says it.
    """
    chosen = state.own(Guess)
    asked = fingerprint(about)
    if asked == chosen.about:
        return
    # 0 stands for nothing yet: a link written by hand may bring a guess and not say about what.
    fresh = {"guess": "", "revealed": False} if chosen.about else {}
    state.change_own(about=asked, **fresh)
    state.write_address()


def predict_first(
    words: Sequence[str], truth_row: Float[np.ndarray, " n_key"], *, key: str, what: str
) -> None:
    """Let the person mark where a word will look; then show their row, the model's, and chance.

    Until then nothing of the model's row is sent to the browser. The page must not draw that head either.

    Args:
        words: The words that can be looked at.
        truth_row: What the model gives each of them.
        key: Of the widgets.
        what: Whose look is asked for, as markdown: "where **it** looks in this head".
    """
    chosen = state.own(Guess)
    guess = _guess_of(chosen, len(words))
    st.markdown(f"Guess {what}. Mark one word or several, then reveal.")
    with st.container(width=WIDTH // 2):
        mark_words(
            "It will look at",
            words,
            guess,
            lambda row: state.change_own(guess=row_to_text(row)),
            key=f"{key} guess",
            disabled=chosen.revealed,
        )
    with st.container(horizontal=True):
        st.button(
            "Reveal",
            type="primary",
            key=f"{key} reveal",
            disabled=chosen.revealed,
            on_click=state.change_own,
            kwargs={"revealed": True},
        )
        st.button("Another word", key=f"{key} another", on_click=ask, args=(chosen.question + 1,))
    if chosen.revealed:
        _compare(words, weights_of([guess])[0], truth_row)


def ask(question: int) -> None:
    """Ask that question, with nothing marked."""
    state.change_own(question=question, guess="", revealed=False)


def _guess_of(chosen: Guess, n_words: int) -> Row:
    try:
        return row_from_text(chosen.guess, n_words)
    except ChoiceError as error:
        messages.notice(f"the link’s guess could not be read: {error}")
        return (0,) * n_words


def _compare(
    words: Sequence[str],
    guess: Float[np.ndarray, " n_key"],
    truth_row: Float[np.ndarray, " n_key"],
) -> None:
    by_chance = chance(truth_row)
    score = guess_score(guess, truth_row)
    st.markdown(
        f"You scored **{score:.2f}**; an even guess over all words scores {by_chance:.2f}. "
        "A score is the share of the weight that was put where it belongs: 1.00 is perfect."
    )
    table = pd.DataFrame(
        {"You": guess, "The model": truth_row, "Chance": even(len(words))},
        index=pd.Index([shown_text(word) for word in words], name="Word"),
    )
    bars = {"You": (score, "orange"), "The model": (1.0, "blue"), "Chance": (by_chance, "gray")}
    st.dataframe(
        table,
        width=WIDTH,
        # A table this long shows all its rows: bars are compared at one look.
        height=table_height(len(words)),
        column_config={
            name: st.column_config.ProgressColumn(
                f"{name} · {value:.2f}", color=colour, format="%.2f", min_value=0.0, max_value=1.0
            )
            for name, (value, colour) in bars.items()
        },
        alt=f"What you gave each word, what the model gives it, and the same for all. You scored {score:.2f}, chance {by_chance:.2f}.",
    )
