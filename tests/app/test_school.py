"""The model that we trained ourselves, on every page; and what a model predicts, in a line."""

import re

import pytest
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.core.interventions import HeadOff
from mha_viz.school.checkpoints import saved_steps
from mha_viz.ui.atlas.choices import PARTS
from mha_viz.ui.examples import SCHOOL_EXAMPLES, Example
from mha_viz.ui.next_tokens import in_words
from mha_viz.ui.selection import Selection
from mha_viz.ui.shell import PAGES
from tests.app.conftest import ALL_PICTURES, heads, pictures, pinned, said, words
from tests.model.architectures import ARCHITECTURES
from tests.model.small_tokenizers import word_piece
from tests.model.tiny import architecture, build

pytestmark = pytest.mark.model

FIRST = SCHOOL_EXAMPLES[0]
NUMBER = re.compile(r"\d\.\d\d")


def open_page(app: AppTest, script: str, **parameters: str) -> AppTest:
    if script != "app.py":
        app.switch_page(script)
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    return app


def predicted(app: AppTest) -> str:
    """The line that says what is predicted; empty for none."""
    lines = [part.value for part in (*app.caption, *app.markdown) if "arrow_forward" in part.value]
    assert len(lines) <= 1
    return "".join(lines).replace("\\", "")


def shares(example: Example, off: bool) -> dict[str, float]:
    changes = HeadOff(example.layer, example.off) if off else ()
    (expected,) = mha_viz.attend(example.text, "school", interventions=changes).predictions
    return dict(zip(expected.texts, expected.probabilities, strict=True))


# What is predicted


def test_next_words_stand_in_a_line_with_their_probabilities(app: AppTest):
    text = "The keys to the cabinet"
    open_page(app, "app.py", model="school", text=text)
    (expected,) = mha_viz.attend(text, "school").predictions
    likely = [
        f"**{text}** {share:.2f}"
        for text, share in zip(expected.texts[:5], expected.probabilities, strict=False)
        if share >= 0.005
    ]
    assert len(likely) == 3
    assert predicted(app).endswith("Predicted next: " + ", ".join(likely))


def test_model_that_predicts_nothing_has_no_such_line(app: AppTest):
    assert predicted(open_page(app, "app.py")) == ""


def test_hidden_word_is_predicted_at_its_place():
    tiny = ARCHITECTURES["bert"]
    model = build(architecture(tiny.family, tiny.sizes, tiny.inputs, model="BertForMaskedLM"))
    record = mha_viz.attend("the [MASK] cat", (model, word_piece()))
    (expected,) = record.predictions
    assert expected.position == 2
    assert in_words(expected, record).startswith("Predicted at position 2: ")


def line(record):
    """What a page runs."""
    from mha_viz.ui.next_tokens import next_words

    next_words(record)


@pytest.mark.parametrize(
    ("n_hidden", "end"),
    [(3, ""), (4, " · and 1 more hidden token"), (7, " · and 4 more hidden tokens")],
)
def test_hidden_tokens_beyond_the_third_are_counted(n_hidden: int, end: str):
    tiny = ARCHITECTURES["bert"]
    model = build(architecture(tiny.family, tiny.sizes, tiny.inputs, model="BertForMaskedLM"))
    record = mha_viz.attend("the" + " [MASK]" * n_hidden, (model, word_piece()))
    assert len(record.predictions) == n_hidden
    expected = " · ".join(in_words(one, record) for one in record.predictions[:3]) + end
    said = predicted(AppTest.from_function(line, args=(record,)).run())
    assert said == f":material/arrow_forward: {expected}".replace("\\", "")


# The pages


@pytest.mark.parametrize("script", PAGES)
def test_every_page_shows_it(app: AppTest, script: str):
    open_page(app, script, model="school", text="The dog barks.", source="model")
    assert not app.error


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_the_atlas_shows_it(app: AppTest, part: str):
    open_page(app, "pages/atlas.py", model="school", text=FIRST.text, part=part, over="examples")
    assert not app.error


def test_steps_of_its_training_stand_side_by_side(app: AppTest):
    panels = {"panel_1": "school@0|2|1|", "panel_2": "school|2|1|"}
    open_page(app, "pages/compare.py", **panels, text_1=FIRST.text, text_2=FIRST.text)
    assert not app.error


@pytest.mark.parametrize("step", [0, 1200])
def test_step_of_its_training_is_opened_from_a_link_without_being_asked_for(
    app: AppTest, step: int
):
    open_page(app, "app.py", model=f"school@{step}", text=FIRST.text, layer="2")
    assert pictures(app) == ALL_PICTURES
    assert app.selectbox(key="spotlight.model").value == f"school@{step}"
    assert words(app) == ["<start>", "the", "coats", "of", "the", "king", "are"]


def test_step_that_was_not_saved_gives_a_sentence_with_those_that_were(app: AppTest):
    open_page(app, "app.py", model="school@77")
    assert ", ".join(map(str, saved_steps())) in said(app)


def test_layer_that_it_does_not_have_becomes_its_last(app: AppTest):
    """AV-080."""
    open_page(app, "app.py", layer="5", heads="8")
    app.selectbox(key="spotlight.model").set_value("school").run()
    app.text_area[0].set_value("The dog barks.").run()
    open_page(app, "app.py", model="school", layer="5", heads="8", text="The dog barks.")
    assert "Layer 5 does not exist (0 to 2); showing layer 2." in said(app)
    assert heads(app) == ["L2 H5"]


def test_words_that_it_spells_are_said(app: AppTest):
    open_page(app, "app.py", model="school", text="The zob barks.")
    assert "“zob” is not among the words that this small model knows" in said(app)
    assert words(app) == ["<start>", "the", "z", "·o", "·b", "barks", "."]


# Where it starts


def test_school_when_chosen_first_brings_a_sentence_of_its_own_and_takes_it_along(app: AppTest):
    open_page(app, "app.py")
    picker = app.selectbox(key="spotlight.model")
    assert "School model" in picker.options
    picker.set_value("school").run()
    assert app.text_area[0].value == FIRST.text
    assert heads(app) == [f"L{FIRST.layer} H{head}" for head in FIRST.heads]
    assert pinned(app) == FIRST.query
    app.selectbox(key="spotlight.model").set_value("minilm").run()
    assert app.text_area[0].value == Selection().text


def test_text_that_somebody_typed_stays_when_school_is_chosen(app: AppTest):
    open_page(app, "app.py")
    app.text_area[0].set_value("My own dog").run()
    app.selectbox(key="spotlight.model").set_value("school").run()
    assert app.text_area[0].value == "My own dog"


def test_layer_of_the_model_starts_with_school_for_whoever_has_chosen_nothing(app: AppTest):
    open_page(app, "pages/step_by_step.py")
    app.button_group(key="step by step.source").set_value("model").run()
    assert not app.exception
    assert app.selectbox(key="step by step.model").value == "school"
    assert app.text_area[0].value == FIRST.text
    assert app.selectbox(key="step by step.layer").value == FIRST.layer
    assert app.button_group(key="step by step.head").value == FIRST.heads[0]
    assert "Predicted next: " in predicted(app)
    written = " ".join(part.value for part in app.markdown)
    assert "The steps end in the model's own attention output" in written


@pytest.mark.parametrize("chosen", [{"text": "Cats run"}, {"layer": "3"}, {"model": "school@0"}])
def test_layer_of_the_model_stays_with_what_somebody_has_chosen(app: AppTest, chosen: dict):
    open_page(app, "pages/step_by_step.py", **chosen)
    app.button_group(key="step by step.source").set_value("model").run()
    assert app.selectbox(key="step by step.model").value == chosen.get("model", "minilm")
    assert app.text_area[0].value == chosen.get("text", Selection().text)


# Its sentences


@pytest.mark.parametrize("example", SCHOOL_EXAMPLES, ids=lambda example: example.title)
def test_sentence_of_its_own_when_pressed_is_shown_with_its_hint(app: AppTest, example: Example):
    open_page(app, "app.py", model="school", text="The dog barks.")
    app.button(key=f"example {example.title}").click().run()
    assert not app.exception
    assert heads(app) == [f"L{example.layer} H{head}" for head in example.heads]
    assert pinned(app) == example.query
    assert any("Look for" in part.value and "head" in part.value for part in app.markdown)


@pytest.mark.parametrize("model", ["school@0", "minilm"])
def test_hint_is_given_for_the_model_that_it_is_about_alone(app: AppTest, model: str):
    open_page(app, "app.py", model=model, text=FIRST.text)
    assert not any("Look for" in part.value for part in app.markdown)


@pytest.mark.parametrize(
    ("title", "head", "looked_at", "expected"),
    [
        ("Verb and subject", 1, "coats", "stylish"),
        ("Again and again", 4, "f", "f"),
        ("Who is it?", 5, "dog", "growled"),
        ("If … then", 4, "if", "will"),
        ("Judge Stone", 4, "judge", "acquitted"),
        ("Quotes", 3, "whispered", "shyly"),
        ("Brackets", 0, "waits", "for"),
    ],
)
def test_hint_names_what_the_model_computed(title: str, head: int, looked_at: str, expected: str):
    (example,) = [one for one in SCHOOL_EXAMPLES if one.title == title]
    record = mha_viz.attend(example.text, "school")
    texts = [token.text for token in record.tokens]
    weight = record.weights(example.layer, head)[example.query, texts.index(looked_at)]
    with_it, without = (shares(example, off) for off in (False, True))
    numbers = [weight, with_it[expected], *([without[expected]] if expected in without else [])]
    assert [f"{number:.2f}" for number in numbers] == NUMBER.findall(example.hint)
    assert weight > 0.9
    assert with_it[expected] > 2 * without.get(expected, 0)
    assert f"“{expected}”" in example.hint
    assert f"“{looked_at}”" in example.hint
    assert f"head {head}" in example.hint
    assert f"head {example.off}" in example.hint.lower()


# Heads that matter


@pytest.mark.parametrize("example", SCHOOL_EXAMPLES, ids=lambda example: example.title)
def test_head_when_switched_off_by_a_click_changes_what_is_predicted(
    app: AppTest, example: Example
):
    open_page(app, "pages/mask_lab.py")
    assert predicted(app) == ""
    app.button(key=f"lesson {example.title}").click().run()
    assert not app.exception
    assert app.text_area[0].value == example.text
    with_it, without = (shares(example, off) for off in (False, True))
    likeliest = max(with_it, key=with_it.__getitem__)
    after = f"{without[likeliest]:.2f}" if likeliest in without else "–"
    assert f"**{likeliest}** {with_it[likeliest]:.2f} → {after}" in predicted(app)
    assert app.query_params["off"] == [str(example.off)] or app.query_params["off"] == str(
        example.off
    )
