"""What a model predicts of the text, in a line."""

import streamlit as st

from mha_viz.core.differences import Expected
from mha_viz.core.predictions import Prediction
from mha_viz.core.record import AttentionRecord
from mha_viz.figures.text import shown_text
from mha_viz.ui.messages import literal

MOST_NAMED, MOST_POSITIONS = 5, 3
# What is written as 0.00 says nothing of itself; beside what it was or becomes it does.
LEAST_SHARE = 0.005
ICON, NOT_LIKELY = ":material/arrow_forward:", "–"


def next_words(record: AttentionRecord) -> None:
    """The likeliest next tokens, or those in place of the first hidden ones; nothing for a model that predicts nothing."""
    if record.predictions:
        lines = [in_words(one, record) for one in record.predictions[:MOST_POSITIONS]]
        if (n_more := len(record.predictions) - MOST_POSITIONS) > 0:
            lines.append(f"and {n_more} more hidden {'token' if n_more == 1 else 'tokens'}")
        st.caption(f"{ICON} {' · '.join(lines)}")


def in_words(one: Prediction, record: AttentionRecord) -> str:
    """What is predicted at a position of a record, as markdown."""
    # What is predicted belongs to the text that the model ends with.
    name = "decoder" if "decoder" in record.streams else record.streams[0]
    is_last = one.position == len(record.stream(name).query_tokens) - 1
    start = "Predicted next" if is_last else f"Predicted at position {one.position}"
    named = zip(one.texts[:MOST_NAMED], one.probabilities, strict=False)
    likely = [f"{_bold(text)} {share:.2f}" for text, share in named if share >= LEAST_SHARE]
    return f"{start}: {', '.join(likely) or 'nothing above 0.01'}"


def changed_words(rows: list[Expected]) -> None:
    """The likeliest tokens at a position, before and after a change."""
    named = [
        f"{_bold(row.text)} {_share(row.before)} → {_share(row.after)}" for row in rows[:MOST_NAMED]
    ]
    unknown = any(None in (row.before, row.after) for row in rows[:MOST_NAMED])
    note = f" ({NOT_LIKELY}: not among the ten likeliest)" if unknown else ""
    st.markdown(f"{ICON} Predicted, before → after: {', '.join(named)}{note}")


def _bold(text: str) -> str:
    return f"**{literal(shown_text(text))}**"


def _share(share: float | None) -> str:
    return NOT_LIKELY if share is None else f"{share:.2f}"
