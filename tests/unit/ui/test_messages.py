"""What a person typed shows as typed, also inside Streamlit's markdown."""

import re

import pytest

from mha_viz.ui.messages import literal

ACTIVE = set("\\`*_{}[]()<>#+-.!|~$:&")


@pytest.mark.parametrize(
    "text",
    [
        "*it*",
        ":red[x]",
        "$x^2$",
        "`x`",
        "[a](https://b.example)",
        ":smile:",
        ":material/home:",
        "<b>x</b>",
        "a & b",
        "![i](u)",
    ],
)
def test_markup_in_a_message_is_escaped_character_by_character(text: str):
    escaped = literal(text)
    assert re.sub(r"\\(.)", r"\1", escaped) == text
    assert all(
        escaped[index - 1] == "\\"
        for index, character in enumerate(escaped)
        if character in ACTIVE - {"\\"}
    )


def test_half_a_character_in_a_message_does_not_break_it():
    assert literal("a\ud83d") == "a?"
