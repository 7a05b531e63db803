"""The four steps of attention with every number in sight: any cell says which cells it came from, and how.

Python knows what a cell came from (`core.trace`); `browser/` draws tables of coloured numbers, lights up what it is told, and
reports clicks and edits as one event.
"""

from collections import defaultdict
from typing import Any

import streamlit as st

from mha_viz.core.edits import edit_of, number_of, to_text, with_edit
from mha_viz.core.trace import Trace
from mha_viz.errors import ChoiceError, MhaVizError
from mha_viz.figures.theme import Theme
from mha_viz.ui import messages, state
from mha_viz.ui.glass import contents, followed, formulas, pickers
from mha_viz.ui.glass.choices import AXES, GlassChoices
from mha_viz.ui.glass.followed import Followed
from mha_viz.ui.messages import literal
from mha_viz.ui.predict import let_go_unless, predict_first
from mha_viz.ui.selection import Selection
from mha_viz.ui.served import component
from mha_viz.ui.view import View

_steps = [component("glass", "step", f"step_{number}") for number in range(1, 5)]
_explanation = component("glass", "explanation")
PROJECT, ATTEND = 0, 1


def follow(selection: Selection, view: View | None) -> Followed | None:
    """The numbers of the source that was chosen; None, and a sentence on the page, where they cannot be had.

    Args:
        selection: What was typed.
        view: What the model made of it; None for a small layer of our own.
    """
    for sentence in state.notices():
        messages.notice(sentence)
    choices = state.own(GlassChoices)
    try:
        if view is None:
            shown = followed.ours(selection.text, choices)
        else:
            shown = followed.of_the_model(view, choices)
    except MhaVizError as error:
        messages.show(error)
        return None
    for sentence in shown.notices:
        messages.notice(sentence)
    return shown


def four_steps(shown: Followed, theme: Theme) -> None:
    """The steps, one below the other, and the explanation of the chosen cell at the lower edge."""
    choices, numbers = state.own(GlassChoices), shown.numbers
    chosen = shown.cell(choices.cell)
    edited = defaultdict[str, set[tuple[int, int]]](set)
    for edit in shown.edits:
        edited[edit.matrix].add((edit.row, edit.column))
    st.latex(formulas.sizes(numbers, shown.d_model))
    st.caption(
        "**Click any number** to see where it comes from, or walk with the arrow keys and press Enter. "
        "The stronger a colour, the larger the number; grey is below zero. Double-click a number of $X$ or of a $W$ to change it."
    )
    _edits(shown)
    written = formulas.formulas(numbers, shown.d_model, shown.head)
    for index, lines in enumerate(shown.trace.steps):
        if not lines:
            continue
        st.subheader(formulas.TITLES[index], anchor=False)
        st.markdown(formulas.WORDS[index])
        st.latex(written[index])
        for sentence in _besides(shown, index):
            st.markdown(sentence)
        if index == ATTEND:
            pickers.root_effect(shown)
        _steps[index](
            data=contents.step(lines, shown.trace, theme, choices, chosen, edited),
            key=f"step_{index + 1}",
            on_chosen_change=_on_event(f"step_{index + 1}", shown),
        )
        if formulas.NOTES[index]:
            st.caption(f":material/lightbulb: {formulas.NOTES[index]}")
    if shown.compared:
        st.markdown(f":material/verified: {literal(shown.compared)}")
    _explanation(
        data=contents.explanation(shown.trace, chosen, theme),
        key="explanation",
        on_chosen_change=_on_event("explanation", shown),
    )


def _besides(shown: Followed, index: int) -> list[str]:
    """What has to be said of a step besides its plain words."""
    if index == PROJECT:
        return [f"{said[0].upper()}{said[1:]}." for said in formulas.extras(shown.numbers)]
    return formulas.beside_scores(shown.numbers, shown.head) if index == ATTEND else []


def _edits(shown: Followed) -> None:
    if not shown.edits:
        return
    count = len(shown.edits)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{count} edited {'number' if count == 1 else 'numbers'}**, underlined below.",
            width="content",
        )
        st.button(
            "Undo the last",
            key="undo_last",
            on_click=state.change_own,
            kwargs={"edits": to_text(shown.edits[:-1])},
        )
        st.button("Undo all", key="undo_all", on_click=state.change_own, kwargs={"edits": ""})


def predict(shown: Followed) -> None:
    """Guess where a word looks in the followed head, before its numbers are seen."""
    weights = shown.trace.matrix("A")
    words = weights.columns.labels
    let_go_unless((shown.fingerprint, shown.head, shown.edits, state.own(GlassChoices).small_layer))
    word = state.own(GlassChoices).question % weights.shape[0]
    predict_first(
        words,
        weights.values[word],
        key="predict",
        what=f"where **{literal(weights.rows.labels[word])}** (position {word}) looks in head {shown.head}",
    )


def _on_event(key: str, shown: Followed) -> Any:  # noqa: ANN401 - what Streamlit takes
    return state.on_event(key, lambda event: _choose(shown, event))


def _choose(shown: Followed, event: dict[str, Any]) -> None:
    """What was clicked, typed or moved; what is none of these changes nothing."""
    try:
        if "cell" in event:
            _explain(shown.trace, *event["cell"])
        elif "edit" in event:
            name, row, column, text = event["edit"]
            matrix = shown.trace.matrix(str(name))
            edit = edit_of(matrix, int(row), int(column), number_of(str(text)))
            edits = to_text(with_edit(shown.edits, edit))
            state.change_own(edits=edits, edited=shown.fingerprint)
        elif "window" in event:
            axis, start = event["window"]
            state.change_own(**{f"at_{AXES[AXES.index(axis)]}": max(0, int(start))})
        elif "free" in event:
            state.change_own(cell="")
    except ChoiceError:
        return


def _explain(trace: Trace, name: str, row: int, column: int) -> None:
    """Explain a cell; one that another head found is followed in that head."""
    trace.matrix(name)
    head = {"head": int(name.removeprefix("head"))} if name.startswith("head") else {}
    state.change_own(cell=f"{name}.{int(row)}.{int(column)}", **head)
