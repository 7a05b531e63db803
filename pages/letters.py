"""A–F: six words and three heads of your own making; puzzles; predict first."""

from mha_viz.ui import letters, shell
from mha_viz.ui.board import PREDICT, Letters

shell.open_page("pages/letters.py", Letters())
if letters.task_picker() == PREDICT:
    letters.predict()
else:
    letters.board()
