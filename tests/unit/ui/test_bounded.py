"""A cache that is bounded in bytes."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from mha_viz.ui.bounded import BoundedCache


@pytest.fixture
def computed() -> list[str]:
    return []


def get(cache: BoundedCache, key: str, computed: list[str]) -> bytes:
    def compute() -> bytes:
        computed.append(key)
        return key.encode() * 3

    return cache.get(key, compute)


def test_value_that_is_kept_is_not_computed_again(computed: list[str]):
    cache = BoundedCache(10, len)
    assert get(cache, "ab", computed) is get(cache, "ab", computed)
    assert computed == ["ab"]


def test_least_recently_used_goes_when_the_bytes_run_out(computed: list[str]):
    cache = BoundedCache(7, len)
    for key in ["a", "b", "a", "c", "a", "b"]:
        get(cache, key, computed)
    assert computed == ["a", "b", "c", "b"]
    assert cache.n_bytes == 6


def test_value_larger_than_the_cache_is_given_but_not_kept(computed: list[str]):
    cache = BoundedCache(5, len)
    assert get(cache, "ab", computed) == b"ababab"
    assert cache.n_bytes == 0


def test_value_larger_than_the_cache_pushes_nothing_out(computed: list[str]):
    cache = BoundedCache(7, len)
    for key in ["a", "b", "cde", "b", "a"]:
        get(cache, key, computed)
    assert computed == ["a", "b", "cde"]
    assert cache.n_bytes == 6


def test_value_that_is_asked_for_again_while_it_is_computed_is_computed_once(computed: list[str]):
    cache, begun, goes_on = BoundedCache(10, len), Event(), Event()

    def compute() -> bytes:
        computed.append("ab")
        begun.set()
        assert goes_on.wait(30)
        return b"ab"

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(cache.get, "ab", compute)
        assert begun.wait(30)
        second = pool.submit(cache.get, "ab", compute)
        # Another key is not kept waiting.
        assert pool.submit(get, cache, "c", []).result(30) == b"ccc"
        goes_on.set()
        assert first.result(30) is second.result(30)
    assert computed == ["ab"]


def test_key_whose_computing_failed_is_computed_by_the_next(computed: list[str]):
    cache = BoundedCache(10, len)
    with pytest.raises(ZeroDivisionError):
        cache.get("ab", lambda: bytes(1 // 0))
    assert get(cache, "ab", computed) == b"ababab"


def test_cleared_cache_holds_nothing(computed: list[str]):
    cache = BoundedCache(10, len)
    get(cache, "ab", computed)
    cache.clear()
    assert cache.n_bytes == 0


def test_threads_that_ask_at_once_stay_within_the_bound():
    cache = BoundedCache(50, len)
    with ThreadPoolExecutor(7) as pool:
        found = list(pool.map(lambda number: cache.get(number % 11, lambda: bytes(13)), range(300)))
    assert {len(value) for value in found} == {13}
    assert cache.n_bytes <= 50
