# mechanism: honest: fifty levels, each of another kind of mapping, and large arrays at the bottom
# verdict: accepted
# problem: nest
import collections
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Level:
    level: int
    inside: Any


class Named(NamedTuple):
    level: int
    inside: Any


class Own(dict):
    pass


def ordered(level, inside):
    return collections.OrderedDict(level=level, inside=inside)


def own(level, inside):
    return Own(level=level, inside=inside)


KINDS = (Level, Named, ordered, own)


def nest(x, depth):
    inside = [x + x, (x.size, x[0])]
    for level in reversed(range(depth)):
        inside = KINDS[level % 4](level, inside)
    return inside
