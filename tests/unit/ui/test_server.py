"""What the server keeps to itself."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor

import pytest
import streamlit as st
from streamlit import error_util

from mha_viz.errors import ModelError
from mha_viz.ui import model_cache, server


def test_error_in_the_log_names_kind_and_place_but_not_the_words(caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.ERROR):
        logger = logging.getLogger("streamlit.error_util")
        logger.addHandler(caplog.handler)
        try:
            int("what somebody typed")
        except ValueError as error:
            error_util._LOGGER.error("Uncaught app execution", exc_info=error)
        logger.removeHandler(caplog.handler)
    assert "ValueError" in caplog.text
    assert "test_server.py" in caplog.text
    assert "what somebody typed" not in caplog.text.replace('int("what somebody typed")', "")


def test_server_starts_also_when_the_bundled_model_cannot_be_had(monkeypatch: pytest.MonkeyPatch):
    def refuse(name: str) -> None:
        raise ModelError("the weights are not the ones that were published")

    monkeypatch.setattr(model_cache, "model", refuse)

    async def start() -> str:
        async with server.warm_up(st.App("app.py")):
            return "started"

    with ThreadPoolExecutor(1) as thread:  # a thread of its own has no event loop yet
        assert thread.submit(asyncio.run, start()).result() == "started"
