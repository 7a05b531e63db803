"""The README's command, typed at a terminal of a person who never ran Streamlit."""

import os
import pty
from pathlib import Path

from tests.browser.conftest import serving


def test_server_when_started_at_a_terminal_comes_up_and_asks_nothing(tmp_path: Path):
    """AV-088: no e-mail address is asked for, and nothing but the address is said."""
    screen, terminal = pty.openpty()
    # With a display Streamlit takes it that a person is there, and shows them the page in $BROWSER.
    person = {"HOME": str(tmp_path), "DISPLAY": ":99", "BROWSER": "true"}
    with serving(terminal=terminal, **person) as server:
        written = os.read(screen, 65536).decode()
    os.close(screen)
    os.close(terminal)
    assert server.address in written
    assert "email" not in written.lower()
    assert "Traceback" not in written
    assert not (tmp_path / ".streamlit" / "credentials.toml").exists()
