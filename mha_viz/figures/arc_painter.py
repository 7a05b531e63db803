"""One row of a spotlight figure as Plotly draws it: lines, words, and what answers to the pointer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Int

from mha_viz.figures.arc_selection import ArcRow, Picks
from mha_viz.figures.click_targets import unseen_markers
from mha_viz.figures.curves import Curves, Pen, arrowheads, lines
from mha_viz.figures.row_layout import NUMBER_HEIGHT, WORD_LIMIT, Stage
from mha_viz.figures.text import plotly_text
from mha_viz.figures.theme import Theme, with_opacity
from mha_viz.figures.token_marks import TokenMarks
from mha_viz.figures.word_labels import word_labels
from mha_viz.figures.word_layout import text_width

FADED, STRESSED = (0.06, 0.24), (0.5, 1.0)
FULL_TINT = 0.5
NUMBER_ROOM = 30
LEAST_TINTED = 0.01
WORD_TARGET = 24


@dataclass(frozen=True)
class RowPainter:
    """One head as Plotly draws it.

    Attributes:
        index: Which row of the figure it is.
        top: Where the row begins, in y.
        row: The head.
        pick: Its arcs.
        stage: Where things are.
        theme: Colours.
        query: The chosen query.
        key: A chosen key in its stead.
        query_tokens: The text of each query.
        key_tokens: The text of each key that is shown.
        query_marks: Which queries are no words of the text.
        key_marks: Which keys are no words of the text.
    """

    index: int
    top: float
    row: ArcRow
    pick: Picks
    stage: Stage
    theme: Theme
    query: int | None
    key: int | None
    query_tokens: Sequence[str]
    key_tokens: Sequence[str]
    query_marks: TokenMarks
    key_marks: TokenMarks

    @property
    def _has_chosen(self) -> bool:
        return self.query is not None or self.key is not None

    @property
    def _of_chosen(self) -> Bool[np.ndarray, " n_arcs"]:
        """Which arcs leave the chosen query, or arrive at the chosen key."""
        if self.key is None:
            return self.pick.queries == self.query
        return self.pick.keys == self.key

    @property
    def _others(self) -> Int[np.ndarray, " n_arcs"]:
        """The word at the other end of each arc than the chosen one."""
        return self.pick.keys if self.key is None else self.pick.queries

    @property
    def _part(self) -> tuple[slice, slice]:
        """The rows and the columns that are shown."""
        return self.row.shown(len(self.query_tokens), len(self.key_tokens))

    @property
    def _tints(self) -> dict[int, str] | None:
        """A tint for each key by what the chosen query gives it, or for each query by what it gives the chosen key."""
        if not self._has_chosen:
            return None
        shown = self.row.weights[self._part]
        shares = shown[self.query] if self.key is None else shown[:, self.key]
        return {
            place: with_opacity(self.row.colour, weight * FULL_TINT)
            for place, weight in enumerate(shares.tolist())
            if weight >= LEAST_TINTED
        }

    def traces(self) -> list[go.Scatter]:
        """Lines from light to heavy, those of the chosen word on top, then what answers to the pointer."""
        curves = self.stage.curves(self.pick.queries, self.pick.keys, self.top)
        weights = self.pick.weights
        scale = self.stage.pen
        drawn = [self._stems()] if self.stage.words.angle == -90 else []
        if not self._has_chosen:
            pen = Pen(self.row.colour, scale=scale)
            drawn += [*lines(curves, weights, pen), arrowheads(curves, weights, pen)]
        else:
            chosen = self._of_chosen
            faded = Pen(self.theme.muted, FADED, scale)
            stressed = Pen(self.row.colour, STRESSED, scale**0.5)
            drawn += lines(curves[~chosen], weights[~chosen], faded)
            drawn += lines(curves[chosen], weights[chosen], stressed)
            drawn += [
                arrowheads(curves[chosen], weights[chosen], stressed),
                self._numbers(chosen),
            ]
        return [*drawn, self._arc_markers(curves), self._word_markers()]

    def _stems(self) -> go.Scatter:
        """Thin lines from the end of upright words down to what belongs to them below: arcs and numbers."""
        line = self.stage.words
        ahead = self.pick.keys > self.pick.queries
        below = np.unique(
            np.r_[self.pick.queries[ahead], self.pick.keys[ahead], self._others[self._of_chosen]]
        )
        ends = [
            text_width(self.query_tokens[word], line.font_size, WORD_LIMIT) + 8 for word in below
        ]
        y = [[self.stage.word_top + end, self.stage.number_top, np.nan] for end in ends]
        return go.Scatter(
            x=np.repeat(line.centres[below], 3).astype(np.float32),
            y=(self.top + np.ravel(y)).astype(np.float32),
            mode="lines",
            line={"color": self.theme.grid, "width": 1},
            hoverinfo="skip",
        )

    def _numbers(self, chosen: Bool[np.ndarray, " n_arcs"]) -> go.Scatter:
        """The weights of the chosen word's arcs, each at its other end; where they would touch, the lighter is left out."""
        stage = self.stage
        line, top = stage.key_words, stage.number_top
        if self.key is not None and stage.words is not stage.key_words:
            # There is room above the keys of two lines, and below the queries.
            line, top = stage.words, stage.word_top + stage.words.height
        centres = line.centres
        heaviest_first = zip(
            self._others[chosen][::-1].tolist(),
            self.pick.weights[chosen][::-1].tolist(),
            strict=True,
        )
        placed: dict[int, float] = {}
        for word, weight in heaviest_first:
            if all(abs(centres[word] - centres[other]) >= NUMBER_ROOM for other in placed):
                placed[word] = weight
        return go.Scatter(
            x=centres[list(placed)].astype(np.float32),
            y=np.full(len(placed), self.top + top + NUMBER_HEIGHT / 2, np.float32),
            mode="text",
            text=[f"{weight:.2f}" for weight in placed.values()],
            textfont={"size": 13, "color": self.row.colour, "weight": 600},
            # A click on a word must not dim them.
            unselected={"textfont": {"color": self.row.colour}},
            cliponaxis=False,
            hoverinfo="skip",
        )

    def _arc_markers(self, curves: Curves) -> go.Scatter:
        """An unseen marker in the middle of each arc: lines answer to the pointer only at their points."""
        query_names = self.query_marks.hover_names(self.query_tokens)
        key_names = self.key_marks.hover_names(self.key_tokens)
        customdata = [
            [
                "arc",
                self.index,
                query,
                key,
                query_names[query],
                key_names[key],
                f"{weight:.2f}",
                f"{_ordinal(rank + 1)} of {self.pick.n_ranked}",
            ]
            for query, key, weight, rank in zip(
                self.pick.queries.tolist(),
                self.pick.keys.tolist(),
                self.pick.weights.tolist(),
                self.pick.ranks.tolist(),
                strict=True,
            )
        ]
        template = "%{customdata[4]} → %{customdata[5]}: <b>%{customdata[6]}</b>, %{customdata[7]}"
        return unseen_markers(*curves.middle, customdata, template, size=14)

    def _word_markers(self) -> go.Scatter:
        """An unseen marker on each word that looks, to be clicked."""
        line = self.stage.words
        customdata = [
            ["token", self.index, position, name]
            for position, name in enumerate(self.query_marks.hover_names(self.query_tokens))
        ]
        y = self.top + self.stage.word_top + min(line.height, WORD_TARGET) / 2
        template = "<b>%{customdata[3]}</b>, position %{customdata[2]}"
        return unseen_markers(
            line.centres, np.full(len(customdata), y), customdata, template, size=WORD_TARGET
        )

    def annotations(self) -> list[dict[str, Any]]:
        """The head's name and its words."""
        stage = self.stage
        one_line = stage.key_words is stage.words
        words = word_labels(
            stage.words,
            self.query_tokens,
            self.query_marks,
            self.theme,
            top=self.top + stage.word_top,
            chosen=self.key if one_line and self.query is None else self.query,
            tints=self._tints if one_line or self.key is not None else None,
        )
        if not one_line:
            words += word_labels(
                stage.key_words,
                self.key_tokens,
                self.key_marks,
                self.theme,
                top=self.top + stage.key_word_top,
                chosen=self.key,
                tints=None if self.key is not None else self._tints,
                above=True,
            )
        return [self._name(), *words]

    def _name(self) -> dict[str, Any]:
        looking = self.row.weights[self._part[0]]
        if self.query is not None:
            looking = looking[self.query]
        to_sink = "" if self.row.sink is None else f"{self.row.sink:.2f} to the sink"
        says = "; ".join(filter(None, [self.row.note, to_sink]))
        notes = [
            *filter(None, [says]),
            *(["masked: looks at nothing"] if not looking.any() else []),
        ]
        muted = f'<span style="color:{self.theme.muted}">'
        note = f"  {muted}{plotly_text(' · '.join(notes), 100)}</span>" if notes else ""
        return {
            "text": f"<b>{plotly_text(self.row.name)}</b>{note}",
            "font": {"size": 15, "color": self.row.colour},
            "align": "left",
            "showarrow": False,
            "xref": "paper",
            "x": 0,
            "xanchor": "left",
            "y": self.top,
            "yanchor": "top",
            "borderpad": 0,
            "xshift": -8,
        }


def _ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, …, 11th, …, 21st."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    teen = number % 100 in {11, 12, 13}
    return f"{number}{'th' if teen else endings.get(number % 10, 'th')}"
