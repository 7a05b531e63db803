"""The models that are open: two in memory, and the steps of our own small one, one object each for all sessions."""

import os
from pathlib import Path

import streamlit as st
import torch

from mha_viz.errors import MhaVizError, ModelError
from mha_viz.models.catalog import ModelEntry, find_model, is_school
from mha_viz.models.loading import LoadedModel, load_model
from mha_viz.models.reading import read_text

MODELS_KEPT, STEPS_KEPT = 2, 16
WARM_UP = "One two three."
FOLDERS_SETTING = "MHA_VIZ_MODEL_FOLDERS"

_loaded: set[str] = set()


def entry(name: str) -> ModelEntry:
    """The model of that name, if this server may open it.

    Raises:
        ChoiceError: If the name is none.
        ModelError: If it is a folder outside those that the server's settings allow.
    """
    found = find_model(name)
    if found.kind == "folder" and not _is_open(found.source):
        raise ModelError(
            f"folders are closed on this server, so {name!r} is not opened; "
            f"whoever runs the server can allow a folder by the setting {FOLDERS_SETTING}"
        )
    return found


def model(name: str) -> LoadedModel:
    """A loaded model, one object for all sessions.

    Raises:
        MhaVizError: If it cannot be had, or if it has no attention to show.
    """
    loaded = _step_of_school(name) if is_school(name) else _model(name)
    if isinstance(loaded, MhaVizError):
        raise loaded
    return loaded


def was_loaded(name: str) -> bool:
    """Whether a model was loaded since the server started: those that a person has to ask for were asked for."""
    return name in _loaded


@st.cache_resource(max_entries=MODELS_KEPT, show_spinner=False)
def _model(name: str) -> LoadedModel | MhaVizError:
    return _load(name)


@st.cache_resource(max_entries=STEPS_KEPT, show_spinner=False)
def _step_of_school(name: str) -> LoadedModel | MhaVizError:
    # Two megabytes each: whoever compares steps of a training drives no large model out.
    return _load(name)


def _load(name: str) -> LoadedModel | MhaVizError:
    # More threads gain little on short texts and block each other when several sessions compute.
    torch.set_num_threads(1)
    loaded = load_model(entry(name))
    _loaded.add(name)
    try:
        # The first text that a model reads is also what its weights are checked on: not the visitor's.
        read_text(loaded, WARM_UP)
    except (
        MhaVizError
    ) as error:  # kept, so that a model that is refused is not loaded again at every click
        return error
    return loaded


def _is_open(folder: str) -> bool:
    """Whether a folder lies in one that the server's settings allow."""
    settings = os.environ.get(FOLDERS_SETTING, "").split(os.pathsep)
    allowed = [Path(part).expanduser().resolve() for part in settings if part]
    inside = Path(folder).expanduser().resolve()
    return any(inside.is_relative_to(root) for root in allowed)
