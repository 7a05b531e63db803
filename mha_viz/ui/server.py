"""What the server does beside the pages: a model is there before the first visitor, and no text gets into the log."""

import asyncio
import logging
import traceback
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import streamlit as st

from mha_viz.errors import MhaVizError
from mha_viz.models.catalog import DEFAULT_MODEL
from mha_viz.ui import model_cache


@asynccontextmanager
async def warm_up(_: st.App) -> AsyncGenerator[None]:
    """Fill the cache of models while the server starts: a first visitor then waits for the picture alone.

    If the model cannot be had, the server starts all the same: the page says why.
    """
    with suppress(MhaVizError):
        await asyncio.to_thread(model_cache.model, DEFAULT_MODEL)
    yield


class WithoutMessage(logging.Filter):
    """An error in the log says what went wrong where, but not with which words: they may be somebody's text."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Put kind and place of an error in the place of its message; nothing is left out of the log."""
        if record.exc_info and record.exc_info[0] is not None:
            kind, _, place = record.exc_info
            record.msg, record.args = "%s\n%s", (kind.__name__, "".join(traceback.format_tb(place)))
            record.exc_info = record.exc_text = None
        return True


logging.getLogger("streamlit.error_util").addFilter(WithoutMessage())
