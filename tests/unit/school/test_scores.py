"""Scores: means of weights, and what a blind head would reach."""

import numpy as np
import pytest
import torch

from mha_viz.school.documents import Link
from mha_viz.school.grammar import Grammar
from mha_viz.school.lexicon import Lexicon
from mha_viz.school.model import SchoolModel, Sizes
from mha_viz.school.repeats import LETTERS
from mha_viz.school.scores import (
    FIRST,
    PREVIOUS,
    SORT_OF,
    Examiner,
    HeadScore,
    mean_weights,
    place_null,
)
from mha_viz.school.vocabulary import Vocabulary

LEXICON = Lexicon()
VOCABULARY = Vocabulary(LEXICON)
EXAMINER = Examiner(Grammar(LEXICON), VOCABULARY, n_documents=5)
SIZES = Sizes(n_words=len(VOCABULARY), d_model=14, n_layers=2, n_heads=7, d_feed_forward=11)


def even_model() -> SchoolModel:
    """A model whose heads all share their weight equally."""
    model = SchoolModel(SIZES)
    with torch.no_grad():
        for block in model.blocks:
            block.attention.w_q.weight.zero_()
    return model


def test_scores_of_heads_that_share_equally_are_means_over_what_may_be_seen():
    card = EXAMINER.examine(even_model())
    for name in (PREVIOUS, FIRST):
        assert card.heads[name].value == pytest.approx(card.heads[name].null, abs=1e-5)
    for kind in SORT_OF:
        links = EXAMINER.exams[kind].links
        expected = np.mean([1 / (link.query + 1) for _, link in links])
        assert card.heads[kind].heads == pytest.approx(np.full((2, 7), expected), abs=1e-5)


def test_mean_weights_when_picked_one_by_one_are_the_same():
    model, exam = SchoolModel(SIZES), EXAMINER.exams[LETTERS]
    with torch.inference_mode():
        passed = model(exam.batch.ids)
    one_by_one = [
        passed.attention[1].weights[row, 3, link.query, link.target].item()
        for row, link in exam.links
    ]
    assert mean_weights(passed, exam)[1, 3] == pytest.approx(np.mean(one_by_one), abs=1e-6)


def test_null_is_the_best_fixed_distance_or_place():
    same_distance = [(0, Link("", 5, 2)), (1, Link("", 6, 3)), (2, Link("", 9, 3))]
    same_place = [
        (0, Link("", 5, 2)),
        (1, Link("", 7, 2)),
        (2, Link("", 9, 2)),
        (3, Link("", 4, 1)),
    ]
    assert place_null(same_distance) == pytest.approx(2 / 3)
    assert place_null(same_place) == pytest.approx(3 / 4)


def test_best_head_is_named_by_layer_and_head():
    heads = np.zeros((2, 7), dtype=np.float32)
    heads[1, 3] = 0.5
    assert (HeadScore(heads, 0).best, HeadScore(heads, 0).value) == ((1, 3), 0.5)


def test_links_of_an_exam_point_at_the_words_they_name():
    exam = EXAMINER.exams["closing to opening quote"]
    assert exam.links
    for row, link in exam.links:
        ids = exam.batch.ids[row]
        assert VOCABULARY.words[ids[link.query]] == VOCABULARY.words[ids[link.target]] == '"'


def test_exams_are_the_same_every_time():
    again = Examiner(Grammar(LEXICON), VOCABULARY, n_documents=5)
    for kind, exam in EXAMINER.exams.items():
        assert torch.equal(exam.batch.ids, again.exams[kind].batch.ids)


def test_loss_on_repeats_of_a_model_that_knows_nothing_is_that_of_a_guess():
    model = SchoolModel(SIZES)
    with torch.no_grad():
        model.words.weight.zero_()
    loss = EXAMINER.loss_on_repeats(model, LETTERS, [(0, 1)])
    assert loss == pytest.approx(np.log(len(VOCABULARY)), abs=1e-4)
