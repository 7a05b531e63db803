"""A catalog entry into a folder of files that may be loaded: all that is checked, or fetched, before anything is read.

Weights come from safetensors only, in a bounded size, and nothing here waits for a network that does not answer.
"""

import json
import os
import re
from collections.abc import Mapping
from concurrent.futures import Future
from hashlib import file_digest
from pathlib import Path
from threading import Thread

from huggingface_hub import HfApi, constants, try_to_load_from_cache
from huggingface_hub.errors import (
    GatedRepoError,
    HTTPError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
    XetDownloadError,
)
from huggingface_hub.hf_api import ModelInfo
from huggingface_hub.utils import logging, tqdm

from mha_viz.errors import ModelError, NetworkNeededError
from mha_viz.models.catalog import CATALOG, ModelEntry, quoted

# What a hub that does not answer, or answers with something else, ends in.
_ODD_ANSWERS = (HTTPError, OSError, ValueError, TypeError, KeyError, AttributeError)

MAX_WEIGHT_BYTES = 2 * 1024**3
HUB_SECONDS = 5.0
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
FETCHED = ["*.json", "*.txt", "*.model", "*.spm", "model*.safetensors"]
VOCABULARIES = re.compile(r"tokenizer.*|.*vocab.*|.*\.model|.*\.spm")

# Its warnings name what somebody asks for, again and again where the network is bad.
logging.set_verbosity_error()


def model_folder(entry: ModelEntry) -> Path:
    """The folder that a model can be loaded from; a model of the hub is fetched if it is not there yet.

    Raises:
        NetworkNeededError: If it would have to be fetched and the hub does not answer.
        ModelError: If there is no such model, or not one that may be loaded.
    """
    if entry.kind in {"recommended", "hub"}:
        folder = _cached(entry) or _fetched(entry)
    else:
        folder = Path(entry.source)
    sizes = _sizes(folder)
    _check_files(entry, sizes)
    if WEIGHTS not in sizes:
        _check_index(entry, folder, sizes)
    if entry.kind == "bundled":
        _check_bundled(folder)
    return folder


def _sizes(folder: Path) -> dict[str, int]:
    """Bytes of each file; nothing for a folder that cannot be read or is none."""
    try:
        return {path.name: path.stat().st_size for path in folder.iterdir() if path.is_file()}
    except OSError:
        return {}


def _check_files(entry: ModelEntry, sizes: Mapping[str, int]) -> None:
    name = quoted(entry.name)
    if CONFIG not in sizes:
        raise ModelError(f"{name} is no model folder: expected {CONFIG} and *.safetensors")
    weights = _weight_files(sizes)
    if not weights:
        raise ModelError(
            f"{name} has no safetensors weights; pickled weights are not loaded, "
            f"so save the model again with safetensors or choose another"
        )
    total = sum(sizes[file] for file in weights)
    if total > MAX_WEIGHT_BYTES:
        raise ModelError(
            f"{name} has {gibibytes(total)} of weights, the limit is {gibibytes(MAX_WEIGHT_BYTES)}; choose a smaller model"
        )


def _weight_files(sizes: Mapping[str, int]) -> list[str]:
    if WEIGHTS in sizes:
        return [WEIGHTS]
    return [file for file in sizes if SHARD.fullmatch(file)] if INDEX in sizes else []


def _check_index(entry: ModelEntry, folder: Path, sizes: Mapping[str, int]) -> None:
    """An index may name any file, a pickled one or one elsewhere: each has to be a shard of this folder."""
    try:
        shards = set(
            json.loads((folder / INDEX).read_text(encoding="utf-8"))["weight_map"].values()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(
            f"{quoted(entry.name)}: {INDEX} cannot be read; fetch or save the model again"
        ) from error
    if not shards <= set(_weight_files(sizes)):
        raise ModelError(
            f"{quoted(entry.name)} is not complete: {INDEX} names files that are not among its safetensors weights"
        )


def _check_bundled(folder: Path) -> None:
    with (folder / WEIGHTS).open("rb") as weights:
        digest = file_digest(weights, "sha256").hexdigest()
    if digest != BUNDLED_SHA256:
        raise ModelError(
            "the weights of the bundled model are not the ones that were published; install its package again"
        )


def _cached(entry: ModelEntry) -> Path | None:
    """Where the hub's own cache on this machine has the model, if it has all of it."""
    config = try_to_load_from_cache(entry.source, CONFIG)
    if not isinstance(config, str):
        return None
    folder = Path(config).parent
    sizes = _sizes(folder)
    whole = bool(_weight_files(sizes)) and any(map(VOCABULARIES.fullmatch, sizes))
    return folder if whole else None


def _fetched(entry: ModelEntry) -> Path:
    """Where the model is after it was fetched; what may not be loaded is not fetched."""
    name = quoted(entry.name)
    described = _ask_hub(entry).siblings or []
    _check_files(entry, {file.rfilename: file.size or 0 for file in described})
    try:
        folder = HfApi().snapshot_download(
            entry.source, allow_patterns=FETCHED, ignore_patterns=["*/*"], tqdm_class=_NoBar
        )
    except GatedRepoError as error:
        raise ModelError(
            f"{name} is given out by its owners on request only; ask for it on the hub, or choose another"
        ) from error
    except (HTTPError, LocalEntryNotFoundError, XetDownloadError) as error:
        raise _network_needed(entry) from error
    except OSError as error:
        raise ModelError(
            f"{name} cannot be kept on this machine; is there room in the cache of the hub?"
        ) from error
    return Path(folder)


def _ask_hub(entry: ModelEntry) -> ModelInfo:
    """What the hub says of a model, within seconds or not at all."""
    if (
        constants.is_offline_mode()
        or os.environ.get("HF_HUB_OFFLINE", "").upper() in constants.ENV_VARS_TRUE_VALUES
    ):
        raise _network_needed(entry)
    answer: Future[ModelInfo] = Future()
    # Looking up the hub's address is not under the timeout of the request, so the wait is bounded from outside.
    Thread(target=_ask, args=(entry.source, answer), daemon=True).start()
    try:
        return answer.result(timeout=HUB_SECONDS)
    except RepositoryNotFoundError as error:
        raise ModelError(
            f"{quoted(entry.name)} is no public model of the hub; check how it is written"
        ) from error
    except _ODD_ANSWERS as error:
        raise _network_needed(entry) from error


def _ask(source: str, answer: Future[ModelInfo]) -> None:
    try:
        answer.set_result(HfApi().model_info(source, files_metadata=True, timeout=HUB_SECONDS))
    except _ODD_ANSWERS as error:
        answer.set_exception(error)


def _network_needed(entry: ModelEntry) -> NetworkNeededError:
    bundled = ", ".join(name for name, known in CATALOG.items() if known.kind == "bundled")
    return NetworkNeededError(
        f"{quoted(entry.name)} needs the network, which does not answer; bundled and always there: {bundled}"
    )


def gibibytes(size: int) -> str:
    """A size for a message."""
    return f"{size / 1024**3:.2f} GiB"


class _NoBar(tqdm):
    """No progress bar: the page shows that it waits, the log stays quiet."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs | {"disable": True})
