"""The model: causal, closed between documents, and a head can be switched off."""

import pytest
import torch

from mha_viz.errors import ShapeError
from mha_viz.school.batches import NOTHING, packed
from mha_viz.school.model import SchoolModel, Sizes, sinusoids

SIZES = Sizes(n_words=29, d_model=14, n_layers=3, n_heads=7, d_feed_forward=11, n_positions=23)


def model_and_ids() -> tuple[SchoolModel, torch.Tensor]:
    return SchoolModel(SIZES).eval(), torch.randint(29, (5, 13))


def test_model_when_a_later_token_changes_has_the_same_logits_before_it():
    model, ids = model_and_ids()
    changed = ids.clone()
    changed[:, 8] = (changed[:, 8] + 1) % 29
    before, after = model(ids).logits, model(changed).logits
    assert torch.equal(before[:, :8], after[:, :8])
    assert not torch.allclose(before[:, 8:], after[:, 8:])


def test_model_gives_every_step_of_every_layer():
    model, ids = model_and_ids()
    passed = model(ids)
    assert passed.logits.shape == (5, 13, 29)
    assert len(passed.attention) == len(passed.attention_inputs) == 3
    for steps, given, block in zip(
        passed.attention, passed.attention_inputs, model.blocks, strict=True
    ):
        assert steps.weights.shape == (5, 7, 13, 13)
        torch.testing.assert_close(steps.weights.sum(-1), torch.ones(5, 7, 13))
        torch.testing.assert_close(block.attention.w_q(given)[..., :2], steps.query[:, 0])


def test_head_switched_off_equals_a_model_whose_head_writes_nothing():
    model, ids = model_and_ids()
    off = model(ids, heads_off=[(1, 4)]).logits
    assert not torch.allclose(off, model(ids).logits)
    with torch.no_grad():
        model.blocks[1].attention.w_o.weight[:, 8:10] = 0
    torch.testing.assert_close(off, model(ids).logits)


def test_head_switched_off_leaves_its_weights_and_silences_what_it_found():
    model, ids = model_and_ids()
    on, off = model(ids).attention[2], model(ids, heads_off=[(2, 5)]).attention[2]
    torch.testing.assert_close(off.weights, on.weights)
    assert not off.head_outputs[:, 5].any()
    torch.testing.assert_close(off.head_outputs[:, :5], on.head_outputs[:, :5])


def test_text_longer_than_the_model_is_refused():
    model, _ = model_and_ids()
    with pytest.raises(ShapeError, match="at most 23 tokens, got 24"):
        model(torch.zeros(1, 24, dtype=torch.long))


def test_document_in_a_packed_row_has_the_logits_that_it_has_alone():
    model, _ = model_and_ids()
    one, two = [0, 3, 5, 7, 11], [0, 2, 13]
    batch = packed([[one, two]], 11)
    together = model(batch.ids, positions=batch.positions, may_attend=batch.may_attend).logits
    torch.testing.assert_close(together[:, :5], model(torch.tensor([one])).logits)
    torch.testing.assert_close(together[:, 5:8], model(torch.tensor([two])).logits)


def test_packed_row_asks_for_the_next_token_and_for_nothing_after_the_last_document():
    batch = packed([[[0, 3, 5], [0, 2]]], 7)
    assert batch.ids.tolist() == [[0, 3, 5, 0, 2, 0, 0]]
    assert batch.targets.tolist() == [[3, 5, 0, 2, 0, NOTHING, NOTHING]]
    assert batch.positions.tolist() == [[0, 1, 2, 0, 1, 0, 0]]


def test_positions_start_as_small_waves():
    waves = sinusoids(23, 14)
    torch.testing.assert_close(waves.square().sum(-1), torch.full((23,), 7 * 0.1**2))
    torch.testing.assert_close(waves[0::2, 0], torch.zeros(12), atol=1e-5, rtol=0)
