"""The page of comparisons: panels side by side, what changes between two of them, and which heads swing most."""

import streamlit as st

from mha_viz.figures.theme import Theme
from mha_viz.ui import messages, state
from mha_viz.ui.compare import pickers, pictures, presets, swung
from mha_viz.ui.compare.choices import HEADS, LAYERS, Compare
from mha_viz.ui.compare.pairs import Pair
from mha_viz.ui.compare.panels import every_head, every_layer
from mha_viz.ui.selection import Selection

_HOW_TO = """
**Change one word and see what a head does about it.** Write a text in each panel and choose a head; then **point at a word**:
it lights up in all panels. Below: what changed, and which heads notice the change most.
"""


def page(selection: Selection, theme: Theme) -> None:
    """All of it, as far as there is something to compare."""
    chosen = state.own(Compare)
    st.markdown(_HOW_TO)
    if not chosen.fits_link(selection):
        messages.notice(
            "these texts are too long for a link: the address leaves them out, so send the texts along"
        )
    for sentence in state.notices():
        messages.notice(sentence)
    try_these = st.container()
    panels = pickers.panels(selection.target)
    with try_these:
        presets.presets(panels)
    if chosen.show == LAYERS and panels:
        panels = every_layer(panels[0])
    elif chosen.show == HEADS and panels:
        panels = every_head(panels[0])
    if not panels:
        return
    pictures.side_by_side(panels, theme)
    if len(panels) < 2:
        return
    pair = Pair(*pictures.choose_two(panels))
    pictures.difference(pair, theme)
    swung.ranking(pair)
