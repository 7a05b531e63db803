"""Documents packed into rows of equal length, each closed to the others."""

from dataclasses import dataclass
from random import Random

import torch
from jaxtyping import Bool, Int

from mha_viz.core.masks import both, causal
from mha_viz.school.grammar import Grammar
from mha_viz.school.vocabulary import Vocabulary

NOTHING = -100  # a target that no loss is asked for, as torch's cross_entropy has it
CHOICE = 24  # how many documents wait for the place that they fit best


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows of documents.

    Attributes:
        ids: The number of each token; every document starts with `<start>`.
        targets: The token that follows; after a document the next `<start>`, and -100 where nothing is asked.
        positions: The place of each token in its own document.
        may_attend: True where a query may look at a key: what came before in the same document.
    """

    ids: Int[torch.Tensor, "batch n_tokens"]
    targets: Int[torch.Tensor, "batch n_tokens"]
    positions: Int[torch.Tensor, "batch n_tokens"]
    may_attend: Bool[torch.Tensor, "batch 1 n_tokens n_tokens"]


def training_batch(
    grammar: Grammar, vocabulary: Vocabulary, *, seed: int, step: int, n_rows: int, n_tokens: int
) -> Batch:
    """The batch of one step: it follows from the seed and the step alone, so that training can resume."""
    documents = grammar.training(Random(f"{seed}/{step}"))
    waiting: list[list[int]] = []
    rows = []
    for _ in range(n_rows):
        row: list[list[int]] = []
        room = n_tokens
        while True:
            while len(waiting) < CHOICE:
                waiting.append(vocabulary.encode(next(documents).words))
            fitting = [document for document in waiting if len(document) <= room]
            if not fitting:
                break
            # The first row takes who came first; what is left of a row goes to the longest that fits.
            longest = waiting[0] if room == n_tokens else max(fitting, key=len)
            waiting.remove(longest)
            row.append(longest)
            room -= len(longest)
        rows.append(row)
    return packed(rows, n_tokens)


def packed(rows: list[list[list[int]]], n_tokens: int) -> Batch:
    """Rows of documents as tensors; what a row has left is filled and not asked for."""
    shape = len(rows), n_tokens
    ids, positions = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
    targets, owners = torch.full(shape, NOTHING), torch.full(shape, -1)
    for index, row in enumerate(rows):
        start = 0
        for owner, document in enumerate(row):
            here = slice(start, start + len(document))
            ids[index, here] = torch.tensor(document)
            # After the last word comes `<start>`, the first token of any document.
            targets[index, here] = torch.tensor([*document[1:], document[0]])
            positions[index, here] = torch.arange(len(document))
            owners[index, here] = owner
            start += len(document)
    same_document = (owners[:, :, None] == owners[:, None, :])[:, None]
    return Batch(ids, targets, positions, both(causal(n_tokens), same_document))
