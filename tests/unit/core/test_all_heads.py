"""All heads of a model in one array."""

import numpy as np
import torch

from mha_viz.core.all_heads import all_heads
from mha_viz.core.layers import ReportedLayer
from mha_viz.core.record import Stream, Token
from tests.unit.core.maps import random_maps


def test_all_heads_keep_the_layer_and_head_of_each_map_past_layers_without_attention():
    maps = [random_maps(3, 5, 5), random_maps(2, 5, 5, seed=1)]
    first, third = (ReportedLayer(torch.tensor(one)) for one in maps)
    tokens = tuple(Token(str(place)) for place in range(5))
    heads = all_heads(Stream("self", (first, None, third), tokens, tokens))
    assert heads.places == ((0, 0), (0, 1), (0, 2), (2, 0), (2, 1))
    np.testing.assert_allclose(heads.weights, np.concatenate(maps), rtol=1e-6)
