"""Maps of heads that do one thing perfectly, and random ones."""

import numpy as np


def even(n_tokens: int) -> np.ndarray:
    return np.full((n_tokens, n_tokens), 1 / n_tokens)


def causal_even(n_tokens: int) -> np.ndarray:
    triangle = np.tril(np.ones((n_tokens, n_tokens)))
    return triangle / triangle.sum(axis=-1, keepdims=True)


def looks_back(n_tokens: int) -> np.ndarray:
    """Each token looks at the one before it, the first at itself."""
    return looks_at(max(query - 1, 0) for query in range(n_tokens))


def looks_at(keys) -> np.ndarray:
    """Query 0, 1, … looks at the first, second, … of these keys, and at nothing else."""
    keys = list(keys)
    return np.eye(len(keys))[keys]


def random_maps(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(shape[-1]), size=shape[:-1])
