"""Every error that this package raises on purpose, in one tree.

MhaVizError
├── ShapeError           array sizes that do not fit together
├── ChoiceError          a name or an index that does not exist (layer, head, stream, model)
├── TextError            a text that gives nothing to attend to, or too much of it
├── ModelError           a model that cannot be had
│   ├── NetworkNeededError   it would have to be fetched, and there is no network
│   └── NoAttentionError     it has no attention weights that could be shown
├── CaptureError         a model ran, but what came back is not a set of attention weights
└── BusyError            the server already does as much of this as it may

Each message is one or two plain sentences: what was expected, what was given, what to do.
"""


class MhaVizError(Exception):
    """The base of the tree: catch this to catch every error raised on purpose."""


class ShapeError(MhaVizError, ValueError):
    """Raised when array sizes do not fit together."""


class ChoiceError(MhaVizError, LookupError):
    """Raised when a layer, head, stream or model is asked for that does not exist."""


class TextError(MhaVizError, ValueError):
    """Raised when a text gives a model nothing to attend to, or more than a page may hold."""


class ModelError(MhaVizError):
    """Raised when a model cannot be found, read or accepted."""


class NetworkNeededError(ModelError):
    """Raised when a model would have to be fetched and no network answers."""


class NoAttentionError(ModelError):
    """Raised when a model has no attention weights that could be shown truthfully."""


class CaptureError(MhaVizError):
    """Raised when a model ran but did not give a valid set of attention weights."""


class BusyError(MhaVizError):
    """Raised when something would have to wait because the server already does as much of it as it may."""
