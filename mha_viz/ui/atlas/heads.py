"""All heads at once: the grid, the table beside it, and the one head that is chosen."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from mha_viz.core import roles
from mha_viz.core.roles import Role
from mha_viz.errors import MhaVizError
from mha_viz.figures.head_points import HeadPoint, grid_of_heads
from mha_viz.figures.theme import PLOTLY_CONFIG, Theme
from mha_viz.ui import messages, state
from mha_viz.ui.atlas import measured, runs
from mha_viz.ui.atlas.choices import NUMBER, ROLE, SAME, Atlas
from mha_viz.ui.atlas.measured import Measured
from mha_viz.ui.atlas.measures import MEASURES, RUNS
from mha_viz.ui.atlas.texts import MOST_TEXTS, over_picker, said_of, texts_of
from mha_viz.ui.messages import literal
from mha_viz.ui.view import View

BLIND = "sees nothing"
# The order of the colours; sinks share one, whatever they are called.
GROUPS = (
    roles.PREVIOUS,
    roles.NEXT,
    "sink",
    roles.ITSELF,
    roles.EVEN,
    roles.PUNCTUATION,
    roles.DUPLICATE,
    roles.INDUCTION,
    roles.MIXED,
)
# Up to so many texts are read without being asked.
MOST_AT_ONCE = 6
_MAIN = "atlas texts"


def all_heads(view: View, theme: Theme) -> None:
    """The grid and the table, over the texts that are chosen."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="by_row"):
        over = over_picker()
        by_place = st.container(
            horizontal=True, vertical_alignment="bottom", gap="medium", width="content"
        )
    texts = texts_of(over, view)
    try:
        found = _measured(view, texts)
        if found is None:
            return
        with by_place:
            _more(view, texts)
        found = _longer_runs(view, texts, found)
    except MhaVizError as error:
        messages.show(error)
        return
    said = said_of(over, found.n_texts, found.n_skipped)
    names = [name for name in MEASURES if name in found.columns]
    with by_place:
        colour = _by("Colour", "colour", {ROLE: "role"}, names)
        size = _by("Size", "size", {SAME: "all the same"}, names)
        order = _by("Order", "order", {NUMBER: "number of the head"}, names)
    only = _role_filter(found)
    chosen_head(view, found, said)
    with st.container(horizontal=True, gap="medium", key="grid_and_table"):
        with st.container(key="grid_side"):
            _grid(view, found, (colour, size, order), only, said, theme)
        with st.container(key="table_side"):
            _table(found, order, only, said)


def role_group(role: Role | None) -> str:
    """Which colour a role has."""
    if role is None:
        return roles.MIXED
    return "sink" if role.name.endswith(roles.SINK) else role.name


def role_colours(groups: Sequence[str], theme: Theme) -> dict[str, str]:
    """The colour of each group that there is."""
    colours = dict(zip(GROUPS, (*theme.heads, theme.grid), strict=True))
    return {group: colours[group] for group in GROUPS if group in groups}


def open_head(layer: int, head: int) -> None:
    """Choose a head, for every page."""
    state.change(layer=layer, heads=(head,))


def chosen_place(view: View, found: Measured) -> int:
    """Where the chosen head stands among all; the first of its layer if none is chosen."""
    head = view.selection.heads[0] if view.selection.heads else 0
    return found.places.index((view.selection.layer, head))


def chosen_head(view: View, found: Measured, over: str) -> None:
    """The head that is chosen, and the way to its pictures on other pages."""
    place = chosen_place(view, found)
    layer, head = found.places[place]
    role = found.roles[place]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="chosen_head"):
        st.markdown(
            f"**L{layer} H{head}** · {literal(BLIND if role is None else str(role))}, {over}",
            width="content",
        )
        st.page_link("app.py", label="Open in Spotlight", icon=":material/flare:")
        st.page_link(
            "pages/step_by_step.py",
            label="Open in Step by step",
            icon=":material/stairs:",
            query_params=view.selection.to_link() | {"source": "model", "head": str(head)},
        )


def _measured(view: View, texts: tuple[str, ...]) -> Measured | None:
    """The numbers over the texts; None while they are not asked for."""
    if texts == (view.source.text,):
        return measured.of_this_text(view)
    if not texts:
        st.caption(
            f"Paste a list or choose a file: every head is measured over all of it, up to {MOST_TEXTS:,} texts, each cut "
            "where the model's limit is."
        )
        return None
    about = measured.about(view, texts)
    run = runs.started(_MAIN, about)
    begin = (_MAIN, about, len(texts), partial(measured.over_texts, view, texts))
    if run is None and len(texts) <= MOST_AT_ONCE:
        run = runs.start(*begin)
    if run is None:
        st.button(
            f"Measure {len(texts):,} texts",
            type="primary",
            key="measure texts",
            on_click=runs.begin,
            args=begin,
        )
        return None
    return runs.result(_MAIN, run, "Reading texts")


def _more(view: View, texts: tuple[str, ...]) -> None:
    """The buttons that start longer runs."""
    about = measured.about(view, texts)
    with st.popover(
        "Measure more", icon=":material/more_time:", help="Measures that run the model many times."
    ):
        for kind, title in RUNS.items():
            if reason := measured.why_not(kind, view, texts):
                st.caption(f"{title}: {reason}.")
                continue
            n_steps = measured.n_steps(kind, view, texts)
            st.button(
                f"{title} ({n_steps:,} runs of the model)",
                key=f"run {kind}",
                disabled=runs.started(_name(kind), about) is not None,
                on_click=runs.begin,
                args=(
                    _name(kind),
                    about,
                    n_steps,
                    partial(measured.steps, kind, view, texts),
                ),
            )


def _longer_runs(view: View, texts: tuple[str, ...], found: Measured) -> Measured:
    """With what was measured by the longer runs that were started."""
    about = measured.about(view, texts)
    for kind, title in RUNS.items():
        if (run := runs.started(_name(kind), about)) is not None:
            found = found.with_columns(runs.result(_name(kind), run, title))
    return found


def _name(kind: str) -> str:
    return f"atlas {kind}"


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
        width=190,
        **state.bound(key, wanted, lambda chosen: state.change_own(**{key: chosen})),
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


def _sequence(found: Measured, order: str) -> list[int]:
    """The heads as they are ordered: the largest first, or by number."""
    places = list(range(len(found.places)))
    if order == NUMBER:
        return places
    column = found.columns[order]
    return sorted(places, key=lambda place: (np.isnan(column[place]), -column[place]))


def _grid(
    view: View,
    found: Measured,
    by: tuple[str, str, str],
    only: tuple[str, ...],
    over: str,
    theme: Theme,
) -> None:
    colour, size, order = by
    sizes = np.ones(len(found.places)) if size == SAME else _relative(found.columns[size])
    chosen, said = chosen_place(view, found), found.roles
    taken: dict[int, int] = {}
    points = []
    for place in _sequence(found, order):
        layer, head = found.places[place]
        rank = taken.setdefault(layer, 0)
        taken[layer] += 1
        role = said[place]
        value = role.share if role is not None else None
        if colour != ROLE:
            number = found.columns[colour][place]
            value = None if np.isnan(number) else float(number)
        number = "–" if value is None else f"{value:.2f}"
        points.append(
            HeadPoint(
                layer,
                head,
                x=head if order == NUMBER else rank,
                y=layer,
                group=role_group(role),
                value=value,
                size=float(sizes[place]),
                label=number if order == NUMBER else f"H{head} {number}",
                says=_says(found, place, by),
                shown=not only or role_group(role) in only,
                framed=place == chosen,
            )
        )
    shows = "its role and the share that says so" if colour == ROLE else "that number"
    captions = [f"A square is a head with {shows}, {over}.", "Click one to choose it."]
    if size != SAME:
        captions[1] += f" Size: {MEASURES[size].title.lower()}."
    figure = grid_of_heads(
        points,
        title="Every head by what it does"
        if colour == ROLE
        else f"Every head by {MEASURES[colour].title.lower()}",
        captions=captions,
        colours=role_colours([point.group for point in points], theme) if colour == ROLE else None,
        measure="" if colour == ROLE else MEASURES[colour].title,
        in_order=order != NUMBER,
        theme=theme,
    )
    st.plotly_chart(
        figure,
        key="heads",
        theme=None,
        config=PLOTLY_CONFIG,
        selection_mode="points",
        on_select=state.on_pick("heads", lambda data: _open_of(found, data)),
        alt=f"Every head of the model, layers down and heads across, {over}; the table holds the numbers.",
    )


def _open_of(found: Measured, data: list[object]) -> None:
    """Open the head of a point; a ValueError if a browser names one that does not exist."""
    layer, head = data[:2]
    open_head(*found.places[found.places.index((layer, head))])


def _says(found: Measured, place: int, by: tuple[str, str, str]) -> str:
    role = found.roles[place]
    numbers = [
        f"{MEASURES[name].title.lower()} {found.columns[name][place]:.2f}"
        for name in dict.fromkeys(by)
        if name in found.columns
    ]
    return ", ".join([BLIND if role is None else str(role), *numbers])


def _relative(column: np.ndarray) -> np.ndarray:
    """From 0 to 1, the largest number; where there is none, 0."""
    largest = np.nanmax(column) if not np.isnan(column).all() else 0.0
    return np.nan_to_num(column / largest) if largest else np.zeros(len(column))


def heads_table(found: Measured, places: Sequence[int]) -> pd.DataFrame:
    """A row a head: where it is, what it does, and every measure."""
    said = found.roles
    return pd.DataFrame(
        {
            "layer": [found.places[place][0] for place in places],
            "head": [found.places[place][1] for place in places],
            "role": [BLIND if said[place] is None else str(said[place]) for place in places],
        }
        | {name: found.columns[name][list(places)] for name in MEASURES if name in found.columns}
    )


def _table(found: Measured, order: str, only: tuple[str, ...], over: str) -> None:
    said = found.roles
    places = [
        place for place in _sequence(found, order) if not only or role_group(said[place]) in only
    ]
    table = heads_table(found, places)
    # In another table the same row is another head.
    key = f"measures {hash((tuple(places), over, found.columns['entropy'].tobytes()))}"
    st.dataframe(
        table,
        key=key,
        hide_index=True,
        height=520,
        on_select=state.on_row(key, lambda row: open_head(*found.places[places[row]])),
        selection_mode="single-row",
        column_config={name: _column(name) for name in table.columns},
        alt="Every head with its role and all its measures.",
    )
    st.download_button(
        "Download as CSV",
        partial(_csv_of, table),
        file_name="heads.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )


def _csv_of(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False).encode("utf-8", "replace")


def _column(name: str) -> ColumnConfig:
    """Shares as bars, other numbers as numbers."""
    if name == "role":
        return st.column_config.TextColumn(
            "Role", help="What the head does, with the share that says so.", width=160, pinned=True
        )
    if name not in MEASURES:
        return st.column_config.NumberColumn(name.capitalize(), format="%d", width=56, pinned=True)
    measure = MEASURES[name]
    if measure.is_share:
        return st.column_config.ProgressColumn(
            measure.title, help=measure.says, format="%.2f", min_value=0.0, max_value=1.0
        )
    return st.column_config.NumberColumn(
        measure.title, help=measure.says, format="%.3f" if name == "effect" else "%.2f"
    )
