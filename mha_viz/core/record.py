"""What one forward pass of a model left behind, and the weights that follow from it.

A record keeps what is small, queries, keys and values (n_tokens x d_head), and computes what is large, the weights
(n_query x n_key a head), only for the layer that is asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
import torch
from jaxtyping import Bool, Float

from mha_viz.core.interventions import Intervention
from mha_viz.core.layers import Layer, ReportedLayer, ScoredLayer
from mha_viz.core.predictions import Prediction
from mha_viz.errors import CaptureError, ChoiceError


@dataclass(frozen=True)
class Token:
    """One position of a text, as the model counts positions.

    Attributes:
        text: What a person should read: whole characters, visible spaces, pieces marked as pieces.
        id: The model's own number for it; None where positions are not words (image patches, audio frames).
        span: Start and end in characters of the text that was given; None for tokens that the model adds.
        special: Whether the model added it ([CLS], <s>, …).
        typed_special: Whether the person typed the name of a special token and the model took it as one.
        piece_of_word: Index of the word that this token is a piece of; None outside words.
    """

    text: str
    id: int | None = None
    span: tuple[int, int] | None = None
    special: bool = False
    typed_special: bool = False
    piece_of_word: int | None = None


@dataclass(frozen=True, eq=False)
class Stream:
    """The attention of one kind through all layers: who looks at whom.

    Attributes:
        name: "self", or for models with several: "encoder", "decoder", "cross", …
        layers: One entry a layer of the model; None where that layer has no attention.
        query_tokens: The tokens that look.
        key_tokens: The tokens that are looked at.
        causal: Whether a token may look only at itself and at tokens before it.
    """

    name: str
    layers: tuple[Layer | None, ...]
    query_tokens: tuple[Token, ...]
    key_tokens: tuple[Token, ...]
    causal: bool = False

    @property
    def n_layers(self) -> int:
        """Number of layers of the model, those without attention included."""
        return len(self.layers)

    @property
    def attending_layers(self) -> tuple[int, ...]:
        """The layers that have attention."""
        return tuple(index for index, layer in enumerate(self.layers) if layer is not None)

    @property
    def query_texts(self) -> list[str]:
        """What a person reads for each token that looks."""
        return [token.text for token in self.query_tokens]

    @property
    def key_texts(self) -> list[str]:
        """What a person reads for each token that is looked at."""
        return [token.text for token in self.key_tokens]

    @property
    def same_tokens(self) -> bool:
        """Whether the tokens that look are those that are looked at; not so across to another text."""
        return self.query_tokens == self.key_tokens

    @property
    def has_sink(self) -> bool:
        """Whether a learned sink, no token, takes a share of each row."""
        return any(
            isinstance(layer, ScoredLayer) and layer.sinks is not None for layer in self.layers
        )

    @cached_property
    def n_heads(self) -> int:
        """Number of heads, the largest if layers differ."""
        return max(layer.n_heads for layer in self.layers if layer is not None)

    def layer(self, layer: int) -> Layer:
        """The part of one layer.

        Raises:
            ChoiceError: If there is no such layer, or if it has no attention.
        """
        if not 0 <= layer < self.n_layers:
            raise ChoiceError(
                f"layer {layer} does not exist: layers go from 0 to {self.n_layers - 1}"
            )
        part = self.layers[layer]
        if part is None:
            raise ChoiceError(
                f"layer {layer} has no attention; the layers with attention are {_listed(self.attending_layers)}"
            )
        return part

    def weights(self, layer: int, head: int | None = None) -> np.ndarray:
        """Attention weights of a layer, or of one of its heads.

        Args:
            layer: Which layer, from 0.
            head: Which head, from 0; None for all.

        Returns:
            Read-only float32 array (n_heads, n_query, n_key), or (n_query, n_key) for one head. A row (a query) sums
            to 1 less `sink`; a row that may look at nothing is zeros, see `fully_masked`.

        Raises:
            ChoiceError: If the layer or the head does not exist.
            CaptureError: If what was recorded gives no valid weights.
        """
        part = self.layer(layer)
        if head is not None and not 0 <= head < part.n_heads:
            raise ChoiceError(
                f"head {head} does not exist: layer {layer} has heads 0 to {part.n_heads - 1}"
            )
        with torch.inference_mode():
            weights = part.compute()
        self._check(weights, layer)
        array = weights.cpu().numpy() if head is None else weights[head].cpu().numpy()
        array = np.ascontiguousarray(array)
        array.flags.writeable = False
        return array

    def sink(self, layer: int) -> Float[np.ndarray, "n_heads n_query"]:
        """The share of each row that goes to a learned sink, to no token at all; zeros for most models."""
        part = self.layer(layer)
        if isinstance(part, ReportedLayer) or part.sinks is None:
            return np.zeros((part.n_heads, len(self.query_tokens)), dtype=np.float32)
        missing = 1.0 - self.weights(layer).sum(axis=-1)
        missing[self.fully_masked(layer)] = 0.0
        return missing

    def fully_masked(self, layer: int) -> Bool[np.ndarray, "n_heads n_query"]:
        """True for each query that may look at nothing: its row of weights is zeros, not a distribution."""
        return self.layer(layer).fully_masked.cpu().numpy()

    def heads_off(self, layer: int) -> tuple[int, ...]:
        """The heads whose output was made zeros; their weights are what the model gave them."""
        return self.layer(layer).heads_off

    def _check(self, weights: torch.Tensor, layer: int) -> None:
        expected = (len(self.query_tokens), len(self.key_tokens))
        if tuple(weights.shape[-2:]) != expected:
            raise CaptureError(
                f"layer {layer} gave maps of {tuple(weights.shape[-2:])} for {expected} tokens (queries, keys)"
            )
        if not torch.isfinite(weights).all():
            raise CaptureError(
                f"layer {layer} gave weights that are not numbers; they are not shown"
            )
        sums, part = weights.sum(-1), self.layer(layer)
        tolerance = part.row_tolerance
        a_sink_takes_part = isinstance(part, ScoredLayer) and part.sinks is not None
        short = (sums < 1 - tolerance) & (sums != 0) & (not a_sink_takes_part)
        wrong = short | (sums > 1 + tolerance)
        if wrong.any() or (weights < 0).any():
            raise CaptureError(
                f"layer {layer} gave rows that sum to {sums.min():.4f} … {sums.max():.4f} instead of 1; they are not attention weights"
            )


@dataclass(frozen=True, eq=False)
class AttentionRecord:
    """One text through one model: tokens and, for every layer and head, where each token looks.

    Attributes:
        streams_by_name: The kinds of attention; one, "self", for encoders and decoders.
        text: The text as it was given; empty for records made from inputs.
        model_name: What the model is called.
        notices: Sentences that a page must show with the picture (text cut, weights reported and not recomputed, …).
        verified: What was checked of these weights, one sentence; empty if nothing was.
        interventions: What was done to the heads; the weights are those that were used.
        final: The vectors that left the last layer, of the decoder if there is one; read-only, None if none were seen.
        predictions: What a language model expects after the last token, or in place of each hidden one.
        logits: What it expects at every position, before the softmax; None of other models.
    """

    streams_by_name: Mapping[str, Stream]
    text: str = ""
    model_name: str = ""
    notices: tuple[str, ...] = field(default=())
    verified: str = ""
    interventions: tuple[Intervention, ...] = ()
    final: Float[np.ndarray, "n_tokens d_model"] | None = None
    predictions: tuple[Prediction, ...] = ()
    logits: Float[torch.Tensor, "n_tokens n_vocabulary"] | None = None

    def __post_init__(self) -> None:
        if not self.streams_by_name:
            raise CaptureError("a record needs at least one stream; the model attended nowhere")
        object.__setattr__(self, "streams_by_name", MappingProxyType(dict(self.streams_by_name)))
        if self.final is not None:
            self.final.flags.writeable = False

    @property
    def n_bytes(self) -> int:
        """Memory that the arrays of the record take, shared ones counted once."""
        tensors = [
            part
            for stream in self.streams_by_name.values()
            for layer in stream.layers
            if layer is not None
            for part in vars(layer).values()
            if isinstance(part, torch.Tensor)
        ]
        tensors += [] if self.logits is None else [self.logits]
        storages = {
            part.untyped_storage().data_ptr(): part.untyped_storage().nbytes() for part in tensors
        }
        return sum(storages.values()) + (0 if self.final is None else self.final.nbytes)

    def without_outputs(self) -> "AttentionRecord":
        """The record without what each layer was given and gave back, and without logits: the same weights in less memory."""
        nothing = {"head_outputs": None, "module_input": None, "module_output": None}
        slim = {
            name: replace(
                stream,
                layers=tuple(
                    replace(layer, **nothing) if isinstance(layer, ScoredLayer) else layer
                    for layer in stream.layers
                ),
            )
            for name, stream in self.streams_by_name.items()
        }
        return replace(self, streams_by_name=slim, logits=None)

    @property
    def streams(self) -> tuple[str, ...]:
        """The names of the kinds of attention."""
        return tuple(self.streams_by_name)

    def stream(self, name: str) -> Stream:
        """One kind of attention.

        Raises:
            ChoiceError: If the model has no stream of that name.
        """
        if name not in self.streams_by_name:
            raise ChoiceError(
                f"stream {name!r} does not exist; this model has {_listed(self.streams)}"
            )
        return self.streams_by_name[name]

    @property
    def only_stream(self) -> Stream:
        """The one stream of an encoder or a decoder.

        Raises:
            ChoiceError: If there are several; name one with `stream`.
        """
        if len(self.streams_by_name) > 1:
            raise ChoiceError(
                f"this model has several kinds of attention; choose one with record.stream(name): {_listed(self.streams)}"
            )
        return next(iter(self.streams_by_name.values()))

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the one stream."""
        return self.only_stream.query_tokens

    @property
    def n_layers(self) -> int:
        """Number of layers of the one stream."""
        return self.only_stream.n_layers

    @property
    def n_heads(self) -> int:
        """Number of heads of the one stream."""
        return self.only_stream.n_heads

    def weights(self, layer: int, head: int | None = None) -> np.ndarray:
        """Weights of the one stream, see `Stream.weights`."""
        return self.only_stream.weights(layer, head)

    def sink(self, layer: int) -> Float[np.ndarray, "n_heads n_query"]:
        """Sink shares of the one stream, see `Stream.sink`."""
        return self.only_stream.sink(layer)


def _listed(names: Sequence[object]) -> str:
    return ", ".join(str(name) for name in names)
