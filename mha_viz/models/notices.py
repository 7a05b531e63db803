"""Sentences that must be shown with a record, since the picture alone would mislead."""

from collections.abc import Mapping, Sequence
from typing import Any

from transformers import PreTrainedModel

from mha_viz.core.record import Stream, Token
from mha_viz.models.catalog import ModelEntry

REPORTED_NOTICE = "these weights are as the model reports them; they cannot be followed back to its queries and keys"


def spelling_notice(entry: ModelEntry, tokens: Sequence[Token], text: str) -> tuple[str, ...]:
    """What our own small model makes of words that it does not know, with the first of them."""
    if entry.step is None:
        return ()
    spans: dict[int, list[tuple[int, int]]] = {}
    for token in tokens:
        if token.piece_of_word is not None and token.span is not None:
            spans.setdefault(token.piece_of_word, []).append(token.span)
    spelled = [text[of[0][0] : of[-1][1]] for of in spans.values() if len(of) > 1]
    if not spelled:
        return ()
    others = len(set(spelled)) - 1
    more = f" and {others} more {'word' if others == 1 else 'words'}" if others else ""
    verb = "are" if others else "is"
    return (
        f"“{spelled[0]}”{more} {verb} not among the words that this small model knows: it spells them",
    )


def padding_notice(model: PreTrainedModel, inputs: Mapping[str, Any]) -> tuple[str, ...]:
    """A warning where padding takes part since nobody said that it is padding."""
    pad, ids = getattr(model.config, "pad_token_id", None), inputs.get("input_ids")
    if pad is None or ids is None or "attention_mask" in inputs or not (ids == pad).any():
        return ()
    return (
        "no attention_mask was given and the inputs hold padding: padding takes part in these weights",
    )


def missing_notice(model: PreTrainedModel, streams: Mapping[str, Stream]) -> tuple[str, ...]:
    """A warning where one of an encoder–decoder's three kinds of attention cannot be shown."""
    if not getattr(model.config, "is_encoder_decoder", False):
        return ()
    missing = [name for name in ("encoder", "decoder", "cross") if name not in streams]
    return tuple(
        f"the {name} attention of this model cannot be shown: it is no map of tokens by tokens"
        for name in missing
    )
