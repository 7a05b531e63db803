"""The page of all heads: measured, searched by a sketch, held against each other. One part is computed at a time."""

from mha_viz.figures.theme import Theme
from mha_viz.ui import state
from mha_viz.ui.atlas.alike import more_like_this
from mha_viz.ui.atlas.choices import ALIKE, DRAW, HEADS, LAYERS, PARTS, Atlas
from mha_viz.ui.atlas.draw import draw_to_find
from mha_viz.ui.atlas.heads import all_heads
from mha_viz.ui.atlas.through import through_all_layers
from mha_viz.ui.controls import pick_one
from mha_viz.ui.view import View

_SHOW = {
    HEADS: all_heads,
    DRAW: draw_to_find,
    ALIKE: more_like_this,
    LAYERS: through_all_layers,
}


def part_picker() -> None:
    """What is done with the heads."""
    pick_one("Look at", PARTS, state.tied("part", state.own(Atlas).part))


def show(view: View, theme: Theme) -> None:
    """The part that is chosen; what is hidden is not computed."""
    _SHOW[state.own(Atlas).part](view, theme)
