"""The learned matrices of a model's own attention, found by their names and accepted only if the numbers agree.

What a layer was given, times the matrices that were found, must be the queries, keys and values that were recorded:
directly, or after rotary positions, whose angles are then read off the numbers.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from torch import nn
from transformers import PreTrainedModel

from mha_viz.core.layer_numbers import LayerNumbers, Projection
from mha_viz.core.layers import ScoredLayer
from mha_viz.core.origins import Turning

QUERY_NAMES = ("query", "q_proj", "q_lin", "q", "to_q", "query_proj", "Wq", "wq")
FUSED_NAMES = ("c_attn", "query_key_value", "qkv_proj", "Wqkv", "in_proj", "qkv")
OUTPUT_NAMES = (
    "o_proj",
    "out_proj",
    "c_proj",
    "dense",
    "o",
    "out_lin",
    "Wo",
    "wo",
    "to_out",
    "output.dense",
)
# Of the largest number: recorded in float32, through some hundred additions.
TOLERANCE = 1e-4

NO_INPUT = "what this layer was given is not the same for queries and keys, or was not seen"
NOT_FOUND = "its projections could not be found by name"
NOT_ENOUGH = "it does more to its queries and keys than a projection and rotary positions"


def layer_numbers(
    model: PreTrainedModel,
    layer: ScoredLayer,
    query_labels: tuple[str, ...],
    key_labels: tuple[str, ...],
) -> tuple[LayerNumbers, str]:
    """What a model's layer starts from, from its projections on where they are known.

    Args:
        model: The model.
        layer: What the layer left behind, with its inputs and outputs.
        query_labels: The tokens that look.
        key_labels: The tokens that are looked at.

    Returns:
        The numbers, and why they start at queries, keys and values; empty if they do not.
    """
    recorded = {what: _array(getattr(layer, what)) for what in ("query", "key", "value")}
    numbers = LayerNumbers(
        query_labels=query_labels,
        key_labels=key_labels,
        n_heads=layer.n_heads,
        n_kv_heads=layer.key.shape[0],
        d_head=layer.query.shape[-1],
        d_value=layer.value.shape[-1],
        scaling=layer.scaling,
        may_attend=layer.may_attend.cpu().numpy(),
        heads=recorded,
        attn_bias=None if layer.attn_bias is None else _array(layer.attn_bias),
        softcap=layer.softcap,
        sinks=None if layer.sinks is None else _array(layer.sinks),
    )
    module = model.get_submodule(layer.module_path)
    if (output := _output_projection(model, layer, module)) is not None:
        numbers = replace(numbers, projections={"output": output})
    if layer.module_input is None or query_labels != key_labels:
        return numbers, NO_INPUT
    x = _array(layer.module_input)
    why = NOT_FOUND
    for found in _candidates(module, numbers):
        if any(part.weight.shape[0] != x.shape[1] for part in found.values()):
            continue
        why = NOT_ENOUGH
        made = {what: _split(found[what](x), numbers.width(what)) for what in found}
        follows, turning = _turning(made, recorded)
        if follows and _agree(made["value"], recorded["value"]):
            everything = {**numbers.projections, **found}
            return replace(numbers, x=x, projections=everything, turning=turning), ""
    return numbers, why


def model_output(
    model: PreTrainedModel, layer: ScoredLayer
) -> Float[np.ndarray, "n_query d_out"] | None:
    """The model's own attention output, after its last projection where that is known; None if it was not seen."""
    if layer.module_output is None:
        return None
    module = model.get_submodule(layer.module_path)
    if _named(module, OUTPUT_NAMES) is None and (outside := _outside(model, layer)) is not None:
        with torch.inference_mode():
            return _array(outside(layer.module_output))
    return _array(layer.module_output)


def _candidates(module: nn.Module, numbers: LayerNumbers) -> Iterator[dict[str, Projection]]:
    """Sets of three projections that the names allow."""
    for name in QUERY_NAMES:
        names = {what: _renamed(name, what) for what in ("query", "key", "value")}
        parts = {what: _child(module, other) for what, other in names.items()}
        if all(part is not None for part in parts.values()):
            yield {what: _projection(part) for what, part in parts.items() if part is not None}
    if (fused := _named(module, FUSED_NAMES)) is None:
        return
    whole = _projection(fused)
    d_head, n_heads, n_kv_heads = numbers.d_head, numbers.n_heads, numbers.n_kv_heads
    widths = (n_heads * d_head, n_kv_heads * d_head, n_kv_heads * numbers.d_value)
    if whole.weight.shape[1] != sum(widths):
        return
    places = np.arange(sum(widths))
    yield _cut(whole, np.split(places, np.cumsum(widths)[:-1]))
    if (
        n_kv_heads == n_heads and numbers.d_value == d_head
    ):  # queries, keys and values of each head in turn
        each = places.reshape(n_heads, 3, d_head)
        yield _cut(whole, [each[:, which].ravel() for which in range(3)])


def _renamed(query_name: str, what: str) -> str:
    if "query" in query_name:
        return query_name.replace("query", what)
    return query_name.replace("q", what[0])


def _cut(whole: Projection, columns: list[np.ndarray]) -> dict[str, Projection]:
    return {
        what: Projection(
            whole.weight[:, chosen], None if whole.bias is None else whole.bias[chosen]
        )
        for what, chosen in zip(("query", "key", "value"), columns, strict=True)
    }


def _output_projection(
    model: PreTrainedModel, layer: ScoredLayer, module: nn.Module
) -> Projection | None:
    """The last projection, if it makes the model's own output from what the heads found."""
    if layer.head_outputs is None or layer.module_output is None:
        return None
    found, output = _array(layer.head_outputs.flatten(1)), _array(layer.module_output)
    inside = _named(module, OUTPUT_NAMES)
    if inside is not None:
        projection = _projection(inside)
        fits = projection.weight.shape == (found.shape[1], output.shape[1])
        return projection if fits and _agree(projection(found), output) else None
    # In models like BERT, the module ends with what the heads found, and the projection stands beside it.
    outside = _outside(model, layer)
    return _projection(outside) if outside is not None and _agree(found, output) else None


def _outside(model: PreTrainedModel, layer: ScoredLayer) -> nn.Module | None:
    parent = model.get_submodule(layer.module_path.rpartition(".")[0])
    found = _child(parent, "output.dense")
    width = layer.n_heads * layer.value.shape[-1]
    return found if found is not None and _projection(found).weight.shape[0] == width else None


def _turning(
    made: dict[str, np.ndarray], recorded: dict[str, np.ndarray]
) -> tuple[bool, Turning | None]:
    """Whether what was recorded follows from what was projected, and by which rotary positions; None for none."""
    if any(made[what].shape != recorded[what].shape for what in ("query", "key")):
        return False, None
    if all(_agree(made[what], recorded[what]) for what in ("query", "key")):
        return True, None
    before = np.concatenate([made["query"], made["key"]])
    after = np.concatenate([recorded["query"], recorded["key"]])
    d_head = before.shape[-1]
    for turned in {d_head, d_head // 2, d_head // 4, _last_changed(before, after)}:
        for partner in _pairings(d_head, turned):
            turning = _fitted(before, after, partner)
            if _agree(turning.turn(before), after):
                return True, turning
    return False, None


def _last_changed(before: np.ndarray, after: np.ndarray) -> int:
    """The width of the part that is turned, where the rest stays as it is."""
    changed = np.flatnonzero(np.abs(after - before).max((0, 1)) > TOLERANCE * np.abs(after).max())
    return int(changed[-1] // 2 * 2 + 2) if changed.size else 0


def _pairings(d_head: int, turned: int) -> Iterator[np.ndarray]:
    """Which columns are turned together: those half the width apart, or neighbours."""
    if turned < 2 or turned % 2 or turned > d_head:
        return
    for half in (np.arange(turned).reshape(2, -1), np.arange(turned).reshape(-1, 2).T):
        partner = np.arange(d_head)
        partner[half[0]], partner[half[1]] = half[1], half[0]
        yield partner


def _fitted(before: np.ndarray, after: np.ndarray, partner: np.ndarray) -> Turning:
    """The angle of each pair at each position that fits all heads best."""
    alone = partner == np.arange(len(partner))
    other = before[..., partner]
    length = (before**2 + other**2).sum(0)
    safe = np.where(length == 0, 1.0, length)
    cos = (before * after + other * after[..., partner]).sum(0) / safe
    sin = (other * after - before * after[..., partner]).sum(0) / safe
    return Turning(np.where(alone, 1.0, cos), np.where(alone, 0.0, sin), partner)


def _agree(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return ours.shape == theirs.shape and bool(
        np.abs(ours - theirs).max() <= TOLERANCE * max(1.0, float(np.abs(theirs).max()))
    )


def _named(module: nn.Module, names: tuple[str, ...]) -> nn.Module | None:
    return next((part for name in names if (part := _child(module, name)) is not None), None)


def _child(module: nn.Module, path: str) -> nn.Module | None:
    """A part that multiplies by a matrix, if the path leads to one."""
    try:
        part = module.get_submodule(path)
    except AttributeError:
        return None
    weight = getattr(part, "weight", None)
    return part if weight is not None and weight.dim() == 2 else None


def _projection(part: nn.Module) -> Projection:
    weight, bias = _array(part.get_parameter("weight")), getattr(part, "bias", None)
    # Linear keeps its matrix the other way round than it is used; GPT-2's own class does not.
    return Projection(
        weight.T if isinstance(part, nn.Linear) else weight, None if bias is None else _array(bias)
    )


def _split(wide: np.ndarray, width: int) -> np.ndarray:
    """(n_heads, n_tokens, width), of all heads side by side."""
    return wide.reshape(len(wide), -1, width).swapaxes(0, 1)


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().double().numpy()
