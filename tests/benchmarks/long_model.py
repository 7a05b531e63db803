"""A small model that takes long texts: rotary positions, twelve heads a layer, a token a word."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaModel, PreTrainedTokenizerFast

from tests.benchmarks.words import WORDS
from tests.model.saved import save

LONGEST = 2048


def save_long_model(folder: Path) -> str:
    """Save it; the path of its folder."""
    torch.manual_seed(0)
    vocabulary = {word: place for place, word in enumerate(["[UNK]", *dict.fromkeys(WORDS)])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=192,
        intermediate_size=192,
        num_hidden_layers=2,
        num_attention_heads=12,
        max_position_embeddings=LONGEST,
        # Large enough that a head looks at some words more than at others, as a trained one does.
        initializer_range=0.15,
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", model_max_length=LONGEST
    )
    save(folder, LlamaModel(config), fast)
    return str(folder)
