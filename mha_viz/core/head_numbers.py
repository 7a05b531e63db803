"""Every number of every head on one text, in columns: the measures, and the shares that roles rest on."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mha_viz.core.measures import ANY_MAP, POSITIONAL
from mha_viz.core.record import Stream
from mha_viz.core.roles import evidence
from mha_viz.core.token_shares import (
    duplicate_share,
    is_punctuation,
    is_special,
    share_on_keys,
    word_ids,
)

Columns = dict[str, Float[np.ndarray, " n_maps"]]


@dataclass(frozen=True, eq=False)
class HeadNumbers:
    """The numbers of all heads, layer after layer.

    Attributes:
        places: Layer and head of each, both from 0.
        measures: By the names of `measures.HeadMeasures`, and the shares of special tokens, of punctuation and of the
            same token elsewhere; NaN where one has no meaning in this text.
        evidence: The shares that roles rest on, see `roles.evidence`.
    """

    places: tuple[tuple[int, int], ...]
    measures: Columns
    evidence: Columns


def head_numbers(stream: Stream) -> HeadNumbers:
    """Measure every head, one layer in memory at a time.

    Raises:
        CaptureError: If what was recorded gives no valid weights.

    Source:
        The functions that the columns are named after.
    """
    places, measured, shares = [], [], []
    for layer in stream.attending_layers:
        weights = stream.weights(layer)
        places += [(layer, head) for head in range(len(weights))]
        measured.append(_measures(weights, stream))
        shares.append(
            evidence(weights, stream.query_tokens, stream.key_tokens, causal=stream.causal)
        )
    return HeadNumbers(tuple(places), _joined(measured), _joined(shares))


def _measures(
    weights: Float[np.ndarray, "n_heads n_query n_key"], stream: Stream
) -> dict[str, Float[np.ndarray, " n_heads"]]:
    keys, nothing = stream.key_tokens, np.full(len(weights), np.nan)
    within = stream.same_tokens
    columns = {name: measure(weights) for name, measure in ANY_MAP.items()}
    columns |= {
        name: measure(weights) if within else nothing for name, measure in POSITIONAL.items()
    }
    return columns | {
        "special_share": share_on_keys(weights, is_special(keys)),
        "punctuation_share": share_on_keys(weights, is_punctuation(keys)),
        "duplicate_share": (
            duplicate_share(weights, word_ids(keys), earlier_only=stream.causal)
            if within
            else nothing
        ),
    }


def _joined(layers: list[dict[str, np.ndarray]]) -> Columns:
    return {name: np.concatenate([one[name] for one in layers]) for name in layers[0]}
