"""Reports as a page and as Markdown: whatever a person wrote stays text."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from mha_viz.figures.heatmap import attention_heatmap
from mha_viz.figures.offline_page import offline_page
from mha_viz.figures.report import Section, Table, markdown, markdown_text

ATTACKS = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "[a](javascript:alert(1)) ![b](http://example.org/x.png)",
    "# title\n- item\n> quote\n```\ncode\n```\n| a | b |\n***\n1. one",
    "**bold** _it_ `code` ~~no~~ $x$ https://example.org www.example.org a@b.org &lt;",
]
FIGURE = attention_heatmap(np.eye(3), list("abc"), list("abc"), title="map")


def sections(text: str) -> list[Section]:
    table = Table(text, [text, "n"], [(text, "1.00")])
    folded = Table(text, ["word", text], [(text, "2.00")], folded=True)
    return [Section(text, (text,), (FIGURE,), (table, folded)), Section("end")]


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(text: str) -> Page:
    written = offline_page([], title=text, note=text, sections=sections(text))
    page = Page()
    page.feed(re.sub(r"(?s)<script>.*?</script>", "<script></script>", written, count=1))
    return page


@pytest.mark.parametrize("text", ATTACKS)
def test_text_of_a_person_is_text_in_the_page(text: str):
    page, calm = parsed(text), parsed("calm")
    assert page.tags == calm.tags
    assert page.attributes == calm.attributes
    assert page.text.count(text) == calm.text.count("calm") == 11


def test_page_holds_figures_and_tables_of_its_sections():
    page = parsed("calm")
    assert page.tags.count("section") == 2
    assert page.tags.count("table") == 2
    assert page.tags.count("details") == 1
    assert [page.text.count(number) for number in ("1.00", "2.00")] == [1, 1]
    assert "Plotly.newPlot" in " ".join(page.text)


def unescaped(text: str) -> str:
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)


@pytest.mark.parametrize("text", ATTACKS)
def test_text_of_a_person_is_text_in_markdown(text: str):
    written = markdown(text, sections(text))
    # What has no backslash before it and could mean something must be ours: headings, tables, bold titles, the note on pictures.
    bare = re.sub(r"\\[!-/:-@\[-`{-~]", "", written)
    assert not set("<>[]`_~$&@{}") & set(bare)
    assert not re.search(r"(?im)://|www\.|^\d+[.)] ", bare)
    ours = re.compile(
        r"#{1,2} [^#*|]*|\*\*[^#*|]*\*\*|\*1 picture[^#*|]*\*|\|[^#*]*\||[^#*|+=-][^#*|]*|"
    )
    assert [line for line in bare.splitlines() if not ours.fullmatch(line)] == []
    assert unescaped(written).count(text.split("\n")[0]) >= 7


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- item", r"\- item"),
        ("+ item", r"\+ item"),
        ("12. item", r"12\. item"),
        ("1) item", r"1\) item"),
        ("=====", r"\====="),
        ("a - b. 1.5 = c", "a - b. 1.5 = c"),
        ("WWW.example.org", r"WWW\.example.org"),
    ],
)
def test_markdown_text_escapes_what_begins_a_line_only_there(line: str, expected: str):
    assert markdown_text(line) == expected


def test_markdown_says_that_pictures_are_left_out_and_keeps_lines_and_numbers():
    written = markdown(
        "t", [Section("s", ("one\ntwo\n\nthree",), (FIGURE,) * 3, sections("a")[0].tables)]
    )
    assert "one\\\ntwo\n\nthree" in written
    assert (
        "*3 pictures can be seen in the report as a page (HTML): Markdown holds no pictures.*"
        in written
    )
    assert "| a | n |\n| --- | ---: |\n| a | 1.00 |" in written


def test_markdown_text_is_one_line_without_indentation():
    assert markdown_text("    code\n\there") == "code here"
