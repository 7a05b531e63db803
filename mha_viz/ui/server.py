"""What the server does beside the pages: it loads the bundled model before the first visitor comes."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import streamlit as st

from mha_viz.errors import MhaVizError
from mha_viz.models.catalog import DEFAULT_MODEL
from mha_viz.ui import cache


@asynccontextmanager
async def warm_up(_: st.App) -> AsyncGenerator[None]:
    """Fill the cache of models while the server starts: a first visitor then waits for the picture alone.

    If the model cannot be had, the server starts all the same: the page says why.
    """
    with suppress(MhaVizError):
        await asyncio.to_thread(cache.model, DEFAULT_MODEL)
    yield
