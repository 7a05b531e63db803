"""How differently two heads look at a text: a distance between any two, the nearest heads, and a map of all.

Source of all three:
    Clark et al. 2019, "What Does BERT Look At?", section 6 (clustering attention heads).
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from mha_viz.errors import ChoiceError, ShapeError

SMOOTHING = 0.001

Distances = Float[np.ndarray, "n_maps n_maps"]


def head_distances(maps: Float[np.ndarray, "n_maps n_query n_key"]) -> Distances:
    r"""Jensen–Shannon divergence between the rows of two heads, summed over the rows, for any two heads.

    From 0 (the same map) to n_query · ln 2, in nats. Each map is smoothed first, as in the source: 0.999 of it and
    0.001 of an even one. A row of zeros, a query that sees nothing, agrees with another of zeros.

    Args:
        maps: All heads of one text; for several texts, take the mean of the distances.

    Source:
        Clark et al. 2019, "What Does BERT Look At?", section 6 and its published code.
    """
    n_maps, _, n_key = maps.shape
    smooth = ((1 - SMOOTHING) * maps + SMOOTHING / n_key).reshape(n_maps, -1)
    own = _negative_entropy(smooth)
    distances = np.zeros((n_maps, n_maps))
    # One head against all that follow: as many at once as stay near the processor.
    for head in range(n_maps - 1):
        between = _negative_entropy((smooth[head + 1 :] + smooth[head]) / 2)
        distances[head, head + 1 :] = (own[head] + own[head + 1 :]) / 2 - between
    # Rounding leaves some equal maps a little under 0.
    return np.maximum(distances + distances.T, 0)


def nearest_heads(distances: Distances, head: int, n: int = 5) -> Int[np.ndarray, " n_nearest"]:
    """The heads that look most like one of them, the nearest first, without itself.

    Raises:
        ChoiceError: If there is no such head.
    """
    if not 0 <= head < len(distances):
        raise ChoiceError(f"head {head} does not exist: heads go from 0 to {len(distances) - 1}")
    order = np.argsort(distances[head], kind="stable")
    return order[order != head][:n]


@dataclass(frozen=True, eq=False)
class MapOfHeads:
    """Heads as points of a plane: those that look alike lie together.

    Attributes:
        points: Where each head lies; only distances between points mean something.
        stress: How much of the distances the plane gets wrong (Kruskal's stress 1): 0 nothing, 0.1 is fair, 0.2 poor.
    """

    points: Float[np.ndarray, "n_maps 2"]
    stress: float


def map_of_heads(distances: Distances) -> MapOfHeads:
    """Points of a plane whose distances are as near as may be to those given; the same every time.

    Raises:
        ShapeError: If there are fewer than three heads, which need no map.

    Source:
        Multidimensional scaling by majorisation from the classical solution: Borg & Groenen 2005, "Modern
        Multidimensional Scaling"; used on heads by Clark et al. 2019. Stress in words: Kruskal 1964.
    """
    if len(distances) < 3:
        raise ShapeError(f"a map needs three heads or more, got {len(distances)}; give all of them")
    if not distances.any():
        return MapOfHeads(np.zeros((len(distances), 2)), 0.0)
    # It takes longer to import than all else here takes to compute, and only the map needs it.
    from sklearn.manifold import MDS

    scaling = MDS(
        metric="precomputed",
        init="classical_mds",
        n_init=1,
        random_state=0,
        normalized_stress=True,
    )
    points = scaling.fit_transform(distances)
    # The same map mirrored would do as well: the point farthest along each axis is put on its positive side.
    farthest = points[np.abs(points).argmax(axis=0), [0, 1]]
    return MapOfHeads(points * np.where(farthest < 0, -1, 1), float(scaling.stress_))


def _negative_entropy(
    smooth: Float[np.ndarray, "n_maps n_cells"],
) -> Float[np.ndarray, " n_maps"]:
    """The sum of a ln a over all cells."""
    return np.einsum("mc,mc->m", smooth, np.log(smooth), dtype=np.float64)
