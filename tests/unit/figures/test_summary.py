import numpy as np
import pytest

from mha_viz.errors import ShapeError
from mha_viz.figures.summary import describe_head


def at_offset(n_tokens: int, offset: int, weight: float = 1.0) -> np.ndarray:
    """Each token gives a weight to the one at an offset, the rest evenly; the ends give all to themselves."""
    weights = np.full((n_tokens, n_tokens), (1 - weight) / (n_tokens - 1), np.float32)
    for query in range(n_tokens):
        key = query + offset if 0 <= query + offset < n_tokens else query
        weights[query, key] = weight
    return weights


@pytest.mark.parametrize(
    ("offset", "said"),
    [
        (-1, "each word looks at the one before it, 1.00 on average"),
        (1, "each word looks at the one after it, 1.00 on average"),
        (0, "each word looks at itself, 1.00 on average"),
    ],
)
def test_head_when_it_looks_at_an_offset_is_named_in_words(offset: int, said: str):
    assert describe_head(at_offset(5, offset), list("abcde")) == said


def test_head_when_all_look_at_one_word_names_it():
    weights = np.full((5, 5), 0.04, np.float32)
    weights[:, 0] = 0.84
    tokens = ["[CLS]", "a", "b", "a", "[SEP]"]
    assert describe_head(weights, tokens) == "mostly at [CLS], 0.84 on average"
    assert (
        describe_head(weights[:, [1, 2, 3, 0, 4]], tokens)
        == "mostly at a (position 3), 0.84 on average"
    )


def test_head_when_spread_says_what_comes_nearest_with_its_number():
    tokens = list("abcde")
    assert (
        describe_head(at_offset(5, -1, 0.4), tokens)
        == "spread: no pattern over 0.5; strongest is the word before, 0.40 on average"
    )


def test_head_when_queries_are_other_words_has_no_before_and_after():
    square = describe_head(at_offset(5, -1), list("abcde"), same_tokens=False)
    assert square.startswith("spread: no pattern over 0.5; strongest is a, 0.40")
    assert describe_head(np.array([[0, 1, 0], [0, 1, 0]], np.float32), list("ABC")) == (
        "mostly at B, 1.00 on average"
    )


def test_masked_queries_when_described_do_not_count():
    weights = at_offset(5, -1)
    weights[3] = 0
    assert describe_head(weights, list("abcde")).endswith("before it, 1.00 on average")
    assert describe_head(np.zeros((3, 3), np.float32), list("abc")) == "masked: looks at nothing"


def test_one_token_when_described_looks_at_itself():
    said = describe_head(np.ones((1, 1), np.float32), ["a"])
    assert said == "each word looks at itself, 1.00 on average"


def test_tokens_when_they_do_not_name_the_keys_are_refused():
    with pytest.raises(ShapeError, match="each of 3 keys, got 2"):
        describe_head(np.ones((2, 3), np.float32), ["a", "b"])
