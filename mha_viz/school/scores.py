"""What a head does, in one number each, on text that was held out; and what blind heads would reach.

A score is the mean weight that a head gives from a later word to the earlier one that belongs to it. Its null is what a
head could reach that sees places and no words: the best of "always so many back" and "always at that place". For the
previous and the first token, which are places, it is a head that shares its weight equally.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from random import Random

import numpy as np
import torch
from jaxtyping import Float
from torch import nn

from mha_viz.school.batches import Batch, packed
from mha_viz.school.documents import Document, Draft, Link
from mha_viz.school.grammar import BRACKET, CONDITION, PERSON, QUOTE, THING, TITLE, Grammar
from mha_viz.school.model import Pass, SchoolModel
from mha_viz.school.repeats import LETTERS, WORDS, unseen_repeat
from mha_viz.school.sentences import SUBJECT, Speaker
from mha_viz.school.vocabulary import Vocabulary

PREVIOUS, FIRST = "previous token", "first token"
SORT_OF = {
    SUBJECT: "agreement",
    PERSON: "pronouns",
    THING: "pronouns",
    CONDITION: "conditions",
    QUOTE: "quotes",
    BRACKET: "brackets",
    TITLE: "titles",
}
N_DOCUMENTS = 100


@dataclass(frozen=True, eq=False)
class HeadScore:
    """One score for every head.

    Attributes:
        heads: Mean weight from query to target, (n_layers, n_heads).
        null: What a head reaches that sees no words.
    """

    heads: Float[np.ndarray, "n_layers n_heads"]
    null: float

    @property
    def best(self) -> tuple[int, int]:
        """Layer and head of the best head."""
        layer, head = np.unravel_index(self.heads.argmax(), self.heads.shape)
        return int(layer), int(head)

    @property
    def value(self) -> float:
        """The score of the best head."""
        return float(self.heads.max())


@dataclass(frozen=True, eq=False)
class ScoreCard:
    """All scores of a model at one step.

    Attributes:
        heads: Each score by its name.
        verb_number: How often the right form of a verb is likelier than the wrong one, over a distractor.
        letters_continued: How often the likeliest next letter of a repeated block is the right one.
    """

    heads: dict[str, HeadScore]
    verb_number: float
    letters_continued: float


@dataclass(frozen=True, eq=False)
class Exam:
    """Held-out documents of one kind, one a row, and where in them to look.

    Attributes:
        batch: The documents.
        links: Row and link of each pair of words; indices count `<start>`, so they are places in the row.
    """

    batch: Batch
    links: tuple[tuple[int, Link], ...]

    def index(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Rows, queries and targets, to pick weights by."""
        columns = zip(*((row, link.query, link.target) for row, link in self.links), strict=True)
        rows, queries, targets = (torch.tensor(column) for column in columns)
        return rows, queries, targets


class Examiner:
    """Asks a model the same held-out documents at every step.

    Args:
        grammar: Where the documents come from.
        vocabulary: How they are cut into tokens.
        n_documents: How many of each kind.
    """

    def __init__(
        self, grammar: Grammar, vocabulary: Vocabulary, n_documents: int = N_DOCUMENTS
    ) -> None:
        self.vocabulary = vocabulary
        self.exams = {
            kind: self._exam(kind, islice(_with_link(grammar, kind), n_documents))
            for kind in SORT_OF
        }
        for kind in (LETTERS, WORDS):
            speaker = Speaker(grammar.lexicon, Random(f"exam/{kind}"))
            blocks = (
                _written(partial(unseen_repeat, speaker, kind=kind)) for _ in range(n_documents)
            )
            self.exams[kind] = self._exam(kind, blocks)

    def examine(self, model: SchoolModel) -> ScoreCard:
        """All scores of a model as it is."""
        with torch.inference_mode():
            passes = {kind: _pass(model, exam.batch) for kind, exam in self.exams.items()}
        scores = {
            kind: HeadScore(mean_weights(passes[kind], exam), place_null(exam.links))
            for kind, exam in self.exams.items()
        }
        scores[PREVIOUS] = self._everywhere(passes, lambda query: query - 1)
        scores[FIRST] = self._everywhere(passes, lambda _: 0)
        return ScoreCard(
            scores,
            self._verb_number(passes[SUBJECT]),
            continued(passes[LETTERS], self.exams[LETTERS]),
        )

    def loss_on_repeats(
        self, model: SchoolModel, kind: str, heads_off: Collection[tuple[int, int]] = ()
    ) -> float:
        """How surprised a model is by the second half of repeats, perhaps with some heads switched off."""
        exam = self.exams[kind]
        with torch.inference_mode():
            return surprise(_pass(model, exam.batch, heads_off), exam).item()

    def _exam(self, kind: str, documents: Iterable[Document]) -> Exam:
        documents = list(documents)
        rows = [[self.vocabulary.encode(document.words)] for document in documents]
        longest = max(len(document) for (document,) in rows)
        links = tuple(
            (row, link._replace(query=link.query + 1, target=link.target + 1))
            for row, document in enumerate(documents)
            for link in document.links
            if link.kind == kind
        )
        return Exam(packed(rows, longest), links)

    def _everywhere(self, passes: dict[str, Pass], target_of: Callable[[int], int]) -> HeadScore:
        """A score of places, over every document of every kind."""
        exams = {
            kind: Exam(exam.batch, _places(exam.batch, target_of))
            for kind, exam in self.exams.items()
        }
        sizes = [len(exam.links) for exam in exams.values()]
        means = [mean_weights(passes[kind], exam) for kind, exam in exams.items()]
        equal = [1 / (link.query + 1) for exam in exams.values() for _, link in exam.links]
        return HeadScore(np.average(means, axis=0, weights=sizes), float(np.mean(equal)))

    def _verb_number(self, passed: Pass) -> float:
        exam = self.exams[SUBJECT]
        rows, queries, _ = exam.index()
        before = passed.logits[rows, queries - 1]
        right = exam.batch.ids[rows, queries]
        wrong = torch.tensor([self.vocabulary.id_of(link.other) for _, link in exam.links])
        margin = before.gather(1, right[:, None]) - before.gather(1, wrong[:, None])
        return (margin > 0).float().mean().item()


def mean_weights(passed: Pass, exam: Exam) -> Float[np.ndarray, "n_layers n_heads"]:
    """For each head, the mean weight from the queries to their targets."""
    rows, queries, targets = exam.index()
    layers = [
        steps.weights[rows, :, queries, targets].mean(0).numpy() for steps in passed.attention
    ]
    return np.stack(layers)


def surprise(passed: Pass, exam: Exam) -> Float[torch.Tensor, ""]:
    """The mean next-token loss at the queries of an exam."""
    rows, queries, _ = exam.index()
    return nn.functional.cross_entropy(
        passed.logits[rows, queries], exam.batch.targets[rows, queries]
    )


def place_null(links: Collection[tuple[int, Link]]) -> float:
    """What the best head reaches that looks always so many tokens back, or always at the same place."""
    back = Counter(link.query - link.target for _, link in links)
    place = Counter(link.target for _, link in links)
    return max(*back.values(), *place.values()) / len(links)


def continued(passed: Pass, exam: Exam) -> float:
    """How often the likeliest next token is the one that comes."""
    rows, queries, _ = exam.index()
    likeliest = passed.logits[rows, queries].argmax(-1)
    return (likeliest == exam.batch.targets[rows, queries]).float().mean().item()


def _with_link(grammar: Grammar, kind: str) -> Iterator[Document]:
    """Held-out documents in which there is something of a kind to find."""
    documents = grammar.held_out(Random(f"exam/{kind}"), SORT_OF[kind])
    return (document for document in documents if any(link.kind == kind for link in document.links))


def _pass(model: SchoolModel, batch: Batch, heads_off: Collection[tuple[int, int]] = ()) -> Pass:
    return model(
        batch.ids, positions=batch.positions, may_attend=batch.may_attend, heads_off=heads_off
    )


def _places(batch: Batch, target_of: Callable[[int], int]) -> tuple[tuple[int, Link], ...]:
    """Every token but the first two, each with the one that it should look at."""
    lengths = (batch.targets >= 0).sum(-1).tolist()
    return tuple(
        (row, Link("place", query, target_of(query)))
        for row, length in enumerate(lengths)
        for query in range(2, length)
    )


def _written(write: partial) -> Document:
    draft = Draft()
    write(draft)
    return draft.finished()
