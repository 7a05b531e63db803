"""Errors and notices as sentences on the page, and any text as literal text."""

import re
from collections.abc import Generator
from contextlib import contextmanager

import streamlit as st

from mha_viz.errors import MhaVizError

_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")


def literal(text: str) -> str:
    """A text as Streamlit's markdown has to be given it so that it shows as typed."""
    return _MARKUP.sub(r"\\\1", text.encode("utf-8", "replace").decode()).replace("\n", " ")


@contextmanager
def told() -> Generator[None]:
    """Turn an error raised on purpose into a sentence on the page, and end the page there.

    Anything else is a fault of ours and is left to show itself.
    """
    try:
        yield
    except MhaVizError as error:
        show(error)
        st.stop()


def show(error: MhaVizError) -> None:
    """One error as one sentence with its next step."""
    sentence = str(error)
    st.error(literal(sentence[:1].upper() + sentence[1:] + "."), icon=":material/info:")


def notice(sentence: str) -> None:
    """Something that has to be said about what is shown."""
    st.info(literal(sentence[:1].upper() + sentence[1:]), icon=":material/info:")
