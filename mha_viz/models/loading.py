"""A catalog entry into a model and its tokenizer: the only `from_pretrained`, and all that is asked of it.

Whatever goes wrong in there is said in a sentence or two, without the paths of the machine. A model whose weights are
not all in the file is refused: the library would draw the missing ones at random, and we would show them as if true.
"""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from torch import nn
from transformers import (
    CONFIG_MAPPING,
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

from mha_viz.errors import ModelError
from mha_viz.models.catalog import ModelEntry, quoted
from mha_viz.models.files import CONFIG, MAX_WEIGHT_BYTES, gibibytes, model_folder
from mha_viz.models.quiet import quiet
from mha_viz.models.school_model import load_school
from mha_viz.models.seam import ATTENTION_NAME
from mha_viz.models.tokens import token_limit

# The library makes room for whatever size a config says, and only then compares it with the weights.
# Twice the largest file: weights are saved in half precision and loaded in single.
MAX_BYTES = 2 * MAX_WEIGHT_BYTES
MAX_LAYERS = 1000

AutoClass = type[AutoModel] | type[AutoModelForCausalLM] | type[AutoModelForSeq2SeqLM]

# Nothing from the network, no code that a model brings along.
_SAFELY = {"local_files_only": True, "trust_remote_code": False}

# `from_pretrained` sets defaults of the whole process while it runs, and so does `quiet`.
_one_at_a_time = Lock()


@dataclass(frozen=True)
class LoadedModel:
    """A model that is ready to read a text.

    Attributes:
        model: In eval mode, in float32.
        tokenizer: What turns a text into its inputs.
        entry: Where it comes from.
        limit: The most tokens that it takes; None if it sets no limit.
    """

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    entry: ModelEntry
    limit: int | None


def load_model(entry: ModelEntry, *, attention: str = ATTENTION_NAME) -> LoadedModel:
    """Load a model, fetching it first if it has to be.

    Args:
        entry: Which model, see `find_model`.
        attention: The attention implementation; where a model refuses it, its own eager one is used.

    Raises:
        NetworkNeededError: If it would have to be fetched and the hub does not answer.
        ModelError: If it cannot be read, or is not one that may be loaded.
    """
    if entry.step is not None:
        return _load_school(entry, entry.step, attention)
    folder = model_folder(entry)
    with _one_at_a_time, quiet():
        config = _load_config(entry, folder)
        tokenizer = _load_tokenizer(entry, folder)
        model = _load_weights(entry, folder, config, attention)
    _check_vocabulary(entry, model, tokenizer)
    accepted = inspect.signature(model.forward).parameters
    tokenizer.model_input_names = [name for name in tokenizer.model_input_names if name in accepted]
    return LoadedModel(model, tokenizer, entry, token_limit(model.config, tokenizer))


def from_parts(model: object, tokenizer: object) -> LoadedModel:
    """A model and a tokenizer that somebody has loaded already; both are left as they are.

    Raises:
        ModelError: If they are something else.
    """
    if not isinstance(model, PreTrainedModel) or not isinstance(tokenizer, PreTrainedTokenizerBase):
        raise ModelError(
            "expected a transformers model and its tokenizer, "
            f"but was given {type(model).__name__} and {type(tokenizer).__name__}"
        )
    name = type(model).__name__
    entry = ModelEntry(name, name, "", "given", "Loaded by whoever asks.")
    return LoadedModel(model, tokenizer, entry, token_limit(model.config, tokenizer))


def _load_school(entry: ModelEntry, step: int, attention: str) -> LoadedModel:
    with _one_at_a_time, quiet():
        model, tokenizer = load_school(step, attention=attention)
    return LoadedModel(model, tokenizer, entry, token_limit(model.config, tokenizer))


def _load_config(entry: ModelEntry, folder: Path) -> PreTrainedConfig:
    name = quoted(entry.name)
    try:
        fields = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{name}: {CONFIG} is damaged; fetch or save the model again") from error
    kind = fields.get("model_type") if isinstance(fields, dict) else None
    if not isinstance(kind, str):
        raise ModelError(
            f"{name}: {CONFIG} says no model_type; expected one that transformers knows, such as 'bert'"
        )
    if kind not in CONFIG_MAPPING:
        raise ModelError(
            f"{name} is of the type {quoted(kind)}, which transformers does not know; "
            "code that a model brings along is never run, so choose another"
        )
    try:
        config = AutoConfig.from_pretrained(folder, **_SAFELY)
        layers = _n_layers(config.to_dict())
        size = _bytes_in_memory(config) if layers <= MAX_LAYERS else 0
    except Exception as error:
        raise ModelError(
            f"{name}: {CONFIG} does not describe a {kind} model; save the model again"
        ) from error
    if layers > MAX_LAYERS:
        raise ModelError(
            f"{name} has {layers:,} layers, the limit is {MAX_LAYERS:,}; choose another"
        )
    if size > MAX_BYTES:
        raise ModelError(
            f"{name} takes {gibibytes(size)} of memory, the limit is {gibibytes(MAX_BYTES)}; choose a smaller model"
        )
    # It may name another file of weights, a pickled one among them.
    config.transformers_weights = None
    return config


def _n_layers(fields: Mapping) -> int:
    """The largest count of layers in a config or in a part of it."""
    parts = [_n_layers(part) for part in fields.values() if isinstance(part, Mapping)]
    own = [n for key, n in fields.items() if "layer" in str(key) and isinstance(n, int)]
    return max([0, *parts, *own])


def _bytes_in_memory(config: PreTrainedConfig) -> int:
    """What the model will take, found without taking it."""
    with torch.device("meta"):
        model = _auto_class(config).from_config(config, dtype=torch.float32)
    return sum(tensor.nbytes for tensor in chain(model.parameters(), model.buffers()))


def _load_tokenizer(entry: ModelEntry, folder: Path) -> PreTrainedTokenizerBase:
    name = quoted(entry.name)
    unreadable = ModelError(
        f"{name} has no tokenizer that can be read; expected tokenizer.json beside the weights"
    )
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **_SAFELY)
    except ImportError as error:
        raise ModelError(
            f"{name}: its tokenizer needs a Python package that is not installed here; choose another model"
        ) from error
    except Exception as error:
        raise unreadable from error
    files = () if tokenizer is None else tokenizer.vocab_files_names.values()
    # Without its files, the library makes up a tokenizer that knows no word.
    if tokenizer is None or (files and not any((folder / file).is_file() for file in files)):
        raise unreadable
    return tokenizer


def _load_weights(
    entry: ModelEntry, folder: Path, config: PreTrainedConfig, attention: str
) -> PreTrainedModel:
    name = quoted(entry.name)
    load: Callable[..., Any] = partial(
        _auto_class(config).from_pretrained,
        folder,
        config=config,
        dtype=torch.float32,
        use_safetensors=True,
        output_loading_info=True,
        **_SAFELY,
    )
    try:
        try:
            model, report = load(attn_implementation=attention)
        except (ValueError, KeyError, ImportError, NotImplementedError, AttributeError):
            # There are classes that refuse any name they do not know; each of them has an eager one.
            model, report = load(attn_implementation="eager")
    except ImportError as error:
        raise ModelError(
            f"{name} needs a Python package that is not installed here; choose another model"
        ) from error
    except Exception as error:
        raise ModelError(
            f"{name}: its weights are damaged or do not fit {CONFIG}; fetch or save the model again"
        ) from error
    # A pooler stands behind all attention; every other weight takes part in it, or in what the model predicts.
    missing = sorted(key for key in report["missing_keys"] if "pooler" not in key)
    if missing:
        raise ModelError(
            f"{name} lacks {len(missing)} of its weights, {quoted(missing[0])} among them; "
            "they would be drawn at random, so nothing it shows would be true"
        )
    return model.eval()


def _auto_class(config: PreTrainedConfig) -> AutoClass:
    """With its head for predictions if the checkpoint says that it has one, else bare."""
    saved_as = (config.architectures or [""])[0]
    for mapping, with_head in (
        (MODEL_FOR_CAUSAL_LM_MAPPING, AutoModelForCausalLM),
        (MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING, AutoModelForSeq2SeqLM),
    ):
        if type(config) in mapping and getattr(mapping[type(config)], "__name__", None) == saved_as:
            return with_head
    return AutoModel


def _check_vocabulary(
    entry: ModelEntry, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> None:
    embeddings = model.get_input_embeddings()
    if isinstance(tokenizer, PreTrainedTokenizerFast) and isinstance(embeddings, nn.Embedding):
        known, there = tokenizer.vocab_size, embeddings.num_embeddings
        if known > there:
            raise ModelError(
                f"{quoted(entry.name)}: its tokenizer has {known:,} tokens and the model {there:,}; they do not belong together"
            )
