"""The picture that a browser fetches ahead of the page is the one that the page sends after it."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.errors import ChoiceError, MhaVizError, TextError
from mha_viz.ui.selection import Selection
from mha_viz.ui.spotlight.ahead import picture
from tests.app.conftest import choose, packed

SENTENCE = "The keys to the old cabinet are rusty."
CHOICES = {
    "usual": {},
    "heads": {"heads": "0,7,11", "layer": "4"},
    "words": {"unit": "word", "hide": "special", "rescale": "yes"},
    "turned": {"reading": "key", "share": "90", "average": "yes", "scale": "each"},
    "no such head": {"heads": "1,40"},
}


def parts(body: bytes) -> list[bytes]:
    """What stands in an answer one after the other, each with its length before it."""
    found = []
    while body:
        end = 4 + int.from_bytes(body[:4], "little")
        found.append(body[4:end])
        body = body[end:]
    return found


def sent_by_page(app: AppTest) -> list[bytes]:
    return [packed(app, name) for name in ("weights", "rows", "maps")]


@pytest.mark.parametrize("chosen", CHOICES.values(), ids=CHOICES)
def test_picture_of_a_link_is_what_the_page_sends(app: AppTest, chosen: dict[str, str]):
    app.query_params.update({"text": SENTENCE} | chosen)
    app.run()
    link = {"text": SENTENCE} | chosen
    assert parts(picture(link, SENTENCE)) == sent_by_page(app)
    dark = parts(picture(link, SENTENCE, theme="dark"))
    assert dark[0] == parts(picture(link, SENTENCE))[0]
    assert dark[1:] != sent_by_page(app)[1:]


def test_picture_of_another_layer_is_what_the_page_sends_once_it_is_chosen(app: AppTest):
    app.query_params.update({"text": SENTENCE, "query": "5"})
    app.run()
    before = app.query_params.copy()
    choose(app, "layers", {"layer": 3})
    ahead = picture({name: "".join(value) for name, value in before.items()}, SENTENCE, layer=3)
    assert parts(ahead) == sent_by_page(app)


def test_picture_of_another_text_is_what_the_page_sends_once_it_is_typed(app: AppTest):
    app.query_params.update({"text": SENTENCE, "query": "5", "layer": "2"})
    app.run()
    ahead = picture({"text": SENTENCE, "query": "5", "layer": "2"}, "Hi there")
    app.text_area[0].set_value("Hi there").run()
    assert not app.exception
    assert parts(ahead) == sent_by_page(app)


def test_text_that_no_address_holds_is_taken_from_what_was_typed():
    long = "word " * 2000
    link = Selection(text=long, layer=2).to_link()
    assert "text" not in link
    assert parts(picture(link, long)) == parts(picture({"layer": "2", "text": long}, long))


@pytest.mark.parametrize(
    ("link", "text", "error"),
    [
        ({}, "", TextError),
        ({}, "   ", TextError),
        ({"model": "no such model"}, SENTENCE, ChoiceError),
        ({"model": "openai-community/gpt2"}, SENTENCE, ValueError),
        ({"layer": "three"}, SENTENCE, ValueError),
        ({"heads": ""}, SENTENCE, ValueError),
    ],
    ids=["empty", "blank", "unknown", "not asked for", "unreadable", "no heads"],
)
def test_where_the_page_has_a_sentence_to_say_there_is_no_picture(
    link: dict[str, str], text: str, error: type[Exception]
):
    with pytest.raises(error):
        picture(link, text)


def test_folder_that_the_server_does_not_allow_is_not_opened(tmp_path: Path):
    with pytest.raises(MhaVizError, match="folders are closed"):
        picture({"model": str(tmp_path)}, SENTENCE)
