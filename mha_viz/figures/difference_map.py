"""What changed in one head: a map of differences, whose colours are the same distance from 0 on both sides."""

from collections.abc import Collection, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.text import shown_text
from mha_viz.figures.theme import LIGHT, Theme, weight_bar


def largest_change(differences: np.ndarray) -> float:
    """Where the scale of differences ends on both sides; 1, the most that a weight can change, if nothing did."""
    return float(np.abs(differences).max(initial=0.0)) or 1.0


def difference_heatmap(
    difference: Float[np.ndarray, "n_query n_key"],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    title: str,
    limit: float,
    theme: Theme = LIGHT,
    special_queries: Collection[int] = (),
    special_keys: Collection[int] = (),
    width: float = 800,
) -> go.Figure:
    """Weights after a change less weights before: gained and lost in two colours, 0 is the page's own.

    Args:
        difference: Of one head.
        query_tokens: The text of each query.
        key_tokens: The text of each key.
        title: Plain text.
        limit: The change that has the last colour, gained or lost; give compared heads the same, see `largest_change`.
        theme: Colours.
        special_queries: Positions of queries that the model added.
        special_keys: Positions of keys that the model added.
        width: Pixels there are for the figure.

    Raises:
        ShapeError: If `difference` is no map of numbers, or if the tokens do not name its rows and columns.
    """
    figure = attention_heatmap(
        difference,
        query_tokens,
        key_tokens,
        title=title,
        theme=theme,
        special_queries=special_queries,
        special_keys=special_keys,
        clickable=False,
        width=width,
    )
    template = figure.data[0].hovertemplate.replace("%{z:.2f}", "%{z:+.2f}")
    figure.data[0].update(
        zmin=-limit,
        zmax=limit,
        colorscale=theme.diverging_scale,
        hovertemplate=template,
        colorbar=weight_bar(theme, limit, capped=False)
        | {
            "tickvals": [-limit, 0, limit],
            "ticktext": [f"−{limit:.2f}", "0", f"+{limit:.2f}"],
            "title": {
                "text": "change",
                "side": "right",
                "font": {"size": 12, "color": theme.muted},
            },
        },
    )
    return figure


def describe_difference(
    difference: Float[np.ndarray, "n_query n_key"],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
) -> str:
    """The cells that gained and lost most, in a few words."""
    if not difference.any():
        return "nothing changed"
    said = []
    for verb, place in (("gained", difference.argmax()), ("lost", difference.argmin())):
        query, key = divmod(int(place), difference.shape[1])
        value = float(difference[query, key])
        if (value > 0) == (verb == "gained") and value:
            looks, seen = shown_text(query_tokens[query]), shown_text(key_tokens[key])
            said.append(
                f"most {verb}: {looks} → {seen} {'+' if value > 0 else '−'}{abs(value):.2f}"
            )
    return "; ".join(said)
