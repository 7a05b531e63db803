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
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
START_SECONDS = 120
expect.set_options(timeout=60_000)


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@contextmanager
def serving(**environment: str) -> Iterator[str]:
    """A fresh server; gives its address, and ends it by its own pid."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}", "--server.headless=true"]
    settings = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "default"} | environment
    server = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, server)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=30)


def _wait_for(address: str, server: subprocess.Popen) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if server.poll() is not None:
            raise RuntimeError(server.stdout.read().decode() if server.stdout else "the server ended")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError("the server did not answer")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
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
    context.close()
    assert visitor.foreign_requests == []
    assert visitor.errors == []
