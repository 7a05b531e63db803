"""What a person can choose on the page of the four steps, and on it alone."""

from dataclasses import dataclass

from mha_viz.core.small_layer import SmallLayer
from mha_viz.ui.link import one_of
from mha_viz.ui.predict import Guess
from mha_viz.ui.seed_and_temperature import nearest_seed, nearest_temperature

FOLLOW, PREDICT = "follow", "predict"
TASKS = {FOLLOW: "Follow every number", PREDICT: "Predict first"}
SOURCES = {"ours": "A small layer of our own", "model": "A layer of the model"}
WIDTHS, HEADS = (8, 16, 32, 64), (1, 2, 4, 8)
SIZES = {"input": "this sentence", "layer": "a layer of a larger model"}
# Whose windows move: those of words, and those of the numbers of a word.
WORDS = ("query", "key")
AXES = (*WORDS, "width", "part", "value", "joined")


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

    task: str = one_of(tuple(TASKS), FOLLOW)
    source: str = one_of(tuple(SOURCES), "ours")
    d_model: int = one_of(WIDTHS, 8)
    h: int = one_of(HEADS, 2)
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
    size: str = one_of(tuple(SIZES), "input")

    @property
    def small_layer(self) -> SmallLayer:
        """The small layer that these choices ask for."""
        return SmallLayer(
            d_model=self.d_model,
            n_heads=self.h,
            seed=nearest_seed(self.seed),
            causal=self.causal,
            positions=self.positions,
            root=self.root,
            temperature=nearest_temperature(self.temperature),
        )

    def start(self, axis: str) -> int:
        """Where the window of an axis begins, as it was asked for."""
        return max(0, getattr(self, f"at_{axis}", 0))
