"""Every page is drawn; and what the pages beside the first one show."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import ROOT, pictures, said

pytestmark = pytest.mark.model

SCRIPTS = ["app.py", *sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py"))]
TEXT = "Hi there, little cat"


def open_page(app: AppTest, script: str, **parameters: str) -> AppTest:
    app.query_params.update(parameters)
    app.run()
    return app if script == "app.py" else app.switch_page(script).run()


def words_of(app: AppTest) -> str:
    return " ".join(part.value for kind in ("markdown", "subheader") for part in app.get(kind))


@pytest.mark.parametrize("script", SCRIPTS)
def test_page_is_drawn_with_the_way_to_the_others(app: AppTest, script: str):
    open_page(app, script)
    assert not app.exception
    assert not app.error
    links = {link.proto.page for link in app.get("page_link")}
    assert len(links) == len(SCRIPTS)


def test_how_it_works_says_what_is_computed_and_what_cannot_be_shown(app: AppTest):
    open_page(app, "pages/about.py")
    assert [part.value for part in app.subheader] == [
        "What a head computes",
        "Where the numbers come from",
        "What it cannot show",
    ]
    formulas = " ".join(part.value for part in app.latex)
    for part in (r"\mathrm{softmax}", r"\sqrt{d_k}", r"\mathrm{Concat}", "W^O"):
        assert part in formulas
    written = words_of(app)
    assert "not why the model answers as it does" in written
    assert "refused" in written


def test_how_it_works_says_that_no_map_leads_from_input_to_label(app: AppTest):
    """AV-099."""
    open_page(app, "pages/about.py")
    assert "label" in words_of(app)


def test_how_it_works_says_what_of_its_link_could_not_be_read(app: AppTest):
    open_page(app, "pages/about.py")
    app.query_params["layer"] = "first"
    app.run()
    assert "The link's layer could not be read" in said(app)
    assert "could not be read" not in said(app.switch_page("app.py").run())


def test_how_it_works_needs_no_model(app: AppTest):
    """What is said there is true of any model, so a link to one that cannot be had leads there too."""
    open_page(app, "pages/about.py", model="no/such-model", text=TEXT)
    assert not app.exception
    assert app.subheader
    assert pictures(app) == []
