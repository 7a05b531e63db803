"""What interventions do to the numbers of one layer, at three places: before the softmax, at it, and after it.

Everything that computes attention, our own module, a model's forward pass, a record, calls the same three. The axis
before queries and keys is heads. Which layer an intervention names is not asked: give those of the layer.
"""

import math
from collections.abc import Iterable, Sequence

import torch
from jaxtyping import Bool, Float

from mha_viz.core.interventions import CutLink, HeadOff, Intervention, MaskHead, Temperature

Scores = Float[torch.Tensor, "*lead n_query n_key"]


def allowed(
    interventions: Sequence[Intervention],
    may_attend: Bool[torch.Tensor, "*lead #n_heads n_query n_key"],
    n_heads: int,
) -> Bool[torch.Tensor, "*lead #n_heads n_query n_key"]:
    """A model's own mask, less what masks and cut links forbid."""
    if not any(isinstance(one, MaskHead | CutLink) for one in interventions):
        return may_attend
    left = may_attend.expand(*may_attend.shape[:-3], n_heads, *may_attend.shape[-2:]).clone()
    for one in interventions:
        heads = _index(one)
        if isinstance(one, MaskHead):
            rows = torch.tensor(one.rows or _row(one.keys, left.shape[-1]), device=left.device)
            left[..., heads, :, :] &= rows
        elif isinstance(one, CutLink):
            left[..., heads, one.query, one.key] = False
    return left


def forbid(interventions: Sequence[Intervention], masked_scores: Scores) -> Scores:
    """Before the softmax: the score of what must not be seen any more becomes -inf."""
    if not interventions:
        return masked_scores
    n_heads, n_query, n_key = masked_scores.shape[-3:]
    everything = torch.ones(1, n_query, n_key, dtype=torch.bool, device=masked_scores.device)
    return masked_scores.masked_fill(~allowed(interventions, everything, n_heads), -math.inf)


def temper(interventions: Sequence[Intervention], logits: Scores) -> Scores:
    """At the softmax: all that enters it is divided by the temperature of its head.

    Source:
        Hinton et al. 2015, "Distilling the Knowledge in a Neural Network", section 2, equation 1.
    """
    tempered = [one for one in interventions if isinstance(one, Temperature)]
    if not tempered:
        return logits
    values = torch.ones(logits.shape[-3], 1, 1, dtype=torch.float64)
    for one in tempered:
        values[_index(one)] *= one.value
    # Less the largest of its row, which the softmax does not see, no score leaves the range of its numbers.
    precise = logits.to(torch.promote_types(logits.dtype, torch.float32))
    range_of = torch.finfo(precise.dtype)
    largest = precise.amax(-1, keepdim=True).clamp(min=range_of.min)
    return (precise - largest) / values.clamp(range_of.tiny, range_of.max).to(precise)


def even_out(
    interventions: Sequence[Intervention], weights: Scores, masked_scores: Scores
) -> Scores:
    """After the softmax: of a head that is off by even weights, 1 / the number of keys that the query may look at.

    Source:
        Kovaleva et al. 2019, "Revealing the Dark Secrets of BERT", where a head is disabled by equal weights.
    """
    if not any(isinstance(one, HeadOff) for one in interventions):
        return weights
    heads = heads_off(interventions, "uniform", weights.shape[-3])
    may_attend = ~torch.isneginf(masked_scores[..., heads, :, :])
    evened = weights.clone()
    evened[..., heads, :, :] = may_attend / may_attend.sum(-1, keepdim=True).clamp(min=1).to(
        weights
    )
    return evened


def silence(
    interventions: Sequence[Intervention],
    head_outputs: Float[torch.Tensor, "*lead n_query d_head"],
) -> Float[torch.Tensor, "*lead n_query d_head"]:
    """After the values are gathered: the output of a head that is off becomes zeros.

    Source:
        Michel et al. 2019, "Are Sixteen Heads Really Better than One?": each head times its mask variable, here 0.
    """
    if not any(isinstance(one, HeadOff) for one in interventions):
        return head_outputs
    heads = heads_off(interventions, "zero", head_outputs.shape[-3])
    silenced = head_outputs.clone()
    silenced[..., heads, :, :] = 0
    return silenced


def heads_off(interventions: Iterable[Intervention], how: str, n_heads: int) -> list[int]:
    """The heads of the layer that are off in that way."""
    off = [one.head for one in interventions if isinstance(one, HeadOff) and one.how == how]
    return [head for head in range(n_heads) if head in off or None in off]


def _index(one: Intervention) -> int | slice:
    """A head, or all of them."""
    return slice(None) if one.head is None else one.head


def _row(keys: Sequence[int], n_key: int) -> list[list[bool]]:
    seen = set(keys)
    return [[key in seen for key in range(n_key)]]
