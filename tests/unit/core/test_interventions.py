"""Interventions: what they are, and what they do to the numbers of a layer."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import jaxtyping
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from mha_viz.core.attention import (
    MultiHeadAttention,
    attend_values,
    attention_weights,
    mask_scores,
)
from mha_viz.core.interventions import (
    CutLink,
    HeadOff,
    Intervention,
    MaskHead,
    Temperature,
    listed,
)
from mha_viz.core.layers import ScoredLayer
from mha_viz.core.masks import causal
from mha_viz.core.record import Stream, Token
from mha_viz.errors import ChoiceError, ShapeError
from tests.oracles import assert_same_numbers, random_tensor

BATCH, N_QUERY, N_KEY, N_HEADS, D_HEAD = 2, 5, 7, 3, 11
D_MODEL = N_HEADS * D_HEAD
SINKS = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)


@pytest.fixture
def unchecked() -> Iterator[None]:
    """As outside of the tests, where nobody checks the types of what is given."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


def weights_by_hand(
    scores: torch.Tensor,
    may_attend: list,
    interventions: list,
    sinks: torch.Tensor | None = None,
) -> tuple[list, list[int]]:
    """One text's weights, cell by cell from the words of each class; and the heads whose output is zeros."""
    n_heads, n_query, n_key = scores.shape
    weights = [[[0.0] * n_key for _ in range(n_query)] for _ in range(n_heads)]
    zeros = []
    for head in range(n_heads):
        here = [one for one in interventions if one.head in (None, head)]
        if any(isinstance(one, HeadOff) and one.how == "zero" for one in here):
            zeros.append(head)
        for query in range(n_query):
            seen = []
            for key in range(n_key):
                may = may_attend[query][key]
                for one in here:
                    if isinstance(one, MaskHead) and one.rows:
                        may = may and one.rows[query][key]
                    elif isinstance(one, MaskHead):
                        may = may and key in one.keys
                    elif isinstance(one, CutLink) and (one.query, one.key) == (query, key):
                        may = False
                if may:
                    seen.append(key)
            value = math.prod(one.value for one in here if isinstance(one, Temperature))
            exponentials = {key: math.exp(scores[head, query, key].item() / value) for key in seen}
            total = sum(exponentials.values())
            if sinks is not None:
                total += math.exp(sinks[head].item() / value)
            for key in seen:
                even = any(isinstance(one, HeadOff) and one.how == "uniform" for one in here)
                share = 1 / len(seen) if even else exponentials[key] / total
                weights[head][query][key] = share
    return weights, zeros


HEADS = st.none() | st.integers(0, N_HEADS - 1)
ROWS = st.lists(
    st.lists(st.booleans(), min_size=N_KEY, max_size=N_KEY), min_size=N_QUERY, max_size=N_QUERY
)
MASKS = st.tuples(st.just(MaskHead), HEADS, st.lists(st.integers(0, N_KEY - 1), unique=True) | ROWS)
ANY = st.one_of(
    MASKS,
    st.tuples(st.just(HeadOff), HEADS, st.sampled_from(["zero", "uniform"])),
    st.tuples(st.just(Temperature), HEADS, st.floats(0.3, 5)),
    st.tuples(st.just(CutLink), HEADS, st.integers(0, N_QUERY - 1), st.integers(0, N_KEY - 1)),
)


def made(drawn: list[tuple]) -> list[Intervention]:
    """Made in the test itself: checks of types are random, and drawing must not be."""
    return [kind(0, *arguments) for kind, *arguments in drawn]


@given(drawn=st.lists(MASKS, max_size=3), seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=60)
def test_masks_of_heads_give_what_a_loop_over_all_cells_gives(drawn, seed):
    interventions = made(drawn)
    scores = 3 * random_tensor(N_HEADS, N_QUERY, N_KEY, seed=seed)
    may_attend = random_tensor(N_QUERY, N_KEY, seed=seed + 1) > -0.5
    masked = mask_scores(scores, may_attend, interventions=interventions)
    expected, _ = weights_by_hand(scores, may_attend.tolist(), interventions)
    assert_same_numbers(
        attention_weights(masked, interventions=interventions),
        torch.tensor(expected, dtype=torch.float64),
    )


@given(drawn=st.lists(ANY, max_size=5), sunk=st.booleans(), seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=80)
def test_all_kinds_together_give_what_a_loop_over_all_cells_gives(drawn, sunk, seed):
    interventions = made(drawn)
    scores = 3 * random_tensor(BATCH, N_HEADS, N_QUERY, N_KEY, seed=seed)
    value = random_tensor(BATCH, N_HEADS, N_KEY, D_HEAD, seed=seed + 1)
    may_attend, sinks = causal(N_QUERY, N_KEY), SINKS if sunk else None
    masked = mask_scores(scores, may_attend, interventions=interventions)
    weights = attention_weights(masked, sinks=sinks, interventions=interventions)
    outputs = attend_values(weights, value, interventions=interventions)
    for text in range(BATCH):
        by_hand, zeros = weights_by_hand(scores[text], may_attend.tolist(), interventions, sinks)
        expected = torch.tensor(by_hand, dtype=torch.float64)
        assert_same_numbers(weights[text], expected)
        for head in range(N_HEADS):
            output = (
                0 * value[text, head, :N_QUERY]
                if head in zeros
                else expected[head] @ value[text, head]
            )
            assert_same_numbers(outputs[text, head], output)


# Each alone


def attention() -> MultiHeadAttention:
    torch.manual_seed(0)
    return MultiHeadAttention(D_MODEL, N_HEADS).double()


def test_module_with_a_head_off_equals_zeros_in_its_columns_of_w_o():
    """Michel et al. 2019: the head's part of the sum is gone, its weights are still there."""
    ours, x = attention(), random_tensor(BATCH, N_QUERY, D_MODEL)
    steps, plain = ours(x, interventions=[HeadOff(0, 1)]), ours(x)
    w_o = ours.w_o.weight.detach().clone()
    w_o[:, D_HEAD : 2 * D_HEAD] = 0
    assert_same_numbers(steps.output, plain.concatenated @ w_o.T)
    assert torch.equal(steps.weights, plain.weights)
    assert not torch.equal(steps.output, plain.output)


def test_module_with_a_uniform_head_gives_each_key_that_may_be_seen_the_same():
    """Kovaleva et al. 2019."""
    ours, x = attention(), random_tensor(N_QUERY, D_MODEL)
    steps = ours(x, may_attend=causal(N_QUERY), interventions=HeadOff(None, 2, "uniform"))
    expected = torch.ones(N_QUERY, N_QUERY, dtype=torch.float64).tril()
    expected /= torch.arange(1, N_QUERY + 1)[:, None]
    assert_same_numbers(steps.weights[2], expected)
    assert_same_numbers(steps.head_outputs[2], expected @ steps.value[2])
    assert torch.equal(steps.weights[:2], ours(x, may_attend=causal(N_QUERY)).weights[:2])


def test_module_with_a_mask_that_leaves_nothing_gives_zeros_and_flags_the_row():
    ours, x = attention(), random_tensor(N_QUERY, D_MODEL)
    steps = ours(x, interventions=[MaskHead(0, 1, [[1] * N_QUERY] * 3 + [[0] * N_QUERY] * 2)])
    assert steps.fully_masked.tolist() == [[False] * 5, [False] * 3 + [True] * 2, [False] * 5]
    assert not steps.weights[1, 3:].any()
    assert not steps.head_outputs[1, 3:].any()


def test_temperature_by_hand_sharpens_below_one_and_evens_above():
    scores = torch.tensor([[[0.0, math.log(3)]]])

    def at(value: float) -> torch.Tensor:
        return attention_weights(scores, interventions=[Temperature(0, 0, value)])

    assert_close(at(0.5), torch.tensor([[[0.1, 0.9]]]))
    assert_close(at(1), torch.tensor([[[0.25, 0.75]]]))
    assert_close(at(2), torch.tensor([[[1, math.sqrt(3)]]]) / (1 + math.sqrt(3)))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    ("value", "expected"), [(5e-324, [0, 1, 0]), (1e-30, [0, 1, 0]), (1e300, [0.5, 0.5, 0])]
)
def test_temperature_at_its_ends_is_the_largest_score_or_all_alike(dtype, value, expected):
    scores = torch.tensor([[[300.0, 400.0, -math.inf]]], dtype=dtype)
    weights = attention_weights(scores, interventions=[Temperature(0, 0, value)])
    assert weights.dtype == dtype
    assert weights.tolist() == [[expected]]


def test_temperature_divides_the_logit_of_a_sink_too():
    scores = torch.full((1, 1, 2), math.log(4))
    weights = attention_weights(
        scores, sinks=torch.tensor([math.log(9)]), interventions=[Temperature(0, None, 2)]
    )
    assert_close(weights, torch.full((1, 1, 2), 2 / 7))


def test_cut_link_leaves_the_rest_of_the_row_in_proportion():
    ours, x = attention(), random_tensor(N_QUERY, D_MODEL)
    plain, cut = ours(x).weights, ours(x, interventions=[CutLink(0, 1, 3, 2)]).weights
    assert cut[1, 3, 2] == 0
    rest = [0, 1, 3, 4]
    assert_same_numbers(cut[1, 3, rest], plain[1, 3, rest] / (1 - plain[1, 3, 2]))
    same = torch.ones(N_HEADS, N_QUERY, dtype=torch.bool)
    same[1, 3] = False
    assert torch.equal(cut[same], plain[same])


def test_interventions_let_gradients_through_without_nan():
    ours, x = attention(), random_tensor(N_QUERY, D_MODEL)
    changes = [MaskHead(0, 0, ()), Temperature(0, 1, 0.5), HeadOff(0, 2, "uniform")]
    ours(x, interventions=changes).output.sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in ours.parameters())


# In a record


def layer_with(*interventions: Intervention, **terms: Any) -> Stream:
    layer = ScoredLayer(
        query=random_tensor(N_HEADS, N_QUERY, D_HEAD).float(),
        key=random_tensor(1, N_KEY, D_HEAD, seed=1).float(),
        value=random_tensor(1, N_KEY, D_HEAD, seed=2).float(),
        scaling=0.3,
        may_attend=causal(N_QUERY, N_KEY)[None],
        interventions=interventions,
        **terms,
    )
    keys = tuple(Token(str(position)) for position in range(N_KEY))
    return Stream("self", (layer,), keys[-N_QUERY:], keys)


def test_record_flags_what_an_intervention_leaves_with_nothing_in_its_own_head():
    stream = layer_with(MaskHead(0, 2, [5]), CutLink(0, None, 3, 0))
    assert stream.fully_masked(0).tolist() == [[False] * 5] * 2 + [[True] * 3 + [False] * 2]
    np.testing.assert_array_equal(stream.weights(0).sum(-1) == 0, stream.fully_masked(0))
    assert not stream.weights(0)[:, 3, 0].any()


def test_record_knows_the_heads_that_are_off():
    assert layer_with(HeadOff(0, 1), HeadOff(0, 2, "uniform")).heads_off(0) == (1,)
    assert layer_with(HeadOff(0, None)).heads_off(0) == (0, 1, 2)
    assert layer_with().heads_off(0) == ()


def test_sink_of_a_uniform_head_gets_nothing():
    sink = layer_with(HeadOff(0, 1, "uniform"), sinks=SINKS.float()).sink(0)
    np.testing.assert_allclose(sink[1], 0, atol=1e-6)
    assert sink[[0, 2]].min() > 0.001


# What they are


def test_lists_and_arrays_become_tuples_that_can_be_compared_and_hashed(unchecked):
    rows = np.tril(np.ones((3, 3), dtype=int))
    painted = MaskHead(np.int64(0), None, rows)
    assert painted == MaskHead(0, None, rows.astype(bool).tolist())
    assert painted.rows == ((True, False, False), (True, True, False), (True, True, True))
    keys = MaskHead(0, 1, np.array([4, 2, 2]))
    assert (keys.keys, keys.rows) == ((2, 4), ())
    assert hash(keys) == hash(MaskHead(0, 1, [2, 4]))
    assert Temperature(0, 0, 2) == Temperature(0, 0, 2.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        keys.layer = 3


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: HeadOff(-1, 0), "layer -1 does not exist"),
        (lambda: HeadOff(0, 1.5), "head 1.5 does not exist"),
        (lambda: HeadOff(True, 0), "layer True does not exist"),
        (lambda: HeadOff(10_000, 0), "to 9999 at most"),
        (lambda: HeadOff(0, 0, "half"), "off by zero or uniform, not by 'half'"),
        (lambda: MaskHead(0, 0, [1, -2]), "key -2 does not exist"),
        (lambda: MaskHead(0, 0, 3), "list of keys, or rows of True/False, not int"),
        (lambda: MaskHead(0, 0, [[[1]]]), r"painted mask is \(n_query, n_key\)"),
        (lambda: MaskHead(0, 0, "12"), "key '1' does not exist|painted|list of keys"),
        (lambda: Temperature(0, 0, 0), "number above 0, such as 0.5, not 0"),
        (lambda: Temperature(0, 0, -2.0), "not -2.0"),
        (lambda: Temperature(0, 0, math.inf), "not inf"),
        (lambda: Temperature(0, 0, math.nan), "not nan"),
        (lambda: Temperature(0, 0, "1"), "not '1'"),
        (lambda: CutLink(0, 0, None, 1), "query None does not exist"),
        (lambda: CutLink(0, 0, 1, -1), "key -1 does not exist"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(unchecked, make, said):
    with pytest.raises((ChoiceError, ShapeError), match=said):
        make()


def test_rows_of_unequal_length_are_refused():
    with pytest.raises(ShapeError, match="rows of equal length"):
        MaskHead(0, 0, [[True], [True, False]])


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (HeadOff(0, 3), "head 3 does not exist: heads go from 0 to 2"),
        (MaskHead(0, 0, [2, 5]), "key 5 does not exist: keys go from 0 to 4"),
        (MaskHead(0, 0, [[1] * 7] * 5), "mask of 5 × 7 does not fit 5 queries × 5 keys"),
        (CutLink(0, 0, 5, 0), "query 5 does not exist: queries go from 0 to 4"),
        (CutLink(0, None, 0, 6), "key 6 does not exist: keys go from 0 to 4"),
    ],
)
def test_module_refuses_what_it_does_not_have_and_says_what_it_has(one, said):
    with pytest.raises(ChoiceError, match=said):
        attention()(random_tensor(N_QUERY, D_MODEL), interventions=[one])


@pytest.mark.parametrize("given", ["off:0.1:zero", [3], 3, None, [None]])
def test_what_is_no_intervention_is_refused_with_what_is(unchecked, given):
    with pytest.raises(ChoiceError, match="expected a list of HeadOff, MaskHead"):
        listed(given)
