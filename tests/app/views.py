"""Views without a page: what a page would draw of a text."""

from mha_viz.ui import cache
from mha_viz.ui.selection import Selection
from mha_viz.ui.view import View, lines, manner_of


def view_of(**choices: object) -> View:
    selection = Selection(**choices)
    source = cache.Source("minilm", selection.text)
    record = cache.record(source)
    stream = record.stream("self")
    return View(selection, source, record, stream, *lines(stream, source, manner_of(selection)))
