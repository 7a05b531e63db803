"""The layer whose heads are restricted, our own or a model's: its words, and what it gives with and without changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float

from mha_viz.core.differences import OutputChange, map_difference
from mha_viz.core.intervention_text import to_text
from mha_viz.core.interventions import Intervention
from mha_viz.core.layers import Layer, ScoredLayer
from mha_viz.core.predictions import Prediction
from mha_viz.core.record import Token
from mha_viz.core.small_layer import SmallLayer, embeddings, small_module, words_of
from mha_viz.errors import TextError
from mha_viz.ui import cache, model_cache
from mha_viz.ui.view import View

FOUR = ("t1", "t2", "t3", "t4")
AT_LAYER, AT_HEADS = "after this layer’s attention", "of this layer’s heads, side by side"
AT_END = "at the end of the model"


@dataclass(frozen=True, eq=False)
class Run:
    """What the layer gave.

    Attributes:
        weights: The map of each head.
        masked: True for queries that may look at nothing.
        sink: What each row gives to a learned sink; None for models without one.
        outputs: The output vectors of the positions, by where they were taken.
        expected: What the model expects as words.
    """

    weights: Float[np.ndarray, "n_heads n_query n_key"]
    masked: Bool[np.ndarray, "n_heads n_query"]
    sink: Float[np.ndarray, "n_heads n_query"] | None
    outputs: Mapping[str, Float[np.ndarray, "n_query _"]]
    expected: tuple[Prediction, ...] = ()


@dataclass(frozen=True, eq=False)
class Bench:
    """The layer.

    Attributes:
        text: What it read.
        owner: Whose layer it is, in words.
        queries: The tokens that look.
        keys: The tokens that are looked at.
        n_heads: How many heads it has.
        layer: Which layer of the model it is.
        stream: Which kind of attention, for models that have several.
        prefix: What stands before the number of a head.
        checked: What was checked of its numbers.
        expects_nothing: Why no words are expected of it; empty if they are.
        run: What it gives when something is done to its heads.
        notices: What has to be said besides.
    """

    text: str
    owner: str
    queries: tuple[Token, ...]
    keys: tuple[Token, ...]
    n_heads: int
    layer: int
    stream: str | None
    prefix: str
    checked: str
    expects_nothing: str
    run: Callable[[tuple[Intervention, ...]], Run]
    notices: tuple[str, ...] = ()

    @property
    def query_texts(self) -> list[str]:
        """What is written for each token that looks."""
        return [token.text for token in self.queries]

    @property
    def key_texts(self) -> list[str]:
        """What is written for each token that is looked at."""
        return [token.text for token in self.keys]

    def name(self, head: int) -> str:
        """What a head is called."""
        return f"{self.prefix}H{head}"


@dataclass(frozen=True, eq=False)
class Compared:
    """A layer without and with what is done to its heads.

    Attributes:
        bench: The layer.
        changes: What is done.
        before: Without it.
        after: With it.
    """

    bench: Bench
    changes: tuple[Intervention, ...]
    before: Run
    after: Run

    @classmethod
    def of(cls, bench: Bench, changes: tuple[Intervention, ...]) -> "Compared":
        """Compute both.

        Raises:
            MhaVizError: If this cannot be done to the heads of this model.
        """
        before = bench.run(())
        return cls(bench, changes, before, bench.run(changes) if changes else before)

    @property
    def heads(self) -> tuple[int, ...]:
        """The heads to which something is done."""
        return tuple(sorted({one.head for one in self.changes if one.head is not None}))

    @property
    def difference(self) -> Float[np.ndarray, "n_heads n_query n_key"]:
        """What each weight gained or lost."""
        return map_difference(self.before.weights, self.after.weights)

    @property
    def outputs(self) -> dict[str, OutputChange]:
        """What became of the output vectors, by where they were taken."""
        return {
            where: OutputChange(vectors, self.after.outputs[where])
            for where, vectors in self.before.outputs.items()
        }


def ours(text: str, seed: int, *, four: bool) -> Bench:
    """Our own small layer, as in the text's code: width 8, two heads; here one text at a time.

    Args:
        text: Whose words are the tokens.
        seed: What its numbers are drawn from.
        four: Whether four tokens without words are read instead.

    Raises:
        TextError: If the text has no words.
    """
    words, left_out = (FOUR, 0) if four else words_of(text)
    if not words:
        raise TextError("the text is empty; type a sentence, or choose an example")
    layer = SmallLayer(seed=seed)
    module = small_module(layer)
    x = torch.from_numpy(embeddings(words, layer))[None]

    def run(changes: tuple[Intervention, ...]) -> Run:
        with torch.no_grad():
            steps = module(x, interventions=changes)
        return Run(
            steps.weights[0].numpy(),
            steps.fully_masked[0].numpy(),
            None,
            {AT_LAYER: steps.output[0].numpy()},
        )

    tokens = tuple(map(Token, words))
    shape = (1, len(words), layer.d_model)
    return Bench(
        text=" ".join(words) if four else text,
        owner=f"our own layer: x {shape}, {layer.n_heads} heads, seed {seed}",
        queries=tokens,
        keys=tokens,
        n_heads=layer.n_heads,
        layer=0,
        stream=None,
        prefix="",
        checked="",
        expects_nothing="One layer of attention predicts no words: it gives a vector for each position.",
        run=run,
        notices=(
            f"our own layer takes the first {len(words)} words; {left_out} more are left out",
        )[: bool(left_out)],
    )


def of_the_model(view: View) -> Bench:
    """The chosen layer of the model."""
    layer, name = view.selection.layer, view.stream.name

    def run(changes: tuple[Intervention, ...]) -> Run:
        source = replace(view.source, interventions=to_text(changes))
        record = cache.record(source)
        stream = record.stream(name)
        outputs = _layer_outputs(cache.whole_layer(source, stream, layer))
        if record.final is not None and len(record.final) == len(stream.query_tokens):
            outputs[AT_END] = record.final
        return Run(
            cache.layer_weights(source, stream, layer),
            stream.fully_masked(layer),
            stream.sink(layer) if stream.has_sink else None,
            outputs,
            record.predictions,
        )

    title = model_cache.entry(view.source.model).title
    return Bench(
        text=view.record.text,
        owner=f"{title}, layer {layer}",
        queries=view.stream.query_tokens,
        keys=view.stream.key_tokens,
        n_heads=view.stream.layer(layer).n_heads,
        layer=layer,
        stream=name if len(view.record.streams) > 1 else None,
        prefix=f"L{layer} ",
        checked=view.record.verified,
        expects_nothing="" if view.record.predictions else _expects_nothing(view, title),
        run=run,
    )


def _layer_outputs(layer: Layer) -> dict[str, Float[np.ndarray, "n_query _"]]:
    """What the attention module gave back, or where that was not seen, what its heads found."""
    if not isinstance(layer, ScoredLayer):
        return {}
    if layer.module_output is not None:
        return {AT_LAYER: layer.module_output.float().cpu().numpy()}
    if layer.head_outputs is not None:
        return {AT_HEADS: layer.head_outputs.flatten(1).float().cpu().numpy()}
    return {}


def _expects_nothing(view: View, title: str) -> str:
    loaded = model_cache.model(view.source.model)
    mask = loaded.tokenizer.mask_token
    if loaded.model.get_output_embeddings() is None:
        return f"{title} predicts no words: it ends in a vector for each token, whose change is in the table above."
    if mask is not None:
        return f"{title} predicts hidden words: put {mask} in the text in place of one."
    return f"{title} predicts no words of this text."
