"""What the school's model makes of a text: where each head looks, and what it expects next."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from mha_viz.core.predictions import Prediction, likeliest
from mha_viz.core.record import Token
from mha_viz.errors import TextError
from mha_viz.school.model import SchoolModel
from mha_viz.school.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class SchoolReading:
    """One pass over one text.

    Attributes:
        tokens: What was read; the first one is `<start>`.
        weights: After the softmax.
        next: The likeliest tokens after the last one.
    """

    tokens: tuple[Token, ...]
    weights: Float[np.ndarray, "n_layers n_heads n_tokens n_tokens"]
    next: Prediction

    @property
    def texts(self) -> list[str]:
        """What a person reads for each token."""
        return [token.text for token in self.tokens]

    @property
    def n_bytes(self) -> int:
        """Bytes of the weights, which are nearly all of it."""
        return self.weights.nbytes


def tokens_of(text: str, vocabulary: Vocabulary, most: int) -> tuple[Token, ...]:
    """The tokens of a text that can be read.

    Args:
        text: Any text.
        vocabulary: How it is cut.
        most: How many tokens there may be.

    Raises:
        TextError: If there is nothing to read, or too much.
    """
    tokens = vocabulary.read(text)
    if len(tokens) == 1:
        raise TextError("the text is empty; type a sentence, or choose an example")
    if len(tokens) > most:
        raise TextError(
            f"this text has {len(tokens)} tokens and the small model reads at most {most}; shorten it "
            "(a word that it does not know counts once a letter)"
        )
    return tokens


def read(text: str, model: SchoolModel, vocabulary: Vocabulary) -> SchoolReading:
    """Read a text.

    Raises:
        TextError: If there is nothing to read, or too much.
    """
    tokens = tokens_of(text, vocabulary, model.sizes.n_positions)
    ids = torch.tensor([[token.id for token in tokens]])
    with torch.inference_mode():
        passed = model(ids)
    weights = np.stack([steps.weights[0].numpy() for steps in passed.attention])
    weights.setflags(write=False)
    last = len(tokens) - 1
    (expected,) = likeliest(passed.logits[0], [last])
    texts = tuple(vocabulary.words[index] for index in expected.ids)
    return SchoolReading(
        tokens, weights, Prediction(last, expected.ids, expected.probabilities, texts)
    )
