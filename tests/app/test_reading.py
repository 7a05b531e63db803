"""The first page read in other ways: in words and sentences, the other way round, with words left out, with the mean."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mha_viz
from tests.app.conftest import (
    ONE_BYTE,
    caption,
    choose,
    exact_weights,
    heads,
    kept,
    looked_at,
    packed,
    pinned,
    said,
    sent,
    ticks,
    weights,
    words,
)
from tests.model.saved import save_tiny

pytestmark = pytest.mark.model

CAT = "The cat chased the mouse because it was hungry."
PIECES = "Transformers tokenization is unbelievable"
PIECES_WORDS = ["[CLS]", "transformers", "tokenization", "is", "unbelievable", "[SEP]"]


def open_link(app: AppTest, **parameters: str) -> AppTest:
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    return app


def guide(app: AppTest) -> str:
    return " ".join(part.value for part in app.markdown).replace("\\", "")


def test_words_have_six_rows_that_sum_to_one(app: AppTest):
    """AV-066: columns are summed and rows averaged; with rows summed too, "tokenization" would have 2."""
    open_link(app, text=PIECES, unit="word", heads="0,1,2,3,4,5,6,7,8,9,10,11")
    assert words(app) == looked_at(app) == ticks(app, "xaxis") == PIECES_WORDS
    merged = exact_weights(app)
    assert merged.shape == (12, 6, 6)
    np.testing.assert_allclose(merged.sum(axis=-1), 1, atol=1e-6)
    pieces = mha_viz.attend(PIECES).weights(0)
    by_hand = (pieces[:, 2, 2] + pieces[:, 2, 3] + pieces[:, 3, 2] + pieces[:, 3, 3]) / 2
    np.testing.assert_allclose(merged[:, 2, 2], by_hand, rtol=1e-5)
    np.testing.assert_allclose(weights(app), merged, atol=ONE_BYTE)


def test_word_that_is_chosen_stays_chosen_in_other_units(app: AppTest):
    open_link(app, text=f"It is. {PIECES}.", query="6")  # "·ization"
    seen = []
    for unit in ("word", "sentence", "word", "token"):
        app.button_group(key="spotlight.unit").set_value(unit).run()
        assert not app.exception
        seen.append(words(app)[pinned(app)])
    sentence = sent(app.button_group(key="spotlight.unit").set_value("sentence").run(), "rows")[0]
    assert seen[0] == "tokenization"
    assert sentence["queries"]["names"][2] == f"{PIECES}."
    assert seen[1] == sentence["queries"]["texts"][2]
    assert seen[2:] == ["transformers", "transformers"]


def test_part_that_is_shown_stays_shown_in_other_units(app: AppTest):
    """Also with tokens left out: what is first among all is not first among those that are shown."""
    text = " ".join(f"tokenization{number}" for number in range(60))
    for reading in ("query", "key"):
        open_link(app, text=text, start="60", hide="special", reading=reading)
        first = words(app)[0]
        assert first == "token"
        number = words(app)[2].removeprefix("·")
        app.button_group(key="spotlight.unit").set_value("word").run()
        assert words(app)[0] == f"tokenization{number}"
        app.button_group(key="spotlight.unit").set_value("token").run()
        assert words(app)[:3] == ["token", "·ization", f"·{number}"]


def test_other_way_round_draws_other_arcs_of_the_same_weights(app: AppTest):
    open_link(app, query="2")
    before, arcs, codes = packed(app, "weights"), kept(app), weights(app)
    forwards = sent(app, "rows")[1]["exact"]
    app.button_group(key="spotlight.reading").set_value("key").run()
    assert not app.exception
    assert packed(app, "weights") == before
    assert not np.array_equal(kept(app), arcs)
    assert sent(app, "rows")[0]["reading"] == "key"
    assert pinned(app) == 2
    backwards = sent(app, "rows")[1]["exact"]
    np.testing.assert_allclose(forwards, codes[:, 2], atol=ONE_BYTE)
    np.testing.assert_allclose(backwards, codes[:, :, 2], atol=ONE_BYTE)
    assert "of what each word receives" in caption(app)


@pytest.mark.parametrize(
    "change",
    [
        lambda app: app.selectbox(key="spotlight.query").select(7).run(),
        lambda app: choose(app, "rows", {"query": 7}),
        lambda app: app.slider(key="spotlight.share").set_value(90).run(),
        lambda app: app.button_group(key="spotlight.scale").set_value("each").run(),
    ],
    ids=["word", "click", "share", "scale"],
)
def test_weights_are_not_sent_anew_by_what_does_not_change_them(
    app: AppTest, change: Callable[[AppTest], AppTest]
):
    open_link(app)
    before = packed(app, "weights"), sent(app, "rows")
    change(app)
    assert not app.exception
    assert packed(app, "weights") == before[0]
    assert packed(app, "rows") != before[1]


@pytest.mark.parametrize("unit", ["token", "word"])
def test_mean_of_the_heads_is_a_row_of_its_own(app: AppTest, unit: str):
    """AV-097: it is named as what it is, and never taken for a head."""
    open_link(app, heads="0,1,2,3,4,5,6,7,8,9,10,11", average="yes", unit=unit, layer="5")
    assert heads(app)[-1] == "L5 mean of 12 heads"
    exact = exact_weights(app)
    assert exact.shape == (13, 12, 12)
    np.testing.assert_allclose(exact[-1], exact[:-1].mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(exact[-1].sum(axis=-1), 1, atol=1e-5)
    np.testing.assert_allclose(exact[-1].mean(axis=0)[:3], [0.3498, 0.0326, 0.1118], atol=5e-5)


def test_mean_can_be_shown_alone(app: AppTest):
    open_link(app, heads="", average="yes")
    assert heads(app) == ["L0 mean of 12 heads"]
    np.testing.assert_allclose(
        weights(app)[0], mha_viz.attend(CAT).weights(0).mean(axis=0), atol=ONE_BYTE
    )


def scales(app: AppTest) -> list[tuple[float, bool]]:
    """The weight of the last colour of each map, and whether its colour bar is drawn."""
    return [(head["zmax"], head["draws_bar"]) for head in sent(app, "maps")[0]["heads"]]


def test_heatmaps_shown_side_by_side_have_one_scale(app: AppTest):
    """AV-075: a flat head must not look as sharp as a sharp one, unless it is asked for and said."""
    open_link(app)
    assert sent(app, "maps")[0]["cells"]["zmin"] == 0
    assert scales(app) == [(1, True), (1, False), (1, False)]
    app.button_group(key="spotlight.scale").set_value("each").run()
    heaviest = mha_viz.attend(CAT).weights(0)[[2, 5, 8]].max(axis=(1, 2))
    np.testing.assert_allclose([end for end, _ in scales(app)], heaviest, rtol=1e-6)
    assert all(drawn for _, drawn in scales(app))
    assert app.query_params["scale"] == "each"


def test_hidden_share_is_said_with_its_number(app: AppTest):
    open_link(app, hide="special", heads="2,7")
    tokens = mha_viz.attend(CAT).weights(0)[[2, 7]]
    share = tokens[:, 1:-1][:, :, [0, -1]].sum(axis=-1).mean()
    assert words(app) == looked_at(app)
    assert " ".join(words(app)) == "the cat chased the mouse because it was hungry ."
    expected = f"Hidden: [CLS], [SEP], which get {share:.2f} of the weight on average; "
    assert f"{expected}rows not rescaled." in caption(app)
    np.testing.assert_allclose(exact_weights(app), tokens[:, 1:-1, 1:-1], atol=1e-6)
    assert "add up to less than 1" in guide(app)
    app.toggle(key="spotlight.rescale").set_value(True).run()
    assert f"{expected}rows rescaled to the sum they had." in caption(app)
    np.testing.assert_allclose(exact_weights(app).sum(axis=-1), 1, atol=1e-5)
    assert "add up to 1.00" in guide(app)


def test_first_word_that_is_left_is_not_called_the_first_token(app: AppTest):
    open_link(app, text="Hi there")
    assert "goes to [CLS], the first token" in guide(app)
    app.button_group(key="spotlight.hide").set_value(["special"]).run()
    app.toggle(key="spotlight.rescale").set_value(True).run()
    assert exact_weights(app)[:, :, 0].mean() > 0.25
    assert "the first token" not in guide(app)


def test_word_that_is_left_out_is_not_pinned_and_comes_back(app: AppTest):
    open_link(app, query="0")
    app.button_group(key="spotlight.hide").set_value(["special"]).run()
    assert not app.exception
    assert pinned(app) is None
    assert app.selectbox(key="spotlight.query").value is None
    app.button_group(key="spotlight.hide").set_value([]).run()
    assert pinned(app) == 0


def test_first_token_of_a_causal_model_looks_at_itself_and_its_share_is_said(
    app: AppTest, folders: Path
):
    """AV-096."""
    folder = save_tiny(folders / "llama", "llama")
    open_link(app, model=folder, text="the cat token the cat", heads="0,1,2,3,4,5")
    app.button(key="confirm").click().run()
    assert not app.exception
    maps = exact_weights(app)
    np.testing.assert_array_equal(maps[:, 0], np.eye(7)[[0] * 6])
    assert f"{maps[:, :, 0].mean():.2f} of all weight here goes to [CLS], the first token" in guide(
        app
    )
    app.button_group(key="spotlight.hide").set_value(["first"]).run()
    assert not app.exception
    assert words(app) == ["the", "cat", "token", "the", "cat", "[SEP]"]
    share = maps[:, 1:, 0].mean()
    assert f"Hidden: [CLS], which get {share:.2f} of the weight on average" in caption(app)
    assert "the first token" not in guide(app)
    assert said(app) == ""
