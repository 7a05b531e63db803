"""All heads as rows: what each does, and every number of it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from mha_viz.ui import state
from mha_viz.ui.atlas.choices import NUMBER
from mha_viz.ui.atlas.chosen import open_head
from mha_viz.ui.atlas.measured import Measured
from mha_viz.ui.atlas.measures import MEASURES
from mha_viz.ui.atlas.shown_roles import role_group, said_role
from mha_viz.ui.csv_button import csv_button


def sequence(found: Measured, order: str) -> list[int]:
    """The heads as they are ordered: the largest first, or by number."""
    places = list(range(len(found.places)))
    if order == NUMBER:
        return places
    column = found.columns[order]
    return sorted(places, key=lambda place: (np.isnan(column[place]), -column[place]))


def heads_table(found: Measured, places: Sequence[int]) -> pd.DataFrame:
    """A row a head: where it is, what it does, and every measure."""
    said = found.roles
    return pd.DataFrame(
        {
            "layer": [found.places[place][0] for place in places],
            "head": [found.places[place][1] for place in places],
            "role": [said_role(said[place]) for place in places],
        }
        | {name: found.columns[name][list(places)] for name in MEASURES if name in found.columns}
    )


def table(found: Measured, order: str, only: tuple[str, ...], over: str) -> None:
    """Show every head with all its numbers; a row that is chosen opens its head.

    Args:
        found: The numbers of all heads.
        order: The measure by which they are in order, or their number.
        only: The groups of roles that are shown; none for all.
        over: Over which texts, in words.
    """
    said = found.roles
    places = [
        place for place in sequence(found, order) if not only or role_group(said[place]) in only
    ]
    numbers = heads_table(found, places)
    # In another table the same row is another head.
    key = f"measures {hash((tuple(places), over, found.columns['entropy'].tobytes()))}"
    st.dataframe(
        numbers,
        key=key,
        hide_index=True,
        height=520,
        on_select=state.on_row(key, lambda row: open_head(*found.places[places[row]])),
        selection_mode="single-row",
        column_config={name: _column(name) for name in numbers.columns},
        alt="Every head with its role and all its measures.",
    )
    csv_button("Download as CSV", "heads.csv", lambda: numbers)


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
