"""What a forward pass ends in: the final vector of each position, and what a language model expects."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from torch import Tensor
from transformers import PreTrainedModel
from transformers.utils import ModelOutput

from mha_viz.core.predictions import Prediction, likeliest
from mha_viz.core.record import Stream


def asked_for(model: PreTrainedModel) -> dict[str, bool]:
    """What the forward must be asked for, so that it hands over its final vectors: a bare model does so unasked."""
    return {"output_hidden_states": True} if _predicts_tokens(model) else {}


def final_vectors(
    outputs: ModelOutput, streams: Mapping[str, Stream]
) -> Float[np.ndarray, "n_tokens d_model"] | None:
    """The vectors that left the last layer, the decoder's if there is one; None if they are not handed over.

    Args:
        outputs: What the forward gave.
        streams: Its attention: there is one vector for each token that looks.
    """
    hidden = outputs.get("decoder_hidden_states") or outputs.get("hidden_states") or (None,)
    given = outputs.get("last_hidden_state", hidden[-1])
    stream = _writing_stream(streams)
    if stream is None or not isinstance(given, Tensor):
        return None
    fits = given.dim() == 3 and given.shape[:2] == (1, len(stream.query_tokens))
    return given[0].float().cpu().numpy() if fits else None


def token_logits(
    model: PreTrainedModel, outputs: ModelOutput, streams: Mapping[str, Stream]
) -> Float[Tensor, "n_tokens n_vocabulary"] | None:
    """What a language model expects at each position, before the softmax; None of a model without a head for tokens.

    Args:
        model: The model.
        outputs: What its forward gave.
        streams: Its attention.
    """
    logits, stream = outputs.get("logits"), _writing_stream(streams)
    if not _predicts_tokens(model) or stream is None or not isinstance(logits, Tensor):
        return None
    fits = logits.dim() == 3 and logits.shape[:2] == (1, len(stream.query_tokens))
    return logits[0] if fits else None


def predictions(
    model: PreTrainedModel,
    inputs: Mapping[str, Any],
    logits: Float[Tensor, "n_tokens n_vocabulary"] | None,
    mask_id: int | None,
) -> tuple[Prediction, ...]:
    """What a language model expects: after the last token, or in place of each token that is hidden.

    Args:
        model: The model.
        inputs: What it was given.
        logits: See `token_logits`; nothing is expected without.
        mask_id: The token that hides another; None if there is none.
    """
    if logits is None:
        return ()
    if model.can_generate():
        return likeliest(logits, [len(logits) - 1])
    ids = inputs.get("input_ids")
    if mask_id is None or ids is None:
        return ()
    return likeliest(logits, (ids[0] == mask_id).nonzero().flatten().tolist())


def _predicts_tokens(model: PreTrainedModel) -> bool:
    return model.get_output_embeddings() is not None


def _writing_stream(streams: Mapping[str, Stream]) -> Stream | None:
    """The stream of the text that the model ends with; None where there are several side by side."""
    return streams.get("decoder", streams.get("self"))
