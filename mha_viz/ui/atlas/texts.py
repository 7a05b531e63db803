"""The texts that heads are measured on: the one of the page, the example sentences, or a list of the person's own."""

import csv
from io import StringIO

import streamlit as st

from mha_viz.ui import examples, messages, state
from mha_viz.ui.atlas.choices import EXAMPLES, OWN, TEXTS, THIS, Atlas
from mha_viz.ui.view import View

MOST_TEXTS = 1000
MOST_MEGABYTES = 5
_LIST, _FILE = "own list", "own file"


def over_picker() -> str:
    """Choose the kind of texts."""
    over = state.own(Atlas).over
    st.segmented_control(
        "Measured over",
        list(TEXTS),
        format_func=TEXTS.__getitem__,
        required=True,
        width="content",
        **state.bound("over", over, lambda chosen: state.change_own(over=chosen)),
    )
    return over


def texts_of(over: str, view: View) -> tuple[str, ...]:
    """The texts; none while a list of one's own is empty."""
    if over == OWN:
        return _own_list()
    if over == EXAMPLES:
        return tuple(example.text for example in examples.EXAMPLES)
    return (view.source.text,)


def said_of(over: str, n_texts: int, n_skipped: int) -> str:
    """Over which texts, in words."""
    if over == THIS:
        return "over this text"
    kind = "the example sentences" if over == EXAMPLES else "your list"
    skipped = f", {n_skipped} could not be read" if n_skipped else ""
    return f"mean over {n_texts:,} text{'s' * (n_texts != 1)} of {kind}{skipped}"


def lines_of(content: str, *, is_csv: bool = False) -> list[str]:
    """The texts of a list: one a line, of a table the first cell that is not empty."""
    rows = csv.reader(StringIO(content)) if is_csv else ([line] for line in content.splitlines())
    texts = (next((cell.strip() for cell in row if cell.strip()), "") for row in rows)
    return [text for text in texts if text]


def _own_list() -> tuple[str, ...]:
    with st.container(horizontal=True, gap="medium", key="own_list"):
        uploaded = st.file_uploader(
            "A file, one text a line",
            type=["txt", "csv"],
            max_upload_size=MOST_MEGABYTES,
            key="own file",
            width=320,
            on_change=state.touch,
        )
        # The file fills the box once; what is then changed in the box stays.
        if uploaded is not None and uploaded.file_id != state.kept(_FILE):
            content = uploaded.getvalue().decode("utf-8-sig", "replace")
            texts = lines_of(content, is_csv=uploaded.name.lower().endswith(".csv"))
            state.keep(_FILE, uploaded.file_id)
            state.keep(_LIST, "\n".join(texts))
        st.text_area(
            "Or paste texts, one a line",
            height=160,
            placeholder="One text a line …",
            help="They stay in this session: in no link, in no log, seen by nobody else.",
            **state.bound(
                "own list", state.kept(_LIST) or "", lambda typed: state.keep(_LIST, typed)
            ),
        )
    texts = lines_of(state.kept(_LIST) or "")
    if len(texts) > MOST_TEXTS:
        messages.notice(
            f"your list has {len(texts):,} texts; the first {MOST_TEXTS:,} are measured"
        )
    return tuple(texts[:MOST_TEXTS])
