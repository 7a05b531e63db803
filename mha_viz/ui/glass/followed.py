"""From what was chosen to the numbers that are followed: our own small layer, or one of the model's."""

import re
from dataclasses import dataclass

import numpy as np

from mha_viz.core.edits import Edit, edited, from_text
from mha_viz.core.four_steps import trace_layer
from mha_viz.core.layer_numbers import LayerNumbers
from mha_viz.core.layers import ScoredLayer
from mha_viz.core.small_layer import module_steps, small_numbers, words_of
from mha_viz.core.trace import Cell, Trace
from mha_viz.errors import CaptureError, ChoiceError, TextError
from mha_viz.models.projections import layer_numbers, model_output
from mha_viz.ui import cache, model_cache
from mha_viz.ui.glass.choices import GlassChoices
from mha_viz.ui.link import fingerprint
from mha_viz.ui.view import View

_CELL = re.compile(r"(.+)\.(\d{1,9})\.(\d{1,9})")


@dataclass(frozen=True, eq=False)
class Followed:
    """What the page shows.

    Attributes:
        numbers: What the layer starts from, edits included.
        trace: Every number that follows.
        head: The head that is followed.
        edits: The edits that hold.
        fingerprint: Of what they belong to.
        compared: What was compared with the layer's own output, and how far apart they are.
        notices: What has to be said besides.
    """

    numbers: LayerNumbers
    trace: Trace
    head: int
    edits: tuple[Edit, ...]
    fingerprint: int
    compared: str
    notices: tuple[str, ...]

    @property
    def n_bytes(self) -> int:
        """Memory that it takes."""
        whole = sum(part.weight.nbytes for part in self.numbers.projections.values())
        heads = sum(part.nbytes for part in self.numbers.heads.values())
        return self.trace.n_bytes + whole + heads

    @property
    def d_model(self) -> int:
        """Width of a token."""
        x, output = self.numbers.x, self.numbers.projections.get("output")
        if x is not None:
            return x.shape[1]
        return (
            self.numbers.n_heads * self.numbers.d_value
            if output is None
            else output.weight.shape[1]
        )

    def cell(self, written: str) -> Cell | None:
        """The cell that a choice names, if there is one."""
        found = _CELL.fullmatch(written)
        if found is None or found[1] not in self.trace.matrices:
            return None
        cell = Cell(found[1], int(found[2]), int(found[3]))
        n_rows, n_columns = self.trace.matrix(cell.matrix).shape
        return cell if cell.row < n_rows and cell.column < n_columns else None


def ours(text: str, choices: GlassChoices) -> Followed:
    """The small layer on the words of a text.

    Raises:
        TextError: If the text has no words.
    """
    words, left_out = words_of(text)
    if not words:
        raise TextError("the text is empty; type a sentence, or choose an example")
    notices = [f"the small layer takes the first {len(words)} words; {left_out} more are left out"]
    layer = choices.small_layer
    start = small_numbers(words, layer)
    about = fingerprint(("ours", words, layer.d_model, layer.seed))
    numbers, edits, refused = _edited(start, choices, about)
    head = _head(choices, layer.n_heads)
    key = ("ours", words, left_out, layer, edits, tuple(refused), head)

    def follow() -> Followed:
        trace = trace_layer(numbers, head)
        apart = _apart(trace.matrix("O").values, module_steps(numbers).output.numpy())
        compared = f"MultiHeadAttention, computing the same at once, gives the same output: they are at most {apart:.0e} apart."
        said = (*notices[: bool(left_out)], *refused)
        return Followed(numbers, trace, head, edits, about, compared, said)

    return cache.traced(key, follow)


def of_the_model(view: View, choices: GlassChoices) -> Followed:
    """The chosen layer of the model on the text.

    Raises:
        CaptureError: If the model only reports weights.
    """
    selection, stream = view.selection, view.stream
    place = (view.source, stream.name, selection.layer)
    about = fingerprint(place)
    n_heads = stream.layer(selection.layer).n_heads
    head = _head(choices, n_heads)
    asked = choices.edits if choices.edited == about else ""

    def follow() -> Followed:
        layer = cache.whole_layer(view.source, stream, selection.layer)
        if not isinstance(layer, ScoredLayer):
            raise CaptureError(
                "this model only reports its weights, and neither queries nor keys, so there are no steps to follow; "
                "choose another model, or a small layer of our own"
            )
        model = model_cache.model(view.source.model).model
        start, why = layer_numbers(model, layer, tuple(stream.query_texts), tuple(stream.key_texts))
        numbers, edits, refused = _edited(start, choices, about)
        trace = trace_layer(numbers, head)
        return Followed(
            numbers,
            trace,
            head,
            edits,
            about,
            _compared(trace, layer, model_output(model, layer), bool(edits)),
            (*_missing(numbers, why), *refused),
        )

    return cache.traced((*place, asked, head), follow)


def _compared(trace: Trace, layer: ScoredLayer, output: np.ndarray | None, is_edited: bool) -> str:
    """The steps beside what the model itself computed."""
    if "O" in trace.matrices and output is not None:
        ours, theirs, what = trace.matrix("O").values, output, "the model's own attention output"
    elif layer.head_outputs is not None:
        ours, theirs = trace.matrix("C").values, layer.head_outputs.flatten(1).double().numpy()
        what = "what the model's own heads found"
    else:
        return ""
    apart, largest = _apart(ours, theirs), float(np.abs(theirs).max())
    if is_edited:
        return f"With your edits, the output is up to {apart:.3g} away from {what}, whose numbers go up to {largest:.3g}."
    return f"The steps end in {what}: they are at most {apart:.0e} apart, and its numbers go up to {largest:.3g}."


def _missing(numbers: LayerNumbers, why: str) -> list[str]:
    said = []
    if why:
        said.append(f"the steps of this layer start at its queries, keys and values: {why}")
    if "output" not in numbers.projections:
        said.append(
            "the steps of this layer end at the heads side by side: its last projection could not be found by name"
        )
    return said


def _edited(
    numbers: LayerNumbers, choices: GlassChoices, about: int
) -> tuple[LayerNumbers, tuple[Edit, ...], list[str]]:
    """The numbers with the edits that belong to them, and a sentence if some cannot be made."""
    if not choices.edits or choices.edited != about:
        return numbers, (), []
    try:
        edits = from_text(choices.edits)
        return edited(numbers, edits), edits, []
    except ChoiceError as error:
        return numbers, (), [f"the edits could not be made: {error}"]


def _head(choices: GlassChoices, n_heads: int) -> int:
    return min(max(choices.head, 0), n_heads - 1)


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one - other).max())
