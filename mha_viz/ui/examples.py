"""The sentences to start from, each with what there is to see in it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXAMPLES_FILE = Path(__file__).parents[2] / "assets" / "examples.json"


@dataclass(frozen=True)
class Example:
    """A sentence, and where to look in it.

    Attributes:
        title: A few words for a button.
        text: The sentence.
        hint: What to look for; its numbers are computed by a test from the bundled model.
        layer: Where to look.
        heads: Where to look.
        query: The position of the word to look from; None for all.
    """

    title: str
    text: str
    hint: str
    layer: int
    heads: tuple[int, ...]
    query: int | None = None

    def view(self) -> dict[str, Any]:
        """The parts of a Selection that show it."""
        return {"text": self.text, "layer": self.layer, "heads": self.heads, "query": self.query}


def find(text: str) -> Example | None:
    """The example with this very text."""
    return next((example for example in EXAMPLES if example.text == text), None)


def _read(path: Path) -> tuple[Example, ...]:
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return tuple(Example(heads=tuple(row.pop("heads")), **row) for row in rows)


EXAMPLES = _read(EXAMPLES_FILE)
