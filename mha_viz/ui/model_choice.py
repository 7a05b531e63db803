"""Which model is read with: a box to choose it or to type any, and the question that comes before one is fetched."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

from mha_viz.errors import ChoiceError
from mha_viz.models.catalog import CATALOG, ModelEntry, find_model
from mha_viz.ui import state
from mha_viz.ui.messages import literal


def model_box(model: str, tie: state.Bound, *, width: int | Literal["stretch"] = "stretch") -> None:
    """One of the catalog, or any hub id or folder that is typed.

    Args:
        model: What is chosen.
        tie: What it belongs to.
        width: Of the box, in pixels.
    """
    names = list(CATALOG)
    if model not in names:
        names.append(model)
    st.selectbox(
        "Model",
        names,
        format_func=_title,
        accept_new_options=True,
        width=width,
        help="Choose a model, or type the id of any model of the Hugging Face hub that has safetensors weights.",
        **tie,
    )


def may_load(entry: ModelEntry, asked_for: str, decline: Callable[[], None], key: str = "") -> bool:
    """Whether a model may be loaded: one that would be fetched, or a folder that would be opened, needs a click first.

    Args:
        entry: The model.
        asked_for: By what name a link asks for it.
        decline: What is done if it is not wanted.
        key: Tells several questions on a page apart.
    """
    if entry.kind == "bundled" or state.is_confirmed(asked_for):
        return True
    st.info(
        f"This link asks for the model **{literal(entry.title)}**. {literal(entry.note)}",
        icon=":material/download:",
    )
    with st.container(horizontal=True):
        st.button(
            "Load it",
            type="primary",
            key=f"confirm{key}",
            on_click=state.confirm_model,
            args=(asked_for,),
        )
        st.button("Use the bundled model", key=f"decline{key}", on_click=decline)
    return False


def _title(name: str) -> str:
    """What a model is called; one that is typed may be none."""
    try:
        return find_model(name).title
    except ChoiceError:
        return name
