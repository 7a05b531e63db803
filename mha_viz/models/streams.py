"""From what a forward pass left behind to streams: which call is which layer of which kind of attention."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from mha_viz.core.layers import HALF_PRECISION_ROW_TOLERANCE, Layer, ReportedLayer, ScoredLayer
from mha_viz.core.record import Stream, Token
from mha_viz.errors import CaptureError, NoAttentionError
from mha_viz.models.seam import Call

_CROSS = re.compile(r"cross|encoder_attn|encdec|encoder_attention", re.IGNORECASE)
_REPORTED_FIELDS = {
    "encoder_attentions": "encoder",
    "decoder_attentions": "decoder",
    "attentions": "self",
    "cross_attentions": "cross",
}

Tokens = Mapping[str, Sequence[Token]]
"""The tokens of each side: "input", and "decoder" for encoder–decoders. A side that is missing is numbered."""


def streams_of_calls(
    model: PreTrainedModel, calls: Sequence[Call], tokens: Tokens
) -> dict[str, Stream]:
    """Streams from recorded calls.

    Raises:
        NoAttentionError: If a module computes several maps that the model then combines.
        CaptureError: If the number of calls does not fit the number of layers.
    """
    paths = {module: path for path, module in model.named_modules()}
    keyed = [(_stack_of(paths[call.module]), call) for call in calls]
    by_stack: dict[tuple[str, bool], list[Call]] = {}
    for stack, call in keyed:
        by_stack.setdefault(stack, []).append(call)
    names = _names(model, list(by_stack))
    return {
        names[stack]: _stream(model, names[stack], stack[0], group, paths, tokens)
        for stack, group in sorted(by_stack.items(), key=lambda item: list(names).index(item[0]))
    }


def streams_of_outputs(
    model: PreTrainedModel, outputs: object, tokens: Tokens, *, as_reference: bool = False
) -> dict[str, Stream]:
    """Streams from the weights that a model reports under `output_attentions=True`.

    Args:
        model: The model that gave them.
        outputs: What its forward returned.
        tokens: What the positions are called.
        as_reference: Whether they are only compared with weights that are checked themselves. Then rows may sum to
            less than 1 (a learned sink takes the rest) and layers may be fewer than the model's (hybrids).

    Raises:
        NoAttentionError: If the model reports none, or something that is not a map of tokens by tokens.
    """
    streams = {}
    for field, name in _REPORTED_FIELDS.items():
        if (reported := getattr(outputs, field, None)) is not None and len(reported):
            maps = [_checked_map(model, name, layer, given) for layer, given in enumerate(reported)]
            if not as_reference:
                for layer, given in enumerate(maps):
                    _check_rows(model, layer, given)
            streams[name] = _named_stream(model, name, tuple(map(ReportedLayer, maps)), tokens)
    if not streams:
        raise NoAttentionError(
            f"{_kind(model)} gave no attention weights for any layer, so there is nothing to show; choose a model that attends"
        )
    if not as_reference:
        _check_layer_count(model, streams)
    return streams


def _stack_of(path: str) -> tuple[str, bool]:
    """The list of layers a module is in, and whether it attends across to another text."""
    parts = path.split(".")
    first_number = next((index for index, part in enumerate(parts) if part.isdigit()), len(parts))
    return ".".join(parts[:first_number]), bool(_CROSS.search(".".join(parts[first_number:])))


def _names(model: PreTrainedModel, stacks: list[tuple[str, bool]]) -> dict[tuple[str, bool], str]:
    """What each stack is called; one alone is "self"."""
    if len(stacks) == 1:
        return {stacks[0]: "self"}
    if getattr(model.config, "is_encoder_decoder", False):
        order = {"encoder": 0, "decoder": 1, "cross": 2}
        named = {stack: "cross" if stack[1] else _side(stack[0]) for stack in stacks}
        return dict(sorted(named.items(), key=lambda item: order[item[1]]))
    prefixes = {prefix for prefix, _ in stacks}
    if len(prefixes) == 1:
        return {stack: "cross" if stack[1] else "self" for stack in stacks}
    return {
        (prefix, cross): _distinct_part(prefix, prefixes) + (" cross" if cross else "")
        for prefix, cross in stacks
    }


def _side(prefix: str) -> str:
    """Encoder or decoder, by whichever word comes first in a path such as decoder.bert.encoder.layer."""
    return next((part for part in prefix.split(".") if part in {"encoder", "decoder"}), "decoder")


def _distinct_part(prefix: str, prefixes: set[str]) -> str:
    """The first part of a path that tells its stack from the others (text_model, vision_model, …)."""
    for part, *_ in (prefix.split(".")[depth:] for depth in range(prefix.count(".") + 1)):
        if not all(part in other.split(".") for other in prefixes):
            return part
    return prefix


def _stream(
    model: PreTrainedModel,
    name: str,
    prefix: str,
    calls: list[Call],
    paths: Mapping[nn.Module, str],
    tokens: Tokens,
) -> Stream:
    parts = [_scored(call, paths[call.module]) for call in calls]
    numbers = [int(paths[call.module].removeprefix(f"{prefix}.").split(".")[0]) for call in calls]
    calls_per_module = Counter(id(call.module) for call in calls)
    if len(set(numbers)) == len(calls):
        layers: list[Layer | None] = [None] * len(list(model.get_submodule(prefix).children()))
        for number, part in zip(numbers, parts, strict=True):
            layers[number] = part
    elif len(calls) == _n_layers(model) or max(calls_per_module.values()) == 1:
        layers = list(parts)
    else:
        counts = ", ".join(
            f"{len(list(group))} in layer {number}" for number, group in groupby(numbers)
        )
        raise NoAttentionError(
            f"{_kind(model)} computes several attention maps a layer and combines them ({counts}); no single one is what it uses"
        )
    return _named_stream(model, name, tuple(layers), tokens)


def _scored(call: Call, path: str) -> ScoredLayer:
    return ScoredLayer(
        query=call.query,
        key=call.key,
        value=call.value,
        scaling=call.scaling,
        may_attend=call.may_attend,
        attn_bias=call.attn_bias,
        softcap=call.softcap,
        sinks=call.sinks,
        head_outputs=call.head_outputs,
        module_path=path,
        module_input=call.module_input,
        module_output=call.module_output,
        interventions=call.interventions,
    )


def _named_stream(
    model: PreTrainedModel, name: str, layers: tuple[Layer | None, ...], tokens: Tokens
) -> Stream:
    sizes = {_sizes(layer) for layer in layers if layer is not None}
    if len(sizes) > 1:
        listed = ", ".join(f"{n_query} × {n_key}" for n_query, n_key in sorted(sizes))
        raise NoAttentionError(
            f"{_kind(model)} has maps of different sizes in its layers ({listed}): its positions are not the same things in all layers"
        )
    n_query, n_key = next(iter(sizes))
    decodes = getattr(model.config, "is_encoder_decoder", False)
    query_side = "decoder" if decodes and name in {"decoder", "cross"} else "input"
    key_side = "decoder" if decodes and name == "decoder" else "input"
    if name == "cross" and not decodes:
        key_side = "source"
    key_tokens = _tokens(tokens.get(key_side), n_key)
    same_side = (
        query_side == key_side and n_query <= n_key
    )  # fewer queries than keys: the last ones, after a cache
    query_tokens = (
        key_tokens[n_key - n_query :] if same_side else _tokens(tokens.get(query_side), n_query)
    )
    return Stream(name, layers, query_tokens, key_tokens, causal=_is_causal(layers))


def _tokens(known: Sequence[Token] | None, count: int) -> tuple[Token, ...]:
    """The known tokens if they fit; else positions by number: image patches, audio frames, cached keys."""
    if known is not None and len(known) == count:
        return tuple(known)
    return tuple(Token(str(position)) for position in range(count))


def _sizes(layer: Layer) -> tuple[int, int]:
    if isinstance(layer, ReportedLayer):
        return layer.reported.shape[-2], layer.reported.shape[-1]
    return layer.query.shape[-2], layer.key.shape[-2]


def _is_causal(layers: Sequence[Layer | None]) -> bool:
    """Whether no layer lets a token look at a later one."""
    present = [layer for layer in layers if layer is not None]
    if any(n_query != n_key or n_query < 2 for n_query, n_key in map(_sizes, present)):
        return False
    visible = [
        layer.reported != 0 if isinstance(layer, ReportedLayer) else layer.may_attend
        for layer in present
    ]
    return not any(torch.triu(seen, diagonal=1).any() for seen in visible)


def _checked_map(model: PreTrainedModel, name: str, layer: int, given: object) -> Tensor:
    """One layer's reported maps, (n_heads, n_query, n_key), if that is what was given.

    Raises:
        NoAttentionError: If it is anything else.
    """
    if not isinstance(given, Tensor):
        raise NoAttentionError(
            f"{_kind(model)} does not hand over weights for layer {layer} of its {name} attention: expected an array, got {type(given).__name__}"
        )
    if given.dim() != 4:
        raise NoAttentionError(
            f"{_kind(model)} gave an array of {tuple(given.shape)} for layer {layer}: expected (batch, heads, queries, keys); it is not an attention map"
        )
    if given.shape[0] != 1:
        raise NoAttentionError(
            f"{_kind(model)} gave {given.shape[0]} maps a head instead of one: it attends within windows or frames, or several texts were given at once; give one, see one_row"
        )
    return given[0]


def _check_rows(model: PreTrainedModel, layer: int, given: Tensor) -> None:
    sums = given.float().sum(-1)
    if (given < 0).any() or ((sums - 1).abs() > HALF_PRECISION_ROW_TOLERANCE).logical_and(
        sums != 0
    ).any():
        raise NoAttentionError(
            f"{_kind(model)} gave rows that sum to {sums.min():.2f} … {sums.max():.2f} in layer {layer}: they are not attention weights"
        )


def _check_layer_count(model: PreTrainedModel, streams: Mapping[str, Stream]) -> None:
    expected = _n_layers(model)
    if "self" in streams and expected is not None and streams["self"].n_layers != expected:
        raise CaptureError(
            f"{_kind(model)} has {expected} layers and gave {streams['self'].n_layers} attention maps; which layer is whose is not known"
        )


def _n_layers(model: PreTrainedModel) -> int | None:
    return getattr(model.config, "num_hidden_layers", None)


def _kind(model: PreTrainedModel) -> str:
    """The architecture by the name people know it by."""
    return f"{model.config.model_type} ({type(model).__name__})"
