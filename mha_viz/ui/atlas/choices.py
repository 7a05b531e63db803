"""What a person can choose on the page of all heads, and on it alone."""

from dataclasses import dataclass, field

from mha_viz.ui.link import Choices, one_of

HEADS, DRAW, ALIKE, LAYERS = "heads", "draw", "alike", "layers"
PARTS = {
    HEADS: "All heads",
    DRAW: "Draw to find",
    ALIKE: "More like this head",
    LAYERS: "Through all layers",
}
THIS, EXAMPLES, OWN = "this", "examples", "own"
TEXTS = {THIS: "this text", EXAMPLES: "the example sentences", OWN: "my own list"}
ROLE, SAME, NUMBER = "role", "same", "number"
ROLLOUT, FLOW = "rollout", "flow"
WAYS = {ROLLOUT: "Rollout", FLOW: "Flow"}


@dataclass(frozen=True)
class Atlas(Choices):
    """The page's own choices.

    Attributes:
        part: What is done with the heads.
        over: The texts that they are measured on. A list of one's own is in no link.
        colour: The measure that gives a head its colour, or its role.
        size: The measure that gives it its size, or the same for all.
        order: The measure by which heads are in order, or their number.
        only: The roles that are shown; none for all.
        sketch: Painted cells, as `core.head_masks` writes them.
        link_query: The word that looks, of a link that is searched for; None for none.
        link_key: The word that is looked at.
        map: Whether the map of all heads is drawn.
        way: By which of two measures the map of all layers is drawn.
        input: The word of the last layer whose way back to the words of the text is asked for.
    """

    part: str = one_of(tuple(PARTS), HEADS)
    over: str = one_of(tuple(TEXTS), THIS)
    colour: str = ROLE
    size: str = SAME
    order: str = NUMBER
    only: tuple[str, ...] = ()
    sketch: str = field(default="", metadata={"spare": "your sketch"})
    link_query: int | None = None
    link_key: int | None = None
    map: bool = False
    way: str = one_of(tuple(WAYS), ROLLOUT)
    input: int | None = None
