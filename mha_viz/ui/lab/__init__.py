"""The page of masks: each head may see only a part of the text, and what that changes is shown beside the original."""

import streamlit as st

from mha_viz.core.head_masks import MOST_PAINTED
from mha_viz.errors import MhaVizError
from mha_viz.figures.theme import Theme
from mha_viz.ui import messages, state
from mha_viz.ui.lab import bench as benches
from mha_viz.ui.lab import lessons, pickers, pictures
from mha_viz.ui.lab.bench import Bench, Compared
from mha_viz.ui.lab.choices import Lab, restriction
from mha_viz.ui.lab.pictures import Pictures
from mha_viz.ui.lab.words import in_words
from mha_viz.ui.lab.written import answer_and_report
from mha_viz.ui.marking import word_label
from mha_viz.ui.pictures import opaque
from mha_viz.ui.predict import let_go_unless, predict_first
from mha_viz.ui.seed_and_temperature import nearest_seed
from mha_viz.ui.selection import Selection
from mha_viz.ui.view import View


def bench_of(selection: Selection, view: View | None) -> Bench | None:
    """The layer that was chosen; None, and a sentence on the page, where it cannot be had.

    Args:
        selection: What was typed.
        view: What the model made of it; None for our own layer.
    """
    chosen = state.own(Lab)
    if view is not None:
        return benches.of_the_model(view)
    for sentence in state.notices():
        messages.notice(sentence)
    try:
        found = benches.ours(selection.text, nearest_seed(chosen.seed), four=chosen.four)
    except MhaVizError as error:
        messages.show(error)
        return None
    for sentence in found.notices:
        messages.notice(sentence)
    return found


def compare(bench: Bench, theme: Theme) -> None:
    """Choose what is done to heads, and see the layer without it and with it."""
    chosen = state.own(Lab)
    made = restriction(chosen, bench)
    lessons.lessons()
    pickers.mask_pickers(bench, made)
    for sentence in made.notices:
        messages.notice(sentence)
    pickers.painter(bench, made, theme)
    try:
        with st.spinner("Reading the text with restricted heads …"):
            compared = Compared.of(bench, made.changes)
    except MhaVizError as error:
        messages.show(error)
        return
    lessons.what_is_predicted(compared)
    said = in_words(made, bench, chosen)
    shown = Pictures.of(compared, state.selection().start)
    if compared.heads:
        pictures.maps(shown, said, theme)
    else:
        messages.notice("nothing is restricted: choose a mask above, and a head that gets it")
    pictures.outputs(compared)
    pictures.expected(compared)
    answer_and_report(shown, said, opaque(theme))


def predict(bench: Bench) -> None:
    """One head is hidden: guess where its words look when nothing is restricted."""
    if len(bench.keys) > MOST_PAINTED:
        messages.notice(
            f"words are marked in texts of at most {MOST_PAINTED} tokens, and this one has {len(bench.keys)}: shorten it"
        )
        return
    chosen = state.own(Lab)
    head = min(max(chosen.hidden, 0), bench.n_heads - 1)
    st.selectbox(
        "Hidden head",
        range(bench.n_heads),
        format_func=bench.name,
        width=160,
        **state.tied("hidden", head),
    )
    let_go_unless((bench.text, bench.owner, bench.stream, head))
    chosen = state.own(Lab)
    words = [place for place, token in enumerate(bench.queries) if not token.special] or [0]
    word = words[chosen.question % len(words)]
    predict_first(
        bench.key_texts,
        bench.run(()).weights[head, word],
        key="predict",
        what=f"where **{word_label(bench.query_texts[word])}** (position {word}) looks in {bench.name(head)}, with nothing restricted",
    )
