"""Figures: arrays in, Plotly Figures out.

Nothing here knows a model or a page. Every function takes NumPy arrays and lists of token texts and returns one
figure whose colours come from a `theme.Theme`; every token text passes through `text.plotly_text`.

The pictures:
    arcs            chosen heads one below the other: words, and arcs to the words they look at most
    heatmap         one head as a map: a query a row, a key a column
    head_grid       every head of a model as one stitched picture of small maps
    summary         what a head does, as a sentence
    plates          the same pictures without their weights, for a browser that is given the weights apart

A training while it runs:
    training_curves two scores of every head over the steps, and the loss
    letter_maps     small maps of all heads on letters that are said twice

What arcs are made of, in the order they need each other:
    arc_selection   which arcs are drawn, and how many are not
    curves          the lines: shape, thickness, arrowheads
    row_layout      where words, arcs and numbers are in a row
    arc_painter     one row as Plotly traces and annotations
    word_labels     the words of a row as Plotly annotations

What a heatmap is made of:
    heatmap_layout  pixels of cells, labels and margins; the axes

What all share:
    theme           colours, and the frame of every figure
    text            token texts as data, never as markup
    token_marks     tokens that are no words of the text, marked
    word_layout     how much room words need: widths, tilt, thinning
    click_targets   what answers to the pointer
    checks          wrong inputs, refused with a sentence
"""
