"""What every test runs under: no network, and the same random numbers every time."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"  # before the first import of a library that reads it

import pytest
import torch


@pytest.fixture(autouse=True)
def seeds() -> None:
    torch.manual_seed(0)
