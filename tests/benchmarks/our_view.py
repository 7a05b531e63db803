"""What our page costs: the server's part, the main thread's part, what is sent, and a hover."""

import json
import statistics
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

from playwright.sync_api import Browser, Locator, Request, WebSocket
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.benchmarks.chromium import PAINTED, Watched, opened
from tests.benchmarks.processes import processor_seconds, server_process

ONE = {"heads": "0", "layer": "0"}
TWELVE = {"heads": ",".join(map(str, range(12))), "layer": "0"}
_CHIPS = ".mha-strip [role=option]"

# The picture of the weights that were asked for is there, no script runs, and nothing has been drawn for a while.
_DRAWN = """before => {
    const store = window.mhaViz?.store;
    const marks = performance.getEntriesByName("spotlight drawn");
    const last = marks.at(-1)?.startTime ?? 0;
    return store?.view && store.view.weights === store.weights.id && store.weights.id !== before
        && last > watched.pressed && performance.now() - last > 500
        && !document.querySelector("[data-testid=stStatusWidget], [data-stale=true]");
}"""
# Notes the moment at which the picture that is asked for is painted; a long text may come with the page's own run.
_AHEAD = """() => {
    watched.ahead = null;
    new PerformanceObserver((list, observer) => {
        if (list.getEntries().some(mark => mark.name === "spotlight ahead")) {
            observer.disconnect();
            watched.ahead = performance.now();
        }
    }).observe({type: "mark"});
}"""
_AHEAD_MS = "() => watched.ahead && watched.ahead - watched.pressed"
_AHEAD_BYTES = """() => performance.getEntriesByType("resource")
    .filter(({name}) => name.endsWith("/ahead")).at(-1)?.encodedBodySize ?? 0"""
_LAST_DRAWN = (
    """() => performance.getEntriesByName("spotlight drawn").at(-1).startTime - watched.pressed"""
)
_DURATIONS = "name => performance.getEntriesByName(name).map(measure => measure.duration)"
_SHOWN = """() => {
    const { weights, view } = window.mhaViz.store;
    const [start, stop] = view.queries.window;
    return {tokens_read: weights.n_query, words_shown: stop - start, heads_shown: view.heads.length};
}"""


class OurPage:
    """The running app in a browser, with all frames that went over its websocket.

    Args:
        watched: A page.
        address: Of the server.
        link: What the address asks for.
    """

    def __init__(self, watched: Watched, address: str, link: dict[str, str]) -> None:
        self._watched, self._page = watched, watched.page
        self._server = server_process(address)
        self._received: list[bytes] = []
        self._n_sent = 0
        self._answered = 0.0
        self._page.on("websocket", self._listen)
        self._page.on("requestfinished", self._note_answer)
        self._page.goto(f"{address}/?{urlencode(link)}")

    def wait(self, before: str | None = None) -> None:
        """Until a picture of other weights than those is drawn."""
        self._page.wait_for_function(_DRAWN, arg=before, polling=100)
        self._page.evaluate(PAINTED)

    def allow_model(self) -> None:
        """Say yes to the model that the link asks for."""
        self._page.get_by_role("button", name="Load it").click()

    def show(self, text: str) -> dict[str, float]:
        """Type a text and press Show; the cost of its picture."""
        self._page.get_by_label("Text", exact=True).fill(text)
        return self._cost(self._page.get_by_role("button", name="Show", exact=True))

    def choose_layer(self, layer: int) -> dict[str, float]:
        """Choose another layer; the cost of its picture."""
        layers = self._page.get_by_role("group", name="Layer")
        return self._cost(layers.get_by_role("radio", name=str(layer), exact=True))

    def hover(self) -> dict[str, float]:
        """Hover word after word; nothing should be sent for it."""
        self._page.evaluate("() => performance.clearMeasures()")
        n_sent = self._n_sent
        line = self._watched.hover(_CHIPS)
        event_to_drawn = self._page.evaluate(_DURATIONS, "spotlight hover")
        drawing = self._page.evaluate(_DURATIONS, "spotlight hover drawing")
        return line | {
            "event_to_drawn_p50_ms": round(statistics.median(event_to_drawn), 1),
            "event_to_drawn_max_ms": round(max(event_to_drawn), 1),
            "drawing_p50_ms": round(statistics.median(drawing), 1),
            "drawing_max_ms": round(max(drawing), 1),
            "frames_sent_on_hover": self._n_sent - n_sent,
        }

    def _cost(self, button: Locator) -> dict[str, float]:
        """Press it: what the picture costs, and then what the page around it does."""
        before = self._page.evaluate("() => window.mhaViz?.store.weights?.id")
        box = button.bounding_box()
        self._received.clear()
        # A pointer on a layer's switch makes the page fetch it.
        server, main_thread = processor_seconds(self._server), self._watched.main_thread_ms()
        self._page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self._page.evaluate(_AHEAD)
        self._page.evaluate(PAINTED)
        with self._watched.marked("spotlight ahead") as marked:
            self._page.mouse.down()
            self._page.mouse.up()
            self.wait(before)
        page = {
            "server_cpu_ms": 1000 * (processor_seconds(self._server) - server),
            "main_thread_ms": self._watched.main_thread_ms() - main_thread,
            "wall_ms": self._page.evaluate(_LAST_DRAWN),
        }
        ahead = {
            "server_cpu_ms": 1000 * (self._answered - server),
            "wall_ms": self._page.evaluate(_AHEAD_MS),
        }
        picture = ahead | marked if marked else page
        return (
            picture
            | {f"page_{name}": value for name, value in page.items()}
            | {"longest_task_ms": self._watched.longest_task_ms()}
            | self._page.evaluate(_SHOWN)
            | self._bytes()
        )

    def _bytes(self) -> dict[str, float]:
        received = list(self._received)
        n_bytes, n_weights = max(map(_weights_in, received))
        return {
            "ahead_bytes": self._page.evaluate(_AHEAD_BYTES),
            "received_bytes": sum(map(len, received)),
            "weights_bytes": n_bytes,
            "bytes_per_weight": n_bytes / n_weights if n_weights else float("nan"),
        }

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._receive)
        socket.on("framesent", self._count)

    def _note_answer(self, request: Request) -> None:
        """What the server had used when a picture ahead of the page was there."""
        if request.url.endswith("/ahead"):
            self._answered = processor_seconds(self._server)

    def _receive(self, frame: bytes | str) -> None:
        self._received.append(frame if isinstance(frame, bytes) else frame.encode())

    def _count(self, _: bytes | str) -> None:
        self._n_sent += 1


@contextmanager
def our_page(
    browser: Browser, address: str, link: dict[str, str], height: int = 900
) -> Iterator[OurPage]:
    """The app, opened by a link, in a page of its own."""
    with opened(browser, height) as watched:
        yield OurPage(watched, address, link)


def medians(runs: list[dict[str, float]]) -> dict[str, float]:
    """Of each number over the runs."""
    return {name: round(statistics.median(run[name] for run in runs), 2) for name in runs[0]}


def _weights_in(frame: bytes) -> tuple[int, int]:
    """Bytes of a frame that carries the weights of a layer, and how many weights that layer has; else zeros."""
    packed = ForwardMsg.FromString(frame).delta.new_element.bidi_component.bytes
    if not packed:
        return 0, 0
    body = zlib.decompress(packed)
    header = json.loads(body[4 : 4 + int.from_bytes(body[:4], "little")])
    if "tile" not in header:
        return 0, 0
    n_heads = header["arrays"]["codes"]["shape"][0]
    return len(frame), n_heads * header["n_query"] * header["n_key"]
