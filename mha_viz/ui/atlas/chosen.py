"""The one head that is chosen, and the ways to its pictures on other pages."""

import streamlit as st

from mha_viz.figures.history import head_name
from mha_viz.ui import state
from mha_viz.ui.atlas.measured import Measured
from mha_viz.ui.atlas.shown_roles import said_role
from mha_viz.ui.compare.choices import Wanted, beside
from mha_viz.ui.compare.panels import MOST_TOKENS
from mha_viz.ui.messages import literal
from mha_viz.ui.view import View


def open_head(layer: int, head: int) -> None:
    """Choose a head, for every page."""
    state.change(layer=layer, heads=(head,))


def chosen_place(view: View, found: Measured) -> int:
    """Where the chosen head stands among all; the first of its layer if none is chosen."""
    head = view.selection.heads[0] if view.selection.heads else 0
    return found.places.index((view.selection.layer, head))


def open_of(found: Measured, data: list[object]) -> None:
    """Choose the head of a point; a ValueError if a browser names one that does not exist."""
    layer, head = data[:2]
    open_head(*found.places[found.places.index((layer, head))])


def chosen_head(
    view: View, found: Measured, over: str, other: tuple[int, int] | None = None
) -> None:
    """The head that is chosen, and the way to its pictures on other pages.

    Args:
        view: The text and the head.
        found: The numbers of all heads.
        over: Over which texts they are, in words.
        other: The head that stands beside it in Compare; None for the mean of its layer.
    """
    place = chosen_place(view, found)
    layer, head = found.places[place]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="chosen_head"):
        st.markdown(
            f"**{head_name((layer, head))}** · {literal(said_role(found.roles[place]))}, {over}",
            width="content",
        )
        st.page_link("app.py", label="Open in Spotlight", icon=":material/flare:")
        _to_compare(view, (layer, head), other)
        st.page_link(
            "pages/step_by_step.py",
            label="Open in Step by step",
            icon=":material/stairs:",
            query_params=view.selection.to_link() | {"source": "model", "head": str(head)},
        )


def _to_compare(view: View, one: tuple[int, int], other: tuple[int, int] | None) -> None:
    """The head beside another, or beside the mean of its layer, on this text."""
    stream = view.stream
    kind = stream.name if len(view.record.streams) > 1 else ""
    too_long = max(len(stream.query_tokens), len(stream.key_tokens)) > MOST_TOKENS
    panels = [
        Wanted(view.selection.model, layer, head, kind)
        for layer, head in (one, other or (one[0], None))
    ]
    texts = {} if too_long else beside(panels, view.source.text)
    st.page_link(
        "pages/compare.py",
        label="Open in Compare",
        icon=":material/compare:",
        disabled=too_long,
        help=f"Compare shows texts of at most {MOST_TOKENS} tokens." if too_long else None,
        query_params=view.selection.to_link() | texts,
    )
