"""See multi-head attention: every head of a real transformer, on your own sentence."""

from mha_viz.api import arcs, attend, head_grid, heatmap, measures, record
from mha_viz.core.attention import MultiHeadAttention
from mha_viz.core.interventions import CutLink, HeadOff, MaskHead, Temperature

__all__ = [
    "CutLink",
    "HeadOff",
    "MaskHead",
    "MultiHeadAttention",
    "Temperature",
    "arcs",
    "attend",
    "head_grid",
    "heatmap",
    "measures",
    "record",
]
