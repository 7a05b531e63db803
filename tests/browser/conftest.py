"""A server of our own on 127.0.0.1, and a Chromium to look at it with."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qsl

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

import mha_viz
from tests.browser.live import ANIMAL, HEADS, LAYER, LINK, TALL
from tests.browser.plots import address_of, expect_in_address, wait_for_view

ROOT = Path(__file__).parents[2]
START_SECONDS = 120
expect.set_options(timeout=60_000)


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@dataclass(frozen=True)
class Server:
    """A running server: where it is, and what it has said so far."""

    address: str
    log_file: Path

    @property
    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8")


@contextmanager
def serving(*, terminal: int | None = None, **environment: str) -> Iterator[Server]:
    """A fresh server, ended by its own pid.

    Args:
        terminal: Where a person has typed the README's command; without one, nobody is there to be asked or shown.
        **environment: Variables of the environment.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    if terminal is None:
        command.append("--server.headless=true")
    settings = os.environ | {"HF_HUB_OFFLINE": "1"} | environment
    with TemporaryDirectory() as folder:
        running = Server(f"http://127.0.0.1:{port}", Path(folder) / "log")
        with (
            running.log_file.open("w", encoding="utf-8") as log,
            subprocess.Popen(
                command,
                cwd=ROOT,
                env=settings,
                stdin=terminal,
                stdout=terminal or log,
                stderr=terminal or log,
            ) as process,
        ):
            try:
                _wait_for(running, process)
                yield running
            finally:
                process.terminate()


def _wait_for(server: Server, process: subprocess.Popen) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended: {server.log}")
        try:
            with urllib.request.urlopen(f"{server.address}/_stcore/health", timeout=5) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(f"the server did not answer: {server.log}")


@pytest.fixture(scope="session")
def running() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def server(running: Server) -> str:
    """The address of a server that all tests share."""
    return running.address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    flags = [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=flags)
        yield chromium
        chromium.close()


class Visit:
    """A page of ours in a fresh browser context, that notes what went wrong on it and what it and the server say."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.foreign_requests: list[str] = []
        self.errors: list[str] = []
        self.dialogs: list[str] = []
        self.sent: list[bytes] = []
        self.received: list[bytes] = []
        self.page.on("request", self._note_request)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note_console)
        self.page.on("dialog", self._note_dialog)
        self.page.on("websocket", self._listen)

    def open(self, address: str) -> Page:
        self.page.goto(address)
        return self.page

    def expect_no_faults(self) -> None:
        """Nothing may have failed, nothing opened, and no other host been asked."""
        assert self.page.locator("[data-testid=stException]").all_text_contents() == []
        assert self.foreign_requests == []
        assert self.errors == []
        assert self.dialogs == []

    def _note_request(self, request) -> None:
        if not request.url.startswith(("http://127.0.0.1", "data:", "blob:")):
            self.foreign_requests.append(request.url)

    def _note_console(self, message) -> None:
        # A drawing that fails is caught, so that the others go on, and said here. Streamlit looks for its own server
        # below the path of a page before it looks above.
        if message.type == "error" and "/_stcore/" not in message.location["url"]:
            self.errors.append(f"{message.text} ({message.location['url']})")

    def _note_dialog(self, dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _listen(self, socket) -> None:
        socket.on("framesent", lambda frame: self.sent.append(_as_bytes(frame)))
        socket.on("framereceived", lambda frame: self.received.append(_as_bytes(frame)))


def _as_bytes(frame: str | bytes) -> bytes:
    return frame.encode() if isinstance(frame, str) else frame


@contextmanager
def visiting(browser: Browser, **options) -> Iterator[Visit]:
    """A visitor; at the end, nothing may have gone wrong.

    Args:
        browser: To visit with.
        **options: Of the browser's context.
    """
    with browser.new_context(**{"viewport": {"width": 1440, "height": 900}} | options) as context:
        context.set_default_timeout(120_000)
        visitor = Visit(context)
        yield visitor
        visitor.expect_no_faults()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """A visitor; at the end, nothing may have failed and no other host been asked."""
    with visiting(browser) as visitor:
        yield visitor


@pytest.fixture(scope="session")
def weights() -> np.ndarray:
    """What the model itself computed of the sentence about the animal, for the heads that are shown."""
    record = mha_viz.attend(ANIMAL)
    return np.stack([record.weights(LAYER, head) for head in HEADS])


@pytest.fixture(scope="session")
def animal_visit(browser: Browser, running: Server) -> Iterator[Visit]:
    """A visitor of that sentence, whom many tests share."""
    with visiting(browser, viewport=TALL) as visitor:
        wait_for_view(visitor.open(f"{running.address}/?{LINK}"))
        yield visitor


@pytest.fixture
def animal(animal_visit: Visit, server: str) -> Iterator[Page]:
    """The page of that sentence, with no word chosen, and left so."""
    page = animal_visit.page
    if address_of(page) != dict(parse_qsl(LINK)):
        # A test that failed has left it as something else.
        page.goto(f"{server}/?{LINK}")
        wait_for_view(page)
    yield page
    page.mouse.move(1, 1)
    page.keyboard.press("Escape")
    expect_in_address(page, query=None)
    wait_for_view(page)
