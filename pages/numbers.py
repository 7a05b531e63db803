"""Numbers: every head of the model on this text, measured."""

from mha_viz.ui import controls, numbers, shell
from mha_viz.ui.view import open_view

selection = shell.open_page("pages/numbers.py")
controls.text_box(selection)
controls.model_picker(selection)
if (view := open_view(selection)) is not None:
    controls.more_pickers(view)
    numbers.measures_table(view)
