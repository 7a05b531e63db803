"""The page of all heads: the right numbers over the right texts, found by a sketch, and opened elsewhere."""

import base64
import json
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.core.layer_flow import attention_flow, attention_rollout
from mha_viz.ui import cache, examples
from mha_viz.ui.selection import MAX_LINK
from tests.app.conftest import ROOT, choose, heads, pick, said

pytestmark = pytest.mark.model

SCRIPT = "pages/atlas.py"
TEXT = "Hi there, little cat"
LIST = ["Hi there, little cat", "A B C D E F", "The keys to the cabinet are on the table."]
N_TOKENS = 12
RUN_BUTTONS = {
    "run repeats": ("induction", "induction_null"),
    "run norms": ("first_token_norm", "special_norm", "previous_norm", "self_norm"),
    "run effect": ("effect",),
}


def open_atlas(app: AppTest, **parameters: str) -> AppTest:
    """A link to the page, opened cold."""
    app.switch_page(SCRIPT)
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    return app


def table(app: AppTest) -> pd.DataFrame:
    return app.dataframe[0].value


def measured(text: str) -> pd.DataFrame:
    return pd.DataFrame(map(asdict, mha_viz.measures(mha_viz.attend(text))))


def written(app: AppTest) -> str:
    parts = [part.value for kind in ("markdown", "caption", "info") for part in app.get(kind)]
    return " ".join(parts).replace("\\", "").replace("\u2060", "")


def own_list(app: AppTest, texts: list[str]) -> AppTest:
    app.text_area(key="atlas.own list").set_value("\n".join(texts)).run()
    assert not app.exception
    return app


def test_numbers_are_the_measures_of_the_public_function(app: AppTest):
    open_atlas(app, text=TEXT)
    shown, expected = table(app), measured(TEXT)
    assert len(shown) == 6 * 12
    pd.testing.assert_frame_equal(shown[list(expected.columns)], expected, rtol=1e-6)


def test_numbers_of_a_new_text_are_other_numbers(app: AppTest):
    open_atlas(app, text=TEXT)
    before = table(app)
    app.text_area[0].set_value("A B C D E F").run()
    assert not app.exception
    assert not table(app).equals(before)


def test_every_head_has_a_role_with_its_number(app: AppTest):
    open_atlas(app)
    roles = table(app)["role"]
    assert roles[2] == "previous token 1.00"
    assert roles[4 * 12 + 5].startswith("[CLS] sink 0.")
    assert all(role.rstrip(")")[-4:].replace(".", "").isdigit() for role in roles)
    assert "L0 H2** · previous token 1.00, over this text" in written(app)


def test_measures_over_the_example_sentences_are_means(app: AppTest):
    open_atlas(app, over="examples")
    each = [measured(example.text)["entropy"] for example in examples.EXAMPLES]
    np.testing.assert_allclose(table(app)["entropy"], np.mean(each, axis=0), rtol=1e-6)
    assert "mean over 6 texts of the example sentences" in written(app)


def test_own_list_is_measured_when_asked_and_is_in_no_link(app: AppTest):
    open_atlas(app, over="own")
    assert len(app.dataframe) == 0
    own_list(app, [*LIST, " ", *LIST, *LIST])
    assert len(app.dataframe) == 0
    app.button(key="measure texts").click().run()
    assert not app.exception
    each = [measured(text)["confidence"] for text in LIST]
    np.testing.assert_allclose(table(app)["confidence"], np.mean(each, axis=0), rtol=1e-6)
    assert "mean over 9 texts of your list" in written(app)
    assert "cabinet" not in "".join(map(str, app.query_params.values()))


def test_own_list_with_a_text_that_cannot_be_read_says_so(app: AppTest):
    open_atlas(app, over="own")
    own_list(app, [*LIST, "x" * 200_001])
    assert "1 could not be read" in written(app)


def test_own_list_of_one_session_is_not_seen_in_another(app: AppTest):
    own_list(open_atlas(app, over="own"), LIST)
    other = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    open_atlas(other, over="own")
    assert other.text_area(key="atlas.own list").value == ""
    assert len(other.dataframe) == 0


def test_list_that_is_longer_than_the_bound_is_cut_and_says_so(app: AppTest):
    open_atlas(app, over="own")
    own_list(app, ["Hi."] * 1013)
    assert "the first 1,000 are measured" in said(app)
    assert app.button(key="measure texts").label == "Measure 1,000 texts"


@pytest.fixture
def stopped(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page with a run of seven texts that stopped after three, as a click on anything stops it."""
    open_atlas(app, over="own")
    own_list(app, [f"Text number {number}." for number in range(7)])
    usual = DeltaGenerator.progress

    def progress(bar: DeltaGenerator, value: float, text: str | None = None) -> None:
        usual(bar, value, text)
        if text == "Reading texts: 3 of 7":
            st.stop()

    with monkeypatch.context() as patch:
        patch.setattr(DeltaGenerator, "progress", progress)
        app.button(key="measure texts").click().run()
    assert not app.exception
    assert len(app.dataframe) == 0
    return app


def test_run_when_cancelled_shows_nothing_and_can_be_started_again(stopped: AppTest):
    stopped.button(key="cancel atlas texts").click().run()
    assert not stopped.exception
    assert len(stopped.dataframe) == 0
    stopped.button(key="measure texts").click().run()
    assert len(table(stopped)) == 72


def test_run_when_interrupted_goes_on_where_it_was(
    stopped: AppTest, monkeypatch: pytest.MonkeyPatch
):
    read, usual = [], cache.passing
    monkeypatch.setattr(cache, "passing", lambda source: read.append(source) or usual(source))
    stopped.run()
    assert len(read) == 7 - 3
    assert "mean over 7 texts of your list" in written(stopped)
    assert "cancel atlas texts" not in {button.key for button in stopped.button}


@pytest.mark.parametrize("button", RUN_BUTTONS)
def test_longer_run_when_asked_for_adds_its_measures(app: AppTest, button: str):
    open_atlas(app)
    columns = RUN_BUTTONS[button]
    assert not set(columns) & set(table(app).columns)
    app.button(key=button).click().run()
    assert not app.exception
    assert set(columns) <= set(table(app).columns)
    shown = table(app)
    if button == "run effect":
        assert shown["effect"].between(0, 2).all()
        assert shown["effect"].max() > 0.01
    if button == "run norms":
        assert shown["first_token_share"].mean() == pytest.approx(0.498, abs=0.005)
        assert shown["first_token_norm"].mean() == pytest.approx(0.116, abs=0.005)
    if button == "run repeats":
        best = shown.loc[shown["induction"].idxmax()]
        assert best["induction"] == pytest.approx(best["induction_null"], abs=0.02)


def test_variability_needs_several_texts(app: AppTest):
    open_atlas(app)
    assert "run changes" not in {button.key for button in app.button}
    open_atlas(app, over="examples")
    app.button(key="run changes").click().run()
    assert not app.exception
    shown = table(app)["variability"]
    assert shown.between(0, 1).all()
    assert shown[2] < 0.01


def test_order_and_roles_when_chosen_arrange_the_table(app: AppTest):
    open_atlas(app, order="previous_share")
    assert table(app).iloc[0][["layer", "head"]].tolist() == [0, 2]
    assert table(app)["previous_share"].is_monotonic_decreasing
    open_atlas(app, only="sink")
    assert len(table(app)) > 0
    assert all(" sink " in role for role in table(app)["role"])


def test_measure_that_is_not_there_yet_says_where_it_is(app: AppTest):
    open_atlas(app, colour="effect")
    assert "Missed is not measured yet" in said(app)
    assert app.selectbox(key="atlas.colour").value == "role"


def test_row_when_chosen_is_the_head_that_spotlight_shows(app: AppTest):
    open_atlas(app, text=TEXT)
    pick(app, app.dataframe[0], rows=[41], columns=[], cells=[])
    assert not app.exception
    assert (app.query_params["layer"], app.query_params["heads"]) == ("3", "5")
    app.switch_page("app.py").run()
    assert heads(app) == ["L3 H5"]
    app.switch_page(SCRIPT).run()
    assert "**L3 H5**" in written(app)


def test_square_when_clicked_is_chosen_and_a_head_that_does_not_exist_is_not(app: AppTest):
    open_atlas(app)
    chart = app.get("plotly_chart")[0]
    pick(app, chart, points=[{"customdata": [1, 8, "next"]}], point_indices=[], box=[], lasso=[])
    assert "**L1 H8** · next token" in written(app)
    chart = app.get("plotly_chart")[0]
    pick(app, chart, points=[{"customdata": [1, 800]}], point_indices=[], box=[], lasso=[])
    assert not app.exception
    assert "**L1 H8** · next token" in written(app)


def test_chosen_head_leads_to_the_same_head_step_by_step(app: AppTest):
    open_atlas(app, layer="3", heads="5")
    (link,) = [
        part.proto for part in app.get("page_link") if part.proto.label == "Open in Step by step"
    ]
    for part in ("source=model", "head=5", "layer=3"):
        assert part in link.query_string


def test_sub_diagonal_when_drawn_brings_the_head_that_looks_back_first(app: AppTest):
    open_atlas(app, part="draw")
    assert len(app.dataframe) == 0
    rows = ["".join("01"[query == key + 1] for key in range(N_TOKENS)) for query in range(N_TOKENS)]
    choose(app, "paint", {"stroke": 1, "rows": rows})
    assert not app.exception
    first = table(app).iloc[0]
    assert (first["head"], first["beyond"]) == ("L0 H2", True)
    assert first["match"] == pytest.approx(0.9999, abs=2e-4)
    assert "**L0 H2** comes first: 1.00" in written(app)
    again = dict(app.query_params)
    app.button(key="preset Empty").click().run()
    assert len(app.dataframe) == 0
    app.button(key="preset Before").click().run()
    assert dict(app.query_params) == again


def test_sketch_that_a_link_has_no_room_for_is_said(app: AppTest):
    open_atlas(app, part="draw", text=TEXT + " " * (MAX_LINK - len(TEXT) - 30))
    app.button(key="preset Diagonal").click().run()
    assert not app.exception
    assert "sketch" not in app.query_params
    assert "text" in app.query_params
    assert "leaves out your sketch, so" in said(app)


@pytest.mark.parametrize("rows", [["01"], 7, None, ["2" * N_TOKENS] * N_TOKENS])
def test_sketch_that_is_none_of_this_text_draws_nothing(app: AppTest, rows: object):
    open_atlas(app, part="draw")
    choose(app, "paint", {"stroke": 1, "rows": rows})
    assert not app.exception
    assert len(app.dataframe) == 0


def test_link_from_it_to_cat_ranks_heads_by_that_weight(app: AppTest):
    open_atlas(app, part="draw")
    app.selectbox(key="atlas.link_query").select(7).run()
    app.selectbox(key="atlas.link_key").select(2).run()
    assert not app.exception
    record = mha_viz.attend(app.text_area[0].value)
    weights = np.concatenate([record.weights(layer)[:, 7, 2] for layer in range(6)])
    np.testing.assert_allclose(table(app)["match"], np.sort(weights)[::-1], atol=1e-6)
    assert "L5 H11" in table(app)["head"].tolist()[:5]


def test_neighbours_of_a_sink_are_sinks_and_a_row_goes_on_from_there(app: AppTest):
    open_atlas(app, part="alike", layer="4", heads="5")
    assert table(app).iloc[0]["head"] == "L2 H7"
    assert table(app).iloc[0]["distance"] == pytest.approx(0.197, abs=5e-4)
    pick(app, app.dataframe[0], rows=[0], columns=[], cells=[])
    assert (app.query_params["layer"], app.query_params["heads"]) == ("2", "7")
    assert table(app).iloc[0]["head"] == "L4 H5"


def test_map_of_all_heads_is_drawn_when_it_is_asked_for(app: AppTest):
    open_atlas(app, part="alike")
    assert len(app.get("plotly_chart")) == 0
    app.toggle(key="atlas.map").set_value(True).run()
    assert not app.exception
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert sum(len(trace["customdata"]) for trace in figure["data"]) == 72


def test_way_of_a_word_through_all_layers_is_a_share_of_each_word(app: AppTest):
    open_atlas(app, part="layers", input="7")
    assert table(app)["rollout"].sum() == pytest.approx(1)
    assert table(app)["flow"].sum() == pytest.approx(1)


@pytest.mark.parametrize(("way", "layer"), [("rollout", 2), ("flow", 0), ("flow", 5)])
def test_map_of_all_layers_is_that_of_the_way_and_the_layer(app: AppTest, way: str, layer: int):
    open_atlas(app, part="layers", way=way, layer=str(layer), text=TEXT)
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    z = figure["data"][0]["z"]
    shown = np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape(7, 7)
    record = mha_viz.attend(TEXT)
    layers = [record.weights(one) for one in range(layer + 1)]
    expected = (
        attention_rollout(layers)[-1]
        if way == "rollout"
        else np.stack([attention_flow(layers, query) for query in range(7)])
    )
    np.testing.assert_allclose(shown, expected, atol=1e-6)
    assert f"{way.capitalize()} through layer {layer}" in figure["layout"]["title"]["text"]


def test_link_when_opened_again_shows_the_same(app: AppTest):
    chosen = {
        "over": "examples",
        "colour": "entropy",
        "size": "confidence",
        "order": "mean_distance",
        "only": "mixed",
        "layer": "2",
        "heads": "7",
    }
    open_atlas(app, **chosen)
    assert {name: app.query_params[name] for name in chosen} == chosen
    assert app.selectbox(key="atlas.size").value == "confidence"
    shown = table(app)
    other = open_atlas(AppTest.from_file(str(ROOT / "app.py"), default_timeout=120), **chosen)
    assert table(other).equals(shown)


def test_numbers_can_be_taken_away_as_a_file(app: AppTest):
    open_atlas(app, text=TEXT)
    assert [button.label for button in app.download_button] == ["Download as CSV"]


@pytest.mark.parametrize("part", ["draw", "layers"])
def test_text_too_long_for_a_part_is_told_so(app: AppTest, part: str):
    open_atlas(app, part=part, text="word " * 97)
    assert "shorten it" in said(app)
