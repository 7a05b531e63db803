"""The table of heads, ranked by how far they swing between the two texts, over a noise floor."""

from dataclasses import asdict, replace

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from mha_viz.core.swings import LEAST_SWAPS, NEUTRAL_WORDS, Swing
from mha_viz.errors import MhaVizError
from mha_viz.ui import messages, state
from mha_viz.ui.compare.choices import Compare, panel_field
from mha_viz.ui.compare.pairs import Pair

HEIGHT = 420
_RULE = "; ".join(", ".join(words) for words in NEUTRAL_WORDS)


def ranking(pair: Pair) -> None:
    """All heads; a row that is chosen opens that head in the panels."""
    if not pair.same_heads or not pair.has_cells:
        return
    if pair.first.source.text == pair.second.source.text:
        st.caption("Both panels read the same text, so no head swings between texts.")
        return
    st.subheader("Which heads swing most", anchor=False)
    try:
        with st.spinner("Swapping neutral words, to see how much any change moves each head …"):
            found = pair.swings
    except MhaVizError as error:
        messages.show(error)
        return
    st.markdown(_said(found.heads[0], found.n_swaps))

    def open_head(row: int) -> None:
        _open(found.heads[row], pair)

    key = f"swings {hash((pair.first.source, pair.second.source, pair.first.stream.name))}"
    st.dataframe(
        table(found.heads),
        key=key,
        hide_index=True,
        height=HEIGHT,
        width=640,
        on_select=state.on_row(key, open_head),
        selection_mode="single-row",
        column_config=_columns(found.heads),
        alt="Every head with how far it swings between the two texts, its noise floor, and the difference.",
    )
    st.caption(
        "**Swing**: mean Jensen–Shannon distance between the rows of the tokens that both texts have, as the model is, with "
        "nothing done to heads. **Noise floor**: the same between a text and itself with one neutral word swapped for another "
        f"of its list ({_RULE}), for words that stand in both texts; what 95 % of the swaps stay below."
    )


def table(heads: tuple[Swing, ...]) -> pd.DataFrame:
    """A row a head, in the order of the ranking."""
    rows = [
        {
            "Head": f"L{swing.layer} H{swing.head}",
            "Above": swing.above,
            "Swing": swing.distance,
            "Floor": swing.floor,
        }
        for swing in heads
    ]
    return pd.DataFrame(rows)


def _columns(heads: tuple[Swing, ...]) -> dict[str, ColumnConfig]:
    most = max(max(asdict(swing)[part] for part in ("distance", "floor")) for swing in heads) or 1.0
    bars = {
        name: st.column_config.ProgressColumn(title, format="%.3f", min_value=0.0, max_value=most)
        for name, title in (("Swing", "Swing"), ("Floor", "Noise floor"))
    }
    return bars | {"Above": st.column_config.NumberColumn("Above the floor", format="%+.3f")}


def _said(first: Swing, n_swaps: int) -> str:
    if not n_swaps:
        return (
            f"There is no noise floor: it needs at least {LEAST_SWAPS} neutral swaps, and too few neutral words stand in both texts. "
            "Heads are ranked by their swing alone. **Choose a row** to open that head above."
        )
    name = f"L{first.layer} H{first.head}"
    if first.above <= 0:
        return (
            f"No head swings more than {n_swaps} neutral swaps make it swing: what differs above may be noise. "
            "**Choose a row** to open that head above."
        )
    return (
        f"**{name}** swings by {first.distance:.3f}, and {n_swaps} neutral swaps move it by up to {first.floor:.3f}. "
        "**Choose a row** to open that head above."
    )


def _open(swing: Swing, pair: Pair) -> None:
    """In the panels that are compared."""
    chosen = state.own(Compare)
    opened = {}
    for panel in (pair.first, pair.second):
        place = panel.number - 1
        wanted, _ = chosen.wanted(place)
        opened[panel_field(place)] = replace(wanted, layer=swing.layer, head=swing.head).to_text()
    state.change_own(**opened)
