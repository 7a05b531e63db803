"""What a head does on a text, in a word and the number that the word rests on: "previous token 1.00".

A role is the share that is largest against its threshold. A head that passes none is mixed, and says which share came
nearest. Roles speak of the text that they were measured on, no further.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mha_viz.core.evenness import evenness
from mha_viz.core.measures import first_token_share, next_share, previous_share, self_share
from mha_viz.core.record import Token
from mha_viz.core.token_shares import (
    PerMap,
    Weights,
    duplicate_share,
    is_punctuation,
    named_keys,
    share_on_keys,
    word_ids,
)
from mha_viz.errors import ShapeError

MIXED, SINK = "mixed", " sink"
PREVIOUS, NEXT, ITSELF = "previous token", "next token", "itself"
FIRST, PUNCTUATION = "first-token" + SINK, "punctuation"
DUPLICATE, INDUCTION, EVEN = "same token elsewhere", "induction", "even"

# Positions above 0.5, special tokens and punctuation above 0.6: Clark et al. 2019, the figures of "What Does BERT Look
# At?". Even: its broad heads, 3.8 nats of the 4.85 that there are for 128 tokens. Tokens that come again have no
# threshold in a paper; they are taken as positions are, since both name one token among many.
THRESHOLDS = {
    PREVIOUS: 0.5,
    NEXT: 0.5,
    ITSELF: 0.5,
    PUNCTUATION: 0.6,
    DUPLICATE: 0.5,
    INDUCTION: 0.5,
    EVEN: 3.8 / 4.85,
}
SINK_THRESHOLD = 0.6


@dataclass(frozen=True)
class Role:
    """What a head does, and by what number.

    Attributes:
        name: What it looks at; "mixed" if no share passes its threshold.
        nearest: The name of the share that is largest against its threshold; `name` itself, unless that is "mixed".
        share: How much that is, from 0 to 1.
    """

    name: str
    nearest: str
    share: float

    def __str__(self) -> str:
        if self.name == MIXED:
            return f"{MIXED} ({self.nearest} {self.share:.2f})"
        return f"{self.name} {self.share:.2f}"


def evidence(
    weights: Weights,
    query_tokens: Sequence[Token],
    key_tokens: Sequence[Token],
    *,
    causal: bool = False,
) -> dict[str, PerMap]:
    """The shares that roles rest on, by their names; NaN where a share has no meaning in this text.

    Args:
        weights: Weights after the softmax.
        query_tokens: The tokens that look.
        key_tokens: The tokens that are looked at; where they are others (cross-attention), positions have no shares.
        causal: Whether a token may look only at itself and at tokens before it.

    Raises:
        ShapeError: If there is not one token for each query and key.

    Source:
        The functions that are called; which of them make a role: Clark et al. 2019, section 3.
    """
    if weights.shape[-2:] != (len(query_tokens), len(key_tokens)):
        raise ShapeError(
            f"expected a token for each query and key of maps of {weights.shape[-2:]}, got {len(query_tokens)} and "
            f"{len(key_tokens)}; give the tokens of the same text"
        )
    may_attend = np.tri(len(query_tokens), len(key_tokens), dtype=bool) if causal else None
    named = named_keys(key_tokens)
    shares = {name + SINK: share_on_keys(weights, keys) for name, keys in named.items()}
    # Where the first token is a special one, it has its name already.
    if not any(keys[0] for keys in named.values()):
        shares[FIRST] = first_token_share(weights)
    shares[PUNCTUATION] = share_on_keys(weights, is_punctuation(key_tokens))
    shares[EVEN] = evenness(weights, may_attend)
    if tuple(query_tokens) == tuple(key_tokens):
        shares[PREVIOUS] = previous_share(weights)
        shares[NEXT] = next_share(weights)
        shares[ITSELF] = self_share(weights)
        shares[DUPLICATE] = duplicate_share(weights, word_ids(key_tokens), earlier_only=causal)
    return shares


def roles(shares: Mapping[str, Float[np.ndarray, " n_maps"]]) -> list[Role | None]:
    """The role of each head; None for a head without any number, which sees nothing.

    Args:
        shares: By the names of `evidence`: of one text, or means over many. With "induction", measured on blocks that
            come twice, that may be a role too.

    Source:
        See THRESHOLDS.
    """
    names = list(shares)
    thresholds = np.array([THRESHOLDS.get(name, SINK_THRESHOLD) for name in names])
    columns = np.stack([shares[name] for name in names], axis=-1)
    return [_role(names, head, thresholds) for head in columns]


def _role(
    names: Sequence[str],
    shares: Float[np.ndarray, " n_shares"],
    thresholds: Float[np.ndarray, " n_shares"],
) -> Role | None:
    if np.isnan(shares).all():
        return None
    passed = shares / thresholds
    best = int(np.nanargmax(passed))
    name = names[best] if passed[best] > 1 else MIXED
    return Role(name, names[best], float(shares[best]))
