"""What the small model makes of a text."""

import numpy as np
import pytest
import torch

from mha_viz.core.record import Token
from mha_viz.errors import TextError
from mha_viz.school.checkpoints import load_model, saved_steps
from mha_viz.school.lexicon import Lexicon
from mha_viz.school.reading import read
from mha_viz.school.vocabulary import Vocabulary

VOCABULARY = Vocabulary(Lexicon())
LAST = load_model(saved_steps()[-1])


def test_reading_of_a_text_is_what_the_model_computes():
    found = read("The keys to the cabinet are", LAST, VOCABULARY)
    assert found.texts == ["<start>", "The", "keys", "to", "the", "cabinet", "are"]
    assert found.tokens[0] == Token("<start>", VOCABULARY.id_of("<start>"), special=True)
    assert found.weights.shape == (3, 6, 7, 7)
    np.testing.assert_allclose(found.weights.sum(-1), 1, atol=1e-5)
    assert np.all(found.weights[..., np.triu_indices(7, 1)[0], np.triu_indices(7, 1)[1]] == 0)
    with torch.inference_mode():
        logits = LAST(torch.tensor([[token.id for token in found.tokens]])).logits[0, -1].double()
    shares = (logits.exp() / logits.exp().sum()).numpy()
    order = np.argsort(-shares)[: len(found.next.texts)]
    assert list(found.next.texts) == [VOCABULARY.words[index] for index in order]
    np.testing.assert_allclose(found.next.probabilities, shares[order], atol=1e-5)


def test_reading_of_an_empty_text_says_what_to_do():
    with pytest.raises(TextError, match="the text is empty; type a sentence"):
        read(" \n ", LAST, VOCABULARY)


def test_reading_of_a_long_text_says_how_long_it_may_be():
    assert len(read("a " * 63, LAST, VOCABULARY).tokens) == 64
    with pytest.raises(TextError, match="has 65 tokens and the small model reads at most 64"):
        read("a " * 64, LAST, VOCABULARY)
