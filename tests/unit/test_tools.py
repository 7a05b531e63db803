"""The code is formatted, lint-free and its types hold."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent


@pytest.mark.parametrize("command", ["ruff format --check .", "ruff check .", "ty check"])
def test_tool_when_run_on_the_project_finds_nothing(command: str):
    tool, *arguments = command.split()
    result = subprocess.run(
        [TOOLS / tool, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
