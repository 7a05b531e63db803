"""The training as it goes on: where the heads look at a step, what they score, and what the model expects next."""

import math

import pandas as pd
import streamlit as st

from mha_viz.errors import MhaVizError
from mha_viz.figures.head_grid import head_grid
from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.history import Marks, best_at, head_history, head_name
from mha_viz.figures.next_words import NextWords, next_words
from mha_viz.figures.summary import describe_head
from mha_viz.figures.theme import Theme
from mha_viz.school import phases
from mha_viz.school.checkpoints import History
from mha_viz.school.reading import SchoolReading
from mha_viz.ui import messages, state
from mha_viz.ui.csv_button import csv_button
from mha_viz.ui.messages import literal
from mha_viz.ui.school import cache, player
from mha_viz.ui.school.choices import LONGEST_SENTENCE, STEPS, School
from mha_viz.ui.school.figure import figure
from mha_viz.ui.school.skills import SKILLS, Skill, example_of
from mha_viz.ui.school.spotlight_link import open_in_spotlight

N_NEXT = 5
# Pixels.
MAP_WIDTH, HISTORY_WIDTH, NEXT_WIDTH, GRID_WIDTH, SENTENCE_WIDTH = 480, 450, 280, 860, 460
TABLE_HEIGHT = 320


def watch(theme: Theme) -> None:
    """Everything that moves with the step; the rest of the page stays as it is."""
    pace = player.PACE if player.is_playing() else None
    st.fragment(_moving, run_every=pace)(theme, playing=pace is not None)


def _moving(theme: Theme, *, playing: bool) -> None:
    """One look at the training.

    Args:
        theme: Colours.
        playing: Whether the browser asks for the next step by itself.
    """
    player.move_on()
    if player.is_playing() != playing:
        # Only the whole page can begin or end that a part of it is asked for again and again.
        st.rerun()
    chosen = state.own(School)
    skill = SKILLS[chosen.skill]
    _pickers(chosen, skill)
    try:
        history = cache.history()
        head = _watched(chosen, history)
        st.markdown(_said(history, chosen, skill))
        read = _readings(chosen)
        with st.container(horizontal=True, gap="medium", key="training_pictures"):
            if read is not None:
                _map(read[0], head, chosen, theme)
            with st.container(width=HISTORY_WIDTH):
                _history(history, head, chosen, skill, theme)
            if read is not None:
                with st.container(width=NEXT_WIDTH):
                    _next(*read, chosen, theme)
        if read is not None:
            _all_heads(read[0], head, chosen, theme)
        _table(history, skill)
    except MhaVizError as error:
        messages.show(error)
    if not playing:
        state.write_address()


def _pickers(chosen: School, skill: Skill) -> None:
    """The skill, the sentence, and the step."""
    st.pills(
        "What to watch",
        list(SKILLS),
        format_func=lambda name: SKILLS[name].title,
        required=True,
        wrap=True,
        **state.bound("skill", chosen.skill, _choose_skill),
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="read_row"):
        st.text_input(
            "What the model reads",
            max_chars=LONGEST_SENTENCE,
            placeholder="Type a sentence, or letters that repeat …",
            width=SENTENCE_WIDTH,
            **state.tied("sentence", chosen.sentence[:LONGEST_SENTENCE]),
        )
        st.button(
            "Example",
            key="example",
            help=literal(skill.sentence),
            disabled=chosen.sentence == skill.sentence,
            on_click=state.change_own,
            kwargs={"sentence": skill.sentence},
        )
        player.controls()


def _choose_skill(name: str) -> None:
    """Another skill brings its example along, unless a person wrote a sentence of their own."""
    sentence = state.own(School).sentence
    is_own = bool(sentence.strip()) and example_of(sentence) is None
    state.change_own(skill=name, watched="", sentence=sentence if is_own else SKILLS[name].sentence)


def _watched(chosen: School, history: History) -> tuple[int, int]:
    """The head that is drawn large: the one that was clicked, or the one that is best at the end."""
    scores = history.entries[-1].card.heads[chosen.skill]
    n_layers, n_heads = scores.heads.shape
    names = {
        f"{layer}.{head}": (layer, head) for layer in range(n_layers) for head in range(n_heads)
    }
    return names.get(chosen.watched, scores.best)


def _readings(chosen: School) -> tuple[SchoolReading, SchoolReading] | None:
    """What the model makes of the sentence, at the step and at the last one; a sentence on the page if it cannot."""
    try:
        now, last = (cache.reading(chosen.sentence, step) for step in (chosen.step, STEPS[-1]))
    except MhaVizError as error:
        messages.show(error)
        return None
    return now, last


def _said(history: History, chosen: School, skill: Skill) -> str:
    """What there is to see, and how far it has got."""
    score = history.at(chosen.step).card.heads[skill.name]
    return (
        f"{literal(skill.says)} At step **{chosen.step:,}** the best head, **{head_name(score.best)}**, scores "
        f"**{score.value:.2f}**."
    )


def _map(now: SchoolReading, head: tuple[int, int], chosen: School, theme: Theme) -> None:
    weights, last = now.weights[head], len(now.tokens) - 1
    drawn = attention_heatmap(
        weights,
        now.texts,
        now.texts,
        title=f"{head_name(head)} at step {chosen.step:,}",
        theme=theme,
        query=last,
        special_queries=(0,),
        special_keys=(0,),
        clickable=False,
        width=MAP_WIDTH,
    )
    with st.container(width=math.ceil(drawn.layout.width), gap="xsmall"):
        figure(
            drawn,
            key="map",
            theme=theme,
            alt=f"Where each word looks in {head_name(head)} at step {chosen.step}: {describe_head(weights, now.texts)}.",
        )
        open_in_spotlight(
            [head],
            chosen.sentence,
            label=f"Open {head_name(head)} at this step in Spotlight",
            step=chosen.step,
            query=last,
        )


def _history(
    history: History, head: tuple[int, int], chosen: School, skill: Skill, theme: Theme
) -> None:
    steps, scores = phases.measured_steps(history), phases.scores_of(history, skill.name)
    rise = phases.rise(steps, scores.max(axis=(1, 2)))
    birth, null = history.birth(skill.name), history.entries[-1].card.heads[skill.name].null
    grown = "It does not grow."
    if rise is not None:
        how = "a sudden change" if rise.sudden else "a slow change"
        grown = f"Half of the rise: step {rise.start:,} to {rise.end:,}, {how}."
    best, value = best_at(steps, scores, chosen.step)
    figure(
        head_history(
            steps,
            scores,
            phases.losses_of(history),
            Marks(chosen.step, head, null, birth, None if rise is None else (rise.start, rise.end)),
            title=f"{skill.title}: score of every head",
            captions=[
                f"One line a head. Dashed: a head that sees no words ({null:.2f}).",
                "Born: the best head is half-way to where it ends.",
                grown,
            ],
            theme=theme,
        ),
        key="history",
        theme=theme,
        alt=f"{skill.title} over the training, one line a head: born at step {birth}. {grown} "
        f"At step {chosen.step} {head_name(best)} is best with {value:.2f}.",
    )


def _next(now: SchoolReading, last: SchoolReading, chosen: School, theme: Theme) -> None:
    example = example_of(chosen.sentence)
    right = () if example is None else example.right
    groups = [
        NextWords(title, reading.next.texts[:N_NEXT], reading.next.probabilities[:N_NEXT])
        for title, reading in (
            (f"Now, at step {chosen.step:,}", now),
            (f"At the last step, {STEPS[-1]:,}", last),
        )
    ]
    said = "; ".join(
        f"{group.title}: "
        + ", ".join(
            f"{word} {probability:.2f}"
            for word, probability in zip(group.words, group.probabilities, strict=True)
        )
        for group in groups
    )
    figure(
        next_words(
            groups,
            title="What comes next?",
            caption="✓ marks a right word." if right else "The five likeliest words.",
            right=right,
            theme=theme,
        ),
        key="next words",
        theme=theme,
        alt=f"The likeliest next words. {said}.",
    )


def _all_heads(now: SchoolReading, head: tuple[int, int], chosen: School, theme: Theme) -> None:
    def pick(point: list) -> None:
        layer, index = point[:2]
        state.change_own(watched=f"{int(layer)}.{int(index)}")

    with st.container(width=GRID_WIDTH):
        figure(
            head_grid(
                list(now.weights),
                title=f"All heads at step {chosen.step:,}: click one to see it large",
                theme=theme,
                selected={head: theme.accent},
                width=GRID_WIDTH,
            ),
            key="all heads",
            theme=theme,
            pick=pick,
            alt=f"A small map of every head at step {chosen.step}, layers down and heads across.",
        )


def _table(history: History, skill: Skill) -> None:
    with st.expander(f"{skill.title}: all scores as a table"):
        steps, scores = phases.measured_steps(history), phases.scores_of(history, skill.name)
        heads = [
            (layer, head) for layer in range(scores.shape[1]) for head in range(scores.shape[2])
        ]
        table = pd.DataFrame(
            {"step": steps, "loss": phases.losses_of(history)}
            | {head_name(head): scores[:, head[0], head[1]] for head in heads}
        )
        st.dataframe(
            table,
            hide_index=True,
            height=TABLE_HEIGHT,
            column_config={
                name: st.column_config.NumberColumn(name, format="%d" if name == "step" else "%.2f")
                for name in table.columns
            },
        )
        csv_button("Download as CSV", "scores.csv", lambda: table)
