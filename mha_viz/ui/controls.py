"""What a person types and chooses: text, examples, model, layer, heads, word."""

import streamlit as st

from mha_viz.figures.text import shown_text
from mha_viz.models.catalog import CATALOG
from mha_viz.ui import examples, state
from mha_viz.ui.messages import literal
from mha_viz.ui.selection import LEAST_SHARE, Selection
from mha_viz.ui.view import View

MOST_PILLS = 40
LONGEST_WORD = 40


def text_box(selection: Selection) -> None:
    """The text, a button that shows it, and sentences to start from."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="text_row"):
        st.text_area(
            "Text",
            height=80,
            placeholder="Type a sentence …",
            **state.bound("text", selection.text, lambda typed: state.change(text=typed)),
        )
        # Leaving the box to press the button is what commits the text.
        st.button("Show", type="primary", key="show", on_click=state.touch)
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="examples_row"
    ):
        st.caption("Try:", width="content")
        for example in examples.EXAMPLES:
            st.button(
                example.title,
                key=f"example {example.title}",
                type="tertiary",
                help=literal(example.text),
                on_click=state.change,
                kwargs=example.view(),
            )


def model_picker(selection: Selection) -> None:
    """The model: one of the catalog, or any hub id or folder that is typed."""
    names = list(CATALOG)
    if selection.model not in names:
        names.append(selection.model)
    st.selectbox(
        "Model",
        names,
        format_func=lambda name: CATALOG[name].title if name in CATALOG else name,
        accept_new_options=True,
        help="Choose a model, or type the id of any model of the Hugging Face hub that has safetensors weights.",
        **state.bound("model", selection.model, _choose_model),
    )


def layer_picker(view: View) -> None:
    """The layer that is shown."""
    st.selectbox(
        "Layer",
        view.stream.attending_layers,
        **state.bound("layer", view.selection.layer, lambda layer: state.change(layer=layer)),
    )


def head_picker(view: View) -> None:
    """The heads of the layer that are shown, any number of them."""
    heads = list(range(view.stream.layer(view.selection.layer).n_heads))
    tie = state.bound(
        "heads",
        list(view.selection.heads),
        lambda chosen: state.change(heads=tuple(sorted(chosen))),
    )
    if len(heads) <= MOST_PILLS:
        st.pills(
            "Heads",
            heads,
            selection_mode="multi",
            default=None,
            format_func="H{}".format,
            wrap=True,
            **tie,
        )
    else:
        st.multiselect("Heads", heads, format_func="H{}".format, **tie)


def word_picker(view: View) -> None:
    """The word whose arcs stand out; clicking it in a picture does the same."""
    words, window = view.stream.query_texts, view.query_window

    def choose(query: int | None) -> None:
        shown = query is None or window.holds(query)
        start = window.start if shown else max(0, query - (window.stop - window.start) // 2)
        state.change(query=query, start=start)

    st.selectbox(
        "Word",
        range(len(words)),
        index=None,
        placeholder="all words",
        format_func=lambda position: f"{position} · {shown_text(words[position], LONGEST_WORD)}",
        **state.bound("query", view.selection.query, choose),
    )


def share_picker(view: View) -> None:
    """How much of each word's weight the arcs hold: more arcs, or fewer."""
    st.slider(
        "Arcs hold this share of a word's weight",
        min_value=LEAST_SHARE,
        max_value=100,
        step=5,
        format="%d %%",
        **state.bound("share", view.selection.share, lambda share: state.change(share=share)),
    )


def more_pickers(view: View) -> None:
    """What only some texts and models need: the kind of attention, the target, the part of a long text."""
    if len(view.record.streams) > 1:
        kind, target = st.columns([1, 2])
        with kind:
            st.segmented_control(
                "Attention",
                view.record.streams,
                required=True,
                **state.bound(
                    "stream",
                    view.stream.name,
                    lambda name: state.change(stream=name, query=None, start=0),
                ),
            )
        with target:
            st.text_input(
                "Target: what the decoder is made to say",
                **state.bound(
                    "target",
                    view.selection.target,
                    lambda typed: state.change(target=typed, query=None),
                ),
            )
    window = max(view.query_window, view.key_window, key=lambda candidate: candidate.total)
    if not window.is_whole:
        st.slider(
            f"Showing tokens {window.start} to {window.stop - 1} of {window.total}; move to see others",
            min_value=0,
            max_value=window.total - (window.stop - window.start),
            **state.bound("start", window.start, lambda chosen: state.change(start=chosen)),
        )


def _choose_model(name: str | None) -> None:
    name = (name or "").strip() or Selection().model
    state.confirm_model(name)
    state.change(model=name)
