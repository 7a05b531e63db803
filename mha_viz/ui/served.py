"""What runs in the browser: our own JavaScript and Plotly's, served by this server, and the components made of it.

Nothing is fetched from elsewhere. A folder `browser/` beside a module is served.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import plotly
import streamlit as st
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

_HERE = Path(__file__).parent
# By the name they are served under, which is never the address of a page.
_FOLDERS = {
    "spotlight": "spotlight",
    "glass": "glass",
    "lab": "lab",
    "panels": "compare",
    "school": "school",
}
_PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
_A_DAY = {"Cache-Control": "max-age=86400"}

_LOADER = """
const module = import(new URL("FOLDER/main.js", document.baseURI).href);

export default function (component) {
    module.then(({ mount }) => mount("KIND", component));
}
"""


class _Files(StaticFiles):
    """Files that a browser asks for anew, so that it never mixes those of two versions."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:  # noqa: ANN401 - passed on
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


async def _plotly(_: object) -> FileResponse:
    return FileResponse(_PLOTLY, media_type="text/javascript", headers=_A_DAY)


ROUTES: list[BaseRoute] = [
    Route("/spotlight/plotly.min.js", _plotly),
    *(
        Mount(f"/{name}", _Files(directory=_HERE / folder / "browser"))
        for name, folder in _FOLDERS.items()
    ),
]


def component(folder: str, kind: str, name: str = "") -> Callable[..., Any]:
    """A component whose `mount` in the folder's main.js is called with its kind.

    Args:
        folder: The name of one of those that are served.
        kind: What `mount` is to show.
        name: By which Streamlit knows the component; as its kind if not given.
    """
    loader = _LOADER.replace("FOLDER", folder).replace("KIND", kind)
    return st.components.v2.component(f"mha_viz.{name or kind}", js=loader, isolate_styles=False)
