"""The texts that heads are measured on: the one of the page, the example sentences, or a list of the person's own."""

import streamlit as st

from mha_viz.errors import TextError
from mha_viz.ui import examples, messages, state
from mha_viz.ui.atlas.choices import EXAMPLES, OWN, TEXTS, THIS, Atlas
from mha_viz.ui.atlas.lists import lines_of, read_file
from mha_viz.ui.view import View

MOST_TEXTS = 1000
MOST_MEGABYTES = 5
_LIST, _FILE, _SAID = "own list", "own file", "said of own file"


def over_picker() -> str:
    """Choose the kind of texts."""
    over = state.own(Atlas).over
    st.selectbox(
        "Measured over",
        list(TEXTS),
        format_func=TEXTS.__getitem__,
        width=185,
        **state.tied("over", over),
    )
    return over


def texts_of(over: str, view: View) -> tuple[str, ...]:
    """The texts; none while a list of one's own is empty."""
    if over == OWN:
        return _own_list()
    if over == EXAMPLES:
        return tuple(example.text for example in examples.of(view.source.model))
    return (view.source.text,)


def said_of(over: str, n_texts: int, n_skipped: int) -> str:
    """Over which texts, in words."""
    if over == THIS:
        return "over this text"
    kind = "the example sentences" if over == EXAMPLES else "your list"
    skipped = f", {n_skipped} could not be read" if n_skipped else ""
    return f"mean over {n_texts:,} text{'s' * (n_texts != 1)} of {kind}{skipped}"


def _own_list() -> tuple[str, ...]:
    with st.container(horizontal=True, gap="medium", key="own_list"):
        uploaded = st.file_uploader(
            "A file, one text a line",
            type=["txt", "csv"],
            help="Of a table (.csv) the first cell of each row that is not empty.",
            max_upload_size=MOST_MEGABYTES,
            key="own file",
            width=320,
            on_change=state.touch,
        )
        # The file fills the box once; what is then changed in the box stays.
        if uploaded is not None and uploaded.file_id != state.kept(_FILE):
            state.keep(_FILE, uploaded.file_id)
            state.keep(_SAID, _take(uploaded.getvalue(), uploaded.name))
        st.text_area(
            "Or paste texts, one a line",
            height=160,
            placeholder="One text a line …",
            help="They stay in this session: in no link, in no log, seen by nobody else.",
            **state.bound(
                "own list", state.kept(_LIST) or "", lambda typed: state.keep(_LIST, typed)
            ),
        )
    if uploaded is not None and (said := state.kept(_SAID)):
        messages.notice(said)
    texts = lines_of(state.kept(_LIST) or "")
    if len(texts) > MOST_TEXTS:
        messages.notice(
            f"your list has {len(texts):,} texts; the first {MOST_TEXTS:,} are measured"
        )
    return tuple(texts[:MOST_TEXTS])


def _take(content: bytes, name: str) -> str:
    """Fill the list from a file; what has to be said about it, empty for nothing. A bad file leaves the list as it was."""
    try:
        texts, said = read_file(content, is_csv=name.lower().endswith(".csv"))
    except TextError as error:
        return str(error)
    state.keep(_LIST, "\n".join(texts))
    return said
