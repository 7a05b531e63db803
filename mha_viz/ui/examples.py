"""The sentences to start from, each with what there is to see in it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mha_viz.models.catalog import DEFAULT_MODEL, SCHOOL, is_school

ASSETS = Path(__file__).parents[2] / "assets"


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
        off: The head of that layer without which something else is predicted; None for models that predict nothing.
    """

    title: str
    text: str
    hint: str
    layer: int
    heads: tuple[int, ...]
    query: int | None = None
    off: int | None = None

    def view(self) -> dict[str, Any]:
        """The parts of a Selection that show it."""
        return {"text": self.text, "layer": self.layer, "heads": self.heads, "query": self.query}


def of(model: str) -> tuple[Example, ...]:
    """The sentences to start from with a model: our own small one knows few words, and has sentences of its own."""
    return SCHOOL_EXAMPLES if is_school(model) else EXAMPLES


def find(text: str, model: str) -> Example | None:
    """The example with this very text, if its hint is about this model."""
    known = {DEFAULT_MODEL: EXAMPLES, SCHOOL: SCHOOL_EXAMPLES}.get(model, ())
    return next((example for example in known if example.text == text), None)


def instead_of(text: str, model: str) -> dict[str, Any]:
    """The parts of a Selection that a model starts from, where the text is still what another model started from."""
    first = of(model)[0]
    others = {EXAMPLES[0].text, SCHOOL_EXAMPLES[0].text} - {first.text}
    return first.view() if text in others else {}


def _read(path: Path) -> tuple[Example, ...]:
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return tuple(Example(heads=tuple(row.pop("heads")), **row) for row in rows)


EXAMPLES = _read(ASSETS / "examples.json")
SCHOOL_EXAMPLES = _read(ASSETS / "school" / "examples.json")
