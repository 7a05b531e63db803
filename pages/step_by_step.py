"""Step by step: the four steps of attention on one page, with every number in sight."""

import streamlit as st

from mha_viz.ui import controls, glass, next_tokens, shell
from mha_viz.ui.glass import pickers
from mha_viz.ui.glass.choices import PREDICT, GlassChoices
from mha_viz.ui.glass.one_or_many import one_head_or_many
from mha_viz.ui.pictures import theme
from mha_viz.ui.view import open_view


def page() -> None:
    """The text, whose numbers are followed, the steps, and one head beside many."""
    selection = shell.open_page("pages/step_by_step.py", GlassChoices())
    controls.text_box(selection)
    view = None
    with st.container(horizontal=True, gap="large"):
        task = pickers.task_picker()
        source = pickers.source_picker()
        followed_head = st.container(width="content")
    if source == "ours":
        pickers.small_layer_pickers()
    else:
        columns = st.columns([3, 1.5, 6])
        with columns[0]:
            controls.model_picker(selection)
        view = open_view(selection)
        if view is None:
            return
        with columns[1]:
            controls.layer_picker(view)
        controls.more_pickers(view)
        next_tokens.next_words(view.record)
    shown = glass.follow(selection, view)
    if shown is None:
        return
    with followed_head:
        pickers.head_picker(shown)
    if task == PREDICT:
        glass.predict(shown)
    else:
        glass.four_steps(shown, theme())
        one_head_or_many(shown, theme())


page()
