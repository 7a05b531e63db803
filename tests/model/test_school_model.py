"""The model that we trained ourselves, as one of the library's: the same numbers, and all that any model can do."""

from functools import cache
from threading import Thread

import numpy as np
import pytest
import torch

import mha_viz
from mha_viz.core.four_steps import trace_layer
from mha_viz.core.interventions import HeadOff
from mha_viz.core.record import AttentionRecord
from mha_viz.core.units import units
from mha_viz.errors import ChoiceError, TextError
from mha_viz.models.capture import record_attention
from mha_viz.models.catalog import CATALOG, DEFAULT_MODEL, find_model
from mha_viz.models.loading import LoadedModel, load_model
from mha_viz.models.projections import layer_numbers
from mha_viz.models.reading import read_text
from mha_viz.models.school_model import framed
from mha_viz.school import checkpoints
from mha_viz.school.checkpoints import saved_steps
from mha_viz.school.model import SchoolModel, Sizes

pytestmark = pytest.mark.model

# Letters of which the last is to be said again.
BLOCKS = ("G B K D X", "Q M Z A V T R", "H C W N E L F P J", "Y I U O S K D B G X M")
INDUCTION, PREVIOUS, IDLE = (1, 4), (0, 3), (1, 5)


@cache
def loaded(name: str = "school") -> LoadedModel:
    return load_model(find_model(name))


def read(text: str, name: str = "school", **options: object) -> AttentionRecord:
    return read_text(loaded(name), text, **options)


def drawn_large(sizes: Sizes) -> SchoolModel:
    """A model whose weights are so large that a term that is left out shows."""
    model = SchoolModel(sizes)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return model.eval()


# The names


def test_school_is_bundled_listed_and_not_the_default():
    entry = find_model("school")
    assert (entry.name, entry.kind, entry.title) == ("school", "bundled", "School model")
    assert entry.step == saved_steps()[-1]
    assert list(CATALOG)[:2] == [DEFAULT_MODEL, "school"]


@pytest.mark.parametrize("step", saved_steps())
def test_every_saved_step_has_a_name_and_is_in_no_list(step: int):
    entry = find_model(f"school@{step}")
    assert (entry.name, entry.kind, entry.step) == (f"school@{step}", "bundled", step)
    assert f"step {step:,}" in entry.title
    assert entry.name not in CATALOG


@pytest.mark.parametrize("asked", ["77", "", "last", "01200", "-1", "１２００", "x" * 3000])
def test_step_that_was_not_saved_is_refused_with_those_that_were(asked: str):
    listed = ", ".join(map(str, saved_steps()))
    with pytest.raises(ChoiceError, match=f"one of {listed}$") as caught:
        find_model(f"school@{asked}")
    assert len(str(caught.value)) < 300


# The numbers


@pytest.mark.parametrize("n_tokens", [1, 3, 13])
def test_framed_model_computes_what_ours_does(n_tokens: int):
    school = drawn_large(
        Sizes(31, d_model=42, n_layers=2, n_heads=7, d_feed_forward=23, n_positions=17)
    )
    ids = torch.randint(31, (1, n_tokens))
    with torch.inference_mode():
        ours = school(ids)
        outputs = framed(school)(input_ids=ids, output_attentions=True)
    scale = ours.logits.abs().max()
    torch.testing.assert_close(outputs.logits / scale, ours.logits / scale, atol=1e-5, rtol=0)
    assert len(outputs.attentions) == 2
    for theirs, steps in zip(outputs.attentions, ours.attention, strict=True):
        assert theirs.shape == (1, 7, n_tokens, n_tokens)
        torch.testing.assert_close(theirs, steps.weights, atol=1e-5, rtol=0)


@pytest.mark.parametrize("step", [0, 1200, saved_steps()[-1]])
def test_record_of_a_text_holds_our_own_weights_and_next_words(step: int):
    record = read("The keys to the cabinet are zob", f"school@{step}")
    ids = torch.tensor([[token.id for token in record.tokens]])
    with torch.inference_mode():
        ours = checkpoints.load_model(step)(ids)
    assert record.weights(0).shape == (6, 10, 10)
    assert record.only_stream.causal
    for layer, steps in enumerate(ours.attention):
        np.testing.assert_allclose(record.weights(layer), steps.weights[0], atol=2e-6)
        assert (record.weights(layer)[:, 0] == np.eye(10)[0]).all()  # AV-096
    shares = ours.logits[0, -1].softmax(-1)
    (expected,) = record.predictions
    assert expected.ids[0] == shares.argmax()
    np.testing.assert_allclose(expected.probabilities, shares[list(expected.ids)], rtol=1e-4)


def test_weights_are_verified_against_what_the_model_reports():
    assert read("the dogs bark").verified.startswith("weights verified: within")


def test_school_without_a_step_is_the_last_one():
    last = read("the dogs bark", f"school@{saved_steps()[-1]}")
    assert read("the dogs bark").predictions == last.predictions
    assert read("the dogs bark", "school@0").predictions != last.predictions


def test_final_vectors_are_those_that_the_next_words_are_read_from():
    record = read("The keys to the cabinet")
    words = loaded().model.get_input_embeddings().get_parameter("weight").detach().numpy()
    assert record.final.shape == (6, 144)
    assert (words @ record.final[-1]).argmax() == record.predictions[0].ids[0]


def test_batch_of_padded_texts_gives_the_row_that_is_asked_for():
    """AV-026, AV-048: padding to the left moves no position."""
    alone = read("the dogs bark")
    ids = torch.tensor([[0] * 5, [0, *(token.id for token in alone.tokens)]])
    mask = torch.tensor([[1] * 5, [0, 1, 1, 1, 1]])
    padded = mha_viz.record(loaded().model, {"input_ids": ids, "attention_mask": mask}, row=1)
    np.testing.assert_allclose(padded.weights(1), alone.weights(1), atol=1e-6)


def test_two_texts_at_once_stay_apart():
    """AV-084."""
    texts = ("the dogs bark", "If the dog barks, then the cat will hide")
    alone, found = [read(text).weights(2) for text in texts], {}

    def often(which: int) -> None:
        found[which] = [read(texts[which]).weights(2) for _ in range(7)]

    threads = [Thread(target=often, args=(which,)) for which in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {0, 1}
    for which, weights in found.items():
        assert all(np.array_equal(one, alone[which]) for one in weights)


# What else a model can do


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_steps_of_a_layer_end_in_its_own_output(layer: int):
    model = loaded().model
    ids = torch.tensor([[token.id for token in read("the keys to the cabinet").tokens]])
    stream = record_attention(model, {"input_ids": ids}).only_stream
    part, labels = stream.layer(layer), tuple(stream.query_texts)
    numbers, why = layer_numbers(model, part, labels, labels)
    assert why == ""
    assert numbers.projections["query"].weight.shape == (144, 144)
    assert numbers.projections["query"].bias is None
    output = part.module_output.numpy()
    traced = trace_layer(numbers, 4).matrix("O").values
    np.testing.assert_allclose(traced, output, atol=5e-6 * np.abs(output).max())


def continued(off: tuple[int, int] | None) -> float:
    """The mean probability of the right next letter in the second copy of blocks."""
    shares = []
    for block in BLOCKS:
        *letters, right = block.lower().split()
        changes = () if off is None else HeadOff(*off)
        text = f"{block} {' '.join(letters)}"
        (expected,) = mha_viz.attend(text, "school", interventions=changes).predictions
        shares.append(
            dict(zip(expected.texts, expected.probabilities, strict=True)).get(right, 0.0)
        )
    return float(np.mean(shares))


def test_letters_are_continued_unless_a_head_that_does_it_is_off():
    whole = continued(None)
    assert whole > 0.5
    for head in (INDUCTION, PREVIOUS):
        assert continued(head) < whole / 3
    assert continued(IDLE) > whole - 0.05


def test_head_that_is_off_is_what_our_own_model_computes_without_it():
    text = "The queen met the dog in the garden. It"
    record = read(text, interventions=HeadOff(*INDUCTION))
    ids = torch.tensor([[token.id for token in record.tokens]])
    with torch.inference_mode():
        ours = checkpoints.load_model(saved_steps()[-1])(ids, heads_off=[INDUCTION])
    np.testing.assert_allclose(record.weights(2), ours.attention[2].weights[0], atol=2e-6)
    assert record.predictions[0].ids[0] == ours.logits[0, -1].argmax()


def test_text_is_read_in_words_and_sentences():
    text = "Hello, Anna! The zob dogs bark."
    tokens = read(text).tokens
    words = [token.text for token in units(tokens, text, "word").tokens]
    assert words == ["<start>", "hello", ",", "anna", "!", "the", "zob", "dogs", "bark", "."]
    sentences = [token.text for token in units(tokens, text, "sentence").tokens]
    assert sentences == ["<start>", "Hello, Anna!", "The zob dogs bark."]


def test_words_that_are_spelled_are_said():
    assert read("the dogs bark").notices == ()
    (one,) = read("The zob, the zob").notices
    assert one == "“zob” is not among the words that this small model knows: it spells them"
    (several,) = read("Zebras glorp at zob").notices
    assert several.startswith("“Zebras” and 2 more words are not among the words")


def test_text_over_the_limit_is_cut_and_said():
    """AV-090."""
    record = read("the dog " * 41)
    assert len(record.tokens) == 64
    assert record.notices == ("showing the first 64 of 83 tokens: the model's limit is 64",)


def test_empty_text_and_target_are_refused_in_the_usual_sentences():
    """AV-091."""
    with pytest.raises(TextError, match="the text is empty"):
        read(" ")
    with pytest.raises(TextError, match="School model reads a text and has nothing to say"):
        read("the dogs bark", target="no")
