"""The page of letters: say where words look, see the attention that does it, and what each head is worth."""

import streamlit as st

from mha_viz.core.puzzles import PUZZLES, Grade, Puzzle
from mha_viz.figures import history
from mha_viz.models.catalog import CATALOG, DEFAULT_MODEL
from mha_viz.ui import cache, letters_numbers, letters_pictures, messages, state
from mha_viz.ui.board import EXAMPLE, N_WORDS, PREDICT, TASKS, Board, Letters, head_name
from mha_viz.ui.marking import mark_words, word_label
from mha_viz.ui.pictures import theme
from mha_viz.ui.predict import ask, predict_first

SENTENCE = " ".join(PUZZLES["verb"].words) + "."
# Heads of the bundled model whose patterns can be found out in a few guesses, and the words that are asked for.
HIDDEN_HEADS = ((0, 2), (1, 8), (5, 11), (4, 5))
ASKED_WORDS = (3, 6, 2, 5, 1, 4)

_NAMES = {
    EXAMPLE: "The example",
    **{name: f"Puzzle: {puzzle.title.lower()}" for name, puzzle in PUZZLES.items()},
    PREDICT: "Predict first",
}
_EXAMPLE_WORDS = """
Six words, three heads, each with a view of its own. **Head 1** lets E look at its neighbours D and F. **Head 2** ties B to A, as
a name to its title. **Head 3** reaches from C to F, as a pronoun to its noun far away. Every other word looks at itself.
Now **make it yours**: choose a head and a word, and mark what it looks at.
"""
_HOW_TO_BUILD = "Choose a word, then mark what it looks at: it is graded at once."
_PREDICT_WORDS = """
One head of a real model, {model}, read “{sentence}”, and what it did is hidden. Guess, reveal, and guess the next word: after
a few you know what this head does.
"""


def task_picker() -> str:
    """The example, a puzzle, or predicting; above it what of a link could not be read."""
    for sentence in state.notices():
        messages.notice(sentence)
    task = state.own(Letters).task
    st.pills(
        "What to do",
        TASKS,
        required=True,
        format_func=_NAMES.__getitem__,
        wrap=True,
        label_visibility="collapsed",
        **state.bound("task", task, _start),
    )
    return task


def _start(task: str) -> None:
    """Begin a task, with nothing changed; a puzzle begins with the first word that counts."""
    puzzle = PUZZLES.get(task)
    word = None if puzzle is None else min(puzzle.looks)
    state.change_own(task=task, set_head=0, word=word, maps="", without=None)
    ask(0)


def board() -> None:
    """What is asked for, the picture, and beside it where words are told where to look."""
    chosen = state.own(Letters)
    built = Board.of(chosen)
    if built.unread:
        messages.notice(built.unread)
    st.markdown(
        _EXAMPLE_WORDS if built.puzzle is None else f"**{built.puzzle.task}** {_HOW_TO_BUILD}"
    )
    # Side by side where there is room, else one below the other.
    with st.container(horizontal=True, gap="medium", key="picture_and_guide"):
        with st.container(width="stretch"):
            letters_pictures.rows_of_words(built, chosen, theme())
            if built.puzzle is not None:
                _score(built.puzzle, built.grade(built.puzzle))
        with st.container(width=360):
            _tell(built, chosen)
    letters_pictures.maps(built, chosen, theme())
    letters_numbers.solved(built, chosen, theme())
    if built.puzzle is None:
        letters_numbers.output(built, chosen, theme())


def _tell(built: Board, chosen: Letters) -> None:
    """A head, a word of it, and what that looks at."""
    if len(built.shown_heads) > 1:
        st.segmented_control(
            "Head",
            built.shown_heads,
            format_func=head_name,
            required=True,
            **state.bound("head", chosen.head, lambda head: state.change_own(set_head=head)),
        )
    st.pills(
        "The word that looks",
        range(N_WORDS),
        format_func=lambda place: word_label(built.words[place]),
        wrap=True,
        **state.tied("word", chosen.word),
    )
    if chosen.word is None:
        st.caption("Choose a word here, or click one in the picture.")
    else:
        head, word = chosen.head, chosen.word
        mark_words(
            f"What **{word_label(built.words[word])}** looks at in {head_name(head).lower()}",
            built.words,
            built.maps[head][word],
            lambda row: state.change_own(maps=built.told(head, word, row)),
            key="row",
        )
    st.button(
        "Back to the example" if built.puzzle is None else "Start again",
        key="start again",
        icon=":material/undo:",
        on_click=_start,
        args=(built.task,),
    )


def _score(puzzle: Puzzle, grade: Grade) -> None:
    st.progress(grade.score, text=f"Score **{grade.score:.2f}** of 1.00; even weights score 0.00")
    marks = [
        f"{word_label(puzzle.words[query])} {':green[✓]' if score >= 0.9 else '·'}"
        for query, score in grade.rows.items()
    ]
    st.markdown("\u2002".join(marks))
    if grade.is_solved:
        st.success("Solved: every row that counts looks where it should.", icon=":material/check:")
        return
    with st.expander("Hints"):
        for hint in puzzle.hints:
            st.markdown(f"- {hint}")


def predict() -> None:
    """One head of the bundled model is hidden; its words are asked for, one after the other."""
    source = cache.Source(DEFAULT_MODEL, SENTENCE)
    stream = cache.record(source).stream("self")
    turn, place = divmod(state.own(Letters).question, len(ASKED_WORDS))
    turn, word = turn % len(HIDDEN_HEADS), ASKED_WORDS[place]
    layer, head = HIDDEN_HEADS[turn]
    st.markdown(_PREDICT_WORDS.format(sentence=SENTENCE, model=CATALOG[DEFAULT_MODEL].title))
    st.segmented_control(
        "Hidden head",
        range(len(HIDDEN_HEADS)),
        format_func=lambda index: history.head_name(HIDDEN_HEADS[index]),
        required=True,
        **state.bound("hidden", turn, lambda index: ask(index * len(ASKED_WORDS))),
    )
    predict_first(
        stream.key_texts,
        cache.layer_weights(source, stream, layer)[head, word],
        key="predict",
        what=f"where **{word_label(stream.key_texts[word])}** looks in {history.head_name((layer, head))}",
    )
