"""What a person typed and chose: one small frozen value, which is also the link to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from urllib.parse import urlencode

from mha_viz.models.catalog import DEFAULT_MODEL

MAX_LINK = 4000
LEAST_SHARE = 10
DEFAULT_TEXT = "The cat chased the mouse because it was hungry."


@dataclass(frozen=True)
class Selection:
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

    def to_link(self) -> dict[str, str]:
        """The parameters of the address: what differs from the first view.

        A text that would make the link longer than `MAX_LINK` is left out, and what is a place in it; a mark says so.
        """
        link = self._changes()
        if self.text_fits_link:
            return link
        return {name: link[name] for name in link if name not in _OF_THE_TEXT} | {_LEFT_OUT: "text"}

    @property
    def text_fits_link(self) -> bool:
        """Whether the link with the texts in it is short enough."""
        return len(urlencode(self._changes())) <= MAX_LINK

    def _changes(self) -> dict[str, str]:
        first = Selection()
        changed = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: _written(value)
            for name, value in changed.items()
            if value != getattr(first, name)
        }


_OF_THE_TEXT = {"text", "target", "query", "start"}
_LEFT_OUT = "left_out"


@dataclass(frozen=True)
class Extent:
    """How much there is to choose from, once a model has read the text.

    Attributes:
        n_heads: Heads of each layer; 0 for a layer without attention.
        n_query: Tokens that look.
    """

    n_heads: tuple[int, ...]
    n_query: int

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
    for name in ("text", "model", "target", "stream"):
        if name in parameters:
            selection = replace(selection, **{name: parameters[name]})
    for name, read in (
        ("layer", _whole),
        ("heads", _whole_numbers),
        ("query", _whole),
        ("start", _whole),
        ("share", _whole),
    ):
        if name not in parameters:
            continue
        try:
            selection = replace(selection, **{name: read(parameters[name])})
        except ValueError:
            usual = getattr(selection, name)
            shown = "all words" if usual is None else _written(usual)
            notices.append(f"The link's {name} could not be read as a number; showing {shown}.")
    return selection, notices


def fit(selection: Selection, extent: Extent) -> tuple[Selection, list[str]]:
    """The nearest view that exists, and a sentence for each choice that did not.

    A layer or head out of range becomes the last one, and one without attention the nearest that has it.
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
        verb = "Heads {} do" if len(missing) > 1 else "Head {} does"
        notices.append(
            f"{verb.format(_listed(missing))} not exist (0 to {last}); showing head {_listed(heads)}."
        )
    query = selection.query
    if query is not None and not 0 <= query < extent.n_query:
        notices.append(
            f"Word {query} does not exist (0 to {extent.n_query - 1}); showing all words."
        )
        query = None
    start = min(max(selection.start, 0), max(extent.n_query - 1, 0))
    share = min(max(selection.share, LEAST_SHARE), 100)
    if share != selection.share:
        notices.append(f"Arcs cannot hold {selection.share} % of a weight; showing {share} %.")
    return replace(
        selection, layer=layer, heads=heads, query=query, start=start, share=share
    ), notices


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return "" if value is None else str(value).encode("utf-8", "replace").decode()


def _whole(written: str) -> int:
    if len(written) > 9:
        raise ValueError(written)
    return int(written)


def _whole_numbers(written: str) -> tuple[int, ...]:
    if len(written) > 2000:
        raise ValueError(written)
    return tuple(sorted({_whole(part) for part in written.split(",")})) if written else ()
