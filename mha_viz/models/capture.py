"""A model and its inputs in, an attention record out.

The first time a model is met it is prepared: it runs once through the seam and once through its own eager attention,
and the two sets of weights are compared. Where they agree the seam is used from then on; where a model never calls the
seam, the weights that it reports itself are used; where neither gives attention weights, the model is refused by name.
"""

import inspect
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, replace
from threading import Lock, RLock
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from transformers import Cache, PreTrainedConfig, PreTrainedModel
from transformers.utils import ModelOutput

from mha_viz.core.record import AttentionRecord, Stream
from mha_viz.errors import CaptureError, MhaVizError, NoAttentionError
from mha_viz.models.notices import REPORTED_NOTICE, missing_notice, padding_notice
from mha_viz.models.quiet import quiet
from mha_viz.models.seam import ATTENTION_NAME, recording
from mha_viz.models.streams import Tokens, streams_of_calls, streams_of_outputs
from mha_viz.models.verification import (
    check_against_outputs,
    same_output,
    tolerance,
    weight_difference,
)

# Models that do report maps, but not the ones they use.
REFUSED = {
    "diffllama": "it uses the difference of two softmax maps, which is not a distribution over tokens",
    "big_bird": "its block-sparse attention turns itself into full attention when a short text comes by, and stays so",
    "bigbird_pegasus": "its block-sparse attention turns itself into full attention when a short text comes by, and stays so",
    "longformer": "it attends in a sliding window and reports positions within the window, not tokens",
    "led": "it attends in a sliding window and reports positions within the window, not tokens",
    "nystromformer": "it approximates attention; no full map of tokens by tokens exists",
    "reformer": "it attends within hashed or local chunks; no full map of tokens by tokens exists",
}


@dataclass(frozen=True)
class Preparation:
    """How a model's weights are had, and what was checked of them.

    Attributes:
        through_seam: Whether by our attention function; else as the model reports them.
        verified: What was checked, one sentence.
        settled: Whether the model was loaded under the implementation that this needs.
    """

    through_seam: bool
    verified: str

    settled: bool = False

    def ready(self, model: PreTrainedModel) -> AbstractContextManager[None]:
        """The model under the implementation that its weights are had under.

        One that is under it for good, as those that we load are, is used by many threads at once.
        """
        name = ATTENTION_NAME if self.through_seam else "eager"
        return nullcontext() if self.settled else _implementation(model, name)


_prepared: WeakKeyDictionary[PreTrainedModel, Preparation] = WeakKeyDictionary()
_locks: WeakKeyDictionary[PreTrainedModel, RLock] = WeakKeyDictionary()
_making_locks = Lock()


def record_attention(
    model: PreTrainedModel, inputs: Mapping[str, Any], *, tokens: Tokens | None = None
) -> AttentionRecord:
    """Run `model` once on `inputs` and record its attention.

    Args:
        model: Any loaded transformers model in eval mode. It is left as it was found, but for hooks on its attention
            modules that do nothing while nobody records.
        inputs: One text's inputs, as the model's forward takes them; see `one_row` for one text of a batch.
        tokens: What the positions are called; numbers if not given.

    Returns:
        The record, without text.

    Raises:
        NoAttentionError: If the model has no attention weights that could be shown.
        CaptureError: If the model is in training mode, or if its weights fail a check.
    """
    if model.training:
        raise CaptureError(
            "the model is in training mode, where dropout changes the weights at every run; call model.eval() first"
        )
    tokens = tokens or {}
    preparation = prepare(model, inputs)
    with preparation.ready(model):
        if preparation.through_seam:
            streams, notices = _through_seam(model, inputs, tokens), ()
        else:
            outputs = _forward(model, inputs, output_attentions=True)
            streams, notices = streams_of_outputs(model, outputs, tokens), (REPORTED_NOTICE,)
    notices += padding_notice(model, inputs) + missing_notice(model, streams)
    return AttentionRecord(streams, notices=notices, verified=preparation.verified)


def prepare(model: PreTrainedModel, inputs: Mapping[str, Any]) -> Preparation:
    """Find out, once for each model, how its weights are had, and check them on `inputs`.

    Raises:
        NoAttentionError: If the model has no attention weights that could be shown.
        CaptureError: If the weights fail a check.
    """
    if model not in _prepared:
        with _lock_of(model):
            if model not in _prepared:
                found = _implementations(model)
                preparation = _prepare(model, inputs)
                needed = ATTENTION_NAME if preparation.through_seam else "eager"
                settled = all(name == needed for _, name in found)
                _prepared[model] = replace(preparation, settled=settled)
    return _prepared[model]


def one_row(inputs: Mapping[str, Any], row: int) -> dict[str, Any]:
    """One text of a batch, its padding left out: positions then count as if it stood alone.

    Raises:
        CaptureError: If the batch has no such row, or if the row is padding from end to end.
    """
    if _has_cache(inputs):
        return dict(inputs)
    batch = next(
        (value.shape[0] for value in inputs.values() if isinstance(value, Tensor) and value.dim()),
        1,
    )
    if not 0 <= row < batch:
        raise CaptureError(f"row {row} does not exist: the batch has rows 0 to {batch - 1}")
    chosen = {
        name: value[row : row + 1]
        if isinstance(value, Tensor) and value.dim() and value.shape[0] == batch
        else value
        for name, value in inputs.items()
    }
    for side in ("", "decoder_"):
        mask = chosen.get(f"{side}attention_mask")
        if not isinstance(mask, Tensor) or mask.dim() != 2:
            continue
        keep = mask[0].bool()
        if not keep.any():
            raise CaptureError(
                f"row {row} is padding from end to end; give a row with at least one token"
            )
        for name, value in chosen.items():
            same_side = name.startswith("decoder_") == (side == "decoder_")
            if same_side and isinstance(value, Tensor) and value.shape[:2] == mask.shape:
                chosen[name] = value[:, keep]
    return chosen


def _prepare(model: PreTrainedModel, inputs: Mapping[str, Any]) -> Preparation:
    if (reason := REFUSED.get(getattr(model.config, "model_type", ""))) is not None:
        raise NoAttentionError(
            f"{model.config.model_type} cannot be shown: {reason}; choose another model"
        )
    ours = _try_seam(model, inputs)
    with _implementation(model, "eager"):
        reference = _reference(model, inputs)
    if ours is None:
        if isinstance(reference, MhaVizError):
            raise reference
        return _prepare_reported(model, inputs)
    worst = max(check_against_outputs(stream) for stream in ours.values())
    if isinstance(reference, MhaVizError):
        return Preparation(
            True, f"weights verified: they reproduce each layer's output to {worst:.0e}"
        )
    apart = weight_difference(ours, reference)
    if apart <= max(map(tolerance, ours.values())):
        return Preparation(
            True, f"weights verified: within {apart:.0e} of what the model itself reports"
        )
    return _prepare_reported(model, inputs)


def _prepare_reported(model: PreTrainedModel, inputs: Mapping[str, Any]) -> Preparation:
    """Check that a model computes the same when it reports its weights: else they are not the ones it uses."""
    usual = _forward(model, inputs)
    with _implementation(model, "eager"):
        reporting = _forward(model, inputs, output_attentions=True)
    if not same_output(usual, reporting):
        raise NoAttentionError(
            f"{model.config.model_type} computes something else when it reports its weights, so they are not the ones it uses; choose another model"
        )
    return Preparation(
        False,
        "weights checked: every row sums to 1, and the model computes the same when it reports them",
    )


def _try_seam(model: PreTrainedModel, inputs: Mapping[str, Any]) -> dict[str, Stream] | None:
    """Streams through the seam; None if the model never calls it or refuses its name."""
    try:
        with _implementation(model, ATTENTION_NAME):
            return _through_seam(model, inputs, {})
    except NoAttentionError:
        raise
    except (ValueError, KeyError, ImportError, NotImplementedError, AttributeError, CaptureError):
        return None


def _through_seam(
    model: PreTrainedModel, inputs: Mapping[str, Any], tokens: Tokens
) -> dict[str, Stream]:
    with recording() as recorder:
        _forward(model, inputs)
    if not recorder.calls:
        raise CaptureError(f"{type(model).__name__} never called the attention function")
    if any(call.batch > 1 for call in recorder.calls):
        raise CaptureError(
            f"{type(model).__name__} attended over several texts, windows or frames at once; give one text, see one_row"
        )
    return streams_of_calls(model, recorder.calls, tokens)


def _reference(
    model: PreTrainedModel, inputs: Mapping[str, Any]
) -> dict[str, Stream] | MhaVizError:
    """What the model reports itself, or why that is not a set of attention weights."""
    try:
        return streams_of_outputs(
            model, _forward(model, inputs, output_attentions=True), {}, as_reference=True
        )
    except MhaVizError as error:
        return error


def _forward(model: PreTrainedModel, inputs: Mapping[str, Any], **options: bool) -> ModelOutput:
    """One run of the model, which leaves a cache among the inputs as it is: runs write into theirs."""
    accepted = inspect.signature(model.forward).parameters
    if not _has_cache(inputs) and "use_cache" in accepted:
        options["use_cache"] = False
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in accepted.values())
    options = {name: value for name, value in options.items() if takes_any or name in accepted}
    given = {
        name: deepcopy(value) if isinstance(value, Cache) else value
        for name, value in inputs.items()
    }
    with torch.inference_mode():
        return model(**given, **options)


def _has_cache(inputs: Mapping[str, Any]) -> bool:
    return any(isinstance(value, Cache) for value in inputs.values())


@contextmanager
def _implementation(model: PreTrainedModel, name: str) -> Generator[None, None, None]:
    """The model under another attention implementation, for the time of the block and for one thread at a time."""
    with _lock_of(model):
        found = _implementations(model)
        if all(implementation == name for _, implementation in found):
            yield
            return
        try:
            _switch(model, name)
            yield
        finally:
            # Outermost first: each setting also reaches inwards.
            for config, implementation in found:
                config._attn_implementation = implementation


def _implementations(model: PreTrainedModel) -> list[tuple[PreTrainedConfig, str]]:
    """What each part of a model runs under, outermost first."""
    parts = [part for part in model.modules() if isinstance(part, PreTrainedModel)]
    return [(part.config, part.config._attn_implementation) for part in parts]


def _switch(model: PreTrainedModel, name: str) -> None:
    with quiet():
        model.set_attn_implementation(name)
    if name == "eager":
        # Some models cannot be switched, and yet go by this name (Falcon).
        model.config._attn_implementation = name


def _lock_of(model: PreTrainedModel) -> RLock:
    with _making_locks:
        return _locks.setdefault(model, RLock())
