"""Cases that a problem repeats (`random_1` … `random_100`), told in one line for each way in which they came out."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

# Fewer are read one by one.
MANY = 10

Item = TypeVar("Item")


def fold(
    items: Sequence[Item], name_of: Callable[[Item], str], outcome_of: Callable[[Item], Hashable]
) -> list[tuple[Item, ...]]:
    """Each group holds what came out alike of one series, or one item; it stands where its first one did."""
    series = [series_of(name_of(item)) for item in items]
    size = Counter(series)
    groups: dict[Hashable, list[Item]] = {}
    for place, (item, name) in enumerate(zip(items, series, strict=True)):
        key = (name, outcome_of(item)) if size[name] >= MANY else place
        groups.setdefault(key, []).append(item)
    return [tuple(group) for group in groups.values()]


def series_of(name: str) -> str:
    """`random` for `random_17`; any other name is its own."""
    numbered = re.fullmatch(r"(.+)_[0-9]+", name)
    return numbered[1] if numbered else name
