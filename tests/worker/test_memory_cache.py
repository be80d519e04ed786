from app.engine.memory_cache import MemoryCache


def test_the_least_recently_used_value_makes_room() -> None:
    cache = MemoryCache[str, int](100)
    cache.keep("a", 1, 40)
    cache.keep("b", 2, 40)
    assert cache.find("a") == 1

    cache.keep("c", 3, 40)

    assert [cache.find(key) for key in "abc"] == [1, None, 3]


def test_a_value_above_the_limit_is_not_kept_and_the_rest_of_the_limit_is_free_again() -> None:
    cache = MemoryCache[str, int](100)

    cache.keep("large", 1, 101)
    cache.keep("small", 2, 100)

    assert [cache.find(key) for key in ("large", "small")] == [None, 2]


def test_a_key_keeps_its_first_value_and_counts_once() -> None:
    cache = MemoryCache[str, int](100)
    for value in range(5):
        cache.keep("a", value, 60)

    cache.keep("b", 7, 40)

    assert [cache.find(key) for key in "ab"] == [0, 7]
