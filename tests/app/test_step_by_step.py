"""The page of the four steps: what it sends to a browser, and what comes of clicks and edits there."""

import json
import math
import random
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.ui import cache
from tests.app.conftest import choose, said
from tests.model.saved import save_tiny

pytestmark = pytest.mark.model

SCRIPT = "pages/step_by_step.py"
STEPS = [f"step_{number}" for number in range(1, 5)]
TEXT = "The cat saw it"


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return open_page(app, text=TEXT)


def open_page(app: AppTest, **parameters: str) -> AppTest:
    app.query_params.update(parameters)
    app.run()
    app.switch_page(SCRIPT)
    # A link between pages leaves the parameters out; a link from elsewhere has them.
    app.query_params.update(parameters)
    app.run()
    assert not app.exception
    return app


def sent(app: AppTest, name: str) -> dict[str, Any]:
    (found,) = [
        part.proto.json
        for part in app.get("bidi_component")
        if part.proto.component_name == f"mha_viz.{name}"
    ]
    return json.loads(found)


def drawn(app: AppTest) -> dict[str, dict[str, Any]]:
    """Every matrix on the page, by its name."""
    names = [
        part.proto.component_name.removeprefix("mha_viz.") for part in app.get("bidi_component")
    ]
    found: dict[str, dict[str, Any]] = {}
    for step in [step for step in STEPS if step in names]:
        for line in sent(app, step)["lines"]:
            for part in line:
                # The same matrix may have several places: the first is where it comes about.
                found.setdefault(part["name"], part)
    return found


def shapes(app: AppTest) -> dict[str, tuple[int, int]]:
    return {name: tuple(part["total"]) for name, part in drawn(app).items()}


def explain(app: AppTest, name: str, row: int, column: int) -> dict[str, Any]:
    choose(app, "step_1", {"cell": [name, row, column]})
    assert not app.exception
    return sent(app, "explanation")


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf"))


def worked_out(terms: list[dict]) -> float:
    return math.fsum(
        math.prod(number(factor["value"]) for factor in term["factors"]) for term in terms
    )


def expect_terms_make_the_cell(app: AppTest, rng: random.Random, count: int) -> None:
    """Take cells that follow from others, and multiply and add what the page shows."""
    follows = {
        name: part for name, part in drawn(app).items() if name[0] not in "WbEP" and name != "X"
    }
    for _ in range(count):
        name = rng.choice(sorted(follows))
        row, column = (rng.randrange(total) for total in follows[name]["total"])
        shown = explain(app, name, row, column)
        value = number(shown["value"])
        if math.isinf(value):
            assert "Forbidden" in shown["said"]
            continue
        result = worked_out(shown["terms"])
        if shown["over"]:
            result /= worked_out(shown["over"])
            assert worked_out(shown["over"]) == pytest.approx(number(shown["over_total"]), rel=1e-6)
        assert result == pytest.approx(value, rel=1e-6, abs=1e-300)
        part = drawn(app)[name]
        inside = [place - first for place, first in zip((row, column), part["first"], strict=True)]
        if all(
            0 <= at < len(part[axis]) for at, axis in zip(inside, ("rows", "columns"), strict=True)
        ):
            assert part["values"][inside[0]][inside[1]] == pytest.approx(value, rel=1e-6)
            assert part["chosen"] == [inside]


def test_first_visit_shows_the_four_steps_of_a_small_layer(page: AppTest):
    assert [part.value for part in page.subheader] == [
        "1 · Project",
        "2 · Attend, in each head alone",
        "3 · Concatenate",
        "4 · Project back",
        "One head or many",
    ]
    assert shapes(page) == {
        "X": (4, 8),
        **{f"W{letter}": (8, 4) for letter in "QKV"},
        **dict.fromkeys("QKV", (4, 4)),
        "KT": (4, 4),
        "S": (4, 4),
        "SS": (4, 4),
        "A": (4, 4),
        "head0": (4, 4),
        "head1": (4, 4),
        "C": (4, 8),
        "WO": (8, 8),
        "O": (4, 8),
    }
    assert drawn(page)["A"]["rows"] == drawn(page)["A"]["columns"] == TEXT.split()
    formulas = " ".join(part.value for part in page.latex)
    for part in (r"n = 4", r"d_{\mathrm{model}} / h = 4", r"\underset{4 \times 8}{X}", r"\sqrt{4}"):
        assert part in formulas


@pytest.mark.parametrize("h", [1, 2, 4, 8])
def test_shapes_change_with_the_number_of_heads(app: AppTest, h: int):
    open_page(app, text=TEXT, h=str(h), d_model="16")
    found = shapes(app)
    assert found["WQ"] == (16, 16 // h)
    assert found["Q"] == found["head0"] == (4, 16 // h)
    assert found["C"] == found["O"] == (4, 16)
    assert f"head{h - 1}" in found
    assert f"head{h}" not in found


def test_terms_of_twenty_cells_make_the_cells(app: AppTest):
    open_page(app, text=TEXT, causal="yes", positions="yes", temperature="0.5", d_model="16")
    expect_terms_make_the_cell(app, random.Random(0), 20)


def test_chosen_cell_lights_up_the_cells_that_it_came_from(page: AppTest):
    explain(page, "Q", 2, 3)
    found = drawn(page)
    assert found["X"]["lit"] == [[2, inner] for inner in range(8)]
    assert found["WQ"]["lit"] == [[inner, 3] for inner in range(8)]
    assert {name for name, part in found.items() if part["lit"]} == {"X", "WQ"}
    choose(page, "explanation", {"free": True})
    assert sent(page, "explanation")["cell"] is None
    assert not any(part["lit"] or part["chosen"] for part in drawn(page).values())


def test_cell_of_another_head_is_followed_in_that_head(page: AppTest):
    shown = explain(page, "head1", 1, 2)
    assert len(shown["terms"]) == 4
    assert page.query_params["head"] == "1"
    assert drawn(page)["A"]["label"] == "A_{1}"


def test_edited_number_is_followed_by_everything_after_it(page: AppTest):
    before = drawn(page)
    choose(page, "step_1", {"edit": ["WV", 2, 1, "−3,5"]})
    after = drawn(page)
    assert after["WV"]["values"][2][1] == -3.5
    assert after["WV"]["edited"] == [[2, 1]]
    gain = -3.5 - before["WV"]["values"][2][1]
    np.testing.assert_allclose(
        np.subtract(after["V"]["values"], before["V"]["values"])[:, 1],
        np.array(before["X"]["values"])[:, 2] * gain,
        atol=1e-6,
    )
    changed = {name for name in after if after[name]["values"] != before[name]["values"]}
    assert changed == {"WV", "V", "head0", "C", "O"}
    page.button(key="undo_all").click().run()
    assert drawn(page)["O"]["values"] == before["O"]["values"]


def test_edits_stay_with_what_was_edited(page: AppTest):
    choose(page, "step_1", {"edit": ["X", 0, 0, "5"]})
    assert drawn(page)["X"]["edited"] == [[0, 0]]
    page.text_area[0].set_value("A B C D").run()
    assert drawn(page)["X"]["edited"] == []
    page.text_area[0].set_value(TEXT).run()
    assert drawn(page)["X"]["edited"] == [[0, 0]]


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"cell": ["Z", 0, 0]},
        {"cell": ["Q", "a", 0]},
        {"cell": ["Q", 99, 0]},
        {"cell": 3},
        {"edit": ["Q", 0, 0, "1"]},
        {"edit": ["X", 0, 0, "x"]},
        {"edit": ["X", 0, 0, "1e99"]},
        {"edit": ["X", 0, 99, "1"]},
        {"window": ["nowhere", 1]},
        {"window": ["key", "x"]},
    ],
)
def test_event_that_makes_no_sense_changes_nothing(page: AppTest, event: dict):
    before = drawn(page)
    choose(page, "step_1", event)
    assert not page.exception
    assert not page.error
    assert drawn(page) == before


def test_link_restores_cell_edits_head_windows_and_settings(app: AppTest):
    open_page(app, text=TEXT, source="ours", d_model="16", h="4", head="2", causal="yes", seed="3")
    choose(app, "step_1", {"edit": ["WQ", 1, 2, "0.25"]})
    choose(app, "step_1", {"cell": ["A", 3, 1]})
    choose(app, "step_1", {"window": ["width", 5]})
    link = {name: app.query_params[name] for name in app.query_params}
    fresh = open_page(AppTest.from_file(app._script_path, default_timeout=120), **link)
    assert [sent(fresh, step) for step in STEPS] == [sent(app, step) for step in STEPS]
    assert sent(fresh, "explanation") == sent(app, "explanation")
    assert drawn(fresh)["WQ"]["edited"] == []  # it has moved out of the window: its row is 1
    assert drawn(fresh)["X"]["first"] == [0, 5]
    assert "1 edited number" in " ".join(part.value for part in fresh.markdown)


@pytest.mark.parametrize(
    "parameters",
    [
        {"cell": "A.99.99"},
        {"cell": "nothing"},
        {"cell": "A.x.-1"},
        {"cell": "A"},
        {"cell": "A.1"},
        {"cell": f"A.1.{'9' * 5000}"},
        {"head": "-7"},
        {"head": "999"},
        {"temperature": "-5"},
        {"temperature": "1e300"},
        {"seed": "-1"},
        {"edits": "X:0.0:nan", "edited": "1"},
        {"at_key": "99999", "at_query": "-9"},
        {"d_model": "9", "h": "3", "size": "huge", "source": "x"},
    ],
)
def test_link_that_asks_for_what_is_not_there_still_shows_the_steps(app: AppTest, parameters: dict):
    open_page(app, text=TEXT, **parameters)
    assert not app.error
    assert drawn(app)["A"]["total"] == [4, 4]


def test_edits_of_a_link_that_cannot_be_made_are_said(page: AppTest):
    choose(page, "step_1", {"edit": ["X", 0, 0, "5"]})
    fingerprint = page.query_params["edited"]
    fresh = AppTest.from_file(page._script_path, default_timeout=120)
    open_page(fresh, text=TEXT, edits="X:77.0:1", edited=fingerprint)
    assert "edits could not be made" in said(fresh)


def test_large_matrix_shows_a_window_that_moves(app: AppTest):
    open_page(app, text=" ".join("abcdefghijklmnopqrs"))
    first = drawn(app)["A"]
    assert (len(first["rows"]), len(first["columns"]), first["total"]) == (12, 12, [19, 19])
    choose(app, "step_2", {"window": ["key", 5]})
    moved = drawn(app)
    assert moved["A"]["first"] == [0, 5]
    assert moved["KT"]["columns"] == moved["A"]["columns"] == list("fghijklmnopq")


def test_without_the_root_the_page_says_what_that_does_to_the_softmax(page: AppTest):
    assert "Without √d_k" not in written(page)
    page.toggle(key="step by step.root").set_value(False).run()
    assert "SS" not in drawn(page)
    assert r"\sqrt" not in page.latex[2].value
    assert "Without √d_k" in written(page)


def written(app: AppTest) -> str:
    return " ".join(part.value for part in app.markdown).replace("\\", "")


def test_formula_of_the_scores_has_what_the_layer_has(app: AppTest):
    open_page(app, text=TEXT, temperature="0.5", h="1", d_model="16")
    assert r"\frac{1}{0.5} \left(\frac{" in app.latex[2].value
    assert r"\sqrt{16}" in app.latex[2].value


def test_small_layer_says_how_near_the_module_is(page: AppTest):
    assert "MultiHeadAttention, computing the same at once" in written(page)


def test_one_head_or_many_counts_the_same_operations_and_shows_the_maps(page: AppTest):
    (table,) = [part.value for part in page.markdown if "parameters" in part.value]
    assert table.count("768 · ") == 4  # 3 n d² for h of 1, 2, 4, 8
    rows = sent(page, "head_maps")["rows"]
    assert [(row["h"], len(row["maps"])) for row in rows] == [(1, 1), (2, 2), (4, 4), (8, 8)]
    shown = np.array(drawn(page)["A"]["values"])
    np.testing.assert_allclose(np.array(rows[1]["maps"][0]) / 255, shown.ravel(), atol=0.003)
    choose(page, "head_maps", {"follow": [8, 5]})
    assert (page.query_params["h"], page.query_params["head"]) == ("8", "5")


def test_text_without_words_gets_a_sentence(app: AppTest):
    open_page(app, text="  ")
    assert "empty" in said(app)


def test_layer_of_the_model_ends_in_its_own_output_and_says_so(app: AppTest):
    open_page(app, text=TEXT, source="model", layer="3", head="7")
    found = drawn(app)
    assert found["X"]["total"] == [6, 384]
    assert found["X"]["rows"] == ["[CLS]", "the", "cat", "saw", "it", "[SEP]"]
    assert found["WQ"]["total"] == [384, 32]
    assert {"bQ", "Q'", "bO", "O'"} <= found.keys()
    assert "The steps end in the model's own attention output" in written(app)
    expect_terms_make_the_cell(app, random.Random(1), 5)


def test_edit_in_a_layer_of_the_model_says_how_far_the_output_moves(app: AppTest):
    open_page(app, text=TEXT, source="model")
    before = drawn(app)
    choose(app, "step_1", {"edit": ["X", 2, 1, "5"]})
    assert drawn(app)["O"]["values"] != before["O"]["values"]
    assert "With your edits, the output is up to" in written(app)


def test_grouped_heads_and_rotary_positions_are_steps_of_their_own(app: AppTest, folders):
    app.query_params.update({"text": "the cat", "model": save_tiny(folders / "mine", "llama")})
    app.run().button(key="confirm").click().run()
    app.switch_page(SCRIPT).run()
    app.button_group(key="step by step.source").set_value("model").run()
    assert not app.exception
    signs = {part["name"]: part["sign"] for part in drawn(app).values()}
    assert signs["Q"] == "turned by position →"
    assert signs["K"] == "shared →"
    assert "rotary positions" in written(app)
    assert app.latex[1].value.count(r"\mathrm{turn}") == 2
    assert "share one key and value head" in written(app)
    expect_terms_make_the_cell(app, random.Random(2), 5)


def test_model_that_only_reports_weights_gets_a_sentence(app: AppTest, folders):
    app.query_params.update({"text": "the cat", "model": save_tiny(folders / "mine", "deberta")})
    app.run().button(key="confirm").click().run()
    app.switch_page(SCRIPT).run()
    app.button_group(key="step by step.source").set_value("model").run()
    assert "only reports its weights" in said(app)
    assert not app.exception


def test_layer_is_run_once_and_its_memory_bounded(app: AppTest):
    open_page(app, text="Cats run", source="model")
    kept = cache._whole_layers()
    layer = next(reversed(kept._kept.values()))
    choose(app, "step_1", {"cell": ["A", 1, 1]})
    assert next(reversed(kept._kept.values())) is layer
    assert 0 < kept.n_bytes <= cache.LAYER_BYTES
    assert 0 < cache._traces().n_bytes <= cache.TRACE_BYTES


def test_what_of_a_link_could_not_be_read_is_said_here_and_on_no_other_page(app: AppTest):
    open_page(app, d_model="7")
    assert "The link's d_model could not be read; showing 8." in said(app)
    assert "could not be read" not in said(app.switch_page("app.py").run())


def test_head_when_predicted_shows_none_of_its_numbers_until_revealed(page: AppTest):
    truth = np.array(drawn(page)["A"]["values"])
    page.button_group(key="step by step.task").set_value("predict").run()
    assert not page.exception
    assert drawn(page) == {}
    assert not page.dataframe
    page.button(key="predict reveal").click().run()
    shown = page.dataframe[0].value
    assert list(shown.index) == TEXT.split()
    np.testing.assert_allclose(shown["The model"], truth[0], atol=0.006)
    np.testing.assert_allclose(shown["Chance"], 1 / len(truth))


def test_guess_when_another_head_is_followed_is_let_go(page: AppTest):
    page.button_group(key="step by step.task").set_value("predict").run()
    page.button(key="predict reveal").click().run()
    assert page.dataframe
    page.button_group(key="step by step.head").set_value(1).run()
    assert not page.dataframe
