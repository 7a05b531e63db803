"""What is kept between runs, and that nothing on a page is taken for something else."""

import gc
import weakref
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from mha_viz.ui import model_cache
from tests.app.conftest import choose, heads, looked_at, ticks, words
from tests.model.saved import save_tiny
from tests.model.small_tokenizers import byte_level

pytestmark = pytest.mark.model

RERUNS = 20


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that were loaded."""
    seen: list[str] = []
    load = model_cache.load_model

    def counted(entry: object, **options: object) -> object:
        seen.append(entry.name)
        return load(entry, **options)

    monkeypatch.setattr(model_cache, "load_model", counted)
    st.cache_resource.clear()
    return seen


def test_model_when_the_page_runs_again_is_the_same_object(app: AppTest, loads: list[str]):
    """AV-082."""
    app.query_params.update({"heads": ""})  # fewer pictures, sooner done
    app.run()
    first = model_cache.model("minilm")
    for run in range(RERUNS):
        choose(app, "layers", {"layer": run % 6})
        assert not app.exception
    assert loads == ["minilm"]
    assert model_cache.model("minilm") is first


def test_second_visitor_when_the_model_is_loaded_loads_none(loads: list[str]):
    path = str(Path(__file__).parents[2] / "app.py")
    for _ in range(2):
        assert not AppTest.from_file(path, default_timeout=120).run().exception
    assert loads == ["minilm"]


def test_model_that_is_pushed_out_is_freed(folders: Path, loads: list[str]):
    """AV-082: as many stay as the bound says, and the oldest leaves the memory."""
    names = [save_tiny(folders / name, "gpt2") for name in ("one", "two", "three")]
    oldest = weakref.ref(model_cache.model(names[0]).model)
    for name in names[1:]:
        model_cache.model(name)
    gc.collect()
    assert oldest() is None
    assert loads == names
    assert model_cache.model(names[2]) is model_cache.model(names[2])
    assert loads == names


def test_heads_that_are_equal_are_drawn_each(app: AppTest, folders: Path):
    """AV-079: one token has one map, in every head the same."""
    folder = save_tiny(folders / "gpt2", "gpt2", byte_level(), vocab_size=331)
    app.query_params.update({"model": folder, "text": "the", "heads": "0,1,2,3,4,5"})
    app.run()
    app.button(key="confirm").click().run()
    assert not app.exception
    assert heads(app) == [f"L0 H{head}" for head in range(6)]
    assert words(app) == ticks(app, "yaxis") == ["the"]
    app.toggle(key="show table").set_value(True).run()
    assert not app.exception
    assert len(app.dataframe) == 6


def test_words_that_are_equal_are_drawn_each(app: AppTest):
    """AV-079."""
    app.query_params.update({"text": "the cat the the cat the"})
    app.run()
    assert not app.exception
    tokens = ["[CLS]", "the", "cat", "the", "the", "cat", "the", "[SEP]"]
    assert words(app) == looked_at(app) == ticks(app, "xaxis") == tokens
    options = app.selectbox(key="spotlight.query").options
    assert options == [f"{position} · {token}" for position, token in enumerate(tokens)]
    app.toggle(key="show table").set_value(True).run()
    assert not app.exception
    assert [column.split()[1] for column in app.dataframe[0].value.columns] == tokens
