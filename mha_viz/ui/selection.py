"""What a person typed and chose: one small frozen value, which is also the link to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from mha_viz.models.catalog import DEFAULT_MODEL
from mha_viz.ui.link import Choices, one_of, read, written

MAX_LINK = 4000
LEAST_SHARE = 10
# What a choice may be, the usual first.
UNITS = ("token", "word", "sentence")
READINGS = ("query", "key")
SCALES = ("one", "each")
HIDEABLE = ("special", "first")
DEFAULT_TEXT = "The cat chased the mouse because it was hungry."


@dataclass(frozen=True)
class Selection(Choices):
    """The whole view.

    Attributes:
        text: The text, as typed.
        model: A name of the catalog, a hub id or a local folder.
        layer: The layer shown, from 0.
        heads: The heads of that layer that are shown, from 0, in ascending order.
        query: Position of the token whose arcs stand out; None for all alike.
        start: First position of the window shown of a long text.
        target: What an encoder–decoder is made to say; empty for its start token alone.
        stream: Which kind of attention of an encoder–decoder; empty for the first.
        share: Arcs are the fewest that hold this share of each word's weight, in percent.
        key_start: Where the window of a long text begins among the words that are looked at; None for the same place.
        unit: What a position is: "token", "word" or "sentence".
        reading: "query" asks of a chosen word where it looks, "key" who looks at it.
        hide: Which tokens are left out: "special" ones that the model added, the "first" one.
        rescale: Whether rows are stretched to the sum they had before tokens were left out.
        average: Whether the mean of the layer's heads is shown below them.
        scale: "one" scale of colours for all maps, or for "each" its own.
        present: Whether the pages are set large, for a projector.
    """

    text: str = DEFAULT_TEXT
    model: str = DEFAULT_MODEL
    layer: int = 0
    heads: tuple[int, ...] = (2, 5, 8)
    query: int | None = None
    start: int = 0
    target: str = ""
    stream: str = ""
    share: int = 70
    key_start: int | None = None
    unit: str = one_of(UNITS, "token")
    reading: str = one_of(READINGS, "query")
    hide: tuple[str, ...] = one_of(HIDEABLE, ())
    rescale: bool = False
    average: bool = False
    scale: str = one_of(SCALES, "one")
    present: bool = False

    def to_link(self) -> dict[str, str]:
        """The parameters of the address: what differs from the first view.

        A text that would make the link longer than `MAX_LINK` is left out, and what is a place in it; a mark says so.
        """
        link = written(self)
        return link if fits(link) else self.to_link_without_text()

    def to_link_without_text(self) -> dict[str, str]:
        """The parameters without the texts and what is a place in them; a mark says so."""
        link = written(self)
        return {name: link[name] for name in link if name not in _OF_THE_TEXT} | {_LEFT_OUT: "text"}


def fits(link: Mapping[str, str]) -> bool:
    """Whether an address can hold these parameters."""
    return len(urlencode(link)) <= MAX_LINK


_OF_THE_TEXT = {"text", "target", "query", "start", "key_start"}
_LEFT_OUT = "left_out"


@dataclass(frozen=True)
class Extent:
    """How much there is to choose from, once a model has read the text.

    Attributes:
        n_heads: Heads of each layer; 0 for a layer without attention.
        n_words: Units that can be chosen.
    """

    n_heads: tuple[int, ...]
    n_words: int

    @property
    def attending_layers(self) -> tuple[int, ...]:
        """The layers that have attention."""
        return tuple(layer for layer, count in enumerate(self.n_heads) if count)


def from_link(
    parameters: Mapping[str, str], before: Selection | None = None
) -> tuple[Selection, list[str]]:
    """The view that a link asks for, and a sentence for each part of it that cannot be read.

    Args:
        parameters: The parameters of the address.
        before: What is shown now; its text stays where the address could not hold one.
    """
    selection, notices = Selection(), []
    if _LEFT_OUT in parameters and before is not None:
        selection = Selection(text=before.text, target=before.target)
    elif _LEFT_OUT in parameters and "text" not in parameters:
        notices.append(
            "The text was too long for this link, so it is not in it: paste the text that came with it."
        )
    selection, unreadable = read(selection, parameters)
    return selection, notices + unreadable


def fit(selection: Selection, extent: Extent) -> tuple[Selection, list[str]]:
    """The nearest view that exists, and a sentence for each choice that did not.

    A layer or head out of range becomes the last one, and one without attention the nearest that has it. Of heads that
    nobody chose, those of the first view, nothing is said.
    """
    notices = []
    n_layers = len(extent.n_heads)
    layer = min(
        extent.attending_layers,
        key=lambda candidate: (abs(candidate - selection.layer), candidate),
    )
    if layer != selection.layer:
        exists = 0 <= selection.layer < n_layers
        why = "has no attention" if exists else f"does not exist (0 to {n_layers - 1})"
        notices.append(f"Layer {selection.layer} {why}; showing layer {layer}.")
    last = extent.n_heads[layer] - 1
    heads = tuple(sorted({head for head in selection.heads if 0 <= head <= last}))
    if missing := sorted(set(selection.heads) - set(heads)):
        heads = heads or (min(max(missing[-1], 0), last),)
    if missing and selection.heads != Selection.heads:
        verb = "Heads {} do" if len(missing) > 1 else "Head {} does"
        notices.append(
            f"{verb.format(_listed(missing))} not exist (0 to {last}); showing head {_listed(heads)}."
        )
    query = selection.query
    if query is not None and not 0 <= query < extent.n_words:
        notices.append(
            f"Word {query} does not exist (0 to {extent.n_words - 1}); showing all words."
        )
        query = None
    share = min(max(selection.share, LEAST_SHARE), 100)
    if share != selection.share:
        notices.append(f"Arcs cannot hold {selection.share} % of a weight; showing {share} %.")
    return replace(selection, layer=layer, heads=heads, query=query, share=share), notices


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
