import html
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.figures.text import plotly_text, shown_text

MARKUP = [
    "<b>x</b>",
    "<b>open",
    "</b>",
    "$x^2$",
    "%{x}",
    "#000001",
    '<a href="https://example.org">link</a>',
    "&lt;",
    "&amp;lt;",
    "a<br>b",
    "<s>",
    "<0x0A>",
]


def unescaped(text: str) -> str:
    """What a browser shows: entities decoded, isolates taken off."""
    return html.unescape(text)[1:-1]


@pytest.mark.parametrize("token", MARKUP)
def test_token_when_it_looks_like_markup_is_shown_literally(token: str):
    """AV-069: sentence-start markers and tags must not vanish."""
    given_to_plotly = plotly_text(token, limit=80)
    assert unescaped(given_to_plotly) == token
    assert not set(given_to_plotly.replace("&#", "&")) & set("<>$#%")


def test_token_when_escaped_twice_is_not_the_same():
    assert unescaped(plotly_text("&lt;")) == "&lt;"
    assert plotly_text("&") == "\u2068&amp;\u2069"


def test_token_when_shown_is_isolated_from_its_neighbours():
    token = plotly_text("שלום")
    assert (token[0], token[-1]) == ("\u2068", "\u2069")


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("", "∅"),
        (" ", "␣"),
        ("\u00a0 ", "␣␣"),
        ("\x00", "␀"),
        ("\n", "␊"),
        ("a\tb", "a␉b"),
        ("\x7f", "␡"),
        ("\x85", "\ufffd"),
        ("\ud83d", "\ufffd"),
        ("abc\u202edef", "abc\ufffddef"),
        ("a\u2028b", "a\ufffdb"),
        ("\u200b", "\ufffd"),
        ("\u0301", "◌\u0301"),
        ("naïve", "naïve"),
        ("مرحبا", "مرحبا"),
    ],
)
def test_token_when_it_would_not_be_seen_has_a_stand_in(token: str, shown: str):
    assert shown_text(token) == shown


def test_long_token_when_shortened_keeps_both_ends():
    """AV-073: a 60-letter token must not eat the plot."""
    word = "pneumonoultramicroscopicsilicovolcanoconiosisandwhatfollows!"
    shown = shown_text(word, limit=11)
    assert len(word) == 60
    assert shown == "pneum…lows!"


def test_long_token_when_markup_is_shortened_before_it_is_escaped():
    assert unescaped(plotly_text("<" * 30, limit=5)) == "<<…<<"


def test_emoji_family_when_shortened_stays_whole():
    family = "👩\u200d👩\u200d👧"
    assert shown_text(family * 5, limit=3) == f"{family}…{family}"


def test_flags_when_shortened_stay_in_pairs():
    assert shown_text("🇩🇪🇫🇷🇯🇵🇮🇳", limit=3) == "🇩🇪…🇮🇳"


def test_zalgo_when_shown_has_three_marks_a_letter():
    zalgo = "Z" + "\u0351\u036b\u0343\u036a\u0302\u036b\u033d" + "a" + "\u0334\u0319\u0324\u031e"
    shown = shown_text(zalgo)
    assert sum(unicodedata.combining(character) > 0 for character in shown) == 6
    assert [character for character in shown if not unicodedata.combining(character)] == ["Z", "a"]


@given(st.text(alphabet=st.characters(), max_size=80), st.integers(3, 30))
def test_any_text_when_shown_is_visible_and_can_be_encoded(text: str, limit: int):
    shown = shown_text(text, limit)
    assert shown
    categories = {unicodedata.category(character) for character in shown}
    assert not categories & {"Cc", "Cs", "Zl", "Zp"}
    assert shown.encode("utf-8")
    assert unescaped(plotly_text(text, limit)) == shown
