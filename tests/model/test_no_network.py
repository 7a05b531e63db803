"""With no network at all, and no setting that says so, the bundled model reads a text."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

WITHOUT_NETWORK = """
import socket

asked = []

def refuse(*arguments, **options):
    asked.append(arguments)
    raise OSError("no network")

socket.getaddrinfo = socket.create_connection = socket.socket.connect = refuse

import mha_viz

record = mha_viz.attend("The cat chased the mouse because it was hungry.")
assert record.weights(0, 2).diagonal(-1).min() >= 0.999
assert len(mha_viz.measures(record)) == 72
assert mha_viz.arcs(record, head=(2, 8)).data and mha_viz.head_grid(record).data
try:
    mha_viz.attend("Hi", model="gpt2")
except mha_viz.errors.NetworkNeededError as error:
    assert "bundled and always there: minilm" in str(error)
else:
    raise AssertionError("a model of the hub was had without a network")
print("asked before the hub was needed:", [place for place in asked if "huggingface" not in str(place)])
"""


@pytest.mark.model
def test_bundled_model_without_any_network_is_read_and_asks_for_none(tmp_path: Path):
    settings = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    settings |= {"HF_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_NETWORK],
        env=settings,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "asked before the hub was needed: []" in run.stdout
