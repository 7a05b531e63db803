"""The part of a long text that a picture shows."""

from dataclasses import dataclass

MOST_TOKENS = 40  # words under the arcs stay readable


@dataclass(frozen=True)
class Window:
    """Positions `start` to `stop` (excluded) of `total`."""

    start: int
    stop: int
    total: int

    @classmethod
    def around(cls, start: int, total: int) -> "Window":
        """The window that starts at `start`, or as near to it as the text allows."""
        start = max(0, min(start, total - MOST_TOKENS))
        return cls(start, min(total, start + MOST_TOKENS), total)

    @property
    def is_whole(self) -> bool:
        """Whether the whole text is shown."""
        return self.stop - self.start == self.total

    @property
    def slice(self) -> slice:
        """For indexing arrays and lists."""
        return slice(self.start, self.stop)

    def holds(self, position: int) -> bool:
        """Whether a position is shown."""
        return self.start <= position < self.stop
