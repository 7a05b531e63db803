"""Figures in one file."""

import re
from html.parser import HTMLParser

import numpy as np

from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.offline_page import offline_page

TEXT = "<script>alert(1)</script> & “it”"


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.scripts = 0
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.sources += [value or "" for name, value in attrs if name in {"src", "href"}]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def page() -> tuple[str, Tags]:
    figures = [
        attention_heatmap(np.eye(size), ["a"] * size, ["a"] * size, title=f"map {size}")
        for size in (2, 3)
    ]
    written = offline_page(figures, title=TEXT, note="layer 0 <b>")
    tags = Tags()
    tags.feed(re.sub(r"(?s)<script>.*?</script>", "<script></script>", written, count=1))
    return written, tags


def test_page_asks_no_other_host_for_anything():
    written, tags = page()
    assert tags.sources == []
    assert "Plotly.newPlot" in written
    assert "plotly.js v" in written


def test_page_holds_every_figure_and_offers_none_of_them_to_a_cloud():
    written, _ = page()
    assert written.count("Plotly.newPlot(") == 2
    assert written.count('"showSendToCloud": false') == 2


def test_text_of_a_person_is_text_on_the_page():
    _, tags = page()
    assert tags.text.count(TEXT) == 2  # title and heading
    assert "layer 0 <b>" in tags.text
    assert tags.scripts == 1 + 2  # plotly, and one a figure
