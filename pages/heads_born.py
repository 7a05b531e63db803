"""Heads being born: the training of a small model, from its first step to its last."""

from mha_viz.ui import school, shell
from mha_viz.ui.pictures import theme
from mha_viz.ui.school.choices import School

shell.open_page("pages/heads_born.py", School())
school.page(theme())
