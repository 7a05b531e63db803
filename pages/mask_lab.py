"""Mask lab: each head sees only a part of the text; original and restricted, side by side."""

import streamlit as st

from mha_viz.ui import controls, lab, shell, state
from mha_viz.ui.lab import pickers
from mha_viz.ui.lab.choices import PREDICT, Lab
from mha_viz.ui.pictures import theme
from mha_viz.ui.view import open_view


def page() -> None:
    """The text, whose heads, and what is done to them."""
    selection = shell.open_page("pages/mask_lab.py", Lab())
    controls.text_box(selection)
    view, is_ours = None, state.own(Lab).source == "ours"
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        pickers.task_and_source()
        if is_ours:
            pickers.our_layer()
        else:
            with st.container(width=280):
                controls.model_picker(selection)
            layer_place = st.container(width=110)
    if not is_ours:
        view = open_view(selection)
        if view is None:
            return
        with layer_place:
            controls.layer_picker(view)
        controls.more_pickers(view)
    bench = lab.bench_of(selection, view)
    if bench is None:
        return
    if state.own(Lab).task == PREDICT:
        lab.predict(bench)
    else:
        lab.compare(bench, theme())


page()
