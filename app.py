"""Spotlight: a text, and where every head of a transformer looks in it."""

import streamlit as st

from mha_viz.ui import controls, guide, next_tokens, server, shell, spotlight, state, take_away
from mha_viz.ui.pictures import theme
from mha_viz.ui.served import ROUTES
from mha_viz.ui.spotlight import ahead
from mha_viz.ui.view import View, open_view


def page() -> None:
    """The frame, and in it what runs again by itself whenever something is typed or chosen there."""
    shell.open_page("app.py")
    _spotlight()


@st.fragment
def _spotlight() -> None:
    """The text, the pickers, and below them the pictures, if there is something to see."""
    selection = state.resume()
    controls.text_box(selection)
    pickers = st.container(horizontal=True, key="pickers")
    with pickers, st.container(width=180):
        controls.model_picker(selection)
    view = open_view(selection)
    if view is None:
        return
    with pickers:
        with st.container(width="content"):
            spotlight.layers(view)
        with st.container(width="stretch"):
            controls.head_picker(view)
        with st.container(width=160):
            controls.word_picker(view)
    controls.more_pickers(view)
    controls.reading_pickers(view)
    next_tokens.next_words(view.record)
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
    app = st.App(__file__, lifespan=server.warm_up, routes=[ahead.ROUTE, *ROUTES])
