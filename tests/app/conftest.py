"""The pages, run without a browser, and what they send to one."""

import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.labels import as_read
from tests.packed import unpack

ROOT = Path(__file__).parents[2]
ALL_PICTURES = ["weights", "rows", "maps", "small_maps", "overview"]
# How far a weight that was sent as one byte may be from the weight.
ONE_BYTE = 0.004


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below which the server may open models."""
    allowed = tmp_path / "allowed"
    monkeypatch.setenv("MHA_VIZ_MODEL_FOLDERS", str(allowed))
    return allowed


def pictures(app: AppTest) -> list[str]:
    """What is drawn in the browser, in the order of the page."""
    names = [part.proto.component_name for part in app.get("bidi_component") if part.proto.bytes]
    return [name.removeprefix("mha_viz.") for name in names]


def packed(app: AppTest, picture: str) -> bytes:
    """The very bytes that a browser is given for a picture."""
    return _component(app, picture).proto.bytes


def sent(app: AppTest, picture: str) -> tuple[dict, dict[str, np.ndarray]]:
    return unpack(packed(app, picture))


def heads(app: AppTest) -> list[str]:
    """The heads that are shown, which are the same in the rows and in the heatmaps."""
    in_rows, in_maps = (
        [head["name"] for head in sent(app, key)[0]["heads"]] for key in ALL_PICTURES[1:3]
    )
    assert in_rows == in_maps
    return in_rows


def words(app: AppTest) -> list[str]:
    """The words that look."""
    return sent(app, "rows")[0]["queries"]["texts"]


def looked_at(app: AppTest) -> list[str]:
    """The words that are looked at."""
    header, _ = sent(app, "rows")
    return (header["queries"] if header["same"] else header["keys"])["texts"]


def ticks(app: AppTest, axis: str) -> list[str]:
    """What is written along the heatmaps."""
    return [as_read(text) for text in sent(app, "maps")[0]["layout"][axis]["ticktext"]]


def pinned(app: AppTest) -> int | None:
    return sent(app, "rows")[0]["pinned"]


def caption(app: AppTest) -> str:
    return sent(app, "rows")[0]["caption"]


def weights(app: AppTest) -> np.ndarray:
    """The maps that are shown, a code c standing for (c / 255)²; those that the other pictures draw."""
    header, arrays = sent(app, "weights")
    assert header["id"] == sent(app, "rows")[0]["weights"] == sent(app, "maps")[0]["weights"]
    return (arrays["codes"] / 255) ** 2


def kept(app: AppTest) -> np.ndarray:
    """The arcs that are drawn, (n_heads, n_query, n_key), of the part that is shown."""
    header, arrays = sent(app, "rows")
    n_query, n_key = (
        line["window"][1] - line["window"][0]
        for line in (header["queries"], header["keys"] or header["queries"])
    )
    bits = np.array([[int(bit) for byte in row for bit in f"{byte:08b}"] for row in arrays["kept"]])
    assert not bits[:, n_query * n_key :].any()
    return bits[:, : n_query * n_key].reshape(-1, n_query, n_key) == 1


def overview(app: AppTest) -> tuple[dict, np.ndarray]:
    """The picture of all heads, and its maps."""
    header, _ = sent(app, "overview")
    maps, arrays = sent(app, "small_maps")
    assert maps["id"] == header["codes"]
    return header, (arrays["codes"] / 255) ** 2


def layers(app: AppTest) -> dict:
    """The layers to choose from, and the chosen one."""
    return json.loads(_component(app, "layers").proto.json)


def exact_weights(app: AppTest) -> np.ndarray:
    """The maps with all their digits, as they are sent for one chosen word after another."""
    rows = []
    for position in range(len(words(app))):
        choose(app, "rows", {"query": position})
        rows.append(sent(app, "rows")[1]["exact"])
    choose(app, "rows", {"query": None})
    return np.stack(rows, axis=1)


def said(app: AppTest) -> str:
    """All sentences that the page tells a visitor, as they read them."""
    return " ".join(note.value for note in (*app.error, *app.info)).replace("\\", "")


def send(app: AppTest, element: object, value: str) -> AppTest:
    """Run the page with what a browser sends for a widget, where AppTest has no call for it."""
    return _run_with(app, element.proto.id, string_value=value)


def pick(app: AppTest, element: object, **selection: list) -> AppTest:
    """Choose something in a table."""
    return send(app, element, json.dumps({"selection": selection}))


def choose(app: AppTest, picture: str, event: object) -> AppTest:
    """Run the page with what a picture in a browser sends when something is chosen in it."""
    trigger = f"$$STREAMLIT_INTERNAL_KEY_{_component(app, picture).proto.id}__events"
    return _run_with(
        app, trigger, json_trigger_value=json.dumps([{"event": "chosen", "value": event}])
    )


def _run_with(app: AppTest, identity: str, **value: str) -> AppTest:
    states = app._tree.get_widget_states()
    others = [state for state in states.widgets if state.id != identity]
    del states.widgets[:]
    states.widgets.extend(others)
    states.widgets.add(id=identity, **value)
    return app._run(states)


def _component(app: AppTest, picture: str) -> object:
    (found,) = [
        part
        for part in app.get("bidi_component")
        if part.proto.component_name == f"mha_viz.{picture}"
    ]
    return found
