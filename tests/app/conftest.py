"""The pages, run without a browser."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.labels import as_read

ROOT = Path(__file__).parents[2]


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below which the server may open models."""
    allowed = tmp_path / "allowed"
    monkeypatch.setenv("MHA_VIZ_MODEL_FOLDERS", str(allowed))
    return allowed


def figures(app: AppTest) -> list[dict]:
    """The figures on the page, as what Plotly is given."""
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def titles(app: AppTest) -> list[str]:
    return [as_read(figure["layout"]["title"]["text"]) for figure in figures(app)]


def ticks(figure: dict, axis: str) -> list[str]:
    """What is written along an axis."""
    return [as_read(text) for text in figure["layout"][axis]["ticktext"]]


def cells(figure: dict) -> np.ndarray:
    """The numbers of a heatmap, out of what Plotly is given."""
    z = next(trace["z"] for trace in figure["data"] if trace["type"] == "heatmap")
    numbers = np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"])
    return numbers.reshape([int(length) for length in z["shape"].split(",")])


def frame(figure: dict) -> tuple[float, float] | None:
    """First and last row of the frame around a chosen row; None if none is drawn."""
    shapes = figure["layout"].get("shapes", [])
    return (shapes[0]["y0"], shapes[0]["y1"]) if shapes else None


def said(app: AppTest) -> str:
    """All sentences that the page tells a visitor, as they read them."""
    return " ".join(note.value for note in (*app.error, *app.info)).replace("\\", "")


def send(app: AppTest, element: object, value: str) -> AppTest:
    """Run the page with what a browser sends for a widget, where AppTest has no call for it."""
    states = app._tree.get_widget_states()
    others = [state for state in states.widgets if state.id != element.proto.id]
    del states.widgets[:]
    states.widgets.extend(others)
    states.widgets.add(id=element.proto.id, string_value=value)
    return app._run(states)


def pick(app: AppTest, element: object, **selection: list) -> AppTest:
    """Choose something in a table or a picture."""
    return send(app, element, json.dumps({"selection": selection}))
