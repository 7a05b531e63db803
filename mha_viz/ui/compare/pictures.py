"""What is drawn of panels: all of them with one scale and linked words, and what changes between two of them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from mha_viz.core.alignment import Alignment
from mha_viz.core.record import Token
from mha_viz.figures.difference_map import difference_heatmap, largest_change
from mha_viz.figures.summary import describe_head
from mha_viz.figures.text import shown_text
from mha_viz.figures.theme import FONT_FAMILY, PLOTLY_CONFIG, Theme
from mha_viz.ui import messages, state
from mha_viz.ui.compare.choices import Compare
from mha_viz.ui.compare.pairs import Pair, names_of
from mha_viz.ui.compare.panels import Panel, links
from mha_viz.ui.messages import literal
from mha_viz.ui.served import component
from mha_viz.ui.table_height import table_height

MOST_CHANGES = 10
# Pixels.
MAP_WIDTH, SIDE_WIDTH, MOST_HEIGHT = 560, 290, 640

_panels = component("panels", "panels", "compare_panels")


def side_by_side(panels: Sequence[Panel], theme: Theme) -> None:
    """The maps, all on one scale; a word that is pointed at lights up in all of them."""
    lines, partners = links(panels)
    places = {line: place for place, line in enumerate(lines)}
    _panels(
        data={
            "theme": {
                name: getattr(theme, name)
                for name in ("ink", "muted", "surface", "grid", "accent", "ramp")
            }
            | {"font": FONT_FAMILY},
            "zmax": scale_end(panels),
            "lines": [
                {
                    "texts": [shown_text(token.text) for token in line],
                    "special": _special(line),
                }
                for line in lines
            ],
            "links": partners,
            "panels": [
                {
                    "name": panel.name,
                    "note": describe_head(
                        panel.weights, panel.stream.key_texts, same_tokens=panel.stream.same_tokens
                    ),
                    "queries": places[panel.queries],
                    "keys": places[panel.keys],
                    "weights": np.round(panel.weights.astype(float), 4).tolist(),
                    "masked": np.flatnonzero(panel.masked).tolist(),
                }
                for panel in panels
            ],
        },
        key="compare_panels",
    )


def scale_end(panels: Sequence[Panel]) -> float:
    """The weight that has the last colour in all panels: the heaviest of them."""
    return max(float(panel.weights.max()) for panel in panels) or 1.0


def choose_two(panels: Sequence[Panel]) -> tuple[Panel, Panel]:
    """Which two are compared; with two there is nothing to choose."""
    chosen = state.own(Compare)
    last = len(panels) - 1
    places = [
        place if 0 <= place <= last else usual
        for place, usual in ((chosen.first, 0), (chosen.second, 1))
    ]
    st.subheader("What changes", anchor=False)
    if len(panels) > 2:
        with st.container(horizontal=True, gap="medium"):
            for label, name, place in zip(("From", "To"), ("first", "second"), places, strict=True):
                st.selectbox(
                    label,
                    range(len(panels)),
                    format_func=lambda one: panels[one].name,
                    width=260,
                    **state.bound(
                        name, place, lambda one, name=name: state.change_own(**{name: one})
                    ),
                )
    return panels[places[0]], panels[places[1]]


def difference(pair: Pair, theme: Theme) -> None:
    """The map of differences, the largest of them in words, and how far each row moves."""
    if not pair.has_cells:
        messages.notice("the two texts have no token in common, so there is nothing to compare")
        return
    st.markdown(_in_all(pair))
    with st.container(horizontal=True, gap="large", key="compare_difference"):
        with st.container(width=MAP_WIDTH, gap="xsmall"):
            _map(pair, theme)
        with st.container(width=SIDE_WIDTH, gap="xsmall"):
            st.markdown("**The ten largest changes**")
            st.markdown("\n".join(f"1. {line}" for line in largest_changes(pair)) or "None.")
        with st.container(width=SIDE_WIDTH, gap="xsmall"):
            _rows(pair)


def _map(pair: Pair, theme: Theme) -> None:
    limit = largest_change(pair.difference)
    st.plotly_chart(
        difference_heatmap(
            pair.difference.astype(np.float32),
            [token.text for token in pair.query_tokens],
            [token.text for token in pair.key_tokens],
            title="Gained and lost",
            limit=limit,
            theme=theme,
            special_queries=_special(pair.query_tokens),
            special_keys=_special(pair.key_tokens),
            width=MAP_WIDTH,
        ),
        width="content",
        theme=None,
        key="compare_map",
        config=PLOTLY_CONFIG,
        alt=f"Differences of weights between {pair.first.name} and {pair.second.name}.",
    )
    st.caption(
        f"From −{limit:.2f} (lost, blue) over 0, the page’s own colour, to +{limit:.2f} (gained, orange)."
        if pair.difference.any()
        else "Nothing changed: every difference is exactly 0."
    )


def _rows(pair: Pair) -> None:
    names = names_of(pair.query_tokens, pair.queries.first)
    st.dataframe(
        pd.DataFrame({"Token": names, "Distance": pair.distances}),
        hide_index=True,
        height=table_height(len(names), MOST_HEIGHT),
        key="compare_rows",
        column_config={
            "Distance": st.column_config.ProgressColumn(
                "Distance of its row",
                format="%.3f",
                min_value=0.0,
                max_value=float(pair.distances.max()) or 1.0,
            )
        },
        alt="The Jensen–Shannon distance between the two rows of each token that both have.",
    )


def largest_changes(pair: Pair) -> list[str]:
    """The changes in words, the largest first."""
    before, after = pair.maps
    queries = names_of(pair.query_tokens, pair.queries.first)
    keys = names_of(pair.key_tokens, pair.keys.first)
    return [
        f"{literal(queries[query])} → {literal(keys[key])} "
        f"{before[query, key]:.2f} → {after[query, key]:.2f}"
        for query, key in pair.largest(MOST_CHANGES)
    ]


def _in_all(pair: Pair) -> str:
    """How far the two maps are from each other, and what could not be compared."""
    said = (
        f"From **{literal(pair.first.name)}** to **{literal(pair.second.name)}**: "
        f"Jensen–Shannon distance **{pair.distance:.3f}** in all (mean over the rows; 0 is the same, 1 nothing in common). "
    )
    if pair.one_line:
        return f"{said}Compared are {_shared(pair, pair.queries, 'queries')}."
    return (
        f"{said}Of the words that look, compared are {_shared(pair, pair.queries, 'queries')}. "
        f"Of those that are looked at: {_shared(pair, pair.keys, 'keys')}."
    )


def _shared(pair: Pair, alignment: Alignment, side: str) -> str:
    """How many tokens of a side have a partner, and which have none."""
    alone = [
        f"{len(places)} of panel {panel.number} ({_listed(getattr(panel, side), places)})"
        for panel, places in (
            (pair.first, alignment.alone_in_first),
            (pair.second, alignment.alone_in_second),
        )
        if places
    ]
    rest = f"without a partner: {', '.join(alone)}" if alone else "none is left over"
    return f"the {len(alignment.pairs)} tokens that both have, in the same order; {rest}"


def _listed(tokens: Sequence[Token], places: list[int]) -> str:
    return ", ".join(f"“{literal(shown_text(tokens[place].text))}”" for place in places)


def _special(tokens: Sequence[Token]) -> list[int]:
    return [place for place, token in enumerate(tokens) if token.special]
