"""All heads of a model in one array, and which layer and head each map belongs to."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mha_viz.core.record import Stream


@dataclass(frozen=True, eq=False)
class AllHeads:
    """Every map of one text, layer after layer.

    Attributes:
        places: Layer and head of each map, both from 0.
        weights: The maps, in the same order.
    """

    places: tuple[tuple[int, int], ...]
    weights: Float[np.ndarray, "n_maps n_query n_key"]


def all_heads(stream: Stream) -> AllHeads:
    """The maps of all layers that have attention; layers may differ in their number of heads.

    Raises:
        CaptureError: If what was recorded gives no valid weights.
    """
    layers = {layer: stream.weights(layer) for layer in stream.attending_layers}
    places = ((layer, head) for layer, maps in layers.items() for head in range(len(maps)))
    return AllHeads(tuple(places), np.concatenate(list(layers.values())))
