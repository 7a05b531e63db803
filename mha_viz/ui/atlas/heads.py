"""All heads at once: over which texts, by which measure, the grid and the table beside it."""

import streamlit as st

from mha_viz.errors import MhaVizError
from mha_viz.figures.theme import Theme
from mha_viz.ui import messages, state
from mha_viz.ui.atlas.asked import measured_over, more_runs, with_longer_runs
from mha_viz.ui.atlas.choices import NUMBER, ROLE, SAME, Atlas
from mha_viz.ui.atlas.chosen import chosen_head
from mha_viz.ui.atlas.grid import grid
from mha_viz.ui.atlas.measured import Measured
from mha_viz.ui.atlas.measures import MEASURES
from mha_viz.ui.atlas.shown_roles import GROUPS, role_group
from mha_viz.ui.atlas.table import table
from mha_viz.ui.atlas.texts import over_picker, said_of, texts_of
from mha_viz.ui.messages import literal
from mha_viz.ui.view import View


def all_heads(view: View, theme: Theme) -> None:
    """The grid and the table, over the texts that are chosen."""
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", key="by_row")
    with row:
        over = over_picker()
    texts = texts_of(over, view)
    try:
        found = measured_over(view, texts)
        if found is None:
            return
        by = row.container(horizontal=True, gap="xsmall", width="content")
        with row:
            more_runs(view, texts)
        found = with_longer_runs(view, texts, found)
    except MhaVizError as error:
        messages.show(error)
        return
    said = said_of(over, found.n_texts, found.n_skipped)
    names = [name for name in MEASURES if name in found.columns]
    with by:
        colour = _by("Colour", "colour", {ROLE: "role"}, names)
        size = _by("Size", "size", {SAME: "all the same"}, names)
        order = _by("Order", "order", {NUMBER: "number"}, names)
    chosen_head(view, found, said)
    with st.container(horizontal=True, gap="medium", key="grid_and_table"):
        grid_side, table_side = st.container(key="grid_side"), st.container(key="table_side")
        with table_side:
            only = _role_filter(found)
            table(found, order, only, said)
        with grid_side:
            grid(view, found, (colour, size, order), only, said, theme)


def _by(label: str, key: str, first: dict[str, str], names: list[str]) -> str:
    """By what heads are coloured, sized or ordered: one of the measures that there are."""
    titles = first | {name: MEASURES[name].title for name in names}
    wanted = getattr(state.own(Atlas), key)
    if wanted not in titles:
        if wanted in MEASURES:
            messages.notice(f"{MEASURES[wanted].title} is not measured yet: see Measure more")
        wanted = next(iter(first))
    st.selectbox(
        label,
        list(titles),
        format_func=titles.__getitem__,
        width=132,
        **state.tied(key, wanted),
    )
    return wanted


def _role_filter(found: Measured) -> tuple[str, ...]:
    """Which roles are shown; none for all."""
    groups = [role_group(role) for role in found.roles]
    present = [group for group in GROUPS if group in groups]
    only = tuple(group for group in state.own(Atlas).only if group in present)
    st.pills(
        "Show only",
        present,
        selection_mode="multi",
        format_func=lambda group: f"{literal(group)} · {groups.count(group)}",
        wrap=True,
        **state.bound("only", list(only), lambda chosen: state.change_own(only=tuple(chosen))),
    )
    return only
