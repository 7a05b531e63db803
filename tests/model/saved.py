"""Small models in folders, as `save_pretrained` leaves them."""

from dataclasses import replace
from pathlib import Path

import torch
from transformers import BertConfig, BertModel, PreTrainedModel, PreTrainedTokenizerBase

from mha_viz.models.catalog import ModelEntry
from tests.model.architectures import ARCHITECTURES
from tests.model.small_tokenizers import word_piece
from tests.model.tiny import build

BERT = {
    "vocab_size": 19,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 7,
    "max_position_embeddings": 37,
}


def save(
    folder: Path, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase | None
) -> ModelEntry:
    """Save a model, and its tokenizer if it has one; the entry's name says nothing of where."""
    model.save_pretrained(folder)
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)
    return folder_entry(folder)


def save_bert(folder: Path) -> ModelEntry:
    """An encoder with a tokenizer: a folder with nothing wrong."""
    torch.manual_seed(0)
    return save(folder, BertModel(BertConfig(**BERT)), word_piece())


def folder_entry(folder: Path) -> ModelEntry:
    """The entry of a folder that the person wrote as ./mine."""
    return ModelEntry("./mine", "mine", str(folder), "folder", "")


def save_tiny(
    folder: Path, name: str, tokenizer: PreTrainedTokenizerBase | None = None, **sizes: object
) -> str:
    """One of the tiny architectures with a tokenizer of few words; its path, as a person may type it."""
    chosen = ARCHITECTURES[name]
    save(folder, build(replace(chosen, sizes={**chosen.sizes, **sizes})), tokenizer or word_piece())
    return str(folder)
