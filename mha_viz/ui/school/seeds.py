"""The same training from other seeds: which heads are born there, and when."""

import pandas as pd
import streamlit as st

from mha_viz.errors import MhaVizError
from mha_viz.figures.history import head_name
from mha_viz.school import phases
from mha_viz.school.checkpoints import History
from mha_viz.ui import messages
from mha_viz.ui.school import cache
from mha_viz.ui.school.skills import SKILLS
from mha_viz.ui.table_height import table_height


def other_seeds() -> None:
    """A row a skill, a column a seed: the step of birth, the head, its score."""
    try:
        histories = [cache.history(), *cache.other_histories()]
    except MhaVizError as error:
        messages.show(error)
        return
    if len(histories) == 1:
        return
    shortest = min(history.entries[-1].step for history in histories)
    table = births([phases.until(history, shortest) for history in histories])
    st.subheader("Other seeds", anchor=False)
    st.markdown(
        f"The same recipe from other random numbers, all looked at when they had got to step {shortest:,}: the step at which "
        "each skill had made half of its rise, the head that is best for it, and its score."
    )
    st.dataframe(
        table,
        height=table_height(len(table)),
        alt="When each skill is born, in each training.",
    )


def births(histories: list[History]) -> pd.DataFrame:
    """When each skill is born, and who has it, in each of some trainings."""
    columns = {
        f"seed {history.recipe['seed']}": [_birth(history, name) for name in SKILLS]
        for history in histories
    }
    titles = [skill.title for skill in SKILLS.values()]
    return pd.DataFrame(columns, index=pd.Index(titles, name="Skill"))


def _birth(history: History, name: str) -> str:
    score = history.entries[-1].card.heads[name]
    reached = f"{head_name(score.best)}, {score.value:.2f}"
    return {
        phases.FOUND: f"step {history.birth(name):,} ({reached})",
        phases.WEAK: f"step {history.birth(name):,}, weak ({reached})",
        phases.NONE: f"not born ({reached}; a head that sees no words reaches {score.null:.2f})",
    }[phases.standing(score)]
