"""The page of letters: the example, puzzles, removing a head, and predicting first."""

from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.core.puzzles import PUZZLES
from mha_viz.ui.letters import ASKED_WORDS, HIDDEN_HEADS, SENTENCE
from tests.app.conftest import pick, said

SCRIPT = "pages/letters.py"
N_WORDS = 6
# A question about the third hidden head, whose weights are spread over several words.
QUESTION = 2 * len(ASKED_WORDS)


def open_letters(app: AppTest, **parameters: str) -> AppTest:
    """A link to the page, opened cold."""
    app.switch_page(SCRIPT)
    app.query_params.update(parameters)
    return app.run()


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def choose(app: AppTest, key: str, value: object) -> AppTest:
    app.button_group(key=f"a–f.{key}").set_value(value).run()
    assert not app.exception
    return app


def table(app: AppTest, title: str) -> np.ndarray:
    """The numbers below a title."""
    titles = [part.proto.body for part in app.get("html") if "font-weight:600" in part.proto.body]
    (place,) = [place for place, body in enumerate(titles) if f">{title}</span>" in body]
    return app.dataframe[place].value.to_numpy()


def score(app: AppTest) -> float:
    (bar,) = app.get("progress")
    return float(bar.proto.text.split("**")[1])


def address(app: AppTest) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else value[0]
        for name, value in app.query_params.items()
    }


def payload(app: AppTest) -> bytes:
    """Everything that the browser is given to draw."""
    protos = [node.proto for node in app._tree if getattr(node, "proto", None) is not None]
    return b"".join(proto.SerializeToString() for proto in protos)


def test_first_look_is_the_example_of_the_text(app: AppTest):
    open_letters(app)
    assert not app.exception
    weights = table(app, "Weights")
    expected = np.eye(N_WORDS)
    expected[4] = [0, 0, 0, 0.5, 0, 0.5]
    np.testing.assert_allclose(weights, expected, atol=0.01)
    for head, (query, key) in {1: (1, 0), 2: (2, 5)}.items():
        expected = np.eye(N_WORDS)
        expected[query] = np.eye(N_WORDS)[key]
        np.testing.assert_allclose(table(choose(app, "head", head), "Weights"), expected, atol=0.01)
    assert len(app.get("plotly_chart")) == 4


def test_shown_q_and_k_give_the_shown_weights(app: AppTest):
    open_letters(app)
    query, key = table(app, "Q"), table(app, "K")
    assert query.shape == key.shape == (N_WORDS, 8)
    powers = np.exp(query @ key.T / np.sqrt(8))
    np.testing.assert_allclose(
        powers / powers.sum(-1, keepdims=True), table(app, "Weights"), atol=0.02
    )


def test_word_told_where_to_look_looks_there_and_one_click_takes_it_back(app: AppTest):
    open_letters(app)
    before = table(app, "Weights")
    choose(app, "word", 0)
    choose(app, "row", [2, 4])
    np.testing.assert_allclose(table(app, "Weights")[0], [0, 0, 0.5, 0, 0.5, 0], atol=0.01)
    app.slider(key="a–f.row 2").set_value(80).run()
    assert app.slider(key="a–f.row 4").value == 20
    np.testing.assert_allclose(table(app, "Weights")[0], [0, 0, 0.8, 0, 0.2, 0], atol=0.01)
    choose(app, "row", [])
    np.testing.assert_allclose(table(app, "Weights")[0], 1 / 6, atol=0.01)
    press(app, "start again")
    np.testing.assert_array_equal(table(app, "Weights"), before)
    assert "maps" not in address(app)


def test_word_when_clicked_in_the_picture_is_chosen_and_again_freed(app: AppTest):
    open_letters(app)
    for chosen in (3, None):
        pick(
            app,
            app.get("plotly_chart")[0],
            points=[{"customdata": ["token", 2, 3, "D"]}],
            point_indices=[0],
            box=[],
            lasso=[],
        )
        assert not app.exception
        assert app.button_group(key="a–f.word").value == chosen
        assert app.button_group(key="a–f.head").value == 2


@pytest.mark.parametrize("points", [[{"customdata": ["token", 9, 3, "D"]}], [{}], ["x"]])
def test_click_that_is_none_of_ours_chooses_nothing(app: AppTest, points: list):
    open_letters(app)
    pick(app, app.get("plotly_chart")[0], points=points, point_indices=[0], box=[], lasso=[])
    assert not app.exception
    assert app.button_group(key="a–f.word").value is None


@pytest.mark.parametrize("name", PUZZLES)
def test_puzzle_when_built_word_by_word_is_solved(app: AppTest, name: str):
    open_letters(app)
    choose(app, "task", name)
    assert score(app) == 0
    assert not app.success
    for query, key in PUZZLES[name].looks.items():
        choose(app, "word", query)
        choose(app, "row", [key])
    assert score(app) == 1
    assert [part.value[:6] for part in app.success] == ["Solved"]
    press(app, "start again")
    assert score(app) == 0


def test_head_when_removed_changes_the_output(app: AppTest):
    open_letters(app)
    before = table(app, "Output")
    assert before.shape == (N_WORDS, 24)
    for head in range(3):
        choose(app, "without", head)
        after, change = table(app, "Output"), table(app, "Change")
        np.testing.assert_allclose(np.linalg.norm(after - before, axis=1), change[:, 0], atol=0.06)
        lengths = np.linalg.norm(after, axis=1) * np.linalg.norm(before, axis=1)
        np.testing.assert_allclose((after * before).sum(1) / lengths, change[:, 1], atol=0.02)
        assert change[:, 0].min() > 0.5
    choose(app, "without", None)
    np.testing.assert_array_equal(table(app, "Output"), before)


def test_link_restores_the_page(app: AppTest):
    open_letters(app)
    choose(app, "head", 1)
    choose(app, "word", 3)
    choose(app, "row", [0, 1, 2])
    choose(app, "without", 2)
    link, shown = address(app), [table(app, title) for title in ("Weights", "Change")]
    again = open_letters(AppTest.from_file(app._script_path, default_timeout=120), **link)
    assert not again.exception
    assert address(again) == link
    for title, numbers in zip(("Weights", "Change"), shown, strict=True):
        np.testing.assert_array_equal(table(again, title), numbers)


@pytest.mark.parametrize(
    ("link", "what"),
    [
        ("maps=0.100", "maps could not be read"),
        ("task=nothing", "task could not be read"),
        ("word=17", "word could not be read"),
        ("without=x", "without could not be read"),
        ("task=predict&guess=99.100", "guess could not be read"),
    ],
)
@pytest.mark.model
def test_link_that_cannot_be_read_is_said_and_the_start_is_shown(
    app: AppTest, link: str, what: str
):
    open_letters(app, **{name: values[0] for name, values in parse_qs(link).items()})
    assert not app.exception
    assert what in said(app)


def test_task_of_a_link_may_be_a_head_that_a_puzzle_does_not_have(app: AppTest):
    open_letters(app, task="first", set_head="2", word="1")
    choose(app, "row", [0])
    assert score(app) == pytest.approx(1 / 6, abs=0.01)


@pytest.mark.model
@pytest.mark.parametrize("question", [QUESTION, QUESTION + 1, 0, 24, -1])
def test_model_row_is_sent_only_when_revealed(app: AppTest, question: int):
    turn, place = divmod(question, len(ASKED_WORDS))
    layer, head = HIDDEN_HEADS[turn % len(HIDDEN_HEADS)]
    truth = mha_viz.attend(SENTENCE).weights(layer=layer, head=head)[ASKED_WORDS[place]]
    open_letters(app, task="predict", question=str(question))
    choose(app, "predict guess", [1, 4])
    hidden = payload(app)
    for weight in truth[truth > 0.02]:
        for number in (np.float32(weight), np.float64(weight)):
            assert number.tobytes() not in hidden
        for digits in (2, 3, 4):
            assert f"{weight:.{digits}f}".encode() not in hidden
    assert not app.dataframe
    assert not app.get("plotly_chart")
    press(app, "predict reveal")
    assert truth.astype(np.float32).tobytes() in payload(app)


@pytest.mark.model
def test_guess_when_revealed_is_scored_beside_the_model_and_chance(app: AppTest):
    open_letters(app, task="predict", question=str(QUESTION))
    layer, head = HIDDEN_HEADS[2]
    truth = mha_viz.attend(SENTENCE).weights(layer=layer, head=head)[ASKED_WORDS[0]]
    choose(app, "predict guess", [2, 6])
    app.slider(key="a–f.predict guess 2").set_value(70).run()
    press(app, "predict reveal")
    shown = app.dataframe[0].value
    guess = np.zeros(len(truth))
    guess[[2, 6]] = [0.7, 0.3]
    np.testing.assert_allclose(shown["You"], guess)
    np.testing.assert_allclose(shown["The model"], truth, atol=1e-6)
    np.testing.assert_allclose(shown["Chance"], 1 / len(truth))
    (verdict,) = [part.value for part in app.markdown if "You scored" in part.value]
    assert f"**{np.minimum(guess, truth).sum():.2f}**" in verdict
    assert f"{np.minimum(1 / len(truth), truth).sum():.2f};" not in verdict.split(";")[0]
    assert f"scores {np.minimum(1 / len(truth), truth).sum():.2f}." in verdict
    assert app.button_group(key="a–f.predict guess").proto.disabled


@pytest.mark.model
def test_even_guess_scores_what_chance_scores(app: AppTest):
    open_letters(app, task="predict", question=str(QUESTION))
    press(app, "predict reveal")
    shown = app.dataframe[0].value
    np.testing.assert_allclose(shown["You"], shown["Chance"])


@pytest.mark.model
def test_another_word_is_asked_with_nothing_marked_and_nothing_shown(app: AppTest):
    open_letters(app, task="predict")
    choose(app, "predict guess", [2])
    press(app, "predict reveal")
    assert app.dataframe
    press(app, "predict another")
    assert not app.dataframe
    assert app.button_group(key="a–f.predict guess").value == []
    assert address(app) == {"task": "predict", "question": "1"}
    choose(app, "hidden", 3)
    assert address(app)["question"] == str(3 * len(ASKED_WORDS))
