"""Weights and history as files."""

from pathlib import Path

import numpy as np
import pytest
import torch

from mha_viz.errors import ChoiceError, ModelError
from mha_viz.school.checkpoints import (
    Entry,
    History,
    load_history,
    load_model,
    save_history,
    save_weights,
    saved_steps,
)
from mha_viz.school.model import SchoolModel, Sizes
from mha_viz.school.scores import HeadScore, ScoreCard

SIZES = Sizes(n_words=29, d_model=14, n_layers=3, n_heads=7, d_feed_forward=11, n_positions=23)


def entry(step: int, value: float) -> Entry:
    heads = np.full((3, 7), value / 2, dtype=np.float32)
    heads[1, 5] = value
    card = ScoreCard({"previous token": HeadScore(heads, 0.125)}, 0.5, 0.25)
    return Entry(step, None if step == 0 else 1.5, card)


def test_weights_when_read_back_are_those_written_rounded_to_half_precision(tmp_path: Path):
    model = SchoolModel(SIZES)
    save_weights(model, tmp_path, 17)
    read = load_model(17, tmp_path)
    assert read.sizes == SIZES
    for name, weight in model.state_dict().items():
        assert torch.equal(read.state_dict()[name], weight.half().float())


def test_saved_steps_are_listed_in_order(tmp_path: Path):
    for step in (1200, 0, 300):
        save_weights(SchoolModel(SIZES), tmp_path, step)
    assert saved_steps(tmp_path) == (0, 300, 1200)


def test_step_that_was_not_saved_is_refused_with_those_that_were(tmp_path: Path):
    save_weights(SchoolModel(SIZES), tmp_path, 300)
    with pytest.raises(ChoiceError, match="step 7 was not saved; the saved steps are 300"):
        load_model(7, tmp_path)


def test_file_that_holds_no_weights_is_refused_in_words(tmp_path: Path):
    (tmp_path / "step-00007.safetensors").write_bytes(b"no weights")
    with pytest.raises(ModelError, match=r"step-00007\.safetensors should hold the weights"):
        load_model(7, tmp_path)


def test_history_when_read_back_is_what_was_written(tmp_path: Path):
    file = tmp_path / "new" / "history.json"
    save_history(History({"seed": 3}, (entry(0, 0.125), entry(50, 0.75))), file)
    read = load_history(file)
    assert read.recipe == {"seed": 3}
    assert [each.step for each in read.entries] == [0, 50]
    assert [each.loss for each in read.entries] == [None, 1.5]
    score = read.at(50).card.heads["previous token"]
    assert (score.best, score.value, score.null) == ((1, 5), 0.75, 0.125)
    assert (read.at(50).card.verb_number, read.at(50).card.letters_continued) == (0.5, 0.25)


def test_birth_is_the_first_step_at_which_a_score_is_half_way_to_its_end():
    values = {0: 0.1, 50: 0.3, 100: 0.5, 150: 0.4, 200: 0.8}
    history = History({}, tuple(entry(step, value) for step, value in values.items()))
    assert history.birth("previous token") == 100


def test_step_that_was_not_measured_is_refused():
    with pytest.raises(ChoiceError, match="step 7 was not measured; choose one of 0, 50"):
        History({}, (entry(0, 0.1), entry(50, 0.2))).at(7)


def test_history_that_cannot_be_read_is_refused_in_words(tmp_path: Path):
    (tmp_path / "history.json").write_text("{}")
    with pytest.raises(ModelError, match="should hold the history"):
        load_history(tmp_path / "history.json")
