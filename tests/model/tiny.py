"""How the tiny random models of the tests are built, and what they are given.

Sizes differ wherever they can (11 tokens, 6 heads, 3 key heads, 8 wide), so that no two axes can be
taken for each other. Weights are drawn large: with the library's own 0.02 all rows of attention are
nearly even, and every wrong formula looks right.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

import torch
import transformers
from torch import Tensor, nn

N_TOKENS, N_REAL, N_DECODER = 11, 7, 5
VOCABULARY = 97
IMAGE_TOKEN = VOCABULARY - 1
FIRST_WORD = 5  # smaller ids are padding, start, end, …

Inputs = dict[str, Tensor]
Sizes = Mapping[str, Any]
Route = Literal["seam", "reported", "refused"]
Side = Literal["left", "right"]
Positions = Literal["relative", "absolute"]


@dataclass(frozen=True, eq=False)
class Architecture:
    """One tiny model, not built yet.

    Attributes:
        family: What the names of its config and model classes start with.
        sizes: What its config is made of.
        inputs: Batch size in, inputs out.
        model: Its model class; None for `family` + "Model".
        route: How its weights are to be had.
        positions: How it counts, for models that may be padded on the left. With absolute positions
            a text that is padded there is another text.
        std: How large its weights are drawn; less where there is no 1/sqrt(d_head).
    """

    family: str
    sizes: Sizes
    inputs: Callable[[int], Inputs]
    model: str | None = None
    route: Route = "seam"
    positions: Positions | None = None
    std: float = 0.35

    @property
    def paddings(self) -> tuple[Side, ...]:
        """The sides on which a batch of its texts may be padded."""
        if self.inputs not in (words, translation):
            return ()
        return ("right",) if self.positions is None else ("right", "left")


def architecture(
    family: str,
    base: Sizes,
    inputs: Callable[[int], Inputs],
    *,
    model: str | None = None,
    route: Route = "seam",
    positions: Positions | None = None,
    std: float = 0.35,
    **sizes: object,
) -> Architecture:
    """An architecture whose sizes are those of `base` and a few of its own."""
    return Architecture(family, {**base, **sizes}, inputs, model, route, positions, std)


def build(architecture: Architecture, implementation: str | None = None) -> Any:
    """The model in eval mode, drawn large; the same weights at every call.

    Args:
        architecture: Which.
        implementation: How it computes attention; None for what an ordinary load chooses.
    """
    torch.manual_seed(0)  # for what is drawn at random and is no parameter
    config_class = getattr(transformers, f"{architecture.family}Config")
    model_class = getattr(transformers, architecture.model or f"{architecture.family}Model")
    options = {} if implementation is None else {"attn_implementation": implementation}
    config = config_class(**deepcopy(dict(architecture.sizes)))
    return draw_large(model_class._from_config(config, **options), architecture.std)


def draw_large(model: nn.Module, std: float = 0.35) -> nn.Module:
    """Redraw all weights of `model` in place, so that its attention is far from even."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() > 1:
                parameter.copy_(std * noise)
            elif "norm" in name.lower() or "ln" in name:
                parameter.copy_(float(name.endswith("weight")) + 0.1 * noise)
            elif name.endswith("sinks"):
                parameter.copy_(1 + noise)
            else:
                parameter.add_(0.2 * noise)
    return model.eval()


def drawn(*shape: int) -> Tensor:
    """Numbers for pictures and sounds."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(1))


def word_ids(batch: int, n_tokens: int, vocabulary: int = VOCABULARY) -> Tensor:
    """Words drawn at random, (batch, n_tokens)."""
    generator = torch.Generator().manual_seed(2)
    return torch.randint(FIRST_WORD, vocabulary, (batch, n_tokens), generator=generator)


def words(batch: int, n_tokens: int = N_TOKENS) -> Inputs:
    """Texts without padding."""
    ids = word_ids(batch, n_tokens)
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


def translation(batch: int) -> Inputs:
    """Source texts, and the first words of their translations."""
    return words(batch) | {"decoder_input_ids": word_ids(batch, N_DECODER)}


def looking_across(batch: int) -> Inputs:
    """Texts, and seven encoded things that their tokens look across at."""
    return words(batch) | {"encoder_hidden_states": drawn(batch, 7, 48)}


def sounds(batch: int, length: int = 160) -> Inputs:
    """Waves."""
    return {"input_values": drawn(batch, length)}


def speech(batch: int, length: int = 160) -> Inputs:
    """Waves, and the first words that are said."""
    return sounds(batch, length) | {"decoder_input_ids": word_ids(batch, N_DECODER)}


def frequencies(batch: int) -> Inputs:
    """Twenty frames of eight bands, and the first words that are said."""
    return {
        "input_features": drawn(batch, 8, 20),
        "decoder_input_ids": word_ids(batch, N_DECODER),
    }


def frames(batch: int) -> Inputs:
    """Nine frames of sixteen bands."""
    return {"input_features": drawn(batch, 9, 16)}


def spectrogram(batch: int) -> Inputs:
    """A picture of a sound."""
    return {"input_values": drawn(batch, 16, 8)}


def codebooks(batch: int) -> Inputs:
    """Two codebooks a sound, and seven encoded things that they look across at."""
    return looking_across(batch) | words(2 * batch)


def pictures(batch: int, size: int = 16) -> Inputs:
    """Square pictures."""
    return {"pixel_values": drawn(batch, 3, size, size)}


def noisy_pictures(batch: int) -> Inputs:
    """Pictures, and the order in which their patches are left out."""
    return pictures(batch) | {"noise": drawn(batch, 16)}


def films(batch: int) -> Inputs:
    """Two pictures each."""
    return {"pixel_values": drawn(batch, 2, 3, 16, 16)}


def captions(batch: int) -> Inputs:
    """Texts and pictures."""
    return words(batch) | pictures(batch)


def illustrated(batch: int) -> Inputs:
    """Texts in which sixteen tokens stand for the patches of a picture."""
    text = word_ids(batch, 24, IMAGE_TOKEN)
    text[:, 2:18] = IMAGE_TOKEN
    return {"input_ids": text, "attention_mask": torch.ones_like(text)} | pictures(batch)


def regions(batch: int) -> Inputs:
    """Texts, and four regions of a picture."""
    return words(batch) | {"visual_embeds": drawn(batch, 4, 16)}


def boxes(batch: int) -> Inputs:
    """Texts, and five boxes in a picture."""
    return words(batch) | {"visual_feats": drawn(batch, 5, 16), "visual_pos": drawn(batch, 5, 4)}


def vectors(batch: int) -> Inputs:
    """Nine vectors that stand for anything."""
    return {"inputs": drawn(batch, 9, 16)}


def decisions(batch: int) -> Inputs:
    """Four time steps of a game."""
    return {
        "states": drawn(batch, 4, 5),
        "actions": drawn(batch, 4, 3),
        "rewards": drawn(batch, 4, 1),
        "returns_to_go": drawn(batch, 4, 1),
        "timesteps": word_ids(batch, 4, 60),
    }


def padded(inputs: Inputs, side: Side, pad: int) -> Inputs:
    """The same batch, its second text cut to `N_REAL` tokens and filled up."""
    ids, mask = inputs["input_ids"].clone(), inputs["attention_mask"].clone()
    filling = slice(N_REAL, None) if side == "right" else slice(None, ids.shape[1] - N_REAL)
    ids[1, filling], mask[1, filling] = pad, 0
    return inputs | {"input_ids": ids, "attention_mask": mask}
