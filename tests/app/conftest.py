"""The pages, run without a browser."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)


def figures(app: AppTest) -> list[dict]:
    """The figures on the page, as what Plotly is given."""
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def titles(app: AppTest) -> list[str]:
    return [figure["layout"]["title"]["text"].strip("\u2068\u2069") for figure in figures(app)]
