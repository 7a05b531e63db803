"""The page on which heads are born: what moves with the step, what is drawn of a sentence, and heads to point at."""

import base64
import json
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.school import phases
from mha_viz.school.checkpoints import load_history, load_model, saved_steps
from mha_viz.school.grammar import PERSON, THING
from mha_viz.school.lexicon import ASSETS, Lexicon
from mha_viz.school.reading import read
from mha_viz.school.vocabulary import Vocabulary
from mha_viz.ui.messages import literal
from mha_viz.ui.school import player
from mha_viz.ui.school.choices import School
from mha_viz.ui.school.seeds import births
from mha_viz.ui.school.skills import CLAIMS, SKILLS
from tests.app.conftest import ROOT, said
from tests.labels import as_read

SCRIPT = "pages/heads_born.py"
LETTERS, SUBJECT = "induction on letters", "verb to subject"
PICTURES = ["map", "history", "next words", "all heads"]
VOCABULARY = Vocabulary(Lexicon())


def open_training(app: AppTest, **parameters: str) -> AppTest:
    """A link to the page, opened cold."""
    app.switch_page(SCRIPT)
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    return app


def figures(app: AppTest) -> dict[str, dict]:
    """What is drawn of the step, by the order of the page."""
    sent = [
        json.loads(json.loads(part.proto.json)["figure"])
        for part in app.get("bidi_component")
        if part.proto.component_name == "mha_viz.figure"
    ]
    return dict(zip(PICTURES if len(sent) == len(PICTURES) else ["history"], sent, strict=True))


def values(array: dict) -> np.ndarray:
    """An array as Plotly sends it."""
    flat = np.frombuffer(base64.b64decode(array["bdata"]), array["dtype"])
    return flat.reshape([int(size) for size in array["shape"].split(",")])


def map_of(app: AppTest) -> np.ndarray:
    return values(figures(app)["map"]["data"][0]["z"])


def next_words(app: AppTest) -> tuple[list[str], list[float]]:
    figure = figures(app)["next words"]
    words = [as_read(text.removeprefix("✓ ")) for text in figure["layout"]["yaxis"]["ticktext"]]
    return words, [share for bars in figure["data"] for share in bars["x"]]


def address(app: AppTest) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else value[0]
        for name, value in app.query_params.items()
    }


def move(app: AppTest, step: int) -> AppTest:
    app.select_slider(key="training.step").set_value(step).run()
    assert not app.exception
    return app


def choose(app: AppTest, skill: str) -> AppTest:
    app.button_group(key="training.skill").set_value(skill).run()
    assert not app.exception
    return app


def type_sentence(app: AppTest, text: str) -> AppTest:
    app.text_input(key="training.sentence").set_value(text).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("step", [0, 1550, 1700])
def test_slider_moves_the_map_and_what_comes_next(app: AppTest, step: int):
    open_training(app)
    move(app, step)
    sentence = SKILLS[LETTERS].sentence
    expected, last = (
        read(sentence, load_model(at), VOCABULARY) for at in (step, saved_steps()[-1])
    )
    head = load_history().entries[-1].card.heads[LETTERS].best
    np.testing.assert_array_equal(map_of(app), expected.weights[head])
    words, shares = next_words(app)
    assert words == [*expected.next.texts[:5], *last.next.texts[:5]]
    np.testing.assert_allclose(
        shares, [*expected.next.probabilities[:5], *last.next.probabilities[:5]]
    )
    assert address(app).get("step", "0") == str(step)


def test_stripe_is_born_and_the_prediction_becomes_right(app: AppTest):
    """What a newcomer sees who presses Play: every letter of the second block looks behind its first."""
    open_training(app)
    length = 8
    seen = {}
    for step in (1550, 1700):
        move(app, step)
        stripe = [map_of(app)[place, place - length + 1] for place in range(length + 1, 2 * length)]
        words, _ = next_words(app)
        seen[step] = (np.mean(stripe), words[0])
    assert seen[1550][0] < 0.2
    assert seen[1700][0] > 0.8
    assert seen[1550][1] != "x"
    assert seen[1700][1] == "x"


@pytest.mark.parametrize("skill", [SUBJECT, "first token"])
def test_skill_brings_its_lines_its_null_and_its_example(app: AppTest, skill: str):
    choose(open_training(app, step="400"), skill)
    history = load_history()
    lines = {trace["name"]: trace for trace in figures(app)["history"]["data"]}
    measured = phases.scores_of(history, skill)
    for layer, head in np.ndindex(measured.shape[1:]):
        np.testing.assert_allclose(
            values_flat(lines[f"L{layer} H{head}"]["y"]), measured[:, layer, head], atol=1e-6
        )
    assert lines["null"]["y"][0] == pytest.approx(history.entries[0].card.heads[skill].null)
    texts = [note["text"] for note in figures(app)["history"]["layout"]["annotations"]]
    assert f"born: {history.birth(skill):,}" in texts
    assert app.text_input(key="training.sentence").value == SKILLS[skill].sentence
    assert address(app)["skill"] == skill


def values_flat(array: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(array["bdata"]), array["dtype"])


def test_sentence_of_ones_own_stays_when_another_skill_is_chosen(app: AppTest):
    type_sentence(open_training(app), "My own sentence")
    choose(app, SUBJECT)
    assert app.text_input(key="training.sentence").value == "My own sentence"
    app.button(key="example").click().run()
    assert app.text_input(key="training.sentence").value == SKILLS[SUBJECT].sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("   ", "The text is empty"),
        ("a " * 64, "has 65 tokens and the small model reads at most 64"),
    ],
)
def test_text_that_cannot_be_read_gets_a_sentence_and_the_curves_stay(
    app: AppTest, text: str, sentence: str
):
    type_sentence(open_training(app), text)
    assert sentence in said(app)
    assert list(figures(app)) == ["history"]


@pytest.mark.parametrize("text", ["<b>x</b> $a$ %{y} 😀 ß", "你好 שלום", "\u202e\u0000 x"])
def test_any_text_is_drawn_as_typed(app: AppTest, text: str):
    type_sentence(open_training(app), text)
    assert set(figures(app)) == set(PICTURES)
    drawn = "".join(map(str, figures(app)["map"]["layout"]["xaxis"]["ticktext"]))
    assert "<b>" not in drawn


def test_link_brings_skill_step_sentence_and_head_back(app: AppTest):
    open_training(app, skill=SUBJECT, step="600", sentence="The dog is", watched="0.3")
    assert app.button_group(key="training.skill").value == SUBJECT
    assert app.select_slider(key="training.step").value == 600
    assert app.text_input(key="training.sentence").value == "The dog is"
    expected = read("The dog is", load_model(600), VOCABULARY)
    np.testing.assert_array_equal(map_of(app), expected.weights[0, 3])
    assert address(app) == {
        "skill": SUBJECT,
        "step": "600",
        "sentence": "The dog is",
        "watched": "0.3",
    }


@pytest.mark.parametrize(
    ("name", "value"), [("step", "17"), ("step", "x"), ("skill", "flying"), ("watched", "9.9")]
)
def test_link_that_asks_for_what_does_not_exist_shows_the_usual(
    app: AppTest, name: str, value: str
):
    open_training(app, **{name: value})
    assert set(figures(app)) == set(PICTURES)
    assert name == "watched" or f"The link's {name} could not be read" in said(app)


def test_play_begins_again_after_the_last_step_and_stop_stays(app: AppTest):
    open_training(app, step=str(saved_steps()[-1]))
    app.button(key="play").click().run()
    assert app.button(key="play").label == "Stop"
    assert app.select_slider(key="training.step").value == saved_steps()[0]
    app.button(key="play").click().run()
    assert not app.exception
    assert app.button(key="play").label == "Play"


def test_moving_the_slider_stops_the_play(app: AppTest):
    open_training(app)
    app.button(key="play").click().run()
    move(app, 600)
    assert app.button(key="play").label == "Play"
    assert app.select_slider(key="training.step").value == 600


def test_reset_stops_the_play(app: AppTest):
    open_training(app, step="600")
    app.button(key="play").click().run()
    app.button(key="reset").click().run()
    assert app.button(key="play").label == "Play"
    assert app.select_slider(key="training.step").value == 0


def test_who_comes_back_to_the_page_finds_the_play_stopped(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    now = 0.0
    monkeypatch.setattr(player, "monotonic", lambda: now)
    open_training(app, step="200")
    app.button(key="play").click().run()
    now = player.PACE
    app.run()
    assert app.select_slider(key="training.step").value == 400
    assert app.button(key="play").label == "Stop"
    app.switch_page("pages/about.py").run()
    now += 60
    app.switch_page(SCRIPT).run()
    assert app.button(key="play").label == "Play"
    assert app.select_slider(key="training.step").value == 400


def test_every_claim_has_its_head_with_its_numbers_and_a_way_to_spotlight(app: AppTest):
    open_training(app)
    history = load_history()
    written = " ".join(part.value for part in app.markdown)
    links = [parse_qs(link.proto.query_string) for link in app.get("page_link")]
    for claim in CLAIMS:
        assert f"**{literal(claim.title)}**" in written
        for name in claim.skills:
            score = history.entries[-1].card.heads[name]
            layer, head = score.best
            assert (
                f"**L{layer} H{head}**: score **{score.value:.2f}**, null {score.null:.2f}"
                in written
            )
            assert any(
                link.get("model") == ["school"]
                and link.get("layer", ["0"]) == [str(layer)]
                and link.get("heads") == [str(head)]
                and link["text"] == [SKILLS[claim.skills[0]].sentence]
                for link in links
            )


def test_examples_are_sentences_that_the_model_knows_and_right_words_follow_them():
    last = load_model(saved_steps()[-1])
    for skill in SKILLS.values():
        found = read(skill.sentence, last, VOCABULARY)
        assert all(token.piece_of_word is None or token.text[0] != "·" for token in found.tokens)
        if skill.right:
            assert found.next.texts[0] in skill.right


def test_example_of_each_claim_shows_what_it_is_said_to_show():
    """In its sentence, the head gives most of the last word's weight to one earlier word, the one that belongs to it."""
    targets = {
        SUBJECT: "keys",
        PERSON: "queen",
        THING: "dog",
        "then to if": "If",
        "closing to opening quote": '"',
        "closing to opening bracket": "(",
        "name to title": "Dr",
        "previous token": "little",
        "induction on letters": "x",
        "induction on words": "cold",
        "first token": "<start>",
    }
    last, card = load_model(saved_steps()[-1]), load_history().entries[-1].card
    for name, target in targets.items():
        found = read(SKILLS[name].sentence, last, VOCABULARY)
        row = found.weights[card.heads[name].best][-1]
        place = int(row.argmax())
        assert found.texts[place] == target, name
        assert row[place] > phases.CLEAR, name
        assert place < len(row) - 1


def test_births_of_other_seeds_are_those_of_their_files(app: AppTest):
    histories = [load_history(), *map(load_history, sorted(ASSETS.glob("history-seed-*.json")))]
    assert len(histories) > 1
    open_training(app)
    table = app.dataframe[-1].value
    assert [*table.columns] == [f"seed {history.recipe['seed']}" for history in histories]
    shortest = min(history.entries[-1].step for history in histories)
    for history in histories:
        until = phases.until(history, shortest)
        for name, skill in SKILLS.items():
            cell, score = table.loc[skill.title, f"seed {history.recipe['seed']}"], None
            score = until.entries[-1].card.heads[name]
            assert f"{score.value:.2f}" in cell
            if score.value > score.null:
                assert f"step {until.birth(name):,}" in cell
            else:
                assert "not born" in cell


def test_seed_that_gave_no_head_is_said_to_have_none():
    history = load_history()
    early = births([phases.until(history, 0)])
    assert early.loc[SKILLS[LETTERS].title, "seed 0"].startswith("not born")


def test_first_view_is_the_start_of_the_training():
    assert School().step == saved_steps()[0]
    assert (ROOT / SCRIPT).is_file()
