"""Spotlight: a text, and where every head of a transformer looks in it."""

import streamlit as st

from mha_viz.ui import controls, guide, server, shell, spotlight, take_away
from mha_viz.ui.pictures import theme
from mha_viz.ui.served import ROUTES
from mha_viz.ui.view import View, open_view


def page() -> None:
    """The text, the pickers, and below them the pictures, if there is something to see."""
    selection = shell.open_page("app.py")
    controls.text_box(selection)
    pickers = st.columns([3, 1.5, 7, 2.5])
    with pickers[0]:
        controls.model_picker(selection)
    view = open_view(selection)
    if view is None:
        return
    with pickers[1]:
        controls.layer_picker(view)
    with pickers[2]:
        controls.head_picker(view)
    with pickers[3]:
        controls.word_picker(view)
    controls.more_pickers(view)
    controls.reading_pickers(view)
    _pictures(view)


def _pictures(view: View) -> None:
    # Side by side where there is room, else one below the other.
    with st.container(horizontal=True, gap="medium", key="picture_and_guide"):
        with st.container(width="stretch"):
            spotlight.rows(view, theme())
        with st.container(width=300):
            guide.how_to_read(view)
            controls.share_picker(view)
    spotlight.maps(view, theme())
    take_away.take_away(view)
    spotlight.overview(view, theme())


if __name__ == "__main__":
    page()
else:  # `streamlit run` imports this file to find the server that runs it
    app = st.App(__file__, lifespan=server.warm_up, routes=ROUTES)
