"""A head to point at for everything that is said of heads; or the word that training gave none."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from mha_viz.errors import MhaVizError
from mha_viz.figures.arcs import ArcRow, spotlight_rows
from mha_viz.figures.history import head_name
from mha_viz.figures.text import shown_text
from mha_viz.figures.theme import PLOTLY_CONFIG, Theme
from mha_viz.school import phases
from mha_viz.school.checkpoints import History
from mha_viz.ui import messages
from mha_viz.ui.messages import literal
from mha_viz.ui.school import cache
from mha_viz.ui.school.choices import STEPS
from mha_viz.ui.school.skills import CLAIMS, SKILLS, Claim
from mha_viz.ui.school.spotlight_link import open_in_spotlight

CARD_WIDTH = 620


def point_at_a_head(theme: Theme) -> None:
    """Each claim with the best head for it at the end of the training, its score, and what it does in a sentence."""
    st.subheader("Point at a head", anchor=False)
    st.markdown(
        "What heads are said to do, and the head of this model that does it once the training is over. The **score** is the mean weight "
        "from the later word to the earlier one that belongs to it, over sentences that the model has never read; the **null** is what "
        "a head could reach that sees places and no words."
    )
    try:
        history = cache.history()
        with st.container(horizontal=True, gap="medium", key="claims"):
            for claim in CLAIMS:
                with st.container(width=CARD_WIDTH, border=True, gap="xsmall"):
                    _card(claim, history, theme)
    except MhaVizError as error:
        messages.show(error)


def _card(claim: Claim, history: History, theme: Theme) -> None:
    st.markdown(f"**{literal(claim.title)}**")
    for name in claim.skills:
        st.markdown(verdict(history, name))
    if claim.besides:
        st.caption(literal(claim.besides))
    if claim.skills:
        _drawn(claim, history, theme)


def verdict(history: History, name: str) -> str:
    """Whether there is a head for a skill, with its numbers, as markdown."""
    score = history.entries[-1].card.heads[name]
    numbers = (
        f"score **{score.value:.2f}**, null {score.null:.2f}, born at step {history.birth(name):,}"
    )
    who = f"**{head_name(score.best)}**"
    return {
        phases.FOUND: f"{who}: {numbers}",
        phases.WEAK: f"Only weakly: the best head is {who}, {numbers}.",
        phases.NONE: f"**No such head**: training gave none. The best, {head_name(score.best)}, reaches {score.value:.2f}, "
        f"and a head that sees no words {score.null:.2f}.",
    }[phases.standing(score)]


def _drawn(claim: Claim, history: History, theme: Theme) -> None:
    """The heads over the sentence, with the arcs of its last word in front."""
    sentence = SKILLS[claim.skills[0]].sentence
    reading = cache.reading(sentence, STEPS[-1])
    heads = [history.entries[-1].card.heads[name].best for name in claim.skills]
    last = len(reading.tokens) - 1
    rows = [
        ArcRow(
            head_name(head),
            reading.weights[head],
            theme.head_colour(place),
            note=_looks(reading.weights[head], reading.texts),
        )
        for place, head in enumerate(heads)
    ]
    st.plotly_chart(
        spotlight_rows(
            rows,
            reading.texts,
            title="Where the last word looks",
            theme=theme,
            query=last,
            special_queries=(0,),
        ),
        key=f"claim {claim.title}",
        theme=None,
        config=PLOTLY_CONFIG,
        alt=f"“{sentence}”: "
        + " ".join(f"in {row.name}, the last word {row.note}." for row in rows),
    )
    for head in heads:
        open_in_spotlight(
            [head], sentence, label=f"Open {head_name(head)} in Spotlight", query=last
        )


def _looks(weights: Float[np.ndarray, "n_tokens n_tokens"], texts: list[str]) -> str:
    """Where the last word looks most, and how far back on average."""
    row = weights[-1]
    back = float(row @ (len(row) - 1 - np.arange(len(row))))
    most = int(row.argmax())
    return f"looks at “{shown_text(texts[most])}” with {row[most]:.2f}, on average {back:.1f} tokens back"
