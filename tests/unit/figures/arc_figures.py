"""Heads to draw as arcs, and what a drawn figure holds."""

import numpy as np
import plotly.graph_objects as go

from mha_viz.figures.theme import LIGHT

BLUE = LIGHT.head_colour(0)


def random_weights(n_query: int, n_key: int) -> np.ndarray:
    scores = 2 * np.random.default_rng(0).normal(size=(n_query, n_key))
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return weights.astype(np.float32)


def looks(n_tokens: int, *pairs: tuple[int, int]) -> np.ndarray:
    """Weights of 1 from queries to keys, nothing else."""
    weights = np.zeros((n_tokens, n_tokens), np.float32)
    for query, key in pairs:
        weights[query, key] = 1
    return weights


def unseen(figure: go.Figure, kind: str) -> list[go.Scatter]:
    return [
        trace
        for trace in figure.data
        if trace.customdata is not None and any(point[0] == kind for point in trace.customdata)
    ]


def arcs_of(figure: go.Figure) -> list[list]:
    return [list(arc) for trace in unseen(figure, "arc") for arc in trace.customdata]


def lines_of(figure: go.Figure) -> list[go.Scatter]:
    return [
        trace for trace in figure.data if trace.mode == "lines" and trace.line.shape == "spline"
    ]


def words_of(figure: go.Figure) -> list[go.layout.Annotation]:
    return [note for note in figure.layout.annotations if note.xref != "paper"]
