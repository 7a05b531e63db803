"""The library's own talk, switched off for a while: it would name in a log what somebody opens."""

import logging
from collections.abc import Generator
from contextlib import contextmanager

from transformers.utils import logging as library_logging


@contextmanager
def quiet() -> Generator[None]:
    """No progress bars and no log lines of the library, in the whole process, for the time of the block."""
    level, bars = library_logging.get_verbosity(), library_logging.is_progress_bar_enabled()
    library_logging.set_verbosity(logging.CRITICAL)
    library_logging.disable_progress_bar()
    try:
        yield
    finally:
        library_logging.set_verbosity(level)
        if bars:
            library_logging.enable_progress_bar()
