"""Induction: perfect heads, the traps, and blocks that come twice."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.induction import induction_card, induction_share, repeated_blocks
from mha_viz.core.measures import previous_share, self_share
from mha_viz.core.token_shares import duplicate_share
from mha_viz.errors import ChoiceError
from tests.unit.core.maps import causal_even, even, looks_at, looks_back, random_maps

A, B, C = 3, 5, 7
ABCABC = [A, B, C, A, B, C]
INDUCES = looks_at([0, 0, 0, 1, 2, 3])


@pytest.mark.parametrize(
    ("weights", "ids", "expected"),
    [
        (INDUCES, ABCABC, 1.0),
        (looks_at([0, 1, 2, 0, 1, 2]), ABCABC, 0.0),
        (causal_even(6), ABCABC, 0.20556),
        (looks_back(6), ABCABC, 0.0),
    ],
)
def test_induction_share_equals_its_closed_form(weights, ids, expected):
    assert induction_share(weights, ids) == pytest.approx(expected, abs=5e-6)


def test_perfect_induction_head_is_no_duplicate_head():
    assert duplicate_share(INDUCES, ABCABC, earlier_only=True) == 0


def test_head_that_looks_back_passes_for_induction_on_two_tokens_and_the_number_beside_it_tells():
    """The traps: ABABAB for the token before, AAAA for the token itself."""
    assert induction_share(looks_back(6), [A, B, A, B, A, B]) == 1
    assert previous_share(looks_back(6)) == 1
    assert induction_share(np.eye(4), [A, A, A, A]) == 1
    assert self_share(np.eye(4)) == 1


@given(seed=st.integers(0, 2**32 - 1), length=st.integers(2, 7))
@settings(deadline=None)
def test_induction_share_of_a_block_twice_is_a_stripe(seed, length):
    """The diagonal so many back that the block before is met one further."""
    weights = random_maps(2, 2 * length, 2 * length, seed=seed)
    stripe = np.diagonal(weights, 1 - length, axis1=1, axis2=2)[:, 1:]
    assert induction_share(weights, [*range(length)] * 2) == pytest.approx(stripe.mean(axis=-1))


def test_blocks_come_twice_with_no_token_twice_in_one_and_differ_in_length():
    pool = list(range(40, 71))
    blocks = repeated_blocks(pool, 23, longest=11)
    halves = [(text[: len(text) // 2], text[len(text) // 2 :]) for text in blocks]
    assert all(first == second for first, second in halves)
    assert all(len(set(first)) == len(first) and set(first) <= set(pool) for first, _ in halves)
    assert {len(first) for first, _ in halves} == set(range(5, 12))


def test_blocks_of_the_same_seed_are_the_same():
    assert repeated_blocks(range(31), 3) == repeated_blocks(range(31), 3)
    assert repeated_blocks(range(31), 3) != repeated_blocks(range(31), 3, seed=1)


@pytest.mark.parametrize("longest", [4, 12])
def test_blocks_longer_than_the_pool_or_too_short_are_refused(longest):
    with pytest.raises(ChoiceError, match=f"longest {longest} from 11 different"):
        repeated_blocks([*range(11), *range(11)], 2, longest=longest)


def test_card_tells_the_head_that_induces_from_the_others():
    def heads(length: int) -> np.ndarray:
        n = 2 * length
        induces = looks_at([0] * length + [*range(1, length + 1)])
        return np.stack([induces, looks_back(n), np.eye(n), even(n)])

    texts = repeated_blocks(range(31), 5, longest=13)
    card = induction_card((heads(len(text) // 2), text) for text in texts)
    assert card.n_texts == 5
    assert card.induction.tolist()[:3] == [1, 0, 0]
    assert card.previous[1] == 1
    assert card.itself[2] == 1
    assert card.duplicate[0] == 0
    assert (card.null < 0.3).all()
    # A head that looks at nothing in particular gets by chance what it gets.
    assert card.null[3] == pytest.approx(card.induction[3], rel=0.05)


def test_card_of_no_texts_is_refused():
    with pytest.raises(ChoiceError, match="add one"):
        induction_card([])
