"""What a person can choose on the page of masks, and on it alone; and what of it is done to the heads of a layer."""

from dataclasses import dataclass, field

from mha_viz.core.head_masks import (
    HALVES,
    MOST_PAINTED,
    NONE,
    OWN,
    PRESETS,
    Rows,
    head_masks,
    painting_from_text,
    started,
)
from mha_viz.core.interventions import OFF_HOWS, CutLink, HeadOff, Intervention, Temperature
from mha_viz.errors import ChoiceError
from mha_viz.ui.lab.bench import Bench
from mha_viz.ui.link import one_of
from mha_viz.ui.predict import Guess
from mha_viz.ui.seed_and_temperature import nearest_temperature

COMPARE, PREDICT = "compare", "predict"
SOURCES = ("model", "ours")
MOST_REACH = 8
LONGEST_ANSWER = 5000


@dataclass(frozen=True)
class Lab(Guess):
    """The page's own choices.

    Attributes:
        task: Restrict heads and compare, or guess first where an unrestricted head looks.
        source: Whose heads: those of the model, or of our own small layer.
        four: Whether our own layer reads four vectors that stand for no words.
        seed: What our own layer is drawn from.
        preset: Which mask the restricted heads get.
        restricted: The heads that get it, from 0.
        reach: Of a window: how many tokens to each side.
        painting: Painted masks, see `core.head_masks`.
        brush: The head whose mask is painted.
        off: The heads that are switched off.
        how: What a head that is off does instead.
        temperature: What the scores of the restricted heads are divided by.
        cut_query: The token that may no longer look at another, in the restricted heads; None for none.
        cut_key: The token that it may no longer look at; None for none.
        hidden: The head that is guessed.
        answer: What the person wrote about what changed.
    """

    task: str = one_of((COMPARE, PREDICT), COMPARE)
    source: str = one_of(SOURCES, "model")
    four: bool = False
    seed: int = 0
    preset: str = one_of(PRESETS, HALVES)
    restricted: tuple[int, ...] = (0, 1)
    reach: int = one_of(range(MOST_REACH + 1), 1)
    painting: str = ""
    brush: int = 0
    off: tuple[int, ...] = ()
    how: str = one_of(OFF_HOWS, "zero")
    temperature: float = 1.0
    cut_query: int | None = None
    cut_key: int | None = None
    hidden: int = 0
    answer: str = field(default="", metadata={"spare": "your answer"})


@dataclass(frozen=True)
class Restriction:
    """What is done to the heads of a layer.

    Attributes:
        changes: All that is done.
        preset: Which mask the heads have.
        heads: The heads that have it.
        painting: The mask of each head, where masks are painted.
        notices: Why something that was asked for is not done.
    """

    changes: tuple[Intervention, ...]
    preset: str
    heads: tuple[int, ...]
    painting: dict[int, Rows]
    notices: tuple[str, ...]


def restriction(chosen: Lab, bench: Bench) -> Restriction:
    """What the choices do to the heads that there are."""
    n_query, n_key = len(bench.queries), len(bench.keys)
    notices: list[str] = []
    heads = _existing(chosen.restricted, bench, notices)
    preset, painting, masks = chosen.preset, {}, ()
    try:
        if preset == OWN:
            painting = _painting(chosen, n_query, n_key, notices)
            painting = {
                head: painting.get(head, started(heads, head, n_query, n_key)) for head in heads
            }
        masks = head_masks(
            preset,
            heads,
            n_query,
            n_key,
            layer=bench.layer,
            stream=bench.stream,
            reach=chosen.reach,
            painting=painting,
        )
    except ChoiceError as error:
        notices.append(str(error))
        preset = NONE
    off = _existing(chosen.off, bench, notices)
    changes: list[Intervention] = [
        *masks,
        *(HeadOff(bench.layer, head, chosen.how, stream=bench.stream) for head in off),
    ]
    temperature = nearest_temperature(chosen.temperature)
    for head in heads:
        if temperature != 1:
            changes.append(Temperature(bench.layer, head, temperature, stream=bench.stream))
        if chosen.cut_query in range(n_query) and chosen.cut_key in range(n_key):
            cut = (chosen.cut_query, chosen.cut_key)
            changes.append(CutLink(bench.layer, head, *cut, stream=bench.stream))
    return Restriction(tuple(changes), preset, heads, painting, tuple(notices))


def _existing(heads: tuple[int, ...], bench: Bench, notices: list[str]) -> tuple[int, ...]:
    missing = [head for head in heads if not 0 <= head < bench.n_heads]
    if missing:
        notices.append(
            f"head {', '.join(map(str, missing))} does not exist here: heads go from 0 to {bench.n_heads - 1}"
        )
    return tuple(head for head in heads if head not in missing)


def _painting(chosen: Lab, n_query: int, n_key: int, notices: list[str]) -> dict[int, Rows]:
    try:
        return painting_from_text(chosen.painting, n_query, n_key)
    except ChoiceError as error:
        if max(n_query, n_key) <= MOST_PAINTED:
            notices.append(f"what was painted does not fit this text: {error}")
        return {}
