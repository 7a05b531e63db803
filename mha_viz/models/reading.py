"""A loaded model and a text in, an attention record out."""

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from mha_viz.core.interventions import Given
from mha_viz.core.predictions import Prediction
from mha_viz.core.record import AttentionRecord, Token
from mha_viz.errors import TextError
from mha_viz.models.capture import record_attention
from mha_viz.models.labels import labels_of
from mha_viz.models.loading import LoadedModel
from mha_viz.models.notices import spelling_notice
from mha_viz.models.spelling import spelling_of
from mha_viz.models.tokens import encode


def read_text(
    loaded: LoadedModel,
    text: str,
    *,
    text_pair: str | None = None,
    target: str | None = None,
    interventions: Given = (),
) -> AttentionRecord:
    """Run a model on a text and record where every head looks.

    Args:
        loaded: The model and its tokenizer.
        text: What the model reads. Over the model's limit it is cut, and the record's notices say so.
        text_pair: A second text, for models that read two.
        target: What an encoder–decoder is made to say; None for its start token alone.
        interventions: What is done to heads.

    Returns:
        The record, with the tokens as a person reads them.

    Raises:
        TextError: If the text is empty, far too long, or does not fit the model.
        ChoiceError: If an intervention names what does not exist.
        ModelError: If nothing can be done to the model's heads.
        NoAttentionError: If the model has no attention weights that could be shown.
        CaptureError: If its weights fail a check.
    """
    encoded = encode(loaded.tokenizer, text, text_pair=text_pair, limit=loaded.limit)
    inputs, tokens, notices = dict(encoded.inputs), {"input": encoded.tokens}, encoded.notices
    if loaded.model.config.is_encoder_decoder:
        inputs["decoder_input_ids"], tokens["decoder"], cut = _decoder_side(loaded, target)
        notices += cut
    elif target:
        raise TextError(
            f"{loaded.entry.title} reads a text and has nothing to say in answer, so it takes no target; "
            "leave the target out, or choose an encoder–decoder such as t5-small"
        )
    notices += spelling_notice(loaded.entry, encoded.tokens, text)
    _check_known(loaded, inputs)
    mask_id = loaded.tokenizer.mask_token_id
    record = record_attention(
        loaded.model, inputs, tokens=tokens, interventions=interventions, mask_id=mask_id
    )
    return replace(
        record,
        text=text,
        model_name=loaded.entry.name,
        notices=notices + record.notices,
        predictions=tuple(_spelled(loaded, expected) for expected in record.predictions),
    )


def _spelled(loaded: LoadedModel, expected: Prediction) -> Prediction:
    """With what a person reads for each token."""
    spelling = spelling_of(loaded.tokenizer)
    names = loaded.tokenizer.convert_ids_to_tokens(list(expected.ids))
    # A model may know more numbers than its tokenizer has names for.
    pieces = [
        f"[{token_id}]".encode() if name is None else spelling.bytes_of(token_id, str(name), None)
        for token_id, name in zip(expected.ids, names, strict=True)
    ]
    return replace(expected, texts=tuple(labels_of([piece])[0] for piece in pieces))


def _check_known(loaded: LoadedModel, inputs: Mapping[str, Tensor]) -> None:
    """A tokenizer may know names (a typed [PAD]) that the model has no vector for."""
    known = len(loaded.model.get_input_embeddings().get_parameter("weight"))
    largest = max(int(ids.max()) for name, ids in inputs.items() if name.endswith("input_ids"))
    if largest >= known:
        name = loaded.tokenizer.convert_ids_to_tokens(largest)
        raise TextError(
            f"the text holds {name}, which {loaded.entry.title} has no vector for; leave it out"
        )


def _decoder_side(
    loaded: LoadedModel, target: str | None
) -> tuple[Tensor, tuple[Token, ...], tuple[str, ...]]:
    """The decoder's input: its start token, then the target, which it is to say one position later."""
    config = loaded.model.config
    names = ("decoder_start_token_id", "bos_token_id", "pad_token_id")
    start_id = next(
        (known for name in names if (known := getattr(config, name, None)) is not None), 0
    )
    start = Token(str(loaded.tokenizer.convert_ids_to_tokens(start_id)), id=start_id, special=True)
    ids, tokens, notices = torch.tensor([[start_id]]), (start,), ()
    if target:
        encoded = encode(loaded.tokenizer, target, limit=loaded.limit)
        # Shifted by one: the last target token is said, never read.
        ids = torch.cat([ids, encoded.inputs["input_ids"][:, :-1]], dim=1)
        tokens += encoded.tokens[:-1]
        notices = encoded.notices
    return ids, tokens, notices
