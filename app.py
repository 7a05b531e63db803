"""Spotlight: a text, and where every head of a transformer looks in it."""

import streamlit as st

from mha_viz.ui import controls, guide, pictures, shell
from mha_viz.ui.view import open_view

selection = shell.open_page("app.py")
controls.text_box(selection)
pickers = st.columns([4, 2, 6, 3], vertical_alignment="top")
with pickers[0]:
    controls.model_picker(selection)
view = open_view(selection)
with pickers[1]:
    controls.layer_picker(view)
with pickers[2]:
    controls.head_picker(view)
with pickers[3]:
    controls.word_picker(view)
controls.more_pickers(view)

left, right = st.columns([4, 1], gap="medium")
with left:
    pictures.spotlights(view)
with right:
    guide.how_to_read(view)
    controls.link_buttons()
pictures.heatmaps(view)
pictures.all_heads(view)
pictures.table(view)
