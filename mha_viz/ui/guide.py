"""Short words beside the pictures: how to read them, and why to trust them."""

import streamlit as st

from mha_viz.core.reading import Line
from mha_viz.ui import examples
from mha_viz.ui.messages import literal
from mha_viz.ui.view import View

_HOW = """
**How to read this**

- A row is a **head**: a spotlight that moves over the words.
- An **arc** goes from a word that *looks* to a word it *looks at*. Thick means much.
- {directions}
- **Point at a word** and every head answers; **click** to keep it, again or Escape to let go. {sums}
"""

_WITHIN = "Above the words it looks **back**, below **ahead**."
_ACROSS = "The words that look stand below, the words they look at above."
_SUMS = "Its weights add up to 1.00."
_SUMS_OF_A_KEY = "What a word gets from all others may add up to more than 1, or to less."
_SUMS_BELOW_1 = "Its weights add up to less than 1: the rest goes to {}."
_SINK, _LEFT_OUT = "the model's own sink (no word)", "what is left out"

_FIRST_TOKEN = """
- {share:.2f} of all weight here goes to {first}, the first token: where a head looks that finds nothing to do.
"""
MUCH = 0.25


def how_to_read(view: View) -> None:
    """What to look for, what arcs and rows mean, and what was checked of the numbers."""
    if (example := examples.find(view.source.text, view.source.model)) is not None:
        st.markdown(f"**Look for**  \n{literal(example.hint)}")
    said = _HOW.format(
        directions=_WITHIN if view.one_line else _ACROSS,
        sums=_sums(view),
    )
    if view.maps and view.stream.same_tokens and _starts_with_first_token(view.keys):
        share = float(view.weights[list(view.maps), :, 0].mean())
        if share >= MUCH:
            said += _FIRST_TOKEN.format(share=share, first=literal(view.key_texts[0]))
    st.markdown(said)
    st.caption(
        f":material/verified: {literal(view.record.verified.capitalize())} (on a test text)."
    )


def _starts_with_first_token(line: Line) -> bool:
    """Whether the first unit that is shown is the first token and no other; not so where it is left out."""
    return bool(line.kept[0]) and line.units.groups.count(0) == 1


def _sums(view: View) -> str:
    if view.by_key:
        return _SUMS_OF_A_KEY
    rests = [_SINK] if view.reading.sink is not None else []
    if view.keys.hidden and not view.manner.rescale:
        rests.append(_LEFT_OUT)
    return _SUMS_BELOW_1.format(" and ".join(rests)) if rests else _SUMS


def how_it_works() -> None:
    """What attention computes, how the numbers are had, and where the limits are."""
    st.subheader("What a head computes")
    st.markdown(_FOUR_STEPS)
    for words, formula in _STEPS:
        st.markdown(words)
        st.latex(formula)
    st.subheader("Where the numbers come from")
    st.markdown(_NUMBERS)
    st.subheader("What it cannot show")
    st.markdown(_LIMITS)


_FOUR_STEPS = """
Multi-head attention lets every word gather what it needs from the other words, several times at once. Each head has a
narrow view of its own; together they are as wide as one head would be, and cost about as much.
"""

_STEPS = (
    (
        "**1. Project.** From the vectors $X$ of the words, each head makes three of its own: a *query* (what a word "
        "searches for), a *key* (what it can be found by) and a *value* (what it hands over).",
        r"Q_i = X W_i^Q \qquad K_i = X W_i^K \qquad V_i = X W_i^V \qquad d_k = d_{\mathrm{model}} / h",
    ),
    (
        "**2. Attend, in each head alone.** How well query $j$ fits key $k$ is their product, made smaller by "
        r"$\sqrt{d_k}$. The softmax turns each row into weights that add up to 1: these are the numbers on the pages.",
        r"A_i = \mathrm{softmax}\!\left(\frac{Q_i K_i^{\top}}{\sqrt{d_k}}\right) \qquad \mathrm{head}_i = A_i V_i",
    ),
    (
        "**3. Concatenate.** What the heads found is put side by side.",
        r"C = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)",
    ),
    (
        "**4. Project back.** One last matrix mixes the heads and gives the model's width back.",
        r"\mathrm{MultiHead}(X) = C\, W^O",
    ),
)

_NUMBERS = """
- Every weight is computed by the model that you chose, on the text that you typed. Nothing is a drawing.
- While the model runs, the queries, keys, masks and scaling of every layer are kept. The weights follow from them by
  the formula above, with whatever else the model adds: relative positions, a soft cap, a learned sink.
- When a model is loaded, its weights are compared with what the model itself reports, on a short test text; what came out stands beside the
  pictures. A model whose weights cannot be had is refused by name.
- A browser is sent one byte a weight, so a number shown while you point (≈) is at most 0.004 away from the computed one;
  those of a pinned word, of tables and of files are exact.
- Pieces of words are marked: `·` continues a word, `␣` is the space before one. A token that a person would
  not see as a character of its own, such as a quarter of an emoji, says which part it is.
- Layers and heads count from 0.
"""

_LIMITS = """
- A weight says where a head looks, not why the model answers as it does. No map leads from the text to a predicted label:
  the nearest thing is the row of the position that a classifier reads, `[CLS]` in models like BERT, and it explains nothing
  by itself.
- MiniLM reads 512 tokens, the school model 64; a longer text is cut, and the page says so.
- Models with a sliding window of their own kind, with no attention (Mamba), or whose maps are not over words
  (images in windows) are refused with the reason.
- Only safetensors weights are read, and no code that comes with a model is ever run.
"""
