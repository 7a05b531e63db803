"""What every page has: its frame, the way to the other pages, and the one Selection."""

from pathlib import Path

import streamlit as st

from mha_viz.ui import state
from mha_viz.ui.browser_side import copy_link_button, follow_theme, step_through
from mha_viz.ui.link import Choices
from mha_viz.ui.selection import Selection

ASSETS = Path(__file__).parents[2] / "assets"
PAGES = {
    "app.py": ("Spotlight", ":material/flare:"),
    "pages/compare.py": ("Compare", ":material/compare:"),
    "pages/step_by_step.py": ("Step by step", ":material/stairs:"),
    "pages/letters.py": ("A–F", ":material/match_word:"),
    "pages/mask_lab.py": ("Mask lab", ":material/science:"),
    "pages/heads_born.py": ("Training", ":material/school:"),
    "pages/atlas.py": ("Atlas", ":material/map:"),
    "pages/about.py": ("How it works", ":material/menu_book:"),
}


def open_page(script: str, choices: Choices | None = None) -> Selection:
    """Start a page: frame, navigation, address, and what the person typed and chose so far.

    Args:
        script: The page's own script, a key of `PAGES`.
        choices: What can be chosen on this page alone, as it is at first.
    """
    title, _ = PAGES[script]
    st.set_page_config(
        page_title=f"{title} · mha_viz", page_icon=ASSETS / "icon.png", layout="wide"
    )
    selection = state.enter(title.lower(), choices)
    st.html(ASSETS / "page.css")
    if selection.present:
        st.html(ASSETS / "present.css")
    with st.container(
        horizontal=True, vertical_alignment="center", key="top", horizontal_alignment="distribute"
    ):
        with st.container(
            horizontal=True, vertical_alignment="center", key="navigation", width="content"
        ):
            st.markdown("**mha_viz**", width="content")
            for other, (label, icon) in PAGES.items():
                st.page_link(other, label=label, icon=icon)
        with st.container(
            horizontal=True, vertical_alignment="center", key="link_buttons", width="content"
        ):
            step_through(on=selection.present)
            follow_theme()
            st.toggle(
                "Present",
                help="For a projector: everything larger. PageDown and PageUp go from part to part.",
                **state.bound("present", selection.present, lambda on: state.change(present=on)),
            )
            copy_link_button()
            st.button(
                "Reset",
                key="reset",
                on_click=state.reset,
                help="Back to the first sentence and the first heads.",
            )
    return selection
