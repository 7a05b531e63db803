"""Layers drawn at random to follow number by number; sizes are different primes wherever they can be."""

import numpy as np

from mha_viz.core.layer_numbers import LayerNumbers, Projection
from mha_viz.core.origins import Turning

N_TOKENS, N_HEADS, D_HEAD, D_VALUE, D_IN, D_OUT = 7, 3, 2, 5, 11, 13


def drawn(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def projection(seed: int, d_in: int, d_out: int, *, bias: bool = False) -> Projection:
    return Projection(drawn(seed, d_in, d_out), drawn(seed + 100, d_out) if bias else None)


def labels(count: int) -> tuple[str, ...]:
    return tuple(f"w{place}" for place in range(count))


def layer(*, bias: bool = False, n_kv_heads: int = N_HEADS, **changes: object) -> LayerNumbers:
    """A layer with nothing but the paper's steps, and what `changes` adds."""
    widths = {
        "query": N_HEADS * D_HEAD,
        "key": n_kv_heads * D_HEAD,
        "value": n_kv_heads * D_VALUE,
    }
    projections = {
        what: projection(seed, D_IN, width, bias=bias)
        for seed, (what, width) in enumerate(widths.items())
    }
    projections["output"] = projection(5, N_HEADS * D_VALUE, D_OUT, bias=bias)
    usual = {
        "query_labels": labels(N_TOKENS),
        "key_labels": labels(N_TOKENS),
        "n_heads": N_HEADS,
        "n_kv_heads": n_kv_heads,
        "d_head": D_HEAD,
        "d_value": D_VALUE,
        "scaling": D_HEAD**-0.5,
        "may_attend": np.ones((1, N_TOKENS, N_TOKENS), dtype=bool),
        "x": drawn(9, N_TOKENS, D_IN),
        "projections": projections,
    }
    return LayerNumbers(**(usual | changes))


def causal_mask(n_tokens: int = N_TOKENS) -> np.ndarray:
    return np.tril(np.ones((1, n_tokens, n_tokens), dtype=bool))


def rotary() -> Turning:
    angles = drawn(21, N_TOKENS, 1)
    sin = np.concatenate([-np.sin(angles), np.sin(angles)], axis=1)
    return Turning(np.repeat(np.cos(angles), 2, axis=1), sin, np.array([1, 0]))


EVERYTHING = {
    "plain": layer(),
    "bias": layer(bias=True),
    "causal": layer(may_attend=causal_mask()),
    "sees nothing": layer(may_attend=causal_mask() & ~np.eye(N_TOKENS, dtype=bool)),
    "no root": layer(scaling=1.0),
    "other scaling": layer(scaling=0.3),
    "temperature": layer(temperature=0.5),
    "positions": layer(positions=drawn(8, N_TOKENS, D_IN)),
    "rotary": layer(turning=rotary(), bias=True),
    "grouped": layer(n_kv_heads=1),
    "softcap": layer(softcap=2.0),
    "score bias": layer(attn_bias=drawn(31, N_HEADS, N_TOKENS, N_TOKENS)),
    "sinks": layer(sinks=drawn(32, N_HEADS)),
    "large scores": layer(scaling=40.0),
    "from q, k, v": layer(
        x=None,
        heads={
            "query": drawn(41, N_HEADS, N_TOKENS, D_HEAD),
            "key": drawn(42, N_HEADS, N_TOKENS, D_HEAD),
            "value": drawn(43, N_HEADS, N_TOKENS, D_VALUE),
        },
    ),
}
