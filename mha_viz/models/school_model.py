"""The model that we trained ourselves, as a model of the library: read, recorded and changed like any other.

It is built as GPT-2 is (norms first, learned positions, tied embeddings), but for the biases that its attention does not
have. So its own parts are put into the library's frame, and what comes out is what `SchoolModel` computes.
"""

import torch
from torch import nn
from transformers import AutoModelForCausalLM, GPT2Config, GPT2LMHeadModel

from mha_viz.models.school_tokenizer import SchoolTokenizer
from mha_viz.school.checkpoints import load_model
from mha_viz.school.lexicon import Lexicon
from mha_viz.school.model import SchoolModel
from mha_viz.school.vocabulary import Vocabulary

# By its name in the library's model: which part of ours takes its place, of the whole and of each layer.
ENDS = {"transformer.wte": "words", "transformer.wpe": "positions", "transformer.ln_f": "norm"}
PARTS = {
    "ln_1": "norm_before_attention",
    "attn.c_proj": "attention.w_o",
    "ln_2": "norm_before_feed_forward",
    "mlp.c_fc": "widen",
    "mlp.c_proj": "narrow",
}


def load_school(step: int, *, attention: str) -> tuple[GPT2LMHeadModel, SchoolTokenizer]:
    """The model as it was at a step of its training, and its tokenizer.

    Args:
        step: One of `saved_steps`.
        attention: The attention implementation.

    Raises:
        ChoiceError: If there are no weights of that step.
        ModelError: If they cannot be read.
    """
    return framed(load_model(step), attention=attention), SchoolTokenizer(Vocabulary(Lexicon()))


def framed(school: SchoolModel, *, attention: str = "eager") -> GPT2LMHeadModel:
    """The parts of a model of ours in the frame of the library's; they are shared, not copied.

    Args:
        school: The model.
        attention: The attention implementation.
    """
    sizes = school.sizes
    config = GPT2Config(
        vocab_size=sizes.n_words,
        n_positions=sizes.n_positions,
        n_embd=sizes.d_model,
        n_layer=sizes.n_layers,
        n_head=sizes.n_heads,
        n_inner=sizes.d_feed_forward,
        activation_function="gelu",
        bos_token_id=None,
        eos_token_id=None,
    )
    model = AutoModelForCausalLM.from_config(config, attn_implementation=attention)
    for theirs, ours in ENDS.items():
        model.set_submodule(theirs, school.get_submodule(ours))
    model.lm_head.weight = school.words.weight
    for layer in range(sizes.n_layers):
        place, block = f"transformer.h.{layer}", school.get_submodule(f"blocks.{layer}")
        for theirs, ours in PARTS.items():
            model.set_submodule(f"{place}.{theirs}", block.get_submodule(ours))
        model.set_submodule(f"{place}.attn.c_attn", _fused(block.get_submodule("attention")))
    return model.eval()


def _fused(attention: nn.Module) -> nn.Linear:
    """The projections to queries, keys and values as one, as GPT-2 has them."""
    names = ("w_q.weight", "w_k.weight", "w_v.weight")
    weight = torch.cat([attention.get_parameter(name) for name in names])
    fused = nn.Linear(weight.shape[1], weight.shape[0], bias=False)
    fused.weight = nn.Parameter(weight.detach())
    return fused
