"""A cache that is bounded in bytes."""

from concurrent.futures import ThreadPoolExecutor

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
