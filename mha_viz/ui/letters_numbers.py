"""The page of letters as numbers: the Q and K that were found, and what comes out of all heads together."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
import torch
from jaxtyping import Float

from mha_viz.core.solving import TOLERANCE
from mha_viz.figures.theme import Theme
from mha_viz.ui import state
from mha_viz.ui.board import D_MODEL, N_HEADS, Board, Letters, head_name

# Pixels of a column: a number, or its name.
NUMBER, LETTER, PADDING = 48, 8, 22


def solved(built: Board, chosen: Letters, colours: Theme) -> None:
    """The queries and keys that give these weights, and the weights as a table."""
    head, steps = chosen.head, built.steps
    st.subheader(f"The Q and K behind it: {head_name(head).lower()}")
    st.markdown(
        rf"Each word has a vector of {D_MODEL} numbers. The page looked for projections $W^Q$ and $W^K$ under which "
        r"$\mathrm{softmax}(Q K^{\top} / \sqrt{d_k})$ becomes what you asked for: each key gets a direction of its own, "
        "and a query points where its word should look. A softmax gives no zeros: where you asked for none, it gets 0.001."
    )
    is_met = built.furthest <= TOLERANCE
    st.caption(
        f":material/{'verified' if is_met else 'error'}: Computed and compared: no weight is further than "
        f"{built.furthest:.3f} from what you asked for."
    )
    with st.container(horizontal=True, gap="medium"):
        numbered = [str(place) for place in range(1, steps.query.shape[-1] + 1)]
        _table("Q", "what each word looks for", steps.query[head], built, numbered, colours.query)
        _table("K", "what it is found by", steps.key[head], built, numbered, colours.key)
        _table(
            "Weights", "a row sums to 1.00", steps.weights[head], built, built.words, colours.ink
        )


def output(built: Board, chosen: Letters, colours: Theme) -> None:
    """What the heads found, joined and projected; and the same without one of them."""
    st.subheader("Joined and projected: a new vector for each word")
    st.segmented_control(
        "Remove a head",
        range(N_HEADS),
        format_func=head_name,
        **state.tied("without", chosen.without),
    )
    if chosen.without is None:
        st.markdown(
            "The three heads’ results stand side by side and go through $W^O$. Remove a head, and see which words change."
        )
        _table("Output", "with all heads", built.steps.output, built, _dimensions(), colours.output)
        return
    removed = built.without(chosen.without)
    st.markdown(
        f"With zeros in place of what {head_name(chosen.without).lower()} found, $y$ becomes $y'$. The change is the length "
        r"$\lVert y' - y \rVert$; the cosine of the angle between $y$ and $y'$ is 1.00 where only the length changed."
    )
    shown = np.stack([removed.norm, removed.cosine], axis=1)
    with st.container(horizontal=True, gap="medium"):
        _table("Change", "of each word’s output", shown, built, ["Change", "Cosine"], colours.ink)
        note = f"without {head_name(chosen.without).lower()}"
        _table("Output", note, removed.after, built, _dimensions(), colours.output)


def _table(
    title: str,
    note: str,
    numbers: Float[np.ndarray, "n_words n_columns"] | torch.Tensor,
    built: Board,
    columns: Sequence[str],
    colour: str,
) -> None:
    with st.container(width="content", gap="xsmall"):
        # Rounded, and no zero with a minus.
        shown = np.asarray(numbers).round(2) + 0.0
        st.html(f'<span style="color:{colour};font-weight:600">{title}</span> {note}')
        st.dataframe(
            pd.DataFrame(shown, index=pd.Index(built.words, name="Word"), columns=list(columns)),
            column_config={
                name: st.column_config.NumberColumn(
                    format="%.2f", width=max(NUMBER, PADDING + LETTER * len(name))
                )
                for name in columns
            },
            width="content",
            alt=f"{title}: {note}",
        )


def _dimensions() -> list[str]:
    return [str(place) for place in range(1, D_MODEL + 1)]
