"""Atlas: every head of the model by what it does, and ways to find one."""

import streamlit as st

from mha_viz.ui import atlas, controls, shell
from mha_viz.ui.atlas.choices import Atlas
from mha_viz.ui.pictures import theme
from mha_viz.ui.view import open_view


def page() -> None:
    """The text, the model, and the part that is chosen."""
    selection = shell.open_page("pages/atlas.py", Atlas())
    controls.text_box(selection)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="atlas_top"):
        with st.container(width=190):
            controls.model_picker(selection)
        atlas.part_picker()
    if (view := open_view(selection)) is not None:
        controls.more_pickers(view)
        atlas.show(view, theme())


page()
