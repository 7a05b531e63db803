"""Tokens that are no words of the text: those the model added, and those that a person typed by name."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mha_viz.figures.click_targets import FULL_NAME
from mha_viz.figures.text import plotly_text, shown_text
from mha_viz.figures.theme import Theme

ADDED, TYPED = " ⟨added by the model⟩", " ⟨typed, read as special⟩"


@dataclass(frozen=True)
class TokenMarks:
    """The positions of one line of tokens that are marked.

    Attributes:
        special: Tokens that the model added, as [CLS]; drawn muted and slanted.
        typed: Special tokens that a person typed; they look as typed, and hovering says so.
    """

    special: Collection[int] = ()
    typed: Collection[int] = ()

    def label(self, position: int, token: str, theme: Theme) -> str:
        """A token as the label of an axis."""
        text = plotly_text(token)
        return added_text(text, theme) if position in self.special else text

    def remark(self, position: int) -> str:
        """What hovering adds to the name of a token."""
        return ADDED * (position in self.special) or TYPED * (position in self.typed)

    def hover_names(self, tokens: Sequence[str]) -> list[str]:
        """The tokens as hovering names them, for Plotly."""
        return [
            plotly_text(token, FULL_NAME) + self.remark(position)
            for position, token in enumerate(tokens)
        ]


def long_names(tokens: Sequence[str], marks: TokenMarks) -> list[str]:
    """The tokens as hovering names them, as plain text."""
    return [
        shown_text(token, FULL_NAME) + marks.remark(position)
        for position, token in enumerate(tokens)
    ]


def added_text(text: str, theme: Theme) -> str:
    """A label of what is not in the text; `text` is already escaped."""
    return f'<i><span style="color:{theme.muted}">{text}</span></i>'
