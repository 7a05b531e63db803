"""The page of all heads with models that predict, and with several kinds of attention."""

from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.core.interventions import HeadOff
from mha_viz.models.catalog import SCHOOL
from tests.app.conftest import heads, said
from tests.app.test_atlas import SCRIPT, open_atlas, table, written
from tests.app.test_compare import names
from tests.model.saved import save, save_tiny
from tests.model.small_tokenizers import unigram, word_piece
from tests.model.test_outcomes import with_head

pytestmark = pytest.mark.model

TEXT, TARGET = "the cat token the able cat", "cat the cat"
KINDS = ["encoder", "decoder", "cross"]


@pytest.fixture
def bart(folders: Path) -> str:
    return save_tiny(folders / "bart", "bart")


@pytest.fixture
def gpt(folders: Path) -> str:
    """A decoder that predicts."""
    return save(folders / "gpt", with_head("gpt2"), word_piece()).source


def open_with(app: AppTest, model: str, **parameters: str) -> AppTest:
    open_atlas(app, **({"model": model, "text": TEXT} | parameters))
    app.button(key="confirm").click().run()
    assert not app.exception
    return app


def link(app: AppTest, label: str) -> dict[str, str]:
    """The parameters of a link to another page."""
    (found,) = [part.proto for part in app.get("page_link") if part.proto.label == label]
    return dict(parse_qsl(found.query_string.removeprefix("?"), keep_blank_values=True))


@pytest.mark.parametrize("stream", KINDS)
def test_every_kind_of_attention_is_measured(app: AppTest, bart: str, stream: str):
    open_with(app, bart, stream=stream, target=TARGET)
    shown = table(app)
    record = mha_viz.attend(TEXT, bart, target=TARGET).stream(stream)
    expected = [record.weights(layer).max(axis=-1).mean(axis=-1) for layer in range(2)]
    np.testing.assert_allclose(shown["confidence"], np.concatenate(expected), rtol=1e-5)
    assert shown["previous_share"].isna().all() == (stream == "cross")
    assert all(role.rstrip(")")[-4:].replace(".", "").isdigit() for role in shown["role"])


@pytest.mark.parametrize("stream", KINDS)
@pytest.mark.parametrize("part", ["draw", "alike", "layers"])
def test_every_part_is_there_or_says_why_not(app: AppTest, bart: str, part: str, stream: str):
    open_with(app, bart, stream=stream, target=TARGET, part=part, map="yes", input="2", heads="1")
    if part == "draw":
        app.button(key="preset First column").click().run()
        assert not app.exception
    if (part, stream) == ("layers", "cross"):
        assert "choose another kind of attention" in said(app)
    else:
        assert not said(app)
        assert len(table(app)) > 0


@pytest.mark.parametrize("stream", KINDS)
def test_effect_of_a_head_of_one_kind_of_attention_alone(app: AppTest, bart: str, stream: str):
    """A bare encoder–decoder predicts nothing: what counts is the direction of its final vectors."""
    open_with(app, bart, stream=stream, target=TARGET)
    app.button(key="run effect").click().run()
    assert not app.exception
    effect = table(app)["effect"]
    before, after = (
        mha_viz.attend(TEXT, bart, target=TARGET, interventions=changes).final.astype(float)
        for changes in ((), (HeadOff(1, 4, stream=stream),))
    )
    lengths = np.linalg.norm(before, axis=-1) * np.linalg.norm(after, axis=-1)
    expected = np.mean(1 - (before * after).sum(axis=-1) / lengths)
    assert effect[6 + 4] == pytest.approx(expected, rel=1e-3, abs=1e-6)
    assert (effect > 0).sum() > 6


def test_effect_on_a_model_that_predicts_is_the_change_of_its_probabilities(app: AppTest, gpt: str):
    """Half the sum over the vocabulary, mean over all positions."""
    open_with(app, gpt)
    app.button(key="run effect").click().run()
    assert not app.exception
    model, tokenizer = with_head("gpt2"), word_piece()
    ids = tokenizer(TEXT, return_tensors="pt").input_ids

    def probabilities(head: int | None) -> np.ndarray:
        weight = model.transformer.h[1].attn.c_proj.weight
        usual = weight.detach().clone()
        with torch.inference_mode():
            if head is not None:
                weight[8 * head : 8 * (head + 1)] = 0
            found = torch.softmax(model(ids).logits[0].double(), dim=-1).numpy()
            weight.copy_(usual)
        return found

    before = probabilities(None)
    expected = [np.abs(probabilities(head) - before).sum(axis=-1).mean() / 2 for head in range(6)]
    np.testing.assert_allclose(table(app)["effect"][6:], expected, rtol=1e-3, atol=1e-6)


def test_effect_is_asked_of_the_probabilities_of_an_encoder_decoder_that_predicts(
    app: AppTest, folders: Path
):
    t5 = save(folders / "t5", with_head("t5"), unigram()).source
    open_with(app, t5, text="the cat the cats", target="the cat", stream="cross")
    app.button(key="run effect").click().run()
    assert not app.exception
    assert table(app)["effect"].between(0, 1).all()
    assert table(app)["effect"].max() > 0


def test_decoder_is_searched_within_what_it_may_look_at(app: AppTest, gpt: str):
    open_with(app, gpt, part="draw")
    app.button(key="preset After").click().run()
    assert not app.exception
    assert (table(app)["match"] == 0).all()
    assert not table(app)["beyond"].any()


def test_induction_heads_of_the_school_model_are_found_and_named(app: AppTest):
    """The blocks are of words that never follow each other in its texts: a head that still finds them is one."""
    open_atlas(app, model=SCHOOL, text="m k t q b x m k t q b x")
    app.button(key="run repeats").click().run()
    assert not app.exception
    shown = table(app)
    best = shown.loc[shown["induction"].idxmax()]
    assert best["layer"] == 1
    assert best["induction"] > 0.5 > 5 * best["induction_null"]
    assert best["role"].startswith("induction ")


def test_blocks_are_as_long_as_a_model_has_room_for(app: AppTest, folders: Path):
    short = save_tiny(folders / "short", "bert", max_position_embeddings=17)
    open_with(app, short)
    app.button(key="run repeats").click().run()
    assert not app.exception
    assert table(app)["induction"].between(0, 1).all()
    too_short = save_tiny(folders / "too short", "bert", max_position_embeddings=11)
    open_with(app, too_short)
    app.button(key="run repeats").click().run()
    assert not app.exception
    assert "expected blocks of 5 tokens or more" in said(app).lower()


def test_induction_of_several_kinds_of_attention_is_not_offered(app: AppTest, bart: str):
    open_with(app, bart)
    assert "run repeats" not in {button.key for button in app.button}
    assert "one kind of attention only" in written(app)


def test_chosen_head_leads_to_compare_beside_the_mean_of_its_layer(app: AppTest):
    open_atlas(app, text="Hi there", layer="3", heads="5")
    app.switch_page("pages/compare.py")
    app.run()
    app.text_area(key="compare.text_1").set_value("Written before.").run()
    app.switch_page(SCRIPT).run()
    parameters = link(app, "Open in Compare")
    app.switch_page("pages/compare.py")
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    assert names(app) == ["1 · MiniLM L3 H5", "2 · MiniLM L3 mean"]
    assert [app.text_area(key=f"compare.text_{place}").value for place in (1, 2)] == [
        "Hi there",
        "Hi there",
    ]
    app.switch_page("app.py").run()
    assert heads(app) == ["L3 H5"]


def test_head_among_its_neighbours_leads_to_compare_beside_the_nearest(app: AppTest):
    open_atlas(app, part="alike", layer="4", heads="5")
    parameters = link(app, "Open in Compare")
    assert (parameters["panel_1"], parameters["panel_2"]) == ("minilm|4|5|", "minilm|2|7|")


def test_head_of_an_encoder_decoder_leads_to_compare_with_its_kind_of_attention(
    app: AppTest, bart: str
):
    open_with(app, bart, stream="cross", target=TARGET, layer="1", heads="4")
    parameters = link(app, "Open in Compare")
    assert parameters["panel_1"] == f"{bart}|cross/1|4|"
    assert parameters["target"] == TARGET


def test_text_too_long_for_compare_closes_the_way_there(app: AppTest):
    open_atlas(app, text="word " * 39)
    (found,) = [
        part.proto for part in app.get("page_link") if part.proto.label == "Open in Compare"
    ]
    assert found.disabled
    assert "text_1" not in found.query_string


def test_atlas_comes_back_as_it_was(app: AppTest):
    chosen = {"order": "entropy", "only": "sink", "size": "confidence", "colour": "self_share"}
    open_atlas(app, over="own", **chosen)
    app.text_area(key="atlas.own list").set_value("A B C\nHi there\nOne two three").run()
    shown = table(app)
    app.switch_page("pages/compare.py").run()
    app.switch_page(SCRIPT).run()
    assert not app.exception
    assert table(app).equals(shown)
    assert {name: app.query_params[name] for name in chosen} == chosen
    assert app.text_area(key="atlas.own list").value == "A B C\nHi there\nOne two three"
