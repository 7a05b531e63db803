"""The caches of the school's page, each with a bound in bytes: checkpoints, what they made of texts, and the histories.

What is cached is shared by all sessions and read-only.
"""

import streamlit as st
import torch

from mha_viz.school.checkpoints import HISTORY, History, load_history, load_model
from mha_viz.school.lexicon import ASSETS, Lexicon
from mha_viz.school.model import SchoolModel
from mha_viz.school.reading import SchoolReading, read
from mha_viz.school.vocabulary import Vocabulary
from mha_viz.ui.bounded import BoundedCache

MODEL_BYTES = 64 * 1024**2
READING_BYTES = 64 * 1024**2
HISTORIES_KEPT = 8
OTHER_SEEDS = "history-seed-*.json"


def reading(text: str, step: int) -> SchoolReading:
    """What the model of a step makes of a text.

    Raises:
        TextError: If there is nothing to read, or too much.
        ModelError: If the weights of that step cannot be read.
    """
    return _readings().get((text, step), lambda: read(text, _model(step), vocabulary()))


def history() -> History:
    """The training whose weights are there.

    Raises:
        ModelError: If it cannot be read.
    """
    return _history(HISTORY)


def other_histories() -> list[History]:
    """Trainings from other seeds, as many as there are.

    Raises:
        ModelError: If one cannot be read.
    """
    return [_history(file.name) for file in sorted(ASSETS.glob(OTHER_SEEDS))]


@st.cache_resource(max_entries=1, show_spinner=False)
def vocabulary() -> Vocabulary:
    """The words that the model knows."""
    return Vocabulary(Lexicon())


def _model(step: int) -> SchoolModel:
    return _models().get(step, lambda: _loaded(step))


def _loaded(step: int) -> SchoolModel:
    # More threads gain nothing on so small a model, and block each other when several sessions compute.
    torch.set_num_threads(1)
    return load_model(step)


@st.cache_resource(max_entries=1, show_spinner=False)
def _models() -> BoundedCache[SchoolModel]:
    return BoundedCache(
        MODEL_BYTES, lambda model: sum(weight.nbytes for weight in model.parameters())
    )


@st.cache_resource(max_entries=1, show_spinner=False)
def _readings() -> BoundedCache[SchoolReading]:
    return BoundedCache(READING_BYTES, lambda kept: kept.n_bytes)


@st.cache_resource(max_entries=HISTORIES_KEPT, show_spinner=False)
def _history(name: str) -> History:
    return load_history(ASSETS / name)
