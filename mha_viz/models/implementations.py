"""Which attention implementation a model runs under, and switching it for a while."""

from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock, RLock
from weakref import WeakKeyDictionary

from transformers import PreTrainedConfig, PreTrainedModel

from mha_viz.models.quiet import quiet

_locks: WeakKeyDictionary[PreTrainedModel, RLock] = WeakKeyDictionary()
_making_locks = Lock()


@contextmanager
def under(model: PreTrainedModel, name: str) -> Generator[None, None, None]:
    """The model under another attention implementation, for the time of the block and for one thread at a time."""
    with lock_of(model):
        found = implementations(model)
        if all(implementation == name for _, implementation in found):
            yield
            return
        try:
            _switch(model, name)
            yield
        finally:
            # Outermost first: each setting also reaches inwards.
            for config, implementation in found:
                config._attn_implementation = implementation


def implementations(model: PreTrainedModel) -> list[tuple[PreTrainedConfig, str]]:
    """What each part of a model runs under, outermost first."""
    parts = [part for part in model.modules() if isinstance(part, PreTrainedModel)]
    return [(part.config, part.config._attn_implementation) for part in parts]


def lock_of(model: PreTrainedModel) -> RLock:
    """What to hold while a model is switched."""
    with _making_locks:
        return _locks.setdefault(model, RLock())


def _switch(model: PreTrainedModel, name: str) -> None:
    with quiet():
        model.set_attn_implementation(name)
    if name == "eager":
        # Some models cannot be switched, and yet go by this name (Falcon).
        model.config._attn_implementation = name
