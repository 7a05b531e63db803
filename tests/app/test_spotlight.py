"""The first page: what is drawn, what runs again, what is said."""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.ui import cache, model_cache
from mha_viz.ui.examples import EXAMPLES
from tests.app.conftest import (
    ALL_PICTURES,
    caption,
    choose,
    heads,
    kept,
    layers,
    looked_at,
    overview,
    pictures,
    pinned,
    sent,
    ticks,
    words,
)

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
    model_cache.model("minilm")
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
    assert pictures(app) == ALL_PICTURES
    assert heads(app) == ["L0 H2", "L0 H5", "L0 H8"]
    assert words(app) == looked_at(app) == CAT_TOKENS
    assert ticks(app, "xaxis") == ticks(app, "yaxis") == CAT_TOKENS
    assert "All heads" in overview(app)[0]["layout"]["title"]["text"]
    assert app.text_area[0].value == "The cat chased the mouse because it was hungry."


def test_pickers_and_buttons_have_the_names_people_look_for(app: AppTest):
    app.run()
    labels = {
        widget.label
        for kind in ("text_area", "selectbox", "button", "button_group")
        for widget in app.get(kind)
    }
    assert {"Text", "Model", "Heads", "Word", "Show", "Reset"} <= labels
    assert {"Ask a word", "Read in", "Leave out", "Colours"} <= labels
    assert {example.title for example in EXAMPLES} <= labels
    assert any(example.text == "A B C D E F" for example in EXAMPLES)


@pytest.mark.parametrize(
    "change",
    [
        lambda app: choose(app, "layers", {"layer": 3}),
        lambda app: app.button_group(key="spotlight.heads").set_value([0, 7]),
        lambda app: app.selectbox(key="spotlight.query").select(7),
        lambda app: app.button_group(key="spotlight.unit").set_value("sentence"),
        lambda app: app.button_group(key="spotlight.reading").set_value("key"),
        lambda app: app.button_group(key="spotlight.hide").set_value(["special"]),
        lambda app: app.button_group(key="spotlight.scale").set_value("each"),
        lambda app: app.button_group(key="spotlight.heads").set_value([2, 5, 8, "mean"]),
        lambda app: app.slider(key="spotlight.share").set_value(90),
    ],
    ids=["layer", "heads", "word", "unit", "reading", "hide", "scale", "mean", "share"],
)
def test_choosing_when_a_text_is_shown_never_runs_the_model_again(
    app: AppTest, runs: list[str], change: Callable[[AppTest], AppTest]
):
    app.run()
    before = drawn(app)
    change(app).run()
    assert not app.exception
    assert len(runs) == 1
    assert drawn(app) != before


def drawn(app: AppTest) -> list[tuple[dict, dict]]:
    """All that the pictures say, and all that is in them."""
    parts = [sent(app, picture) for picture in ALL_PICTURES]
    return [
        (header, {name: array.tolist() for name, array in arrays.items()})
        for header, arrays in parts
    ]


def test_new_text_runs_the_model_once(app: AppTest, runs: list[str]):
    app.run()
    app.text_area[0].set_value("Hi there").run()
    app.button(key="show").click().run()
    assert runs == ["The cat chased the mouse because it was hungry.", "Hi there"]
    assert words(app) == ["[CLS]", "hi", "there", "[SEP]"]


def test_word_chosen_when_the_text_changes_is_let_go(app: AppTest):
    app.run()
    app.selectbox(key="spotlight.query").select(7).run()
    assert pinned(app) == 7
    app.text_area[0].set_value("Hi there").run()
    assert app.selectbox(key="spotlight.query").value is None
    assert pinned(app) is None


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_example_when_pressed_shows_its_sentence_and_its_hint(app: AppTest, example):
    app.run()
    app.button(key=f"example {example.title}").click().run()
    assert not app.exception
    assert app.text_area[0].value == example.text
    assert layers(app)["chosen"] == example.layer
    assert heads(app) == [f"L{example.layer} H{head}" for head in example.heads]
    assert pinned(app) == example.query


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
    assert pictures(app) == ALL_PICTURES
    assert words(app)[0] == "[CLS]"


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
    assert words(app)[:2] == ["[CLS]", "0"]
    assert sent(app, "rows")[0]["queries"]["window"] == [0, 40, 62]
    choose(app, "rows", {"start": 20, "key_start": None})
    assert words(app) == [str(number) for number in range(19, 59)]
    assert ticks(app, "yaxis")[0] == "19"
    assert sent(app, "rows")[0]["queries"]["window"] == [20, 60, 62]
    assert app.query_params["start"] == "20"


def test_no_heads_chosen_says_what_to_do(app: AppTest):
    app.query_params.update({"heads": ""})
    app.run()
    assert not app.exception
    assert pictures(app) == ["small_maps", "overview"]
    assert any("Choose one or more heads" in info.value for info in app.info)


def test_moving_between_pages_keeps_what_was_typed_and_chosen(app: AppTest):
    app.run()
    app.text_area[0].set_value("Hi there").run()
    choose(app, "layers", {"layer": 4})
    app.switch_page("pages/atlas.py").run()
    assert app.text_area[0].value == "Hi there"
    app.switch_page("app.py").run()
    assert app.text_area[0].value == "Hi there"
    assert layers(app)["chosen"] == 4
    assert app.query_params["text"] == "Hi there"


def test_reset_goes_back_to_the_first_view(app: AppTest):
    app.query_params.update({"text": "Hi there", "layer": "4", "heads": "1"})
    app.run()
    app.button(key="reset").click().run()
    assert heads(app) == ["L0 H2", "L0 H5", "L0 H8"]
    assert words(app) == CAT_TOKENS
    assert not app.query_params


def test_share_when_raised_draws_more_arcs_and_says_so(app: AppTest, runs: list[str]):
    app.run()
    usual, said_of_usual = kept(app), caption(app)
    app.slider(key="spotlight.share").set_value(95).run()
    more, said_of_more = kept(app), caption(app)
    assert more.sum() > usual.sum()
    assert (more >= usual).all()
    assert "hold 70% of each word" in said_of_usual
    assert "hold 95% of each word" in said_of_more
    assert app.query_params["share"] == "95"
    assert len(runs) == 1


def test_weights_of_no_arc_are_said_to_be_hidden(app: AppTest):
    app.run()
    n_weights = kept(app).size - int(kept(app).sum())
    assert f"{n_weights} weaker ones hidden" in caption(app)


def test_previous_token_head_looks_at_the_word_before_in_every_row():
    record = cache.record(cache.Source("minilm", "The cat chased the mouse because it was hungry."))
    before = np.diagonal(record.weights(0, 2), offset=-1)
    assert before.shape == (11,)
    assert before.min() >= 0.999
