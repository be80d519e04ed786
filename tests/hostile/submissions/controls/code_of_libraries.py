# mechanism: uses libraries that make code for themselves
# verdict: accepted
# problem: product_by_hand
import ast
import enum
import fractions
import timeit
import typing
from collections import namedtuple
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Size:
    rows: int = 0


class Kind(enum.Enum):
    LEFT = 1


class Pair(typing.NamedTuple):
    left: int


Point = namedtuple('Point', 'x y')
assert ast.literal_eval('[1]') == [1]
assert fractions.Fraction('1/2') * 2 == 1
timeit.default_timer()


def product(a, b):
    return (a[:, :, None] * b).sum(1)
