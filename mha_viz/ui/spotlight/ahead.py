"""The picture ahead of the page: a browser that asks for it is answered without a run of the page's script.

A view is what its link asks for, so nothing of a session is needed to draw it. The page follows, and holds the same.
"""

import json
from dataclasses import replace
from functools import partial
from struct import pack

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mha_viz.errors import MhaVizError
from mha_viz.figures.theme import DARK, LIGHT
from mha_viz.ui import cache, model_cache
from mha_viz.ui.selection import Extent, Selection, fit, from_link
from mha_viz.ui.spotlight import contents
from mha_viz.ui.view import View, source_of, view_of

MOST_BYTES = 1_000_000
# What another page's script may not send without being allowed to: only our own asks here.
_OURS = "application/json"
# It is compressed already, and holds what one person typed.
_HEADERS = {"Content-Encoding": "identity", "Cache-Control": "no-store"}


async def _answer(request: Request) -> Response:
    """The weights, rows and maps of a view, each with its length before it; nothing where there is only a sentence to say."""
    if request.headers.get("content-type") != _OURS:
        return Response(status_code=415)
    try:
        asked = json.loads(await _body(request))
        body = await run_in_threadpool(picture, **asked)
    except (MhaVizError, TypeError, ValueError):
        # The page's own run says what is wrong.
        return Response(status_code=204)
    return Response(body, media_type="application/octet-stream", headers=_HEADERS)


async def _body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES} bytes were sent")
    return body


ROUTE = Route("/spotlight/ahead", _answer, methods=["POST"])


def picture(
    link: dict[str, str], text: str, layer: int | None = None, theme: str = "light"
) -> bytes:
    """What the browser is sent of the view that a link asks for.

    Args:
        link: The parameters of the address.
        text: The text, which may be another than the link's.
        layer: The layer, where it is another than the link's.
        theme: The name of the colours.

    Raises:
        MhaVizError: If there is nothing to see.
        ValueError: If the page has a sentence to say about it.
    """
    selection, unreadable = from_link(link, Selection(text=text))
    if unreadable:
        raise ValueError("parts of the link cannot be read")
    view = _view(_asked(selection, text, layer))
    colours = DARK if theme == DARK.name else LIGHT
    parts = [contents.weights(view), contents.rows(view, colours), contents.maps(view, colours)]
    return b"".join(pack("<I", len(part)) + part for part in parts)


def _asked(selection: Selection, text: str, layer: int | None) -> Selection:
    if selection.text != text:
        selection = replace(selection, text=text, query=None, start=0, key_start=None)
    return selection if layer is None else replace(selection, layer=layer)


def _view(selection: Selection) -> View:
    entry = model_cache.entry(selection.model)
    if entry.kind != "bundled" and not model_cache.was_loaded(entry.name):
        raise ValueError("the model waits to be asked for on the page")
    source = source_of(selection, entry.name)
    view = view_of(selection, source, cache.record(source), partial(_fitting, selection))
    if not view.maps:
        raise ValueError("no head is chosen")
    return view


def _fitting(selection: Selection, extent: Extent) -> Selection:
    fitting, _ = fit(selection, extent)
    return fitting
