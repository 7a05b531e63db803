"""Where things are in one row of a spotlight figure: words, arcs, numbers; y counts down from the row's top."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from mha_viz.figures.curves import Curves, half_ellipses, links
from mha_viz.figures.word_labels import WORD_LIMIT
from mha_viz.figures.word_layout import WordLine, set_words

# Words are set for the narrowest page that they must be read on; y is in pixels, x in pixels of such a page.
WIDTH = 776
NAME_HEIGHT, NUMBER_HEIGHT, ROW_GAP, WORD_GAP = 26, 17, 18, 6
LINK_HEIGHT = 120
SELF_RISE, SELF_REACH = 20, 9
# Pixels a word has where lines are drawn at full thickness.
ROOMY = 42
# The longest arc: pixels for the root of its length in words, and the most there are.
RISE, HIGHEST_RISE_ONE_SIDE, HIGHEST_RISE_BOTH_SIDES = 34, 112, 84


class Stage(ABC):
    """What a row needs to know.

    Attributes:
        words: The line of queries.
        key_words: The line of keys; the same line where words look at each other.
        word_top: y of the line of queries.
        key_word_top: y of the line of keys.
        number_top: y of the weights of the chosen query.
        row_height: Pixels of a row.
        legend: What above and below mean.
    """

    words: WordLine
    key_words: WordLine
    word_top: float
    key_word_top: float
    number_top: float
    row_height: float
    legend: str

    @property
    def pen(self) -> float:
        """How thick lines are: thinner than 1 where words stand close together."""
        return min(1, max(self.words.slot / ROOMY, 0.3))

    @abstractmethod
    def geometry(self) -> dict[str, float]:
        """All that is needed to draw lines elsewhere: y of what there is, and for arcs what `arc_shapes` needs."""

    @abstractmethod
    def curves(
        self, queries: Int[np.ndarray, " n_arcs"], keys: Int[np.ndarray, " n_arcs"], top: float
    ) -> Curves:
        """The lines from queries to keys in the row that begins at y = `top`."""


class ArcStage(Stage):
    """Words that look at each other: looking back is drawn above the words, looking ahead below."""

    def __init__(
        self,
        words: WordLine,
        queries: Int[np.ndarray, " n_arcs"],
        keys: Int[np.ndarray, " n_arcs"],
        *,
        furthest: float,
        looks_ahead: bool,
        numbers: bool,
    ) -> None:
        """Make room for the arcs of a row.

        Args:
            words: The line of words.
            queries: The query of each arc.
            keys: The key of each arc.
            furthest: The longest arc of all rows, in words: rows share their scale.
            looks_ahead: Whether an arc of any row looks ahead.
            numbers: Whether weights are printed.
        """
        self.words = self.key_words = words
        self._furthest = furthest
        cap = HIGHEST_RISE_BOTH_SIDES if looks_ahead else HIGHEST_RISE_ONE_SIDE
        self._highest = min(cap, RISE * furthest**0.5)
        _, _, heights = self._shapes(queries, keys)
        rises = np.where(keys > queries, -heights, heights)
        self._up_base = NAME_HEIGHT + float(rises.max(initial=0))
        self.word_top = self.key_word_top = self._up_base + WORD_GAP
        self.number_top = self.word_top + words.height
        self._down_base = self.number_top + (NUMBER_HEIGHT if numbers else 0) + WORD_GAP
        self.row_height = self._down_base + float(-rises.min(initial=0)) + ROW_GAP
        self.legend = (
            "Above the words: looking back. Below: looking ahead. Arrows point at what is looked at."
            if looks_ahead
            else "Every arc looks back; its arrow points at what is looked at."
        )

    def geometry(self) -> dict[str, float]:
        """Where arcs begin above and below the words, and their scale."""
        return _heights(self) | {
            "up_base": self._up_base,
            "down_base": self._down_base,
            "furthest": self._furthest,
            "highest": self._highest,
        }

    def curves(
        self, queries: Int[np.ndarray, " n_arcs"], keys: Int[np.ndarray, " n_arcs"], top: float
    ) -> Curves:
        """Arcs from queries to keys; a word that looks at itself has a small loop above it."""
        start, end, height = self._shapes(queries, keys)
        ahead = keys > queries
        return half_ellipses(
            start=start,
            end=end,
            base=top + np.where(ahead, self._down_base, self._up_base),
            rise=np.where(ahead, -height, height),
        )

    def _shapes(
        self, queries: Int[np.ndarray, " n_arcs"], keys: Int[np.ndarray, " n_arcs"]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return arc_shapes(
            self.words.centres[queries],
            self.words.centres[keys],
            slot=self.words.slot,
            furthest=self._furthest,
            highest=self._highest,
        )


def arc_shapes(
    query_x: Float[np.ndarray, " n_arcs"],
    key_x: Float[np.ndarray, " n_arcs"],
    *,
    slot: float,
    furthest: float,
    highest: float,
) -> tuple[
    Float[np.ndarray, " n_arcs"], Float[np.ndarray, " n_arcs"], Float[np.ndarray, " n_arcs"]
]:
    """Where each arc leaves, where it arrives and how high it is: half an ellipse from x0 to x1.

    With distance d = |key_x - query_x| / slot, in words, and reach r = min(9, 0.3 slot), in pixels:

        d > 0:  x0 = query_x + sign(key_x - query_x) r / 2,  x1 = key_x,      height = highest sqrt(d / furthest)
        d = 0:  x0 = query_x - r,                            x1 = key_x + r,  height = 20

    The arc is the path, for t from 0 (query) to pi (key),

        x(t) = (x0 + x1) / 2 - (x1 - x0) / 2 cos t
        y(t) = base - height sin t   where y counts down; base + height sin t for an arc below the words

    or in SVG, `M x0 base A |x1 - x0|/2 height 0 0 sweep x1 base`, sweep 1 where the path turns clockwise: above the
    words and x1 > x0, or below them and x1 < x0. The root makes long arcs higher, but less than in proportion, so that
    they need no tall rows; leaving beside the middle of a word tells arcs that leave from arcs that arrive.

    Args:
        query_x: Middle of the word that looks, in pixels.
        key_x: Middle of the word that is looked at, in pixels; the same for a word that looks at itself.
        slot: Pixels from one word to the next, on average.
        furthest: The distance d of the longest arc that is drawn, at least 1.
        highest: Height of that arc in pixels: min(34 sqrt(furthest), 112), or 84 for 112 where arcs go both ways.

    Returns:
        x0, x1 and height, in pixels.

    Source:
        A choice of this drawing.
    """
    distance = np.abs(key_x - query_x) / slot
    reach, itself = min(SELF_REACH, 0.3 * slot), distance == 0
    return (
        np.where(itself, query_x - reach, query_x + np.sign(key_x - query_x) * reach / 2),
        np.where(itself, key_x + reach, key_x),
        np.where(itself, SELF_RISE, highest * np.sqrt(distance / furthest)),
    )


def arc_stages(
    tokens: Sequence[str],
    pairs: Sequence[tuple[Int[np.ndarray, " _"], Int[np.ndarray, " _"]]],
    *,
    numbers: bool,
) -> list[Stage]:
    """The stages of rows of the same words, on one scale.

    Args:
        tokens: The words.
        pairs: The queries and the keys of each row's arcs.
        numbers: Whether weights are printed.
    """
    looks_ahead = any(bool((keys > queries).any()) for queries, keys in pairs)
    # Upright words leave room for arcs on both sides, slanted ones are easier to read.
    words = set_words(tokens, WIDTH, tilt=-90 if looks_ahead else -60, limit=WORD_LIMIT)
    longest = [
        float(np.abs(words.centres[queries] - words.centres[keys]).max(initial=words.slot))
        for queries, keys in pairs
    ]
    return [
        ArcStage(
            words,
            queries,
            keys,
            furthest=max(longest) / words.slot,
            looks_ahead=looks_ahead,
            numbers=numbers,
        )
        for queries, keys in pairs
    ]


class LinkStage(Stage):
    """Words that look at the words of another line, which stands above them."""

    legend = "Above: what is looked at. Below: what looks."

    def __init__(
        self, query_tokens: Sequence[str], key_tokens: Sequence[str], *, numbers: bool
    ) -> None:
        """Make room for two lines of words.

        Args:
            query_tokens: The words that look.
            key_tokens: The words that are looked at.
            numbers: Whether weights are printed.
        """
        self.words = set_words(query_tokens, WIDTH, tilt=-60, limit=WORD_LIMIT)
        self.key_words = set_words(key_tokens, WIDTH, tilt=-60, limit=WORD_LIMIT)
        self.number_top = NAME_HEIGHT
        self.key_word_top = self.number_top + (NUMBER_HEIGHT if numbers else 0)
        self._link_top = self.key_word_top + self.key_words.height + WORD_GAP
        self._link_bottom = self._link_top + LINK_HEIGHT
        self.word_top = self._link_bottom + WORD_GAP
        self.row_height = self.word_top + self.words.height + ROW_GAP

    def geometry(self) -> dict[str, float]:
        """Where links begin and end."""
        return _heights(self) | {"link_top": self._link_top, "link_bottom": self._link_bottom}

    def curves(
        self, queries: Int[np.ndarray, " n_arcs"], keys: Int[np.ndarray, " n_arcs"], top: float
    ) -> Curves:
        """Links from queries up to keys."""
        return links(
            start=self.words.centres[queries],
            end=self.key_words.centres[keys],
            bottom=top + self._link_bottom,
            top=top + self._link_top,
        )


def _heights(stage: Stage) -> dict[str, float]:
    """What every kind of stage has."""
    return {
        "height": stage.row_height,
        "word_top": stage.word_top,
        "key_word_top": stage.key_word_top,
        "number_top": stage.number_top,
        "number_height": NUMBER_HEIGHT,
        "slot": stage.words.slot,
        "pen": stage.pen,
    }
