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

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

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
    """A page of ours in a fresh browser context, that notes what went wrong on it."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.foreign_requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", self._note_request)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, address: str) -> Page:
        self.page.goto(address)
        return self.page

    def _note_request(self, request) -> None:
        if not request.url.startswith(("http://127.0.0.1", "data:", "blob:")):
            self.foreign_requests.append(request.url)


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """A visitor; at the end, nothing may have failed and no other host been asked."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    visitor = Visit(context)
    yield visitor
    faults = visitor.page.locator("[data-testid=stException]").all_text_contents()
    context.close()
    assert faults == []
    assert visitor.foreign_requests == []
    assert visitor.errors == []
