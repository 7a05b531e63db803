"""Whether weights are the ones a model uses: against its layers' outputs, and against what it reports itself."""

from collections.abc import Mapping

import torch
from transformers.utils import ModelOutput

from mha_viz.core.attention import repeat_kv_heads
from mha_viz.core.layers import ScoredLayer
from mha_viz.core.record import Stream
from mha_viz.errors import CaptureError

TOLERANCE = 1e-4
HALF_PRECISION_TOLERANCE = 5e-2
OUTPUT_TOLERANCE = 5e-2  # tells another attention from another order of summing, in any precision


def check_against_outputs(stream: Stream) -> float:
    """How far weights times values are from what each layer computed, relative to the largest output.

    Raises:
        CaptureError: If they differ, or if a row is no distribution.
    """
    worst = 0.0
    for index in stream.attending_layers:
        layer = stream.layer(index)
        if not isinstance(layer, ScoredLayer) or layer.head_outputs is None:
            continue
        weights = torch.from_numpy(stream.weights(index).copy())
        value = repeat_kv_heads(layer.value.float().cpu(), layer.n_heads)
        outputs = layer.head_outputs.float().cpu().transpose(0, 1)
        apart = (weights @ value - outputs).abs().max() / outputs.abs().max().clamp(min=1.0)
        if apart > tolerance(stream):
            raise CaptureError(
                f"layer {index}: weights times values differ from the layer's output by {apart:.1e}; they are not shown"
            )
        worst = max(worst, apart.item())
    return worst


def weight_difference(ours: Mapping[str, Stream], reference: Mapping[str, Stream]) -> float:
    """How far the weights are from the reference; infinite if the streams do not match.

    It is the largest difference of any weight. In half precision, where the reference is rounded so much that one sharp
    weight may be far off, it is the mean share of a row that went to other keys, of the layer where that is largest.
    """
    if set(ours) != set(reference):
        return float("inf")
    worst = 0.0
    for name, stream in ours.items():
        own_layers, their_layers = stream.attending_layers, reference[name].attending_layers
        if len(own_layers) != len(their_layers):
            return float("inf")
        for own, their in zip(own_layers, their_layers, strict=True):
            weights = stream.layer(own).compute()
            reported = reference[name].layer(their).compute()
            if weights.shape != reported.shape:
                return float("inf")
            apart = (weights - reported).abs()
            distance = apart.max() if _is_single(stream) else apart.sum(-1).mean() / 2
            worst = max(worst, distance.item())
    return worst


def same_output(usual: ModelOutput, reporting: ModelOutput) -> bool:
    """Whether a model computed the same in two runs, but for the order of its sums."""
    first, second = _first_tensor(usual), _first_tensor(reporting)
    return bool((first - second).abs().max() <= OUTPUT_TOLERANCE * first.abs().max())


def tolerance(stream: Stream) -> float:
    """How far numbers of a stream may be apart and still be the same."""
    return TOLERANCE if _is_single(stream) else HALF_PRECISION_TOLERANCE


def _is_single(stream: Stream) -> bool:
    """Whether a stream through the seam was computed in float32 or better."""
    layers = (layer for layer in stream.layers if isinstance(layer, ScoredLayer))
    return all(layer.query.dtype in {torch.float32, torch.float64} for layer in layers)


def _first_tensor(outputs: ModelOutput) -> torch.Tensor:
    return next(value for value in outputs.values() if isinstance(value, torch.Tensor)).float()
