"""What is kept between runs, and that nothing on a page is taken for something else."""

import gc
import weakref
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from mha_viz.ui import cache
from tests.app.conftest import figures, frame, pick, ticks, titles
from tests.model.saved import save_tiny
from tests.model.small_tokenizers import byte_level

pytestmark = pytest.mark.model

RERUNS = 20
CAT = 2


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that were loaded."""
    seen: list[str] = []
    load = cache.load_model

    def counted(entry: object, **options: object) -> object:
        seen.append(entry.name)
        return load(entry, **options)

    monkeypatch.setattr(cache, "load_model", counted)
    st.cache_resource.clear()
    return seen


def test_model_when_the_page_runs_again_is_the_same_object(app: AppTest, loads: list[str]):
    """AV-082."""
    app.query_params.update({"heads": ""})  # fewer pictures, sooner done
    app.run()
    first = cache.model("minilm")
    for run in range(RERUNS):
        app.selectbox(key="spotlight.layer").select(run % 6).run()
        assert not app.exception
    assert loads == ["minilm"]
    assert cache.model("minilm") is first


def test_second_visitor_when_the_model_is_loaded_loads_none(loads: list[str]):
    path = str(Path(__file__).parents[2] / "app.py")
    for _ in range(2):
        assert not AppTest.from_file(path, default_timeout=120).run().exception
    assert loads == ["minilm"]


def test_model_that_is_pushed_out_is_freed(folders: Path, loads: list[str]):
    """AV-082: as many stay as the bound says, and the oldest leaves the memory."""
    names = [save_tiny(folders / name, "gpt2") for name in ("one", "two", "three")]
    oldest = weakref.ref(cache.model(names[0]).model)
    for name in names[1:]:
        cache.model(name)
    gc.collect()
    assert oldest() is None
    assert loads == names
    assert cache.model(names[2]) is cache.model(names[2])
    assert loads == names


def test_heads_that_are_equal_are_drawn_each(app: AppTest, folders: Path):
    """AV-079: one token has one map, in every head the same."""
    folder = save_tiny(folders / "gpt2", "gpt2", byte_level(), vocab_size=331)
    app.query_params.update({"model": folder, "text": "the", "heads": "0,1,2,3,4,5"})
    app.run()
    app.button(key="confirm").click().run()
    assert not app.exception
    assert titles(app)[1:-1] == [f"L0 H{head}" for head in range(6)]
    assert ticks(figures(app)[1], "yaxis") == ["the"]
    app.toggle[0].set_value(True).run()
    assert not app.exception
    assert len(app.dataframe) == 6


def test_words_that_are_equal_are_drawn_each(app: AppTest):
    """AV-079."""
    app.query_params.update({"text": "the cat the the cat the"})
    app.run()
    assert not app.exception
    tokens = ["[CLS]", "the", "cat", "the", "the", "cat", "the", "[SEP]"]
    assert ticks(figures(app)[1], "xaxis") == tokens
    options = app.selectbox(key="spotlight.query").options
    assert options == [f"{position} · {token}" for position, token in enumerate(tokens)]
    app.toggle[0].set_value(True).run()
    assert not app.exception
    assert [column.split()[1] for column in app.dataframe[0].value.columns] == tokens


def framed(app: AppTest) -> list:
    return [frame(figure) for figure in figures(app)[1:4]]


def test_word_of_a_link_is_framed_in_every_heatmap(app: AppTest):
    """AV-078."""
    app.query_params.update({"query": str(CAT)})
    app.run()
    assert framed(app) == [(CAT - 0.5, CAT + 0.5)] * 3


def test_cell_when_clicked_stays_framed_and_when_clicked_again_is_let_go(app: AppTest):
    """AV-077, AV-078: the click is not forgotten when the figure changes by it."""
    app.run()
    assert framed(app) == [None] * 3
    for expected in ([(CAT - 0.5, CAT + 0.5)] * 3, [None] * 3):
        heatmap = app.get("plotly_chart")[1]
        point = {"customdata": [CAT, 5, "cat", "mouse", "0.10"]}
        pick(app, heatmap, points=[point], point_indices=[0], box=[], lasso=[])
        assert not app.exception
        assert framed(app) == expected
        app.run()
        assert framed(app) == expected


def test_map_of_all_heads_when_clicked_opens_that_head(app: AppTest):
    app.run()
    point = {"customdata": [4, 7, ""]}
    pick(app, app.get("plotly_chart")[-1], points=[point], point_indices=[0], box=[], lasso=[])
    assert not app.exception
    assert titles(app)[1:-1] == ["L4 H7"]
    assert app.selectbox(key="spotlight.layer").value == 4


@pytest.mark.parametrize(
    "data", [None, [], ["token", 0, "words"], ["token"], {"a": 1}, [[1], [2], [3]]]
)
def test_click_that_is_none_of_ours_chooses_nothing(app: AppTest, data: object):
    app.run()
    before = app.query_params.copy()
    point = {"customdata": data, "curve_number": 0, "point_index": 0}
    pick(app, app.get("plotly_chart")[0], points=[point], point_indices=[0], box=[], lasso=[])
    assert not app.exception
    assert app.query_params == before
    assert len(figures(app)) == 5
