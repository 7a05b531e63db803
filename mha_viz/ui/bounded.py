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
        # One lock for what is kept, and one for each key that is being computed.
        self._lock = Lock()
        self._asked: dict[Hashable, Lock] = {}
        self._n_bytes = 0

    def get(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed if it is not kept; who asks for it meanwhile waits, who asks for another does not."""
        with self._lock:
            if key in self._kept:
                return self._again(key)
            in_turn = self._asked.setdefault(key, Lock())
        with in_turn:
            with self._lock:
                if key in self._kept:
                    return self._again(key)
            try:
                value = compute()
                self._keep(key, value)
            finally:
                with self._lock:
                    self._asked.pop(key, None)
        return value

    def _again(self, key: Hashable) -> Value:
        self._kept.move_to_end(key)
        value, _ = self._kept[key]
        return value

    def _keep(self, key: Hashable, value: Value) -> None:
        n_bytes = self._size(value)
        if n_bytes > self._limit:
            return
        with self._lock:
            _, before = self._kept.pop(key, (None, 0))
            self._kept[key] = value, n_bytes
            self._n_bytes += n_bytes - before
            while self._n_bytes > self._limit:
                _, (_, freed) = self._kept.popitem(last=False)
                self._n_bytes -= freed

    @property
    def n_bytes(self) -> int:
        """Bytes kept now, each value as large as it was when it came."""
        return self._n_bytes

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._n_bytes = 0
