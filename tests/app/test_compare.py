"""The page of comparisons: what its panels show, what changes between two of them, and which heads swing."""

import base64
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.core.intervention_text import from_text, to_text
from mha_viz.core.interventions import CutLink, HeadOff, MaskHead, Temperature
from mha_viz.errors import ChoiceError
from mha_viz.ui.compare.choices import BIG, SMALL, Compare, Wanted
from mha_viz.ui.selection import MAX_LINK
from tests.app.conftest import ROOT, pick, said

pytestmark = pytest.mark.model

SCRIPT = "pages/compare.py"
BIG_AT, N_TOKENS = 14, 17
SHARED = [place for place in range(N_TOKENS) if place != BIG_AT]


def open_compare(app: AppTest, **parameters: str) -> AppTest:
    """A link to the page, opened cold."""
    app.switch_page(SCRIPT)
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    return app


def drawn(app: AppTest) -> dict:
    """What the browser is given to draw the panels."""
    (found,) = [
        part.proto
        for part in app.get("bidi_component")
        if part.proto.component_name == "mha_viz.compare_panels"
    ]
    return json.loads(found.json)


def names(app: AppTest) -> list[str]:
    return [panel["name"] for panel in drawn(app)["panels"]]


def difference(app: AppTest) -> np.ndarray:
    z = json.loads(app.get("plotly_chart")[0].proto.spec)["data"][0]["z"]
    numbers = np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"])
    return numbers.reshape([int(size) for size in z["shape"].split(",")])


def words_of(app: AppTest) -> str:
    parts = [
        part.value for kind in ("markdown", "caption", "info", "error") for part in app.get(kind)
    ]
    return " ".join(parts).replace("\\", "").replace("\u2060", "")


def in_all(app: AppTest) -> float:
    (found,) = re.findall(r"distance \*\*([0-9.]+)\*\* in all", words_of(app))
    return float(found)


def maps(text: str, layer: int = 0, head: int = 6, **options: object) -> np.ndarray:
    return mha_viz.attend(text, **options).weights(layer, head).astype(float)


def address(app: AppTest) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else value[0]
        for name, value in app.query_params.items()
    }


def another() -> AppTest:
    return AppTest.from_file(str(Path(ROOT) / "app.py"), default_timeout=120)


def test_first_look_is_the_minimal_pair_with_the_head_that_swings_most(app: AppTest):
    open_compare(app)
    assert [app.text_area(key=f"compare.text_{place}").value for place in (1, 2)] == [BIG, SMALL]
    sent = drawn(app)
    assert names(app) == ["1 · MiniLM L0 H6", "2 · MiniLM L0 H6"]
    for panel, text in zip(sent["panels"], (BIG, SMALL), strict=True):
        np.testing.assert_allclose(panel["weights"], maps(text), atol=5.1e-5)
    assert sent["zmax"] == pytest.approx(max(maps(BIG).max(), maps(SMALL).max()))
    cells = np.ix_(SHARED, SHARED)
    np.testing.assert_allclose(difference(app), (maps(SMALL) - maps(BIG))[cells], atol=1e-6)
    assert "1 of panel 1 (“big”), 1 of panel 2 (“small”)" in words_of(app)
    assert app.dataframe[1].value.iloc[0]["Head"] == "L0 H6"


def test_words_of_the_panels_are_linked_to_their_partners(app: AppTest):
    open_compare(app)
    sent = drawn(app)
    assert [(panel["queries"], panel["keys"]) for panel in sent["panels"]] == [(0, 0), (1, 1)]
    expected = [None if place == BIG_AT else place for place in range(N_TOKENS)]
    assert sent["links"][0][1] == sent["links"][1][0] == expected
    assert sent["links"][0][0] == list(range(N_TOKENS))


def test_distances_are_those_of_scipy_a_row_and_in_all(app: AppTest):
    open_compare(app)
    rows = [
        jensenshannon(*([*one, 1 - sum(one)] for one in pair), base=2)
        for pair in zip(
            maps(BIG)[np.ix_(SHARED, SHARED)], maps(SMALL)[np.ix_(SHARED, SHARED)], strict=True
        )
    ]
    np.testing.assert_allclose(app.dataframe[0].value["Distance"], rows, atol=1e-5)
    assert in_all(app) == round(float(np.mean(rows)), 3) == 0.068


@pytest.mark.parametrize(
    ("layer", "head", "golden"), [("2", "5", 0.032), ("0", "7", 0.029), ("5", "mean", 0.017)]
)
def test_distance_in_all_has_golden_values(app: AppTest, layer: str, head: str, golden: float):
    panel = f"minilm|{layer}|{head}|"
    open_compare(app, panel_1=panel, panel_2=panel)
    assert in_all(app) == golden


def test_ten_largest_changes_are_those_of_a_loop(app: AppTest):
    open_compare(app)
    before, after = maps(BIG), maps(SMALL)
    words = [token.text for token in mha_viz.attend(BIG).tokens]
    name = [
        f"{word} ({place})" if words.count(word) > 1 else word for place, word in enumerate(words)
    ]
    cells = [(query, key) for query in SHARED for key in SHARED]
    cells.sort(key=lambda cell: -abs(after[cell] - before[cell]))
    lines = [
        f"1. {name[query]} → {name[key]} {before[query, key]:.2f} → {after[query, key]:.2f}"
        for query, key in cells[:10]
    ]
    assert "\n".join(lines) in words_of(app)


def test_same_text_twice_gives_exact_zeros(app: AppTest):
    open_compare(app)
    app.button(key="preset same text twice").click().run()
    assert not app.exception
    assert not difference(app).any()
    assert difference(app).shape == (N_TOKENS, N_TOKENS)
    assert in_all(app) == 0
    assert (app.dataframe[0].value["Distance"] == 0).all()
    assert "every difference is exactly 0" in words_of(app)
    assert "no head swings" in words_of(app)


def test_this_head_in_every_layer_and_all_heads_of_a_layer(app: AppTest):
    open_compare(app, panel_1="minilm|3|7|")
    app.button_group(key="compare.show").set_value("layers").run()
    assert names(app) == [f"{layer + 1} · MiniLM L{layer} H7" for layer in range(6)]
    app.button_group(key="compare.show").set_value("heads").run()
    assert names(app) == [f"{head + 1} · MiniLM L3 H{head}" for head in range(12)]
    app.selectbox(key="compare.first").select(4).run()
    app.selectbox(key="compare.second").select(9).run()
    assert not app.exception
    np.testing.assert_allclose(difference(app), maps(BIG, 3, 9) - maps(BIG, 3, 4), atol=1e-6)


def test_encoder_against_decoder_says_what_is_missing_without_a_network(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    open_compare(app)
    app.button(key="preset encoder / decoder").click().run()
    assert not app.exception
    chosen = address(app)
    assert chosen["panel_2"].startswith("gpt2|")
    assert chosen["text_2"] == BIG
    assert names(app)[0] == "1 · MiniLM L0 H6"


def test_head_is_changed_in_one_panel_alone(app: AppTest):
    changed = "off:0.6:uniform"
    open_compare(app, text_2=BIG)
    app.selectbox(key="compare.changes 1").select(changed).run()
    assert not app.exception
    assert names(app) == ["1 · MiniLM L0 H6", "2 · MiniLM L0 H6 (changed)"]
    even = maps(BIG, interventions=HeadOff(0, 6, "uniform"))
    np.testing.assert_allclose(even, 1 / N_TOKENS, atol=1e-6)
    np.testing.assert_allclose(difference(app), even - maps(BIG), atol=1e-6)


@pytest.mark.parametrize(
    ("panel", "masked"),
    [
        ("0|6|mask:0.6:5/0/-/0-1/-/4", [1, 3]),
        ("0|7|mask:0.6:5/0/-/0-1/-/4", []),
        ("0|mean|mask:0.*:5/0/-/0-1/-/4", [1, 3]),
        ("0|mean|mask:0.6:5/0/-/0-1/-/4", []),
    ],
)
def test_rows_that_may_look_at_nothing_are_named(app: AppTest, panel: str, masked: list[int]):
    """The mean of a layer looks at nothing only where none of its heads looks at anything."""
    open_compare(app, panel_1=f"minilm|{panel}", text_1="It is.")
    assert [one["masked"] for one in drawn(app)["panels"]] == [masked, []]


@pytest.mark.parametrize(
    ("head", "whose"), [("6", "this head"), ("mean", "every head of this layer")]
)
def test_changes_say_which_heads_they_change(app: AppTest, head: str, whose: str):
    open_compare(app, panel_2=f"minilm|1|{head}|")
    assert app.selectbox(key="compare.changes 1").options == [
        "nothing: as the model is",
        f"even weights in {whose}",
        f"{whose} is sharper (temperature 0.5)",
        f"{whose} is softer (temperature 2)",
        "all heads of the layer before are off",
    ]


def test_examples_of_typed_changes_are_what_they_are_said_to_be(app: AppTest):
    open_compare(app)
    lines = app.selectbox(key="compare.changes 0").help.splitlines()
    shown = [found[1] for line in lines if (found := re.match("- `(.+?)`: ", line))]
    read = from_text(";".join(shown))
    assert read == (
        HeadOff(3, 1, "zero"),
        HeadOff(3, 1, "uniform"),
        MaskHead(0, 0, (*range(6), 8)),
        Temperature(2, None, 0.5),
        CutLink(3, 1, 10, 2),
    )
    assert to_text(read) == ";".join(shown)


@pytest.mark.parametrize("link", [{}, {"first": "9", "second": "-3"}])
def test_row_of_the_ranking_opens_its_head_in_both_panels(app: AppTest, link: dict[str, str]):
    open_compare(app, **link)
    second = app.dataframe[1].value.iloc[1]["Head"]
    pick(app, app.dataframe[1], rows=[1], columns=[], cells=[])
    assert not app.exception
    assert [name.split(" ", 3)[3] for name in names(app)] == [second, second]


def test_link_restores_panels_texts_and_what_is_compared(app: AppTest):
    open_compare(app)
    app.button(key="Add a panel").click().run()
    app.text_area(key="compare.text_3").set_value("It | is too | big.").run()
    app.selectbox(key="compare.layer 2").select(4).run()
    app.selectbox(key="compare.head 2").select("mean").run()
    app.selectbox(key="compare.second").select(2).run()
    assert not app.exception
    assert names(app)[2] == "3 · MiniLM L4 mean"
    other = open_compare(another(), **address(app))
    assert drawn(other) == drawn(app)
    np.testing.assert_array_equal(difference(other), difference(app))
    app.button(key="Remove the last panel").click().run()
    assert len(names(app)) == 2
    assert "panel_3" not in address(app)


@pytest.mark.parametrize(
    "panel", ["nonsense", "minilm|0|x|", "minilm|99999|0|", "|0|0|", "minilm|0|0|<b>", "a|b|c|d|e"]
)
def test_panel_that_cannot_be_read_is_said(app: AppTest, panel: str):
    open_compare(app, panel_2=panel)
    assert "panel 2 could not be read" in said(app).lower()
    assert names(app) == ["1 · MiniLM L0 H6", "2 · MiniLM L0 H6"]


def test_head_that_does_not_exist_is_said_and_the_nearest_shown(app: AppTest):
    open_compare(app, panel_1="minilm|77|88|")
    assert "layer 77 does not exist in panel 1; showing layer 5" in said(app).lower()
    assert "head 88 does not exist in panel 1; showing head 11" in said(app).lower()
    assert names(app)[0] == "1 · MiniLM L5 H11"


def test_text_that_is_too_long_or_empty_is_said_and_the_other_panel_stays(app: AppTest):
    open_compare(app, text_2="word " * 50)
    assert "this text has 52 tokens, and a panel shows at most 40" in said(app).lower()
    assert names(app) == ["1 · MiniLM L0 H6"]
    app.text_area(key="compare.text_2").set_value(" ").run()
    assert not app.exception
    assert "the text is empty" in said(app).lower()


def test_texts_leave_a_link_that_gets_too_long(app: AppTest):
    open_compare(app)
    app.text_area(key="compare.text_2").set_value("é" * MAX_LINK).run()
    assert not app.exception
    assert "text_2" not in address(app)
    assert "too long for a link" in said(app)


def test_link_to_a_model_that_would_be_fetched_asks_first(app: AppTest):
    open_compare(app, panel_2="gpt2|0|0|")
    assert "This link asks for the model" in said(app)
    assert names(app) == ["1 · MiniLM L0 H6"]


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted(),
        Wanted("a/b|c", 3, None, "cross", "off:3.1:zero"),
        Wanted("gpt2", 11, 0, "", "temp:*.2:0.5"),
    ],
)
def test_panel_in_a_link_is_read_as_written(wanted: Wanted):
    assert Wanted.from_text(wanted.to_text()) == wanted


def test_panel_of_an_unknown_change_is_refused():
    with pytest.raises(ChoiceError, match="is no intervention"):
        Wanted.from_text("minilm|0|0|explode")


def test_panels_after_an_empty_one_do_not_count():
    assert Compare().n_panels == 2
    assert replace(Compare(), panel_4="minilm|0|0|").n_panels == 2
    assert replace(Compare(), panel_2="").n_panels == 2
    assert replace(Compare(), panel_3="minilm|0|0|", panel_4="minilm|0|0|").n_panels == 4
