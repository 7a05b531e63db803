"""A model and its inputs in, an attention record out.

The first time a model is met it is prepared: it runs once through the seam and once through its own eager attention,
and the two sets of weights are compared. Where they agree the seam is used from then on; where a model never calls the
seam, the weights that it reports itself are used; where neither gives attention weights, the model is refused by name.
Models are checked as they are; interventions come after that, and through the seam alone.
"""

import inspect
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from transformers import Cache, PreTrainedModel
from transformers.utils import ModelOutput

from mha_viz.core.interventions import Given, Intervention, listed
from mha_viz.core.record import AttentionRecord, Stream
from mha_viz.errors import CaptureError, MhaVizError, ModelError, NoAttentionError
from mha_viz.models.implementations import implementations, lock_of, under
from mha_viz.models.notices import REPORTED_NOTICE, missing_notice, padding_notice
from mha_viz.models.outcomes import asked_for, final_vectors, predictions, token_logits
from mha_viz.models.planning import plan
from mha_viz.models.seam import ATTENTION_NAME, Recorder, recording
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
        return nullcontext() if self.settled else under(model, name)


_prepared: WeakKeyDictionary[PreTrainedModel, Preparation] = WeakKeyDictionary()


def record_attention(
    model: PreTrainedModel,
    inputs: Mapping[str, Any],
    *,
    tokens: Tokens | None = None,
    interventions: Given = (),
    mask_id: int | None = None,
) -> AttentionRecord:
    """Run `model` on `inputs` and record its attention: once, or twice with interventions.

    Args:
        model: Any loaded transformers model in eval mode. It is left as it was found, but for hooks on its attention
            modules that do nothing while nobody records.
        inputs: One text's inputs, as the model's forward takes them; see `one_row` for one text of a batch.
        tokens: What the positions are called; numbers if not given.
        interventions: What is done to heads.
        mask_id: The token that hides another, for models that fill it in.

    Returns:
        The record, without text.

    Raises:
        ChoiceError: If an intervention names what does not exist.
        ModelError: If there are interventions and the model's weights are only reported.
        NoAttentionError: If the model has no attention weights that could be shown.
        CaptureError: If the model is in training mode, or if its weights fail a check.
    """
    if model.training:
        raise CaptureError(
            "the model is in training mode, where dropout changes the weights at every run; call model.eval() first"
        )
    tokens, changes = tokens or {}, listed(interventions)
    preparation = prepare(model, inputs)
    if changes and not preparation.through_seam:
        raise ModelError(
            f"{model.config.model_type} only reports its weights, they do not come from a function that we can reach, "
            "so nothing can be done to its heads; leave the interventions out, or choose another model"
        )
    wanted = asked_for(model)
    with preparation.ready(model):
        if preparation.through_seam:
            outputs, streams = _through_seam(model, inputs, tokens, changes, **wanted)
            notices: tuple[str, ...] = ()
        else:
            outputs = _forward(model, inputs, output_attentions=True, **wanted)
            streams, notices = streams_of_outputs(model, outputs, tokens), (REPORTED_NOTICE,)
    notices += padding_notice(model, inputs) + missing_notice(model, streams)
    logits = token_logits(model, outputs, streams)
    return AttentionRecord(
        streams,
        notices=notices,
        verified=preparation.verified,
        interventions=changes,
        final=final_vectors(outputs, streams),
        predictions=predictions(model, inputs, logits, mask_id),
        logits=logits,
    )


def prepare(model: PreTrainedModel, inputs: Mapping[str, Any]) -> Preparation:
    """Find out, once for each model, how its weights are had, and check them on `inputs`.

    Raises:
        NoAttentionError: If the model has no attention weights that could be shown.
        CaptureError: If the weights fail a check.
    """
    if model not in _prepared:
        with lock_of(model):
            if model not in _prepared:
                found = implementations(model)
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
    with under(model, "eager"):
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
    with under(model, "eager"):
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
        with under(model, ATTENTION_NAME):
            return _through_seam(model, inputs, {})[1]
    except NoAttentionError:
        raise
    except (ValueError, KeyError, ImportError, NotImplementedError, AttributeError, CaptureError):
        return None


def _through_seam(
    model: PreTrainedModel,
    inputs: Mapping[str, Any],
    tokens: Tokens,
    changes: Sequence[Intervention] = (),
    **options: bool,
) -> tuple[ModelOutput, dict[str, Stream]]:
    """What a run gave, and its streams.

    With changes it is the second of two: the first shows which call is which layer, and of what size.
    """
    with recording() as usual:
        outputs = _forward(model, inputs, **options)
    streams = _streams(model, usual, tokens)
    if not changes:
        return outputs, streams
    with recording(interventions=plan(changes, streams, usual.calls)) as changed:
        outputs = _forward(model, inputs, **options)
    if [call.module for call in changed.calls] != [call.module for call in usual.calls]:
        raise CaptureError(
            f"{type(model).__name__} attends in another order with these interventions; leave some out"
        )
    return outputs, _streams(model, changed, tokens)


def _streams(model: PreTrainedModel, recorder: Recorder, tokens: Tokens) -> dict[str, Stream]:
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
