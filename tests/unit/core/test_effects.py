"""What a model loses with each head, on a module whose heads can be taken apart by hand."""

import numpy as np
import pytest
import torch

from mha_viz.core.attention import MultiHeadAttention
from mha_viz.core.effects import HeadEffect, cosine_change, head_effects, total_variation
from mha_viz.core.interventions import HeadOff
from mha_viz.errors import ChoiceError, ShapeError

PLACES = [(0, head) for head in range(3)]


def test_total_variation_equals_its_closed_form():
    assert total_variation(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 1
    before, after = np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.5, 0.5], [0.75, 0.25]])
    assert total_variation(before, after) == pytest.approx(0.125)
    assert total_variation(before, before) == 0


def test_cosine_change_goes_from_the_same_to_the_opposite_direction():
    vectors = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
    assert cosine_change(vectors, 5 * vectors) == pytest.approx(0)
    assert cosine_change(vectors, -vectors) == pytest.approx(2)
    turned = np.array([[2.0, -1.0], [3.0, -1.0], [0.5, 0.5]])
    assert cosine_change(vectors, turned) == pytest.approx(1 / 3)


@pytest.mark.parametrize("change", [cosine_change, total_variation])
def test_change_between_other_shapes_is_refused(change):
    with pytest.raises(ShapeError, match=r"\(3, 5\).*\(2, 5\)"):
        change(np.ones((3, 5)), np.ones((2, 5)))


def test_head_effects_equal_those_of_an_output_without_the_columns_of_the_head():
    module = MultiHeadAttention(15, 3).double()
    x = torch.randn(7, 15, dtype=torch.float64)

    def run(interventions):
        with torch.no_grad():
            return module(x, interventions=interventions).output.numpy()

    effects = list(head_effects(run, PLACES, cosine_change))
    assert [(one.layer, one.head) for one in effects] == PLACES
    with torch.no_grad():
        joined = module(x).concatenated.clone()
        joined[:, 5:10] = 0
        without = module.w_o(joined).numpy()
    assert effects[1].change == pytest.approx(cosine_change(run(()), without), rel=1e-9)


def test_head_effects_of_a_head_that_brings_nothing_are_zero():
    effects = head_effects(lambda _: np.ones((2, 3)), PLACES, cosine_change)
    assert [one.change for one in effects] == pytest.approx([0, 0, 0])


def test_head_effects_run_the_model_as_it_is_once_and_say_each_when_it_is_known():
    asked = []

    def run(interventions):
        asked.append(interventions)
        return np.eye(2)

    effects = head_effects(run, PLACES, total_variation, how="uniform")
    assert next(effects) == HeadEffect(0, 0, 0.0)
    assert asked == [(), (HeadOff(0, 0, how="uniform"),)]


def test_head_effects_by_another_way_of_switching_off_are_refused():
    with pytest.raises(ChoiceError, match="by 'half'"):
        list(head_effects(lambda _: np.eye(2), PLACES, cosine_change, how="half"))


def test_head_effects_of_one_kind_of_attention_switch_its_heads_off():
    asked = []

    def run(interventions):
        asked.append(interventions)
        return np.eye(3)

    list(head_effects(run, PLACES[:1], cosine_change, stream="cross"))
    assert asked == [(), (HeadOff(0, 0, stream="cross"),)]
