"""What a link shows: what it asks for, or the nearest that exists, with a sentence."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import ALL_PICTURES, heads, pictures, pinned

pytestmark = pytest.mark.model


def test_link_when_opened_restores_text_layer_heads_and_word(app: AppTest):
    app.query_params.update({"text": "A B C D E F", "layer": "1", "heads": "8,3", "query": "2"})
    app.run()
    assert app.text_area[0].value == "A B C D E F"
    assert heads(app) == ["L1 H3", "L1 H8"]
    assert app.selectbox(key="spotlight.query").value == pinned(app) == 2


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"layer": "99"}, "Layer 99 does not exist"),
        ({"heads": "2,99"}, "Head 99 does not exist"),
        ({"query": "99"}, "Word 99 does not exist"),
        ({"layer": "<b>"}, "layer could not be read"),
        ({"heads": "%%%"}, "heads could not be read"),
        ({"start": "-7", "layer": "-1"}, "Layer -1 does not exist"),
        ({"unit": "page"}, "unit could not be read; showing token"),
        ({"reading": "both"}, "reading could not be read; showing query"),
        ({"hide": "special,all"}, "hide could not be read; showing the usual"),
        ({"rescale": "1"}, "rescale could not be read; showing no"),
    ],
)
def test_link_with_what_does_not_exist_shows_the_nearest_and_says_so(
    app: AppTest, parameters: dict, said: str
):
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    assert pictures(app) == ALL_PICTURES
    assert any(said in info.value.replace("\\", "") for info in app.info)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("no/such-model", "needs the network"),
        ("gpt2", "needs the network"),
        ("not a model!", "no model is called"),
        ("./tests", "folders are closed on this server"),
        ("/", "folders are closed on this server"),
        ("x" * 3000, "no model is called"),
    ],
)
def test_model_that_cannot_be_had_gives_one_sentence_and_keeps_the_text(
    app: AppTest, model: str, said: str
):
    app.query_params.update({"text": "kept as typed", "model": model})
    app.run()
    for confirm in [button for button in app.button if button.label == "Load it"]:
        confirm.click().run()
    assert not app.exception
    assert len(app.error) == 1
    assert said.lower() in app.error[0].value.replace("\\", "").lower()
    assert app.text_area[0].value == "kept as typed"


def test_link_to_another_model_asks_before_it_is_fetched(app: AppTest):
    app.query_params.update({"model": "gpt2"})
    app.run()
    assert not app.error
    assert pictures(app) == []
    assert "GPT" in app.info[0].value
    app.button(key="decline").click().run()
    assert pictures(app) == ALL_PICTURES
