"""Errors and notices as sentences on the page, and any text as literal text."""

import re
from contextlib import AbstractContextManager, nullcontext

import streamlit as st

from mha_viz.errors import MhaVizError

# Addresses, icons and arrows are found in a text after it was read as markdown: an unseen joiner takes them apart.
_FOUND_LATER = re.compile(r"(?<=[:.@/])(?=[^\W\d])|(?<=[:/])(?=/)|(?<=-)(?=[->])|(?<=<)(?=-)")
_JOINER = "\u2060"

_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")


def literal(text: str) -> str:
    """A text as Streamlit's markdown has to be given it so that it shows as typed."""
    plain = _FOUND_LATER.sub(_JOINER, text.encode("utf-8", "replace").decode().replace("\n", " "))
    return _MARKUP.sub(r"\\\1", plain)


def show(error: MhaVizError) -> None:
    """One error as one sentence with its next step."""
    sentence = str(error)
    st.error(literal(sentence[:1].upper() + sentence[1:] + "."), icon=":material/info:")


def notice(sentence: str) -> None:
    """Something that has to be said about what is shown."""
    st.info(literal(sentence[:1].upper() + sentence[1:]), icon=":material/info:")


def spinner(words: str, takes_long: bool) -> AbstractContextManager[None]:
    """A word on what one waits for, where there is something to wait for: one that nobody sees costs as much."""
    return st.spinner(words) if takes_long else nullcontext()
