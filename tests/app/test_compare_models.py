"""The page of comparisons with models of several kinds of attention, and with one before and after its training."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.core.interventions import HeadOff
from mha_viz.models.catalog import SCHOOL
from mha_viz.school.checkpoints import saved_steps
from tests.app.conftest import said
from tests.app.test_compare import address, difference, drawn, names, open_compare, words_of
from tests.model.saved import save_tiny

pytestmark = pytest.mark.model

TEXT, OTHER, TARGET = "the cat token the able cat", "the un token the cat", "cat the cat"
READ = ["[CLS]", "the", "cat", "token", "the", "able", "cat", "[SEP]"]
DECODED = ["[CLS]", "[CLS]", "cat", "the", "cat"]


@pytest.fixture
def bart(folders: Path) -> str:
    """The folder of a tiny encoder–decoder."""
    return save_tiny(folders / "bart", "bart")


def open_with(app: AppTest, **parameters: str) -> AppTest:
    """A link to the page, and yes to its models."""
    open_compare(app, **({"text_1": TEXT, "text_2": TEXT, "target": TARGET} | parameters))
    while asked := [button for button in app.button if (button.key or "").startswith("confirm ")]:
        asked[0].click().run()
        assert not app.exception
    return app


def weights(folder: str, stream: str, text: str = TEXT, **options: object) -> np.ndarray:
    record = mha_viz.attend(text, folder, target=TARGET, **options)
    return record.stream(stream).weights(1, 4).astype(float)


def lines(app: AppTest, panel: int) -> tuple[list[str], list[str]]:
    """The words that look in a panel, and those that are looked at."""
    sent = drawn(app)
    places = sent["panels"][panel]
    return tuple(sent["lines"][places[side]]["texts"] for side in ("queries", "keys"))


@pytest.mark.parametrize(
    ("stream", "queries", "keys"),
    [("encoder", READ, READ), ("decoder", DECODED, DECODED), ("cross", DECODED, READ)],
)
def test_panel_shows_the_kind_of_attention_that_it_is_asked_for(
    app: AppTest, bart: str, stream: str, queries: list[str], keys: list[str]
):
    open_with(app, panel_1=f"{bart}|{stream}/1|4|")
    assert names(app) == [f"1 · bart {stream} L1 H4", "2 · MiniLM L0 H6"]
    assert lines(app, 0) == (queries, keys)
    np.testing.assert_allclose(
        drawn(app)["panels"][0]["weights"], weights(bart, stream), atol=5.1e-5
    )


def test_kind_of_attention_is_chosen_and_part_of_the_link(app: AppTest, bart: str):
    open_with(app, panel_1=f"{bart}|1|4|")
    assert names(app)[0] == "1 · bart encoder L1 H4"
    app.selectbox(key="compare.stream 0").select("cross").run()
    assert not app.exception
    assert names(app)[0] == "1 · bart cross L1 H4"
    assert address(app)["panel_1"] == f"{bart}|cross/1|4|"


def test_words_of_both_sides_are_linked_across_panels(app: AppTest, bart: str):
    open_with(app, panel_1=f"{bart}|encoder/1|4|", panel_2=f"{bart}|cross/1|4|")
    sent = drawn(app)
    encoder, cross = sent["panels"]
    assert encoder["queries"] == encoder["keys"] == cross["keys"] != cross["queries"]
    # [CLS] and the words “cat the cat”, in that order.
    assert sent["links"][cross["queries"]][encoder["queries"]] == [0, None, 2, 4, 6]


def test_difference_from_one_text_to_another_keeps_to_the_words_that_both_have(
    app: AppTest, bart: str
):
    panel = f"{bart}|cross/1|4|"
    open_with(app, panel_1=panel, panel_2=panel, text_2=OTHER)
    before, after = weights(bart, "cross"), weights(bart, "cross", OTHER)
    ours, theirs = [0, 1, 3, 4, 6, 7], [0, 1, 3, 4, 5, 6]
    np.testing.assert_allclose(difference(app), after[:, theirs] - before[:, ours], atol=1e-6)
    assert "the 5 tokens that both have, in the same order; none is left over" in words_of(app)
    assert "2 of panel 1 (“cat”, “able”), 1 of panel 2 (“un”)" in words_of(app)
    assert {row[:2] for row in app.dataframe[1].value["Head"]} == {"L0", "L1"}


def test_two_kinds_of_attention_of_one_model_are_not_ranked_head_by_head(app: AppTest, bart: str):
    open_with(app, panel_1=f"{bart}|encoder/1|4|", panel_2=f"{bart}|decoder/1|4|", text_2=OTHER)
    assert len(app.dataframe) == 1
    assert "Which heads swing most" not in [part.value for part in app.subheader]


def test_encoder_against_decoder_of_the_same_model(app: AppTest, bart: str):
    open_with(app, panel_1=f"{bart}|1|4|", target="")
    app.button(key="preset encoder / decoder").click().run()
    assert not app.exception
    assert names(app) == ["1 · bart encoder L1 H4", "2 · bart decoder L1 H4"]
    assert address(app)["target"] == TEXT
    assert lines(app, 1)[0] == ["[CLS]", *READ[:-1]]


def test_what_the_decoder_says_is_typed_once_for_all_panels(app: AppTest, bart: str):
    open_with(app, panel_1=f"{bart}|decoder/1|4|", panel_2=f"{bart}|cross/1|4|")
    app.text_input(key="compare.target").set_value("token").run()
    assert not app.exception
    assert lines(app, 0)[0] == lines(app, 1)[0] == ["[CLS]", "[CLS]", "token"]
    assert address(app)["target"] == "token"


def test_target_is_not_asked_for_where_no_model_takes_one(app: AppTest):
    open_compare(app, target="left over")
    assert "compare.target" not in {box.key for box in app.text_input}
    assert names(app) == ["1 · MiniLM L0 H6", "2 · MiniLM L0 H6"]


def test_kind_of_attention_that_a_model_does_not_have_is_said(app: AppTest):
    open_compare(app, panel_1="minilm|sideways/0|6|")
    assert "no attention called 'sideways'; showing its first kind" in said(app)
    assert names(app)[0] == "1 · MiniLM L0 H6"


def test_head_of_one_kind_of_attention_is_changed_in_one_panel(app: AppTest, bart: str):
    panel = f"{bart}|cross/1|4|"
    open_with(app, panel_1=panel, panel_2=panel)
    app.selectbox(key="compare.changes 0").select("off:cross/1.4:uniform").run()
    assert not app.exception
    assert names(app)[0] == "1 · bart cross L1 H4 (changed)"
    even = weights(bart, "cross", interventions=HeadOff(1, 4, "uniform", stream="cross"))
    np.testing.assert_allclose(even, 1 / len(READ), atol=1e-6)
    np.testing.assert_allclose(drawn(app)["panels"][0]["weights"], even, atol=5.1e-5)


def test_every_head_of_a_layer_of_one_kind_of_attention(app: AppTest, bart: str):
    open_with(app, panel_1=f"{bart}|cross/1|4|", show="heads")
    assert names(app) == [f"{head + 1} · bart cross L1 H{head}" for head in range(6)]


def test_decoder_beside_an_encoder_over_the_words_that_both_have(app: AppTest, folders: Path):
    gpt = save_tiny(folders / "gpt2", "gpt2")
    open_with(app, panel_1=f"{gpt}|1|4|", panel_2="minilm|1|4|")
    assert names(app) == ["1 · gpt2 L1 H4", "2 · MiniLM L1 H4"]
    before = mha_viz.attend(TEXT, gpt).weights(1, 4)
    after = mha_viz.attend(TEXT).weights(1, 4)
    np.testing.assert_allclose(difference(app), after - before, atol=1e-6)


def test_before_and_after_training_shows_a_head_that_was_born(app: AppTest):
    open_compare(app)
    app.button(key="preset before / after training").click().run()
    assert not app.exception
    assert [name.split(" ", 2)[2] for name in names(app)] == [
        "School model, step 0 L1 H4",
        "School model L1 H4",
    ]
    text = app.text_area(key="compare.text_1").value
    assert text == app.text_area(key="compare.text_2").value
    for panel, model in zip(
        drawn(app)["panels"], (f"{SCHOOL}@{saved_steps()[0]}", SCHOOL), strict=True
    ):
        expected = mha_viz.attend(text, model).weights(1, 4)
        np.testing.assert_allclose(panel["weights"], expected, atol=5.1e-5)
    # A letter that comes again looks at what came after it: of 6 letters, the one 5 places back.
    before, after = (np.diagonal(panel["weights"], -5)[2:] for panel in drawn(app)["panels"])
    assert after.mean() > 0.8 > 0.2 > before.mean()


def test_before_and_after_training_keeps_head_and_text_of_the_model_that_has_it(app: AppTest):
    open_compare(app, panel_1=f"{SCHOOL}@1600|0|2|", text_1="the dog barks")
    app.button(key="preset before / after training").click().run()
    assert not app.exception
    assert address(app)["panel_1"] == f"{SCHOOL}@0|0|2|"
    assert address(app)["panel_2"] == f"{SCHOOL}|0|2|"
    assert app.text_area(key="compare.text_2").value == "the dog barks"
