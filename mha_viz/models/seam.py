"""The seam: one attention function and one mask function, registered for every transformers model.

A model under `ATTENTION_NAME` computes what it always computes. While a `Recorder` is active in the current context,
each call also leaves its queries, keys, values, mask and the other terms of the softmax with it, and does to its heads
what the recorder asks for. The registry is process-wide, a recorder is not: it lives in a ContextVar, so that threads
that share a model stay apart.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import sdpa_mask

from mha_viz.core.attention import (
    attend_values,
    attention_scores,
    attention_weights,
    mask_scores,
    repeat_kv_heads,
    soft_cap,
)
from mha_viz.core.interventions import Intervention

# Neutral on purpose: names with "sdpa" or "flash" in them are tested for by the library.
ATTENTION_NAME = "mhaviz"


@dataclass
class Call:
    """One call of the attention function, one text of the batch; fields as in `core.record.ScoredLayer`."""

    module: nn.Module
    batch: int
    query: Float[Tensor, "n_heads n_query d_head"]
    key: Float[Tensor, "n_kv_heads n_key d_head"]
    value: Float[Tensor, "n_kv_heads n_key d_value"]
    scaling: float
    may_attend: Bool[Tensor, "#n_heads n_query n_key"]
    attn_bias: Float[Tensor, "#n_heads n_query n_key"] | None
    softcap: float | None
    sinks: Float[Tensor, " n_heads"] | None
    head_outputs: Float[Tensor, "n_query n_heads d_value"]
    interventions: tuple[Intervention, ...]
    module_input: Tensor | None = None
    module_output: Tensor | None = None


@dataclass
class Recorder:
    """What one forward pass leaves behind, in the order of the calls, and what is done in each, by its number."""

    row: int = 0
    interventions: Mapping[int, tuple[Intervention, ...]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)

    @property
    def now(self) -> tuple[Intervention, ...]:
        """What is done in the call that is under way."""
        return self.interventions.get(len(self.calls), ())


_recorder: ContextVar[Recorder | None] = ContextVar("mha_viz_recorder", default=None)
_watched: WeakSet[nn.Module] = WeakSet()


@contextmanager
def recording(
    row: int = 0, interventions: Mapping[int, tuple[Intervention, ...]] | None = None
) -> Generator[Recorder, None, None]:
    """Record every attention call of this context (thread or task), and of no other.

    Args:
        row: Which text of the batch is recorded.
        interventions: What is done in which call, counted from 0; None for nothing.
    """
    recorder = Recorder(row, interventions or {})
    token = _recorder.set(recorder)
    try:
        yield recorder
    finally:
        _recorder.reset(token)


def recording_attention(
    module: nn.Module,
    query: Float[Tensor, "batch n_heads n_query d_head"],
    key: Float[Tensor, "batch n_kv_heads n_key d_head"],
    value: Float[Tensor, "batch n_kv_heads n_key d_value"],
    attention_mask: Tensor | None,
    scaling: float | None = None,
    position_bias: Tensor | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    **_: object,
) -> tuple[Float[Tensor, "batch n_query n_heads d_value"], None]:
    """The attention of the model, exactly but for what the recorder asks for, and its terms for the recorder.

    `None` is returned in place of weights: they are computed from the record, for the layers that are looked at.
    """
    scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
    may_attend, attn_bias = _split_mask(attention_mask, query, key)
    if position_bias is not None:
        attn_bias = position_bias if attn_bias is None else attn_bias + position_bias
    recorder = _recorder.get()
    changes = () if recorder is None else recorder.now
    n_heads = query.shape[1]
    full_key, full_value = repeat_kv_heads(key, n_heads), repeat_kv_heads(value, n_heads)
    if attn_bias is None and softcap is None and s_aux is None and not changes:
        # A mask that allows everything costs time in every layer and changes nothing.
        mask = None if may_attend.all() else may_attend
        output = F.scaled_dot_product_attention(
            query, full_key, full_value, attn_mask=mask, scale=scaling
        )
    else:
        scores = soft_cap(attention_scores(query, full_key, scaling=scaling), softcap)
        masked_scores = mask_scores(scores, may_attend, attn_bias, interventions=changes)
        weights = attention_weights(masked_scores, sinks=s_aux, interventions=changes)
        output = attend_values(weights.to(value.dtype), full_value, interventions=changes)
    output = output.transpose(1, 2).contiguous()  # batch, n_query, n_heads, d_value

    if recorder is not None:
        _watch(module)
        row = recorder.row
        recorder.calls.append(
            Call(
                module=module,
                batch=query.shape[0],
                query=query[row],
                key=key[row],
                value=value[row],
                scaling=float(scaling),
                may_attend=_of_row(may_attend, row, query.shape[2]),
                attn_bias=None
                if attn_bias is None
                else _of_row(attn_bias, row, query.shape[2]).float(),
                softcap=softcap,
                sinks=None if s_aux is None else s_aux.detach().float().flatten(),
                head_outputs=output[row],
                interventions=changes,
            )
        )
    return output, None


def whole_mask(**given: object) -> Tensor | None:
    """The library's boolean mask, True = may attend, that is never left out.

    Left out, None would mean "causal", "everything" or "no padding" depending on the caller.
    """
    always = {"allow_is_causal_skip": False, "allow_is_bidirectional_skip": False}
    arguments: dict[str, Any] = {**given, **always}
    return sdpa_mask(**arguments)


def _split_mask(mask: Tensor | None, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor | None]:
    """Any mask as `may_attend` and what it adds to the scores beyond that."""
    if mask is None:
        return torch.ones(
            1, 1, query.shape[2], key.shape[2], dtype=torch.bool, device=query.device
        ), None
    mask = mask[..., : key.shape[2]]
    if mask.dtype == torch.bool:
        return mask, None
    may_attend = mask > torch.finfo(mask.dtype).min / 2
    attn_bias = torch.where(may_attend, mask, 0)
    return may_attend, (attn_bias if attn_bias.any() else None)


def _of_row(mask: Tensor, row: int, n_query: int) -> Tensor:
    """One text's part of a mask, whose batch axis and whose query axis may be 1."""
    return mask[row if mask.shape[0] > 1 else 0].expand(-1, n_query, -1)


def _watch(module: nn.Module) -> None:
    """See what `module` is given and gives back, from its next call on."""
    if module not in _watched:
        _watched.add(module)
        module.register_forward_hook(_note_input_and_output, with_kwargs=True)


def _note_input_and_output(module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
    recorder = _recorder.get()
    if recorder is None or not recorder.calls or recorder.calls[-1].module is not module:
        return
    given = args[0] if args else kwargs.get("hidden_states")
    result = output[0] if isinstance(output, tuple) else output
    recorder.calls[-1].module_input = _hidden_states(given, recorder.row)
    recorder.calls[-1].module_output = _hidden_states(result, recorder.row)


def _hidden_states(tensor: object, row: int) -> Tensor | None:
    """One text's vectors, (n_tokens, width), if that is what `tensor` holds."""
    return tensor[row] if isinstance(tensor, Tensor) and tensor.dim() == 3 else None


AttentionInterface.register(ATTENTION_NAME, recording_attention)
AttentionMaskInterface.register(ATTENTION_NAME, whole_mask)
