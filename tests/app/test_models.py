"""The first page with other models than the bundled one: tiny ones, from folders that the server may open."""

from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.ui import model_cache
from tests.app.conftest import (
    ALL_PICTURES,
    ONE_BYTE,
    exact_weights,
    heads,
    looked_at,
    pictures,
    said,
    send,
    sent,
    ticks,
    weights,
    words,
)
from tests.model.saved import save_tiny
from tests.model.small_tokenizers import unigram

pytestmark = pytest.mark.model

READ = "the cat token the cat"
READ_TOKENS = ["[CLS]", "the", "cat", "token", "the", "cat", "[SEP]"]


def open_by_link(app: AppTest, model: str, text: str = READ) -> AppTest:
    """Follow a link to a model, and say yes to it."""
    app.query_params.update({"model": model, "text": text, "heads": "1,4"})
    app.run()
    return app.button(key="confirm").click().run()


def kinds(app: AppTest) -> list[str]:
    return app.button_group(key="spotlight.stream").options


def test_link_to_a_folder_asks_before_it_is_opened(app: AppTest, folders: Path):
    folder = save_tiny(folders / "mine", "gpt2")
    app.query_params.update({"model": folder, "text": READ})
    app.run()
    assert pictures(app) == []
    assert "asks for the model mine" in said(app).replace("*", "")
    assert [button.label for button in app.button if button.key == "confirm"] == ["Load it"]
    app.button(key="confirm").click().run()
    assert not app.exception
    assert app.query_params["model"] == folder
    assert words(app) == READ_TOKENS


def test_folder_when_typed_into_the_picker_is_opened_at_once(app: AppTest, folders: Path):
    folder = save_tiny(folders / "mine", "gpt2")
    app.run()
    app.text_area[0].set_value(READ).run()
    send(app, app.selectbox(key="spotlight.model"), folder)
    assert not app.exception
    assert not app.error
    assert app.query_params["model"] == folder
    assert words(app) == READ_TOKENS


@pytest.mark.parametrize("name", ["gpt2", "gpt-oss-sinks", "deberta-v2"])
def test_model_of_a_folder_is_drawn_with_its_own_weights(app: AppTest, folders: Path, name: str):
    folder = save_tiny(folders / name, name)
    open_by_link(app, folder)
    assert not app.exception
    assert not app.error
    assert pictures(app) == ALL_PICTURES
    assert heads(app) == ["L0 H1", "L0 H4"]
    own = mha_viz.attend(READ, folder).weights(0)[[1, 4]]
    np.testing.assert_allclose(exact_weights(app), own, atol=1e-6)
    np.testing.assert_allclose(weights(app), own, atol=ONE_BYTE)


def test_decoder_looks_at_nothing_ahead(app: AppTest, folders: Path):
    open_by_link(app, save_tiny(folders / "gpt2", "gpt2"))
    exact = exact_weights(app)
    assert (np.triu(exact, 1) == 0).all()
    assert (np.triu(weights(app), 1) == 0).all()
    np.testing.assert_allclose(exact.sum(axis=-1), 1, atol=1e-5)


def test_sinks_take_their_share_of_the_rows(app: AppTest, folders: Path):
    """AV-013: what a sink takes goes to no word, so it is in no word's cell but in a column of its own."""
    open_by_link(app, save_tiny(folders / "sinks", "gpt-oss-sinks"))
    to_words = exact_weights(app).sum(axis=-1)
    assert to_words.min() < 0.9
    for head, given in zip(sent(app, "maps")[0]["heads"], to_words, strict=True):
        (column,) = head["traces"]
        np.testing.assert_allclose(np.array(column["z"])[:, 0] + given, 1, atol=1e-3)
        assert f"{1 - given.mean():.2f} to the sink" in head["note"]


def test_weights_that_the_model_reports_itself_are_said_to_be_so(app: AppTest, folders: Path):
    open_by_link(app, save_tiny(folders / "deberta", "deberta-v2"))
    assert "These weights are as the model reports them" in said(app)


def test_model_without_attention_is_refused_by_name(app: AppTest, folders: Path):
    open_by_link(app, save_tiny(folders / "mamba", "mamba"))
    assert not app.exception
    assert pictures(app) == []
    assert len(app.error) == 1
    assert "mamba" in said(app).lower()
    assert "nothing to show; choose a model that attends" in said(app)
    assert app.text_area[0].value == READ


@pytest.mark.parametrize("outside", ["beside", "allowed/../beside", "allowed-too"])
def test_folder_outside_of_the_setting_stays_closed(
    app: AppTest, folders: Path, tmp_path: Path, outside: str
):
    """Nor is one opened by a way around, nor by a name that begins alike."""
    (tmp_path / "allowed").mkdir()
    save_tiny(tmp_path / Path(outside).name, "gpt2")
    app.query_params.update({"model": str(tmp_path / outside), "text": READ})
    app.run()
    assert not app.exception
    assert pictures(app) == []
    assert "Folders are closed on this server" in said(app)
    assert not [button for button in app.button if button.key == "confirm"]


def test_link_out_of_an_open_folder_leads_nowhere(app: AppTest, folders: Path, tmp_path: Path):
    save_tiny(tmp_path / "beside", "gpt2")
    folders.mkdir()
    (folders / "link").symlink_to(tmp_path / "beside")
    app.query_params.update({"model": str(folders / "link")})
    app.run()
    assert "Folders are closed on this server" in said(app)


# Encoder–decoders


@pytest.fixture
def t5(app: AppTest, folders: Path) -> AppTest:
    """A tiny T5 on the page, made to say "cat the"."""
    open_by_link(app, save_tiny(folders / "t5", "t5", unigram()), "the cat the the")
    return app.text_input(key="spotlight.target").set_value("cat the").run()


def test_encoder_decoder_has_three_kinds_of_attention(t5: AppTest):
    assert not t5.exception
    assert kinds(t5) == ["encoder", "decoder", "cross"]
    text = ["␣the", "␣cat", "␣the", "␣the", "</s>"]
    target = ["<pad>", "␣cat", "␣the"]
    for stream, queries, keys in (
        ("encoder", text, text),
        ("decoder", target, target),
        ("cross", target, text),
    ):
        t5.button_group(key="spotlight.stream").set_value(stream).run()
        assert not t5.exception
        assert words(t5) == ticks(t5, "yaxis") == queries
        assert looked_at(t5) == ticks(t5, "xaxis") == keys
        assert weights(t5).shape == (2, len(queries), len(keys))
        options = t5.selectbox(key="spotlight.query").options
        assert [option.partition(" · ")[2] for option in options] == queries


def test_target_is_part_of_the_link(t5: AppTest):
    t5.button_group(key="spotlight.stream").set_value("cross").run()
    assert t5.query_params["target"] == "cat the"
    assert t5.query_params["stream"] == "cross"


def test_target_when_it_changes_is_read(t5: AppTest):
    t5.button_group(key="spotlight.stream").set_value("cross").run()
    t5.text_input(key="spotlight.target").set_value("").run()
    assert not t5.exception
    assert words(t5) == ["<pad>"]


def test_word_is_let_go_when_the_other_line_of_words_is_asked(t5: AppTest):
    t5.button_group(key="spotlight.stream").set_value("cross").run()
    t5.selectbox(key="spotlight.query").select(2).run()
    t5.button_group(key="spotlight.reading").set_value("key").run()
    assert not t5.exception
    picker = t5.selectbox(key="spotlight.query")
    assert picker.value is None
    assert [option.partition(" · ")[2] for option in picker.options] == looked_at(t5)


def test_encoder_chosen_after_a_target_was_given_is_drawn(t5: AppTest):
    """An encoder takes no target: what was typed for another model must not stop it."""
    t5.button_group(key="spotlight.stream").set_value("cross").run()
    t5.selectbox(key="spotlight.model").set_value("minilm").run()
    assert not t5.exception
    assert not t5.error
    assert pictures(t5) == ALL_PICTURES
    assert heads(t5) == ["L0 H1", "L0 H4"]
    assert words(t5) == ["[CLS]", "the", "cat", "the", "the", "[SEP]"]


def test_link_with_a_target_for_an_encoder_is_drawn(app: AppTest):
    app.query_params.update({"text": "Hi there", "target": "left over", "stream": "cross"})
    app.run()
    assert not app.exception
    assert not app.error
    assert words(app) == ["[CLS]", "hi", "there", "[SEP]"]


def test_wait_while_a_model_is_loaded_is_announced(
    app: AppTest, folders: Path, monkeypatch: pytest.MonkeyPatch
):
    """What is loaded is loaded under the notice that says so."""
    shown: list[str] = []
    during: list[tuple[str, ...]] = []

    @contextmanager
    def noting_spinner(words: str, **_: object):
        shown.append(words)
        yield
        shown.pop()

    load = model_cache.load_model
    monkeypatch.setattr(st, "spinner", noting_spinner)
    monkeypatch.setattr(
        model_cache, "load_model", lambda entry: (during.append(tuple(shown)), load(entry))[1]
    )
    open_by_link(app, save_tiny(folders / "slow", "gpt2"))
    assert not app.exception
    assert during == [("Loading the model …",)]
