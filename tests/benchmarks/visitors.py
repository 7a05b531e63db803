"""Sessions without browsers: clients that do what a browser does, each typing a new sentence again and again.

They fetch the picture of the sentence, and then run the page by Streamlit's protocol.

Run as `python -m tests.benchmarks.visitors ADDRESS NUMBER` against a server on this machine; prints one JSON line. It is
bounded in time, and every answer is looked into: it must hold the sentence in the text box and in the pictures.
"""

import asyncio
import json
import os
import statistics
import sys
import time
import zlib
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit
from urllib.request import Request, urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from tests.benchmarks.processes import processor_seconds, server_process
from tests.benchmarks.words import text

EVERY, WORDS_EACH = 4.0, 12
WARM_UP, SECONDS = 10.0, 40.0
PATIENCE = 60.0
BOX = "Text"
PICTURES = ("bidi_component", "plotly_chart")


@dataclass(frozen=True)
class Answer:
    """What came for one sentence.

    Attributes:
        at: When all was there, on the clock of `time.monotonic`.
        picture_seconds: From sending to the picture.
        page_seconds: From sending to the end of the page's script.
        n_bytes: What came over the wire for it.
        fault: What was wrong with it; empty if nothing.
    """

    at: float
    picture_seconds: float
    page_seconds: float
    n_bytes: int
    fault: str


class Visitor:
    """One session: keeps what a browser keeps, and sends back what a browser sends back."""

    def __init__(self, socket: ClientConnection, address: str) -> None:
        self._socket, self._address = socket, address
        self._state = ClientState()
        self._state.context_info.url = address
        self._state.context_info.color_scheme = "light"
        self._widgets: dict[str, WidgetState] = {}
        self._box = ""
        self._kept: dict[str, ForwardMsg] = {}

    async def arrive(self) -> None:
        """Open the page."""
        await self._run()

    async def type(self, sentence: str) -> Answer:
        """Change the text, and wait for the page that shows it."""
        self._widgets[self._box].string_value = sentence
        begin = time.monotonic()
        picture = await asyncio.to_thread(self._fetch, sentence)
        drawn = time.monotonic()
        elements, n_bytes = await self._run()
        end = time.monotonic()
        fault = _fault_of_picture(picture, sentence) or _fault(elements, sentence)
        return Answer(end, drawn - begin, end - begin, n_bytes + len(picture), fault)

    def _fetch(self, sentence: str) -> bytes:
        """The picture that a browser draws before the page's own run."""
        link = dict(parse_qsl(self._state.query_string))
        body = json.dumps({"link": link, "text": sentence}).encode()
        request = Request(
            f"{self._address}/spotlight/ahead", body, {"Content-Type": "application/json"}
        )
        with urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()

    async def _run(self) -> tuple[list[Element], int]:
        await self._socket.send(self._request())
        elements: list[Element] = []
        used: dict[str, ForwardMsg] = {}
        n_bytes, finished = 0, False
        while not finished:
            frame = await asyncio.wait_for(self._socket.recv(), PATIENCE)
            n_bytes += len(frame)
            message = self._whole(ForwardMsg.FromString(frame), used)
            match message.WhichOneof("type"):
                case "new_session":
                    self._state.page_script_hash = message.new_session.page_script_hash
                    elements.clear()
                case "page_info_changed":
                    self._state.query_string = message.page_info_changed.query_string
                case "delta" if message.delta.HasField("new_element"):
                    elements.append(message.delta.new_element)
                    if message.delta.new_element.text_area.label == BOX:
                        # Where the box belongs to a part of the page that runs by itself, that part alone is run.
                        self._state.fragment_id = message.delta.fragment_id
                case "script_finished":
                    # A script that ends early is run again at once.
                    finished = message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        # A browser, too, forgets a large message that a run no longer used.
        self._kept = used
        for element in elements:
            self._note_widget(element)
        return elements, n_bytes

    def _request(self) -> bytes:
        self._state.widget_states.CopyFrom(WidgetStates(widgets=self._widgets.values()))
        self._state.cached_message_hashes[:] = self._kept
        return BackMsg(rerun_script=self._state).SerializeToString()

    def _whole(self, message: ForwardMsg, used: dict[str, ForwardMsg]) -> ForwardMsg:
        """The message itself, where the server sent only its name because the client has it."""
        if message.HasField("ref_hash"):
            message = self._kept.get(message.ref_hash) or used[message.ref_hash]
        if message.metadata.cacheable:
            used[message.hash] = message
        return message

    def _note_widget(self, element: Element) -> None:
        kind = element.WhichOneof("type")
        widget = getattr(element, kind)
        match kind:
            case "text_area":
                state = WidgetState(id=widget.id, string_value=widget.value)
                if widget.label == BOX:
                    self._box = widget.id
            case "selectbox" if widget.raw_value:
                state = WidgetState(id=widget.id, string_value=widget.raw_value)
            case "button_group":
                state = WidgetState(id=widget.id)
                state.string_array_value.data.extend(widget.raw_values)
            case "slider":
                state = WidgetState(id=widget.id)
                state.double_array_value.data.extend(widget.value or widget.default)
            case _:
                return
        self._widgets[widget.id] = state


def _fault(elements: list[Element], sentence: str) -> str:
    """What is wrong with an answer to a sentence; empty if nothing."""
    kinds = [element.WhichOneof("type") for element in elements]
    if "exception" in kinds:
        return "an exception is shown"
    if sentence not in [element.text_area.value for element in elements]:
        return "the text box holds another text"
    shown = b" ".join(
        _content(element) for element, kind in zip(elements, kinds, strict=True) if kind in PICTURES
    )
    if not all(word.encode() in shown for word in sentence.split()):
        return "the pictures lack words of the text"
    return ""


def _fault_of_picture(picture: bytes, sentence: str) -> str:
    """What is wrong with a picture; empty if nothing."""
    parts = []
    while picture:
        end = 4 + int.from_bytes(picture[:4], "little")
        parts.append(zlib.decompress(picture[4:end]))
        picture = picture[end:]
    shown = b" ".join(parts)
    lacks = not all(word.encode() in shown for word in sentence.split())
    return "the picture ahead of the page lacks words of the text" if lacks else ""


def _content(element: Element) -> bytes:
    """What a picture is drawn from, readable."""
    packed = element.bidi_component.bytes
    try:
        return zlib.decompress(packed) if packed else element.SerializeToString()
    except zlib.error:  # not packed after all
        return packed


async def _stay(address: str, number: int, begin: float, answers: list[Answer]) -> None:
    """One session from its first page to the end; where it breaks, the fault is its last answer."""
    await asyncio.sleep(begin - time.monotonic())
    stream = f"ws://{urlsplit(address).netloc}/_stcore/stream"
    try:
        async with connect(
            stream, origin=address, subprotocols=["streamlit"], compression=None, max_size=None
        ) as socket:
            visitor, turn = Visitor(socket, address), 0
            await visitor.arrive()
            due = begin + EVERY
            while (now := time.monotonic()) < begin + SECONDS:
                await asyncio.sleep(due - now)
                due = max(due, now) + EVERY
                answers.append(await visitor.type(text(WORDS_EACH, (address, number, turn))))
                turn += 1
    except (OSError, TimeoutError, WebSocketException) as error:
        nan = float("nan")
        answers.append(Answer(time.monotonic(), nan, nan, 0, f"the session broke: {error!r}"))


async def visit(address: str, number: int) -> dict[str, object]:
    """Let so many sessions type, and measure between warm-up and end.

    Args:
        address: A server on this machine.
        number: Sessions at the same time.
    """
    server, begin = server_process(address), time.monotonic()
    answers: list[Answer] = []
    sessions = [
        asyncio.create_task(_stay(address, place, begin + EVERY * place / number, answers))
        for place in range(number)
    ]
    await asyncio.sleep(begin + WARM_UP - time.monotonic())
    counted_from, server_before, own_before = (
        time.monotonic(),
        processor_seconds(server),
        time.process_time(),
    )
    await asyncio.sleep(begin + SECONDS - counted_from)
    seconds = time.monotonic() - counted_from
    used, own = processor_seconds(server) - server_before, time.process_time() - own_before
    counted = [answer for answer in answers if answer.at >= counted_from]
    for session in sessions:
        session.cancel()
    for ended in await asyncio.gather(*sessions, return_exceptions=True):
        if isinstance(ended, Exception):  # a fault of this file, not of the server
            raise ended
    return {"sessions": number} | _summary(
        counted, seconds, used, own, [answer.fault for answer in answers]
    )


def _summary(
    answers: list[Answer], seconds: float, used: float, own: float, faults: list[str]
) -> dict[str, object]:
    good = [answer for answer in answers if not answer.fault]
    faults = [fault for fault in faults if fault]
    return {
        "answers": len(good),
        "errors": len(faults),
        "first_error": faults[0] if faults else "",
        **_spread("picture", [answer.picture_seconds for answer in good]),
        **_spread("page", [answer.page_seconds for answer in good]),
        "reruns_per_second": round(len(answers) / seconds, 2),
        "server_cpu_ms_per_run": round(1000 * used / max(len(answers), 1)),
        "kilobytes_per_run": round(statistics.fmean(answer.n_bytes for answer in answers) / 1000)
        if answers
        else 0,
        "generator_cores": round(own / seconds, 2),
        "load_average": round(os.getloadavg()[0], 1),
    }


def _spread(what: str, seconds: list[float]) -> dict[str, int | None]:
    cuts = statistics.quantiles(seconds, n=20, method="inclusive") if len(seconds) > 1 else None
    return {
        f"{what}_p50_ms": round(1000 * cuts[9]) if cuts else None,
        f"{what}_p95_ms": round(1000 * cuts[18]) if cuts else None,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(visit(sys.argv[1], int(sys.argv[2])))))
