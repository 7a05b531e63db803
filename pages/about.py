"""How it works: what attention computes, how the numbers are had and checked, where the limits are."""

from mha_viz.ui import guide, shell

shell.open_page("pages/about.py")
guide.how_it_works()
