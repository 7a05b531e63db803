"""How it works: what attention computes, how the numbers are had and checked, where the limits are."""

from mha_viz.ui import guide, messages, shell, state

shell.open_page("pages/about.py")
for sentence in state.notices():
    messages.notice(sentence)
guide.how_it_works()
