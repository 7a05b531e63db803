"""The training that a page can wait for: it learns, follows from its seed, and leaves heads off that are to be off."""

import json
from collections import Counter
from dataclasses import asdict, replace
from random import Random

import numpy as np
import pytest
import torch

from mha_viz.errors import ChoiceError
from mha_viz.school import live
from mha_viz.school.blocks import LENGTHS, block_batch, block_exams, letter_ids, sample_letters
from mha_viz.school.live import LiveTraining, Plan, arguments_of, nulls, plan_of, run
from mha_viz.school.repeats import UNSEEN_LENGTHS

TINY = Plan(seed=3, n_steps=7)


def test_row_says_pieces_of_one_block_so_that_a_letter_is_mostly_followed_by_the_same_one():
    batch = block_batch(Random(0), 5)
    assert torch.equal(batch.ids[:, 1:], batch.targets[:, :-1])
    for ids, targets in zip(batch.ids.tolist(), batch.targets.tolist(), strict=True):
        assert len({*ids, *targets}) <= max(LENGTHS)
        pairs = Counter(zip(ids, targets, strict=True))
        usual = sum(
            max(n for (first, _), n in pairs.items() if first == letter) for letter in set(ids)
        )
        assert 0.6 < usual / len(ids) < 1


def test_exam_looks_from_a_letter_to_what_followed_the_same_letter_before():
    after, before = block_exams()
    ids = after.batch.ids
    for row, link in after.links:
        assert ids[row, link.target - 1] == ids[row, link.query]
        assert ids[row, link.target] == after.batch.targets[row, link.query]
    assert {link.query - link.target for _, link in before.links} == {1}
    assert not set(UNSEEN_LENGTHS) & set(LENGTHS)


def test_null_of_induction_is_what_the_longest_block_is_worth():
    n_links = sum(n - 1 for n in UNSEEN_LENGTHS)
    assert nulls()[0] == pytest.approx((max(UNSEEN_LENGTHS) - 1) / n_links)


def test_sample_is_a_block_of_an_unseen_length_said_twice():
    letters = sample_letters()
    half = len(letters) // 2
    assert letters[:half] == letters[half:]
    assert half in UNSEEN_LENGTHS
    assert len(set(letter_ids(letters))) == half


def test_loss_goes_down_in_a_few_steps():
    training = LiveTraining(replace(TINY, n_steps=60))
    losses = [training.advance() for _ in range(40)]
    assert np.mean(losses[-5:]) < np.mean(losses[:5]) - 0.5


def test_same_seed_gives_the_same_numbers_and_another_seed_others():
    one, two, other = (_said(replace(TINY, seed=seed)) for seed in (3, 3, 5))
    assert one == two
    assert one != other


def test_what_is_said_can_be_read_as_json_and_has_every_head():
    *measured, last = [json.loads(json.dumps(said)) for said in run(replace(TINY, n_heads=4))]
    assert [said["measured"]["step"] for said in measured] == list(range(8))
    first = measured[0]["measured"]
    assert first["loss"] is None
    assert np.shape(first["induction"]) == np.shape(first["previous"]) == (2, 4)
    maps = np.array(first["maps"])
    assert maps.shape == (2, 4, 14, 14)
    assert maps.sum(-1) == pytest.approx(np.ones((2, 4, 14)), abs=1e-2)
    assert [row["head"] for row in last["without"]] == [
        None,
        *([layer, head] for layer in (0, 1) for head in range(4)),
    ]


def test_head_that_is_off_from_the_start_is_never_trained():
    training = LiveTraining(replace(TINY, without=(1, 0)))
    written = training.model.blocks[1].attention.w_v.weight.detach().clone()
    for _ in range(3):
        training.advance()
    changed = training.model.blocks[1].attention.w_v.weight.detach()
    # The head writes nothing, so nothing tells it how to change; only the weight decay pulls at it.
    decayed = written[:16] * (changed[0, 0] / written[0, 0])
    torch.testing.assert_close(changed[:16], decayed)
    assert not torch.allclose(changed[16:], written[16:], rtol=1e-3)


def test_head_that_is_off_anyway_costs_nothing_when_it_is_switched_off():
    everything, *rows = LiveTraining(replace(TINY, without=(0, 1))).without_heads()
    by_head = {row.head: row for row in rows}
    assert asdict(by_head[0, 1]) | {"head": None} == asdict(everything)
    assert by_head[1, 0].loss != everything.loss


def test_model_without_positions_has_none_and_gets_none():
    training = LiveTraining(replace(TINY, positions=False))
    training.advance()
    assert not training.model.positions.weight.any()


def test_number_of_heads_that_is_not_offered_is_refused():
    with pytest.raises(ChoiceError, match="got 3"):
        LiveTraining(replace(TINY, n_heads=3))


@pytest.mark.parametrize(
    "plan", [Plan(), Plan(7, 4, False, 300, (1, 3))], ids=["the usual", "everything else"]
)
def test_plan_when_written_as_arguments_is_read_as_the_same(plan: Plan):
    assert plan_of(arguments_of(plan)) == plan


def _said(plan: Plan) -> list[dict]:
    said = list(run(plan))
    for one in said:
        one.get("measured", {}).pop("seconds", None)
    return said


def test_measurements_of_a_long_training_are_spread_over_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(live, "N_MEASUREMENTS", 3)
    steps = [said["measured"]["step"] for said in run(TINY) if "measured" in said]
    assert steps == [0, 2, 4, 6, 7]
