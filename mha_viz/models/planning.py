"""Which call of the attention function is to do what: interventions speak of layers, a forward pass makes calls."""

from collections.abc import Mapping, Sequence

from mha_viz.core.interventions import Intervention
from mha_viz.core.layers import ScoredLayer
from mha_viz.core.record import Stream
from mha_viz.errors import ChoiceError
from mha_viz.models.seam import Call

Plan = Mapping[int, tuple[Intervention, ...]]
"""What is done in which call, counted from 0."""


def plan(
    interventions: Sequence[Intervention], streams: Mapping[str, Stream], calls: Sequence[Call]
) -> Plan:
    """Find the calls that interventions are about, in a run of the same model on the same inputs.

    Args:
        interventions: What is to be done.
        streams: The streams of that run.
        calls: Its calls, in order.

    Raises:
        ChoiceError: If a stream, layer, head or position does not exist.
    """
    # Streams hold the very tensors of the calls that they are made of.
    number_of = {id(call.query): number for number, call in enumerate(calls)}
    planned: dict[int, tuple[Intervention, ...]] = {}
    for one in interventions:
        stream = _stream(one, streams)
        layers = stream.attending_layers if one.layer is None else (one.layer,)
        for layer in map(stream.layer, layers):
            if not isinstance(layer, ScoredLayer):
                continue
            one.check(layer.n_heads, len(stream.query_tokens), len(stream.key_tokens))
            number = number_of[id(layer.query)]
            planned[number] = (*planned.get(number, ()), one)
    return planned


def _stream(one: Intervention, streams: Mapping[str, Stream]) -> Stream:
    names = ", ".join(streams)
    if one.stream is None and len(streams) > 1:
        raise ChoiceError(
            f"this model has several kinds of attention; say which by stream=…, one of {names}"
        )
    name = next(iter(streams)) if one.stream is None else one.stream
    if name not in streams:
        raise ChoiceError(f"stream {name!r} does not exist; this model has {names}")
    return streams[name]
