"""Entropy as a share of the most it could be."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.core.evenness import evenness
from tests.unit.core.maps import causal_even, even, looks_back, random_maps

CAUSAL = np.tri(8, dtype=bool)


def test_evenness_of_an_even_head_is_one_and_of_a_sharp_one_zero():
    assert evenness(even(7)) == pytest.approx(1)
    assert f"{evenness(looks_back(7)):.2f}" == "0.00"


def test_evenness_of_a_causal_even_head_is_one_of_what_it_may_look_at():
    assert evenness(causal_even(8), CAUSAL) == pytest.approx(1)
    mean_entropy = sum(math.log(n) for n in range(1, 9)) / 8
    assert evenness(causal_even(8)) == pytest.approx(mean_entropy / math.log(8))


def test_evenness_leaves_out_queries_without_a_choice():
    weights = causal_even(5)
    weights[3] = 0
    assert evenness(weights, CAUSAL[:5, :5]) == pytest.approx(1)
    assert np.isnan(evenness(np.ones((1, 1))))


@given(seed=st.integers(0, 2**32 - 1), n_query=st.integers(1, 7), n_key=st.integers(2, 11))
@settings(deadline=None)
def test_evenness_lies_between_zero_and_one(seed, n_query, n_key):
    measured = evenness(random_maps(3, n_query, n_key, seed=seed))
    assert ((measured >= 0) & (measured <= 1 + 1e-12)).all()
