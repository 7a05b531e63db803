"""What every test runs under: no network, one thread a model, the same random numbers every time."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"  # before the first import of a library that reads it

import pytest
import torch

torch.set_num_threads(1)  # more only wait for each other where models are tiny or cores are shared


@pytest.fixture(autouse=True)
def seeds() -> None:
    torch.manual_seed(0)
