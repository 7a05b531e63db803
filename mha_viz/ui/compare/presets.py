"""What to start a comparison from, each one click."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from mha_viz.models.catalog import AT_STEP, CATALOG, SCHOOL, is_school
from mha_viz.school.checkpoints import saved_steps
from mha_viz.ui import state
from mha_viz.ui.compare.choices import HEADS, LAYERS, PANELS, Compare, Wanted, beside, minimal_pair
from mha_viz.ui.compare.panels import Panel
from mha_viz.ui.messages import literal

ENCODER, DECODER = "minilm", "gpt2"
# A head that is born while the school model is trained, and a text on which one sees it: letters that come again.
BORN, LETTERS = Wanted(SCHOOL, layer=1, head=4), "m k t q b x m k t q b x"
_SHOWN = {
    PANELS: "Side by side",
    LAYERS: "This head in every layer",
    HEADS: "All heads of this layer",
}


def presets(panels: Sequence[Panel]) -> None:
    """Choose what is shown, or start from an example.

    Args:
        panels: What is shown now.
    """
    chosen = state.own(Compare)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.segmented_control(
            "Show",
            list(_SHOWN),
            format_func=_SHOWN.__getitem__,
            required=True,
            width="content",
            help="The last two take model, layer, head and text from panel 1.",
            **state.tied("show", chosen.show, first=0, second=1),
        )
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", width="content"
        ):
            st.caption("Try:", width="content")
            _preset("big / small", "Two sentences that differ in one word.", minimal_pair())
            _preset(
                "same text twice",
                "Nothing differs: the map of differences is exactly 0.",
                {"text_2": chosen.text_1, "panel_2": chosen.panel_1},
            )
            _encoder_against_decoder(chosen, panels)
            if steps := saved_steps():
                _before_and_after(chosen, f"{SCHOOL}{AT_STEP}{steps[0]}")


def _encoder_against_decoder(chosen: Compare, panels: Sequence[Panel]) -> None:
    """The two sides of one model, if the first panel's has both; else two models."""
    title, (one, _) = "encoder / decoder", chosen.wanted(0)
    model = panels[0] if panels and panels[0].number == 1 else None
    if model is not None and {"encoder", "decoder"} <= set(model.streams):
        sides = [replace(one, stream=kind, changes="") for kind in ("encoder", "decoder")]
        _preset(
            title,
            "The two sides of this model: the encoder reads the text, the decoder what it says.",
            beside(sides, chosen.text_1),
            # Without a target the decoder reads its start token alone: let it say the text again.
            target=state.selection().target or chosen.text_1,
        )
        return
    sides = [replace(one, model=name, stream="", changes="") for name in (ENCODER, DECODER)]
    names = f"{CATALOG[ENCODER].title} and {CATALOG[DECODER].title}"
    _preset(
        title,
        f"The same text read by {names}. {CATALOG[DECODER].note}",
        beside(sides, chosen.text_1),
        asks_for=DECODER,
    )


def _before_and_after(chosen: Compare, before: str) -> None:
    """The same head at the first step of the training and at its end; of another model, one that is born on the way."""
    one, _ = chosen.wanted(0)
    is_ours = is_school(one.model)
    after = replace(one, model=SCHOOL, changes="") if is_ours else BORN
    _preset(
        "before / after training",
        f"The same head of {CATALOG[SCHOOL].title} at the first step of its training and at the last.",
        beside([replace(after, model=before), after], chosen.text_1 if is_ours else LETTERS),
    )


def _preset(
    title: str, help_text: str, fields: dict[str, str], *, asks_for: str = "", target: str = ""
) -> None:
    def apply() -> None:
        if asks_for:
            state.confirm_model(asks_for)
        if target:
            state.change(target=target, query=None)
        state.change_own(show=PANELS, first=0, second=1, **fields)

    st.button(
        title, key=f"preset {title}", type="tertiary", help=literal(help_text), on_click=apply
    )
