"""Values that are lazy, unordered, endless, or far too large: none may hang the conversion."""

import threading
from typing import Any

import torch

from tests.values.runtime.returned import returned


@returned
def generator() -> object:
    return (n for n in range(3))


@returned
def endless_map() -> object:
    return {"batches": map(str, iter(int, 1))}


@returned
def lazy_range() -> object:
    return range(10**12)


@returned
def unordered() -> object:
    return {1, 2}


@returned
def views_of_a_dict() -> object:
    return {"a": 1}.keys()


@returned
def thread() -> object:
    return [threading.Thread()]


@returned
def class_object() -> object:
    return {"model": torch.nn.Linear}


@returned
def loop_of_lists() -> object:
    loop: list[Any] = [1]
    loop.extend([loop, loop])
    return loop


@returned
def loop_of_dicts() -> object:
    loop: dict[str, Any] = {}
    loop["me"] = {"you": loop}
    return loop


@returned
def doubling_lists() -> object:
    """60 levels of two references to the same list: 2**60 values for a reader that walks them."""
    value: list[Any] = [1.0]
    for _ in range(60):
        value = [value, value]
    return value


@returned
def deep_list() -> object:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


@returned
def million_keys() -> object:
    return {"table": dict.fromkeys(range(1_000_000), 0)}


@returned
def million_items() -> object:
    return [0.0] * 1_000_000


@returned
def surrogates() -> object:
    return {"text": "\udc80"}
