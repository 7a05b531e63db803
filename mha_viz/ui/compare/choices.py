"""What a person can choose on the page of comparisons: what is drawn, and for each panel whose head, on which text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from mha_viz.core.intervention_text import from_text
from mha_viz.errors import ChoiceError
from mha_viz.ui.link import Choices, written
from mha_viz.ui.selection import MAX_LINK, Selection

PANELS, LAYERS, HEADS = "panels", "layers", "heads"
MOST_PANELS, LEAST_PANELS = 4, 2
MEAN, SEPARATOR, OF_STREAM, LONGEST_INDEX = "mean", "|", "/", 4
BIG = "The trophy doesn't fit in the suitcase because it is too big."
SMALL = "The trophy doesn't fit in the suitcase because it is too small."


@dataclass(frozen=True)
class Wanted:
    """What a panel is asked to show.

    Attributes:
        model: Name of a catalog entry, a hub id or a folder.
        layer: Which layer, from 0.
        head: Which head, from 0; None for the average of the layer.
        stream: Which kind of attention, for models that have several; empty for the first.
        changes: What is done to heads, as `core.intervention_text` writes it.
    """

    model: str = Selection().model
    layer: int = 0
    head: int | None = 6
    stream: str = ""
    changes: str = ""

    def to_text(self) -> str:
        """A few characters for a link: `model|layer|head or mean|changes`; a stream stands before the layer: `cross/3`."""
        head = MEAN if self.head is None else str(self.head)
        layer = f"{self.stream}{OF_STREAM}{self.layer}" if self.stream else str(self.layer)
        return SEPARATOR.join([self.model, layer, head, self.changes])

    @classmethod
    def from_text(cls, text: str) -> "Wanted":
        """What `to_text` wrote.

        Raises:
            ChoiceError: If it is no such text.
        """
        # Only a folder's name may hold the separator, and it stands first.
        model, *rest = text.rsplit(SEPARATOR, 3)
        if not model or len(rest) != 3:
            raise ChoiceError("a panel is written as model|layer|head|changes, as minilm|0|6|")
        where, head, changes = rest
        stream, _, layer = where.rpartition(OF_STREAM)
        numbers = [layer] if head == MEAN else [layer, head]
        if not all(one.isdecimal() and len(one) <= LONGEST_INDEX for one in numbers):
            raise ChoiceError(f"a layer and a head are whole numbers, or the head is “{MEAN}”")
        from_text(changes)
        return cls(model, int(layer), None if head == MEAN else int(head), stream, changes)


def _text(first: str = "") -> Any:  # noqa: ANN401 - a field of its own kind
    return field(default=first, metadata={"spare": "a panel’s text"})


@dataclass(frozen=True)
class Compare(Choices):
    """The page's own choices.

    Attributes:
        show: The panels, or the first panel's head in every layer, or all heads of its layer.
        panel_1: What the first panel shows, see `Wanted`.
        panel_2: The second.
        panel_3: The third; empty for none.
        panel_4: The fourth; empty for none.
        text_1: What the first panel reads.
        text_2: The second.
        text_3: The third.
        text_4: The fourth.
        first: From which of the maps that are drawn the difference is taken, counted from 0.
        second: To which.
    """

    show: str = field(default=PANELS, metadata={"choices": (PANELS, LAYERS, HEADS)})
    panel_1: str = Wanted().to_text()
    panel_2: str = Wanted().to_text()
    panel_3: str = ""
    panel_4: str = ""
    text_1: str = _text(BIG)
    text_2: str = _text(SMALL)
    text_3: str = _text()
    text_4: str = _text()
    first: int = 0
    second: int = 1

    @property
    def n_panels(self) -> int:
        """How many panels there are: those after an empty one do not count."""
        given = [bool(getattr(self, panel_field(place))) for place in range(MOST_PANELS)]
        filled = given.index(False) if False in given else MOST_PANELS
        return max(LEAST_PANELS, filled)

    def wanted(self, place: int) -> tuple[Wanted, str]:
        """What a panel shows, and why it is not what was asked for; empty if it is."""
        try:
            return Wanted.from_text(getattr(self, panel_field(place))), ""
        except ChoiceError as error:
            return Wanted(), f"panel {place + 1} could not be read: {error}; showing {FIRST_HEAD}"

    def text(self, place: int) -> str:
        """What a panel reads."""
        return getattr(self, text_field(place))

    def fits_link(self, selection: Selection) -> bool:
        """Whether the address holds the texts too."""
        return len(urlencode(selection.to_link() | written(self))) <= MAX_LINK


FIRST_HEAD = f"head {Wanted().head} of layer {Wanted().layer} of the bundled model"


def panel_field(place: int) -> str:
    """The name of the field that says what a panel shows, counted from 0."""
    return f"panel_{place + 1}"


def text_field(place: int) -> str:
    """The name of the field with a panel's text."""
    return f"text_{place + 1}"


def beside(panels: Sequence[Wanted], text: str) -> dict[str, str]:
    """The parameters of a link to panels on one text."""
    shown = {panel_field(place): wanted.to_text() for place, wanted in enumerate(panels)}
    return shown | {text_field(place): text for place in range(len(panels))}


def minimal_pair() -> dict[str, str]:
    """The two texts that differ in one word."""
    return {"text_1": BIG, "text_2": SMALL}
