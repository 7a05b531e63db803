"""A cache that many sessions share, bounded in bytes: the least recently used goes first."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """Values by key, up to a number of bytes in all; one that is larger than that is not kept.

    Streamlit's own caches are bounded by entries, and an entry here may be a kilobyte or half a gigabyte.

    Args:
        limit: Bytes in all.
        size: Bytes of a value.
    """

    def __init__(self, limit: int, size: Callable[[Value], int]) -> None:
        self._limit, self._size = limit, size
        self._kept: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()
        self._n_bytes = 0

    def get(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed if it is not kept; others are not kept waiting meanwhile."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
        value = compute()
        n_bytes = self._size(value)
        with self._lock:
            _, before = self._kept.pop(key, (None, 0))
            self._kept[key] = value, n_bytes
            self._n_bytes += n_bytes - before
            while self._n_bytes > self._limit:
                _, (_, freed) = self._kept.popitem(last=False)
                self._n_bytes -= freed
        return value

    @property
    def n_bytes(self) -> int:
        """Bytes kept now, each value as large as it was when it came."""
        return self._n_bytes

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._n_bytes = 0
