"""The component's own JavaScript and Plotly's, served by this server: nothing is fetched from elsewhere."""

from pathlib import Path
from typing import Any

import plotly
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

_BROWSER = Path(__file__).parent / "browser"
_PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
_A_DAY = {"Cache-Control": "max-age=86400"}


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
    Mount("/spotlight", _Files(directory=_BROWSER)),
]
