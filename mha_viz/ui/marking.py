"""Say where a word looks: mark words, and drag what each of them gets."""

from collections.abc import Callable, Sequence

import streamlit as st

from mha_viz.core.shares import Row, give, most, share_equally
from mha_viz.figures.text import shown_text
from mha_viz.ui import state
from mha_viz.ui.messages import literal

# More sliders than this are no help: who marks that many words means them alike.
MOST_SLIDERS = 8


def mark_words(
    label: str,
    words: Sequence[str],
    row: Row,
    apply: Callable[[Row], None],
    *,
    key: str,
    disabled: bool = False,
) -> None:
    """Words to be marked, which share equally, and a slider for each marked one; together they hold 100 %.

    Args:
        label: What marking a word means.
        words: The words.
        row: What each of them has, in percent.
        apply: Called with what the person makes of it.
        key: Of the widgets.
        disabled: Whether nothing can be changed any more.
    """
    marked = [place for place, share in enumerate(row) if share]
    st.pills(
        label,
        range(len(words)),
        selection_mode="multi",
        format_func=lambda place: word_label(words[place]),
        wrap=True,
        disabled=disabled,
        **state.bound(key, marked, lambda chosen: apply(share_equally(chosen, len(words)))),
    )
    if not marked:
        st.caption("Nothing marked: it looks at all words evenly.")
    elif len(marked) == 1:
        st.caption(f"All of it goes to **{word_label(words[marked[0]])}**. Mark more to share.")
    elif len(marked) <= MOST_SLIDERS:
        for place in marked:
            _slider(words[place], row, place, apply, key=f"{key} {place}", disabled=disabled)


def word_label(word: str) -> str:
    """A word as a widget's label has to be given it."""
    return literal(shown_text(word))


def _slider(
    word: str,
    row: Row,
    place: int,
    apply: Callable[[Row], None],
    *,
    key: str,
    disabled: bool,
) -> None:
    st.slider(
        word_label(word),
        min_value=1,
        max_value=most(row),
        format="%d %%",
        disabled=disabled,
        **state.bound(key, row[place], lambda share: apply(give(row, place, share))),
    )
