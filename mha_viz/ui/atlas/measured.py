"""Every head measured over texts: the numbers that are there at once, and those of longer runs."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch

from mha_viz.core.effects import cosine_change, head_effects, total_variation
from mha_viz.core.head_numbers import Columns
from mha_viz.core.induction import LONGEST, induction_card, repeated_blocks
from mha_viz.core.intervention_text import to_text
from mha_viz.core.interventions import Intervention
from mha_viz.core.layers import ScoredLayer
from mha_viz.core.measures import first_token_share, previous_share, self_share
from mha_viz.core.record import AttentionRecord, Stream
from mha_viz.core.roles import INDUCTION, Role, roles
from mha_viz.core.running import MeanMap, RunningMean, Variability
from mha_viz.core.token_shares import is_special, share_on_keys
from mha_viz.core.value_norms import brought, norm_shares
from mha_viz.errors import ModelError, TextError
from mha_viz.models.projections import layer_numbers
from mha_viz.ui import cache, model_cache
from mha_viz.ui.atlas.measures import CHANGES, EFFECT, NORMS, REPEATS
from mha_viz.ui.atlas.runs import Steps
from mha_viz.ui.view import View

N_BLOCKS = 20
# A head off is one more run of the model, and there are many heads: of a longer list, these come first.
MOST_EFFECT_TEXTS = 10


@dataclass(frozen=True, eq=False)
class Measured:
    """The numbers of all heads.

    Attributes:
        places: Layer and head of each.
        columns: The measures, by the names of `measures.MEASURES`.
        evidence: What roles rest on; both are means over the texts.
        n_texts: Over how many texts.
        n_skipped: How many texts could not be read.
    """

    places: tuple[tuple[int, int], ...]
    columns: Columns
    evidence: Columns
    n_texts: int
    n_skipped: int = 0

    @property
    def roles(self) -> list[Role | None]:
        """What each head does, with the number that says so."""
        return roles(self.evidence)

    def with_columns(self, columns: Columns) -> "Measured":
        """With the numbers of a longer run; induction may then be a role."""
        more = {INDUCTION: columns["induction"]} if "induction" in columns else {}
        return replace(self, columns=self.columns | columns, evidence=self.evidence | more)


def about(view: View, texts: tuple[str, ...]) -> Hashable:
    """What a run over texts follows from."""
    return view.source.model, view.source.target, view.stream.name, texts


def of_this_text(view: View) -> Measured:
    """The heads on the text of the page."""
    numbers = cache.numbers(view.source, view.stream)
    return Measured(numbers.places, numbers.measures, numbers.evidence, 1)


def over_texts(view: View, texts: tuple[str, ...]) -> Steps:
    """The means over texts; only sums are kept."""
    columns, evidence, places = RunningMean(), RunningMean(), ()
    for stream in _streams(view, texts):
        if stream is not None:
            numbers = cache.numbers_of(stream)
            places = numbers.places
            columns.add(numbers.measures)
            evidence.add(numbers.evidence)
        yield
    n_texts = columns.n_texts
    return Measured(places, columns.means, evidence.means, n_texts, len(texts) - n_texts)


def n_steps(kind: str, view: View, texts: tuple[str, ...]) -> int:
    """How many times the model is run for it, about."""
    if kind == EFFECT:
        return len(texts[:MOST_EFFECT_TEXTS]) * sum(
            layer.n_heads for layer in view.stream.layers if layer is not None
        )
    return {REPEATS: N_BLOCKS, CHANGES: 2 * len(texts), NORMS: len(texts)}[kind]


def why_not(kind: str, view: View, texts: tuple[str, ...]) -> str:
    """Why a longer run has no meaning here; empty if it has."""
    if kind == CHANGES and len(texts) < 2:
        return "variability compares texts: measure over the example sentences or your own list"
    if kind == REPEATS and len(view.record.streams) > 1:
        return "this is measured for models with one kind of attention only"
    return ""


def steps(kind: str, view: View, texts: tuple[str, ...]) -> Steps:
    """A longer run, which returns columns."""
    runs = {REPEATS: _repeats, CHANGES: _changes, NORMS: _norms, EFFECT: _effect}
    return runs[kind](view, texts)


def _repeats(view: View, _: tuple[str, ...]) -> Steps:
    loaded = model_cache.model(view.source.model)
    vocabulary = loaded.model.config.get_text_config().vocab_size
    # Without the commonest and the rarest.
    pool = range(vocabulary // 15, vocabulary // 4)
    tokens = view.stream.query_tokens
    n_first = next((i for i, token in enumerate(tokens) if not token.special), 0)
    n_last = next((i for i, token in enumerate(reversed(tokens)) if not token.special), 0)
    first = [token.id or 0 for token in tokens[:n_first]]
    last = [token.id or 0 for token in tokens[len(tokens) - n_last :]]
    # A block comes twice, and the model must have room for both.
    room = LONGEST if loaded.limit is None else (loaded.limit - len(first) - len(last)) // 2
    read = []
    for block in repeated_blocks(pool, N_BLOCKS, longest=min(LONGEST, len(pool), room)):
        record = cache.passing_ids(view.source.model, [*first, *block, *last])
        ids = [*[None] * n_first, *block, *[None] * n_last]
        read.append(induction_card([(_joined(record.stream(view.stream.name)), ids)]))
        yield
    means = RunningMean()
    for card in read:
        means.add({"induction": card.induction, "induction_null": card.null})
    return means.means


def _changes(view: View, texts: tuple[str, ...]) -> Steps:
    mean = MeanMap()
    for stream in _streams(view, texts):
        if stream is not None:
            mean.add(_joined(stream))
        yield
    variability = Variability(mean.mean)
    for stream in _streams(view, texts):
        if stream is not None:
            variability.add(_joined(stream))
        yield
    return {"variability": variability.value}


def _norms(view: View, texts: tuple[str, ...]) -> Steps:
    means = RunningMean()
    for stream in _streams(view, texts):
        if stream is not None:
            means.add(_norms_of(view, stream))
        yield
    return means.means


def _norms_of(view: View, stream: Stream) -> Columns:
    model = model_cache.model(view.source.model).model
    labels, columns = (tuple(stream.query_texts), tuple(stream.key_texts)), []
    special = is_special(stream.key_tokens)
    for number in stream.attending_layers:
        layer = stream.layer(number)
        projections = (
            layer_numbers(model, layer, *labels)[0].projections
            if isinstance(layer, ScoredLayer)
            else {}
        )
        if not isinstance(layer, ScoredLayer) or "output" not in projections:
            raise ModelError(
                f"the last matrix of layer {number} could not be found, so what its heads bring is not known; "
                "choose another measure, or another model"
            )
        vectors = brought(layer.value.numpy(), projections["output"].weight)
        shares = norm_shares(stream.weights(number), vectors)
        within = stream.same_tokens
        nothing = np.full(len(shares), np.nan)
        columns.append(
            {
                "first_token_norm": first_token_share(shares),
                "special_norm": share_on_keys(shares, special),
                "previous_norm": previous_share(shares) if within else nothing,
                "self_norm": self_share(shares) if within else nothing,
            }
        )
    return {name: np.concatenate([one[name] for one in columns]) for name in columns[0]}


def _effect(view: View, texts: tuple[str, ...]) -> Steps:
    means, stream = RunningMean(), view.stream
    places = [(n, head) for n in stream.attending_layers for head in range(stream.layer(n).n_heads)]
    kind = stream.name if len(view.record.streams) > 1 else None
    predicts = cache.passing(view.source).logits is not None
    change = total_variation if predicts else cosine_change
    for text in texts[:MOST_EFFECT_TEXTS]:

        def run(interventions: tuple[Intervention, ...], text: str = text) -> np.ndarray:
            written = to_text(interventions)
            return _outcome(cache.passing(replace(view.source, text=text, interventions=written)))

        changes = []
        try:
            for effect in head_effects(run, places, change, stream=kind):
                changes.append(effect.change)
                yield
        except TextError:
            continue
        means.add({"effect": np.array(changes)})
    return means.means


def _outcome(record: AttentionRecord) -> np.ndarray:
    """What a model ends in: probabilities if it predicts, else its final vectors."""
    if record.logits is not None:
        return torch.softmax(record.logits.float(), dim=-1).cpu().numpy()
    if record.final is None:
        raise ModelError(
            "the vectors that leave this model were not seen, so a head's effect on them is not known; "
            "choose another measure, or another model"
        )
    return record.final


def _streams(view: View, texts: tuple[str, ...]) -> Iterator[Stream | None]:
    """The stream of each text; None for one that cannot be read."""
    for text in texts:
        record = _record(view, text)
        yield None if record is None else record.stream(view.stream.name)


def _record(view: View, text: str) -> AttentionRecord | None:
    try:
        return cache.passing(replace(view.source, text=text))
    except TextError:
        return None


def _joined(stream: Stream) -> np.ndarray:
    return np.concatenate([stream.weights(layer) for layer in stream.attending_layers])
