"""What a person can choose on the page of the four steps, and on it alone."""

from dataclasses import dataclass, field
from typing import Any

from mha_viz.core.small_layer import SmallLayer
from mha_viz.ui.predict import Guess

FOLLOW, PREDICT = "follow", "predict"
TASKS = {FOLLOW: "Follow every number", PREDICT: "Predict first"}
SOURCES = {"ours": "A small layer of our own", "model": "A layer of the model"}
WIDTHS, HEADS = (8, 16, 32, 64), (1, 2, 4, 8)
SIZES = {"input": "this sentence", "layer": "a layer of a larger model"}
LEAST_TEMPERATURE, MOST_TEMPERATURE = 0.25, 4.0
# Whose windows move: those of words, and those of the numbers of a word.
WORDS = ("query", "key")
AXES = (*WORDS, "width", "part", "value", "joined")


def _one_of(first: Any, choices: object) -> Any:  # noqa: ANN401 - a field of its own kind
    return field(default=first, metadata={"choices": choices})


@dataclass(frozen=True)
class GlassChoices(Guess):
    """The page's own choices.

    Attributes:
        task: Whether numbers are followed, or a word's look is guessed before.
        source: Whose numbers are followed.
        d_model: Width of the small layer.
        h: Number of heads of the small layer.
        causal: Whether its words look only back.
        positions: Whether its words know where they stand.
        root: Whether its dot products are divided by √d_k.
        temperature: What its scores are divided by.
        seed: What its numbers are drawn from.
        head: The head that is followed.
        cell: The explained cell as matrix.row.column; empty for none.
        edits: Edited numbers, see `core.edits`.
        edited: A fingerprint of what was edited: edits belong to it alone.
        at_query: Where windows begin, by the name of their axis.
        at_key: Likewise.
        at_width: Likewise.
        at_part: Likewise.
        at_value: Likewise.
        at_joined: Likewise.
        size: For which sizes the costs are counted.
    """

    task: str = _one_of(FOLLOW, tuple(TASKS))
    source: str = _one_of("ours", tuple(SOURCES))
    d_model: int = _one_of(8, WIDTHS)
    h: int = _one_of(2, HEADS)
    causal: bool = False
    positions: bool = False
    root: bool = True
    temperature: float = 1.0
    seed: int = 0
    head: int = 0
    cell: str = ""
    edits: str = ""
    edited: int = 0
    at_query: int = 0
    at_key: int = 0
    at_width: int = 0
    at_part: int = 0
    at_value: int = 0
    at_joined: int = 0
    size: str = _one_of("input", tuple(SIZES))

    @property
    def small_layer(self) -> SmallLayer:
        """The small layer that these choices ask for."""
        return SmallLayer(
            d_model=self.d_model,
            n_heads=self.h,
            seed=abs(self.seed),
            causal=self.causal,
            positions=self.positions,
            root=self.root,
            temperature=min(max(self.temperature, LEAST_TEMPERATURE), MOST_TEMPERATURE),
        )

    def start(self, axis: str) -> int:
        """Where the window of an axis begins, as it was asked for."""
        return max(0, getattr(self, f"at_{axis}", 0))
