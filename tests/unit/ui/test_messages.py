"""What a person typed shows as typed, also inside Streamlit's markdown."""

import re

import pytest

from mha_viz.ui.messages import literal

JOINER = "\u2060"
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
    assert re.sub(r"\\(.)", r"\1", escaped).replace(JOINER, "") == text
    assert all(
        escaped[index - 1] == "\\"
        for index, character in enumerate(escaped)
        if character in ACTIVE - {"\\"}
    )


def test_half_a_character_in_a_message_does_not_break_it():
    assert literal("a\ud83d") == "a?"


@pytest.mark.parametrize(
    "text",
    [
        "http://evil.example",
        "www.evil.example",
        "me@evil.example",
        ":material/home:",
        "a -> b",
        "a <- b",
    ],
)
def test_what_is_found_after_markdown_is_taken_apart(text: str):
    assert JOINER in literal(text)
    assert literal(text).replace("\\", "").replace(JOINER, "") == text


def test_sentence_of_ours_is_left_together():
    sentence = "Layer -1 does not exist (0 to 5); showing 0.68 of it: fine."
    assert JOINER not in literal(sentence)
