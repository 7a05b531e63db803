"""How much room a line of words needs: widths, tilt, thinning."""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from mha_viz.figures.text import shown_text

# Widths in units of the font size, a little wide of Source Sans and near Arial, so that a fallback font fits too.
NARROW, WIDE, USUAL, FULL = 0.3, 0.75, 0.55, 1.05
LINE_HEIGHT = 1.2
FLAT_FONTS = (17, 16, 15, 14)


def text_width(text: str, font_size: float, limit: int = 24) -> float:
    """Estimated width in pixels of a text as `plotly_text` shows it.

    Args:
        text: Any text.
        font_size: In pixels.
        limit: As for `plotly_text`.
    """
    return font_size * sum(map(_em, shown_text(text, limit)))


def fits_flat(texts: Sequence[str], pitch: float, font_size: float, gap: float = 6) -> bool:
    """Whether words centred on neighbouring positions can stand side by side.

    Args:
        texts: The words of one line.
        pitch: Pixels from one position to the next.
        font_size: In pixels.
        gap: Pixels that must stay free between two words.
    """
    widths = [text_width(text, font_size) for text in texts]
    return all((left + right) / 2 + gap <= pitch for left, right in pairwise(widths))


@dataclass(frozen=True)
class WordLine:
    """Where the words of one line stand, for a figure of the width they were set for.

    Attributes:
        centres: Where each word stands, in pixels from the middle of the line.
        span: Pixels that the whole line takes, with what tilted words reach over its end.
        slot: Pixels from one word to the next, on average.
        font_size: In pixels.
        angle: 0 for words that lie flat, else negative: they read upwards.
        height: Pixels from the top to the bottom of the words.
        step: Every how many positions a word is written; 1 unless they would touch.
    """

    centres: Float[np.ndarray, " n_tokens"]
    span: float
    slot: float
    font_size: int
    angle: int
    height: float
    step: int


def set_words(texts: Sequence[str], width: float, tilt: int, limit: int = 24) -> WordLine:
    """Set words side by side as in a sentence; where they do not fit, tilt them; where that fails, thin them.

    Args:
        texts: The words of one line.
        width: Pixels there are.
        tilt: The angle of words that do not fit flat: -60 is easier to read, -90 leaves room below.
        limit: As for `plotly_text`.
    """
    for font_size in FLAT_FONTS:
        slots = np.array([max(text_width(text, font_size, limit) + 16, 36.0) for text in texts])
        if slots.sum() <= width:
            return _line(slots, font_size, angle=0, height=font_size * 1.5, step=1)
    pitch, steep = width / len(texts), math.radians(-tilt)
    font_size = int(min(max(pitch * math.sin(steep) / LINE_HEIGHT, 10), 13))
    widths = [text_width(text, font_size, limit) for text in texts]
    # Tilted words reach over the end of the line.
    reach = max(length * math.cos(steep) - pitch * place for place, length in enumerate(widths))
    pitch = (width - 2 * reach) / len(texts)
    return _line(
        np.full(len(texts), pitch),
        font_size,
        angle=tilt,
        height=max(widths) * math.sin(steep) + font_size,
        step=thinning(pitch * math.sin(steep), font_size),
        reach=reach,
    )


def _line(
    slots: Float[np.ndarray, " n_tokens"],
    font_size: int,
    *,
    angle: int,
    height: float,
    step: int,
    reach: float = 0,
) -> WordLine:
    return WordLine(
        centres=np.cumsum(slots) - slots / 2 - slots.sum() / 2,
        span=float(slots.sum()) + 2 * reach,
        slot=float(slots.mean()),
        font_size=font_size,
        angle=angle,
        height=height,
        step=step,
    )


def thinning(pitch: float, font_size: float) -> int:
    """Every how many positions a label can stand upright in its own line without touching the next.

    Args:
        pitch: Pixels from one position to the next.
        font_size: In pixels.
    """
    return max(1, math.ceil(font_size * LINE_HEIGHT / pitch))


def _em(character: str) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Cf"}:
        return 0
    if unicodedata.east_asian_width(character) in {"W", "F"}:
        return FULL
    if character in "ijltfrI.,:;'|!()[] ":
        return NARROW
    return WIDE if character.isupper() or character in "mwMW@%…∅␣◌" else USUAL
