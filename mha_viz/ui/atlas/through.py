"""Attention through all layers at once, by rollout and by flow."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from mha_viz.core.layer_flow import attention_rollout
from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.text import shown_text
from mha_viz.figures.theme import PLOTLY_CONFIG, Theme
from mha_viz.ui import cache, controls, messages, state
from mha_viz.ui.atlas.choices import ROLLOUT, WAYS, Atlas
from mha_viz.ui.view import View

MOST_TOKENS, WIDTH = 64, 620


def through_all_layers(view: View, theme: Theme) -> None:
    """A map of the layers up to the chosen one, and the way of one word back to the text."""
    stream = view.stream
    if not stream.same_tokens:
        messages.notice(
            "rollout and flow follow the words of one text through its layers, and here words look at another text: "
            "choose another kind of attention"
        )
        return
    n_tokens = len(stream.query_tokens)
    if n_tokens > MOST_TOKENS:
        messages.notice(
            f"rollout and flow are drawn for texts of at most {MOST_TOKENS} tokens, and this one has {n_tokens}: shorten it"
        )
        return
    st.markdown(
        "How much of each word of the text is in a word after a layer, if heads count alike and half of each word is "
        "carried on. Values, norms and the layers in between are left out: an estimate, no proof."
    )
    rolled = attention_rollout(map(stream.weights, stream.attending_layers))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        with st.container(width=110):
            controls.layer_picker(view)
        way = _way()
        word = _word(view)
    with st.container(horizontal=True, gap="large", key="grid_and_table"):
        with st.container(key="grid_side"):
            st.plotly_chart(
                _map(view, way, _shares(view, way, rolled), theme),
                key=f"map of {way}",
                width="content",
                theme=None,
                config=PLOTLY_CONFIG,
                alt=f"How much of each word of the text is in each word after the layer, by {way}.",
            )
        with st.container(key="table_side"):
            _back(view, rolled[-1], word)


def _way() -> str:
    way = state.own(Atlas).way
    st.segmented_control(
        "Map by",
        list(WAYS),
        format_func=WAYS.__getitem__,
        required=True,
        width="content",
        help="Rollout: layers multiplied. Flow: the most that can flow through the layers, as a share.",
        **state.tied("way", way),
    )
    return way


def _shares(view: View, way: str, rolled: np.ndarray) -> np.ndarray:
    """How much of each word of the text, a column, is in each word after the chosen layer, a row."""
    stream, layer = view.stream, view.selection.layer
    if way == ROLLOUT:
        return rolled[stream.attending_layers.index(layer)].astype(np.float32)
    with st.spinner("Following every word back …"):
        rows = [
            cache.flow(view.source, stream, layer, query)
            for query in range(len(stream.query_tokens))
        ]
    return np.stack(rows).astype(np.float32)


def _map(view: View, way: str, shares: np.ndarray, theme: Theme) -> go.Figure:
    figure = attention_heatmap(
        shares,
        view.stream.query_texts,
        view.stream.key_texts,
        title=f"{WAYS[way]} through layer {view.selection.layer}",
        theme=theme,
        zmax=float(shares.max()),
        clickable=False,
        width=WIDTH,
    )
    figure.data[0].colorbar.title.text = "share"
    return figure


def _word(view: View) -> int | None:
    texts = view.stream.query_texts
    wanted = state.own(Atlas).input
    word = wanted if wanted in range(len(texts)) else None
    st.selectbox(
        "From this word of the last layer",
        range(len(texts)),
        index=None,
        placeholder="choose a word",
        format_func=lambda place: f"{place} · {shown_text(texts[place])}",
        width=260,
        **state.tied("input", word),
    )
    return word


def _back(view: View, rolled: np.ndarray, word: int | None) -> None:
    if word is None:
        st.caption("Choose a word to follow it back to the text, by rollout and by flow.")
        return
    with st.spinner("Following the word back …"):
        flow = cache.flow(view.source, view.stream, view.stream.attending_layers[-1], word)
    titles = {
        "rollout": ("Rollout", "Layers multiplied, heads by their mean."),
        "flow": ("Flow", "The most that can flow through the layers, as a share."),
    }
    largest = float(max(rolled[word].max(), flow.max()))
    st.dataframe(
        pd.DataFrame(
            {
                "word": [shown_text(text) for text in view.stream.key_texts],
                "rollout": rolled[word],
                "flow": flow,
            },
        ),
        key=f"back {word}",
        column_config={"word": "Word"}
        | {
            name: st.column_config.ProgressColumn(
                title, help=says, format="%.3f", min_value=0.0, max_value=largest
            )
            for name, (title, says) in titles.items()
        },
        alt="How much of each word of the text is in the chosen word of the last layer.",
    )
