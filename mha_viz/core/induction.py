"""Induction: whether a head looks at what came after the same token before, asked on random blocks that come twice.

On ABABAB a head that looks at the token before scores 1 as well, on AAAA one that looks at itself. Hence blocks of
random tokens with none twice, of random lengths, and three numbers beside the score: the share of the previous token, of
the token itself, and the null, which the same maps reach when tokens are named at random.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from jaxtyping import Float

from mha_viz.core.measures import previous_share, self_share
from mha_viz.core.running import RunningMean
from mha_viz.core.token_shares import PerMap, Weights, after_same, duplicate_share, pattern_share
from mha_viz.errors import ChoiceError

SHORTEST, LONGEST = 5, 25
NULL_DRAWS = 20


def repeated_blocks(
    pool: Sequence[int], n_blocks: int, *, longest: int = LONGEST, seed: int = 0
) -> list[list[int]]:
    """Texts of random tokens, each a block twice, with no token twice in a block.

    Args:
        pool: The tokens to choose from, without special ones; best without the commonest and the rarest.
        n_blocks: How many texts.
        longest: Tokens in the longest block; each has so many or fewer, down to SHORTEST, by chance.
        seed: The same seed gives the same texts.

    Raises:
        ChoiceError: If the pool holds too few different tokens, or the longest block is too short.

    Source:
        Olsson et al. 2022, "In-context Learning and Induction Heads": 25 random tokens, four times.
    """
    distinct = sorted(set(pool))
    if not SHORTEST <= longest <= len(distinct):
        raise ChoiceError(
            f"expected blocks of {SHORTEST} tokens or more, all different, got longest {longest} from "
            f"{len(distinct)} different tokens; choose a length between the two"
        )
    random = Random(seed)
    blocks = (random.sample(distinct, random.randint(SHORTEST, longest)) for _ in range(n_blocks))
    return [block * 2 for block in blocks]


def induction_share(weights: Weights, ids: Sequence[int | None]) -> PerMap:
    """Weight on what came after earlier positions of the same token, mean over the queries that have one.

    Raises:
        ShapeError: If there is not one number for each query and key.

    Source:
        Olsson et al. 2022, "In-context Learning and Induction Heads".
    """
    return pattern_share(weights, after_same(ids))


@dataclass(frozen=True, eq=False)
class InductionCard:
    """The induction share of every head, and what it is to be held against.

    Attributes:
        induction: See `induction_share`.
        null: The same of the same maps with the tokens named in random order: what is reached without a look at them.
        duplicate: Weight on other positions of the same token.
        previous: Weight on the token before: on ABABAB it would be induction.
        itself: Weight of each token on itself: on AAAA it would be induction.
        n_texts: How many texts there were.
    """

    induction: Float[np.ndarray, "*lead"]
    null: Float[np.ndarray, "*lead"]
    duplicate: Float[np.ndarray, "*lead"]
    previous: Float[np.ndarray, "*lead"]
    itself: Float[np.ndarray, "*lead"]
    n_texts: int


def induction_card(
    texts: Iterable[tuple[np.ndarray, Sequence[int | None]]], *, seed: int = 0
) -> InductionCard:
    """The means over texts with repeats.

    Args:
        texts: For each its maps, and the number of each token, None for special ones; taken one at a time.
        seed: Of the random names.

    Raises:
        ChoiceError: If there are no texts.
        ShapeError: If there is not one number for each query and key.

    Shapes:
        texts: maps (*lead, n_tokens, n_tokens); n_tokens may differ from text to text
    """
    random, means = np.random.default_rng(seed), RunningMean()
    for weights, ids in texts:
        means.add(
            {
                "induction": induction_share(weights, ids),
                "null": _null(weights, ids, random),
                "duplicate": duplicate_share(weights, ids),
                "previous": previous_share(weights),
                "itself": self_share(weights),
            }
        )
    return InductionCard(**means.means, n_texts=means.n_texts)


def _null(weights: Weights, ids: Sequence[int | None], random: np.random.Generator) -> PerMap:
    """Mean share when the tokens of the text are named in random order; special ones keep their places."""
    places = [place for place, one in enumerate(ids) if one is not None]
    means = RunningMean()
    for _ in range(NULL_DRAWS):
        named = list(ids)
        for place, source in zip(places, random.permutation(places), strict=True):
            named[place] = ids[source]
        means.add({"null": induction_share(weights, named)})
    return means.means["null"]
