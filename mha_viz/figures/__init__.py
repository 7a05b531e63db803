"""Figures: arrays in, Plotly Figures out.

Nothing here knows a model or a page. Every function takes NumPy arrays and lists of token texts and returns one
figure whose colours come from a `theme.Theme`; every token text passes through `text.plotly_text`.
"""
