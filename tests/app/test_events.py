"""What is chosen in a picture comes back as one event, and is all that it changes."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import (
    ALL_PICTURES,
    choose,
    heads,
    layers,
    overview,
    pictures,
    pinned,
    said,
    sent,
    words,
)

pytestmark = pytest.mark.model

LONG = " ".join(map(str, range(60)))
SENTENCES = " ".join(f"Tokenization number{number} ended here." for number in range(30))
INFINITE = float("inf")


def open_link(app: AppTest, **parameters: str) -> AppTest:
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    return app


def windows(app: AppTest) -> tuple[list[int], list[int] | None]:
    header, _ = sent(app, "rows")
    return header["queries"]["window"], None if header["same"] else header["keys"]["window"]


def test_word_of_a_link_is_pinned_in_the_picture(app: AppTest):
    """AV-078."""
    open_link(app, query="2")
    assert pinned(app) == 2
    assert sent(app, "rows")[0]["pinned_name"] == "cat"


@pytest.mark.parametrize("picture", ["rows", "maps"])
def test_word_when_pinned_stays_pinned_until_it_is_freed(app: AppTest, picture: str):
    """AV-077, AV-078: the event is not forgotten when the picture changes by it."""
    open_link(app)
    for position in (2, None):
        choose(app, picture, {"query": position})
        assert not app.exception
        assert pinned(app) == position
        app.run()
        assert pinned(app) == app.selectbox(key="spotlight.query").value == position
        assert app.query_params.get("query") == (None if position is None else str(position))


def test_word_is_counted_among_those_that_are_shown(app: AppTest):
    """The first word that is left is the second of all."""
    open_link(app, hide="special")
    choose(app, "rows", {"query": 0})
    assert app.query_params["query"] == "1"
    assert app.selectbox(key="spotlight.query").value == 1
    assert words(app)[pinned(app)] == "the"


def test_word_outside_of_the_window_when_pinned_brings_no_numbers(app: AppTest):
    open_link(app, text=LONG)
    choose(app, "maps", {"query": 50})
    assert not app.exception
    assert pinned(app) == 50
    header, arrays = sent(app, "rows")
    assert header["pinned_name"] == "49"
    assert set(arrays) == {"kept"}


def test_head_when_opened_from_all_heads_is_shown(app: AppTest):
    open_link(app)
    assert [layer_head[:2] for layer_head in overview(app)[0]["maps"]][4 * 12 + 7] == [4, 7]
    choose(app, "overview", {"layer": 4, "head": 7})
    assert not app.exception
    assert heads(app) == ["L4 H7"]
    assert layers(app)["chosen"] == 4
    assert overview(app)[0]["selected"] == [[4, 7, sent(app, "rows")[0]["heads"][0]["colour"]]]


def test_window_when_moved_shows_another_part(app: AppTest):
    open_link(app, text=LONG)
    assert windows(app) == ([0, 40, 62], None)
    choose(app, "rows", {"start": 20, "key_start": None})
    assert not app.exception
    assert windows(app) == ([20, 60, 62], None)
    assert words(app)[0] == "19"
    choose(app, "maps", {"start": 20, "key_start": 3})
    assert windows(app) == ([20, 60, 62], [3, 43, 62])
    assert (app.query_params["start"], app.query_params["key_start"]) == ("20", "3")
    choose(app, "maps", {"start": 5, "key_start": 5})
    assert windows(app) == ([5, 45, 62], None)


def test_sentence_when_opened_shows_its_words_and_a_word_its_pieces(app: AppTest):
    """Also where the tokens that the model adds are left out."""
    for hide, sentence in (("", 13), ("special", 12)):
        open_link(app, text=SENTENCES, unit="sentence", hide=hide, query="3")
        names = sent(app, "rows")[0]["queries"]["names"]
        assert names[sentence] == "Tokenization number12 ended here."
        choose(app, "rows", {"open": sentence})
        assert not app.exception
        assert app.query_params["unit"] == "word"
        assert words(app)[:3] == ["Tokenization", "number12", "ended"]
        assert pinned(app) is None
        start = windows(app)[0][0]
        choose(app, "rows", {"open": start + 1})
        assert "unit" not in app.query_params
        assert words(app)[:3] == ["number", "·12", "ended"]


def test_key_when_opened_shows_its_words(app: AppTest):
    open_link(app, text=SENTENCES, unit="sentence", reading="key", start="0")
    choose(app, "rows", {"open": 20})
    assert not app.exception
    assert words(app)[:2] == ["Tokenization", "number19"]


@pytest.mark.parametrize(
    "event",
    [
        None,
        [],
        5,
        "query",
        {},
        {"query": "x"},
        {"query": 10**9},
        {"query": 10**40},
        {"query": -1},
        {"query": 1.5},
        {"query": INFINITE},
        {"query": [2]},
        {"start": "x"},
        {"start": -7},
        {"start": INFINITE},
        {"start": 0, "key_start": 10**40},
        {"open": -1},
        {"open": None},
        {"open": 2},
        {"layer": 99},
        {"head": 1},
        {"layer": -1, "head": 99},
        {"layer": 1, "head": 99},
        {"layer": INFINITE, "head": 0},
        {"layer": "1", "head": "<b>"},
    ],
    ids=str,
)
def test_event_that_is_none_of_ours_chooses_nothing(app: AppTest, event: object):
    """What a browser sends may be anything."""
    open_link(app, query="3")
    before = dict(app.query_params)
    choose(app, "rows", event)
    assert not app.exception
    assert app.query_params == before
    assert said(app) == ""
    assert pictures(app) == ALL_PICTURES
