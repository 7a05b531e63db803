"""Compare: any head of any model on any text beside others, and what changes between two of them."""

from mha_viz.ui import compare, shell
from mha_viz.ui.compare.choices import Compare
from mha_viz.ui.pictures import theme

selection = shell.open_page("pages/compare.py", Compare())
compare.page(selection, theme())
