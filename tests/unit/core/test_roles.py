"""A role, with the number that it rests on."""

import numpy as np
import pytest

from mha_viz.core.record import Token
from mha_viz.core.roles import Role, evidence, roles
from mha_viz.errors import ShapeError
from tests.unit.core.maps import causal_even, even, looks_at, looks_back, random_maps

TEXT = (
    Token("[CLS]", id=1, special=True),
    Token("the", id=2),
    Token("cat", id=3),
    Token(",", id=4),
    Token("the", id=2),
    Token("dog", id=5),
    Token("[SEP]", id=6, special=True),
)
PLAIN = TEXT[1:6]


def said(*maps: np.ndarray, tokens=TEXT, **options) -> list[str]:
    return [str(role) for role in roles(evidence(np.stack(maps), tokens, tokens, **options))]


def test_roles_of_heads_that_do_one_thing_name_it_with_its_number():
    sink = 0.84 * looks_at([0] * 7) + 0.16 * even(7)
    assert said(
        looks_back(7), looks_back(7)[::-1, ::-1], np.eye(7), sink, looks_at([6] * 7),
        looks_at([3] * 7), even(7),
    ) == [
        "previous token 1.00", "next token 1.00", "itself 1.00", "[CLS] sink 0.86",
        "[SEP] sink 1.00", "punctuation 1.00", "even 1.00",
    ]  # fmt: skip


def test_role_of_a_head_that_finds_the_same_token_rests_on_those_that_come_again():
    finds = 0.4 * even(7)
    finds[[0, 2, 3, 5, 6], [2, 5, 6, 3, 1]] += 0.6
    finds[1, 4] += 0.6
    finds[4, 1] += 0.6
    assert said(finds) == ["same token elsewhere 0.66"]


def test_head_under_every_threshold_is_mixed_and_says_what_came_nearest():
    head = 0.45 * looks_back(7) + 0.3 * np.eye(7) + 0.25 * looks_at([6] * 7)
    assert said(head) == ["mixed (previous token 0.45)"]


def test_head_exactly_at_its_threshold_is_mixed():
    (role,) = roles({"previous token": np.array([0.5])})
    assert role == Role("mixed", "previous token", 0.5)


def test_first_token_is_a_sink_where_no_special_token_stands_there():
    assert said(looks_at([0] * 5), tokens=PLAIN) == ["first-token sink 1.00"]


def test_causal_head_is_even_by_what_it_may_look_at():
    assert said(causal_even(5), tokens=PLAIN, causal=True) == ["even 1.00"]


def test_induction_measured_elsewhere_may_be_a_role_unless_looking_back_explains_it():
    shares = {"induction": np.array([0.9, 1.0]), "previous token": np.array([0.1, 1.0])}
    first, second = roles(dict(sorted(shares.items(), reverse=True)))
    assert str(first) == "induction 0.90"
    assert str(second) == "previous token 1.00"


def test_evidence_between_different_texts_has_no_positions():
    shares = evidence(random_maps(3, 5, 7), PLAIN, TEXT)
    assert set(shares) == {"[CLS] sink", "[SEP] sink", "punctuation", "even"}


def test_head_that_sees_nothing_has_no_role():
    assert roles(evidence(np.zeros((1, 7, 7)), TEXT, TEXT)) == [None]


def test_evidence_of_tokens_that_do_not_fit_the_maps_is_refused():
    with pytest.raises(ShapeError, match=r"\(7, 7\), got 5 and 5"):
        evidence(random_maps(3, 7, 7), PLAIN, PLAIN)
