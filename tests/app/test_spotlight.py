"""The first page: what is drawn, what runs again, what is said."""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.ui import cache
from mha_viz.ui.examples import EXAMPLES
from tests.app.conftest import figures, ticks, titles

pytestmark = pytest.mark.model

CAT_TOKENS = [
    "[CLS]",
    "the",
    "cat",
    "chased",
    "the",
    "mouse",
    "because",
    "it",
    "was",
    "hungry",
    ".",
    "[SEP]",
]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that a model was run on."""
    cache.model("minilm")
    seen: list[str] = []
    read = cache.read_text

    def counted(loaded: object, text: str, **options: object) -> object:
        seen.append(text)
        return read(loaded, text, **options)

    monkeypatch.setattr(cache, "read_text", counted)
    cache.records().clear()
    return seen


def test_first_visit_draws_a_sentence_with_no_click(app: AppTest):
    app.run()
    assert not app.exception
    assert titles(app) == ["Where each word looks", "L0 H2", "L0 H5", "L0 H8", "All heads"]
    heatmap = figures(app)[1]
    assert ticks(heatmap, "xaxis") == ticks(heatmap, "yaxis") == CAT_TOKENS
    assert app.text_area[0].value == "The cat chased the mouse because it was hungry."


def test_pickers_and_buttons_have_the_names_people_look_for(app: AppTest):
    app.run()
    labels = {
        widget.label
        for kind in ("text_area", "selectbox", "button", "button_group")
        for widget in app.get(kind)
    }
    assert {"Text", "Model", "Layer", "Heads", "Show", "Reset"} <= labels
    assert {example.title for example in EXAMPLES} <= labels
    assert any(example.text == "A B C D E F" for example in EXAMPLES)


@pytest.mark.parametrize(
    "choose",
    [
        lambda app: app.selectbox(key="spotlight.layer").select(3),
        lambda app: app.button_group(key="spotlight.heads").set_value([0, 7]),
        lambda app: app.selectbox(key="spotlight.query").select(7),
    ],
    ids=["layer", "heads", "word"],
)
def test_choosing_when_a_text_is_shown_never_runs_the_model_again(
    app: AppTest, runs: list[str], choose: Callable[[AppTest], AppTest]
):
    app.run()
    before = titles(app), app.query_params
    choose(app).run()
    assert not app.exception
    assert len(runs) == 1
    assert (titles(app), app.query_params) != before or app.selectbox(
        key="spotlight.query"
    ).value == 7


def test_new_text_runs_the_model_once(app: AppTest, runs: list[str]):
    app.run()
    app.text_area[0].set_value("Hi there").run()
    app.button(key="show").click().run()
    assert runs == ["The cat chased the mouse because it was hungry.", "Hi there"]
    assert ticks(figures(app)[1], "yaxis") == ["[CLS]", "hi", "there", "[SEP]"]


def test_word_chosen_when_the_text_changes_is_let_go(app: AppTest):
    app.run()
    app.selectbox(key="spotlight.query").select(7).run()
    app.text_area[0].set_value("Hi there").run()
    assert app.selectbox(key="spotlight.query").value is None


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_example_when_pressed_shows_its_sentence_and_its_hint(app: AppTest, example):
    app.run()
    app.button(key=f"example {example.title}").click().run()
    assert not app.exception
    assert app.text_area[0].value == example.text
    assert app.selectbox(key="spotlight.layer").value == example.layer
    assert titles(app)[1:-1] == [f"L{example.layer} H{head}" for head in example.heads]


def test_link_when_opened_restores_text_layer_heads_and_word(app: AppTest):
    app.query_params.update({"text": "A B C D E F", "layer": "1", "heads": "8,3", "query": "2"})
    app.run()
    assert app.text_area[0].value == "A B C D E F"
    assert titles(app)[1:-1] == ["L1 H3", "L1 H8"]
    assert app.selectbox(key="spotlight.query").value == 2


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"layer": "99"}, "Layer 99 does not exist"),
        ({"heads": "2,99"}, "Head 99 does not exist"),
        ({"query": "99"}, "Word 99 does not exist"),
        ({"layer": "<b>"}, "layer could not be read"),
        ({"heads": "%%%"}, "heads could not be read"),
        ({"start": "-7", "layer": "-1"}, "Layer -1 does not exist"),
    ],
)
def test_link_with_what_does_not_exist_shows_the_nearest_and_says_so(
    app: AppTest, parameters: dict, said: str
):
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    assert len(figures(app)) >= 3
    assert any(said in info.value.replace("\\", "") for info in app.info)


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\x00"])
def test_blank_text_gives_one_sentence_and_keeps_what_was_typed(app: AppTest, text: str):
    app.query_params.update({"text": text})
    app.run()
    assert not app.exception
    assert len(app.error) == 1
    assert "empty" in app.error[0].value
    assert app.text_area[0].value == text


@pytest.mark.parametrize(
    "text",
    [
        "<b>x</b>",
        "$x^2$",
        "%{x}",
        "#000001",
        "nul\x00nul",
        "שלום עולם",
        "e\u0301\u0302\u0303 zalgo",
        "a\u202eb",
        "🤖 学",
    ],
)
def test_odd_text_is_drawn_and_kept_as_typed(app: AppTest, text: str):
    app.run()
    app.text_area[0].set_value(text).run()
    assert not app.exception
    assert not app.error
    assert app.text_area[0].value == text
    assert len(figures(app)) == 5


def test_ten_thousand_words_are_cut_at_the_limit_and_said(app: AppTest):
    """AV-090."""
    app.run()
    app.text_area[0].set_value("word " * 10_000).run()
    assert not app.exception
    said = " ".join(info.value for info in app.info).replace("\\", "")
    assert "Showing the first 512 of 10002 tokens" in said
    assert "too long for a link" in said
    assert app.text_area[0].value == "word " * 10_000


def test_long_text_shows_a_window_that_moves(app: AppTest):
    app.query_params.update({"text": " ".join(str(number) for number in range(60)), "layer": "2"})
    app.run()
    first = figures(app)[1]
    app.slider(key="spotlight.start").set_value(20).run()
    second = figures(app)[1]
    assert ticks(first, "yaxis")[:2] == ["[CLS]", "0"]
    assert ticks(second, "yaxis")[0] == "19"
    assert "of 62" in app.slider(key="spotlight.start").label


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
    assert not figures(app)
    assert "GPT" in app.info[0].value
    app.button(key="decline").click().run()
    assert len(figures(app)) == 5


def test_no_heads_chosen_says_what_to_do(app: AppTest):
    app.query_params.update({"heads": ""})
    app.run()
    assert not app.exception
    assert titles(app) == ["All heads"]
    assert any("Choose one or more heads" in info.value for info in app.info)


def test_moving_between_pages_keeps_what_was_typed_and_chosen(app: AppTest):
    app.run()
    app.text_area[0].set_value("Hi there").run()
    app.selectbox(key="spotlight.layer").select(4).run()
    app.switch_page("pages/numbers.py").run()
    assert app.text_area[0].value == "Hi there"
    app.switch_page("app.py").run()
    assert app.text_area[0].value == "Hi there"
    assert app.selectbox(key="spotlight.layer").value == 4
    assert app.query_params["text"] == "Hi there"


def test_reset_goes_back_to_the_first_view(app: AppTest):
    app.query_params.update({"text": "Hi there", "layer": "4", "heads": "1"})
    app.run()
    app.button(key="reset").click().run()
    assert titles(app) == ["Where each word looks", "L0 H2", "L0 H5", "L0 H8", "All heads"]
    assert not app.query_params


def test_share_when_raised_draws_more_arcs_and_says_so(app: AppTest, runs: list[str]):
    app.run()
    usual = figures(app)[0]["layout"]
    app.slider(key="spotlight.share").set_value(95).run()
    more = figures(app)[0]["layout"]
    assert more["meta"]["drawn"] > usual["meta"]["drawn"]
    assert "70&#37;" in usual["title"]["subtitle"]["text"]
    assert "95&#37;" in more["title"]["subtitle"]["text"]
    assert app.query_params["share"] == "95"
    assert len(runs) == 1


def test_heatmaps_shown_side_by_side_have_one_scale(app: AppTest):
    """AV-075: a flat head must not look as sharp as a sharp one."""
    app.run()
    ranges = {
        (trace["zmin"], trace["zmax"])
        for figure in figures(app)[1:4]
        for trace in figure["data"]
        if trace["type"] == "heatmap"
    }
    assert ranges == {(0, 1)}


def test_previous_token_head_looks_at_the_word_before_in_every_row():
    record = cache.record(cache.Source("minilm", "The cat chased the mouse because it was hungry."))
    before = np.diagonal(record.weights(0, 2), offset=-1)
    assert before.shape == (11,)
    assert before.min() >= 0.999
