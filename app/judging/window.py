"""The part of a large leaf around its worst element, for people to look at."""

from dataclasses import dataclass
from typing import Any

from app.judging.leaf import Array, Leaf, shown

WHOLE = 64  # a leaf of so many elements is shown whole
VECTOR, MATRIX = 120, 12  # elements of a vector; rows and columns of the last two axes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Window:
    """`start` is the index of its first element. Axes before the last two have length 1."""

    start: tuple[int, ...]
    answer: Array
    expected: Array

    def as_json(self) -> dict[str, Any]:
        shape = list(self.expected.shape)
        return {
            "start": list(self.start),
            "shape": shape,
            "answer": _list(self.answer),
            "expected": _list(self.expected),
        }


def cut_window(answer: Leaf, expected: Leaf, index: tuple[int, ...] | None) -> Window | None:
    """None where the whole is shown anyway, or there is nothing to place it by."""
    shape = expected.shape
    if not index or answer.shape != shape or len(index) != len(shape) or expected.array.size <= WHOLE:
        return None
    lengths = (VECTOR,) if len(shape) == 1 else (*(1,) * (len(shape) - 2), MATRIX, MATRIX)
    start = tuple(
        max(min(place - length // 2, size - length), 0)
        for place, length, size in zip(index, lengths, shape, strict=True)
    )
    part = tuple(slice(begin, begin + length) for begin, length in zip(start, lengths, strict=True))
    return Window(start=start, answer=answer.array[part], expected=expected.array[part])


def _list(array: Array) -> list[Any]:
    return [shown(element) for element in array.reshape(-1)]
