"""The scores that the model card states, worked out again from the weights that are shipped."""

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest
import torch

from mha_viz.school.checkpoints import load_history, load_model, saved_steps
from mha_viz.school.grammar import BRACKET, CONDITION, PERSON, QUOTE, THING, TITLE, Grammar
from mha_viz.school.lexicon import ASSETS, Lexicon
from mha_viz.school.repeats import LETTERS, WORDS
from mha_viz.school.scores import PREVIOUS, Examiner, ScoreCard
from mha_viz.school.sentences import SUBJECT
from mha_viz.school.training import Recipe
from mha_viz.school.vocabulary import Vocabulary

THRESHOLDS = {
    PREVIOUS: 0.8,
    WORDS: 0.8,
    LETTERS: 0.8,
    SUBJECT: 0.85,
    PERSON: 0.7,
    THING: 0.7,
    CONDITION: 0.8,
    QUOTE: 0.5,
    BRACKET: 0.5,
    TITLE: 0.8,
}
HISTORIES = sorted(ASSETS.glob("history*.json"))
TOLERANCE = 0.01  # the history was measured in float32, the weights are shipped in float16


@cache
def examiner() -> Examiner:
    lexicon = Lexicon()
    return Examiner(Grammar(lexicon), Vocabulary(lexicon))


@cache
def card(step: int) -> ScoreCard:
    return examiner().examine(load_model(step))


def last() -> int:
    return saved_steps()[-1]


@pytest.mark.parametrize("name", THRESHOLDS)
def test_head_of_the_last_step_reaches_what_is_asked_of_it(name: str):
    score = card(last()).heads[name]
    assert score.value >= THRESHOLDS[name]
    assert score.value > score.null + 0.1


def test_model_of_the_last_step_knows_its_grammar():
    assert card(last()).verb_number >= 0.97
    assert card(last()).letters_continued >= 0.95


def test_model_before_its_first_step_knows_nothing():
    assert not any(
        card(0).heads[name].value > card(0).heads[name].null + 0.1 for name in THRESHOLDS
    )
    assert card(0).letters_continued < 0.1


@pytest.mark.parametrize("step", saved_steps())
def test_scores_of_a_checkpoint_are_those_of_the_history(step: int):
    stated = load_history().at(step).card
    assert card(step).heads.keys() == stated.heads.keys()
    for name, score in card(step).heads.items():
        assert score.heads == pytest.approx(stated.heads[name].heads, abs=TOLERANCE)
        assert score.null == pytest.approx(stated.heads[name].null, abs=1e-4)
    assert card(step).verb_number == pytest.approx(stated.verb_number, abs=2 * TOLERANCE)
    assert card(step).letters_continued == pytest.approx(stated.letters_continued, abs=TOLERANCE)


@pytest.mark.parametrize("name", [PREVIOUS, LETTERS])
def test_head_that_matters_hurts_when_it_is_switched_off(name: str):
    model = load_model(last())
    whole = examiner().loss_on_repeats(model, LETTERS)
    without = examiner().loss_on_repeats(model, LETTERS, [card(last()).heads[name].best])
    assert without > whole + 0.5


# What is shipped


def test_shipped_files_are_small_and_in_half_precision():
    files = [file for file in ASSETS.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 16_000_000
    assert len(saved_steps()) >= 13
    assert any(1200 <= step <= 1600 for step in saved_steps())


def test_history_says_by_what_recipe_the_weights_were_made():
    assert load_history().recipe == json.loads(json.dumps(asdict(Recipe())))


@pytest.mark.parametrize("file", HISTORIES, ids=lambda file: file.name)
def test_heads_that_copy_are_born_after_those_of_single_words(file: Path):
    history = load_history(file)
    early = max(history.birth(name) for name in (SUBJECT, CONDITION, BRACKET, TITLE))
    assert early < min(history.birth(name) for name in (PREVIOUS, WORDS, LETTERS))
    assert abs(history.birth(PREVIOUS) - history.birth(LETTERS)) <= 200


@pytest.mark.parametrize("file", HISTORIES, ids=lambda file: file.name)
def test_every_head_is_born_on_each_seed(file: Path):
    scores = load_history(file).entries[-1].card.heads
    for name in THRESHOLDS:
        assert scores[name].value > scores[name].null + 0.05, name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The keys to the cabinet are", {"shiny", "rusty", "sharp", "bent", "golden", "not"}),
        ("The queen met the dog. It", {"barked", "growled", "hid", "sniffed"}),
        ("Dr. Ada Stone met Ben. Stone", {"operated", "cured", "healed"}),
        ("First the dog barked, then", {"barked", "growled", "hid", "sniffed"}),
        ("If the dog barks, then", {"the"}),
        ("X Q K M X Q", {"k"}),
        ("Zorblax met Quimby. Zorb", {"l"}),
    ],
)
def test_text_that_somebody_types_goes_on_with_what_fits(text: str, expected: set[str]):
    vocabulary = examiner().vocabulary
    ids = torch.tensor([[token.id for token in vocabulary.read(text)]])
    with torch.inference_mode():
        likeliest = load_model(last())(ids).logits[0, -1].argmax()
    assert vocabulary.words[likeliest] in expected
