"""The README's command, typed at a terminal of a person who never ran Streamlit."""

import os
import pty
from pathlib import Path
from select import select

from tests.browser.conftest import START_SECONDS, serving


def read(screen: int, seconds: float) -> bytes:
    """What is on the screen that was not read before; it may be waited for."""
    if not select([screen], [], [], seconds)[0]:
        assert seconds == 0, "nothing more was written"
        return b""
    return os.read(screen, 65536)


def test_server_when_started_at_a_terminal_comes_up_and_asks_nothing(tmp_path: Path):
    """AV-088: no e-mail address is asked for, and nothing but the address is said."""
    screen, terminal = pty.openpty()
    # With a display Streamlit takes it that a person is there, and shows them the page in $BROWSER.
    person = {"HOME": str(tmp_path), "DISPLAY": ":99", "BROWSER": "true"}
    written = b""
    with serving(terminal=terminal, **person) as server:
        while server.address.encode() not in written:
            written += read(screen, START_SECONDS)
    written += read(screen, 0)
    os.close(screen)
    os.close(terminal)
    assert b"email" not in written.lower()
    assert b"Traceback" not in written
    assert not (tmp_path / ".streamlit" / "credentials.toml").exists()
