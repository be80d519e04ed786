"""Check that a function neither changed its arguments nor returned memory that it shares with them.

It runs in the student's process after the call, so it detects accidents; hostile code can disable it. JAX arrays are
skipped: they are immutable, so returning one is harmless.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from sandbox.guest import codec, wire
from sandbox.guest.codec import Path
from sandbox.guest.convert import Region, plain, region_of

CHANGED = "your function changed {name} in place; work on a copy: {remedy}"
SHARED = "your output{place} shares memory with {name}, so a change to one changes the other; return a copy: {remedy}"
# For inputs that a driver turns into the function's arguments.
BEHIND = "the case input {name}, from which an argument is built,"


class Violation(Exception):
    """`kind`: of the frame that reports it. `name`: the parameter's."""

    def __init__(self, kind: bytes, name: str, message: str) -> None:
        super().__init__(message)
        self.kind, self.name = kind, name


class Guard:
    """`arguments`: the guarded arguments, which were made from `inputs`.

    `parameters`: the names that students know; other arguments belong to a driver.
    """

    def __init__(self, arguments: dict[str, Any], inputs: bytes, parameters: Collection[str]) -> None:
        self._arguments = {name: value for name, value in arguments.items() if _is_mutable(value)}
        self._inputs, self._parameters = inputs, parameters
        self._regions = {name: list(_regions(value)) for name, value in self._arguments.items()}

    def check_unchanged(self) -> None:
        """Raises Violation."""
        if not self._arguments:
            return
        given = codec.decode(self._inputs)
        assert isinstance(given, dict)
        for name, value in self._arguments.items():
            if not _is_same(value, given[name]):
                remedy = f"{name} = {_copy(value, name)}" if name in self._parameters else _copy(value, "…")
                message = CHANGED.format(name=self._called(name), remedy=remedy)
                raise Violation(wire.INPUT_CHANGED, name, message)

    def check_apart(self, answer: Sequence[tuple[Path, Region]]) -> None:
        """Compare the memory regions of the answer with those of the arguments. Raises Violation."""
        for path, region in answer:
            for name, regions in self._regions.items():
                if any(_overlap(region, other) for other in regions):
                    place = f" at {'/'.join(map(str, path))}" if path else ""
                    remedy = _copy(self._arguments[name], name if name in self._parameters else "…")
                    message = SHARED.format(place=place, name=self._called(name), remedy=remedy)
                    raise Violation(wire.MEMORY_SHARED, name, message)

    def _called(self, name: str) -> str:
        return name if name in self._parameters else BEHIND.format(name=name)


def _is_mutable(value: object) -> bool:
    return type(value) in (list, tuple, dict) or region_of(value) is not None


def _regions(value: Any) -> Iterator[Region]:
    if type(value) is dict:
        value = list(value.values())
    if type(value) in (list, tuple):
        for item in value:
            yield from _regions(item)
    elif region := region_of(value):
        yield region


def _overlap(one: Region, other: Region) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _is_same(value: Any, given: Any) -> bool:
    """A student may have put any object into a container."""
    if type(given) is np.ndarray:
        return _is_same_array(value, given)
    if type(value) is not type(given):
        return False
    if type(given) is dict:
        return dict.keys(value) == given.keys() and all(_is_same(value[key], item) for key, item in given.items())
    if type(given) in (list, tuple):
        return len(value) == len(given) and all(map(_is_same, value, given))
    return bool(value == given) or (value != value and given != given)


def _is_same_array(value: Any, given: np.ndarray[Any, Any]) -> bool:
    if region_of(value) is None:  # a JAX array, or another object
        return type(value).__module__.partition(".")[0] in ("jax", "jaxlib")
    found = plain(value)
    is_alike = type(found) is np.ndarray and found.shape == given.shape and found.dtype == given.dtype
    return is_alike and np.array_equal(_bytes_of(found), _bytes_of(given))


def _bytes_of(array: Any) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _copy(value: object, name: str) -> str:
    """Return the code that copies the value."""
    if type(value) in (list, tuple, dict):
        return f"copy.deepcopy({name})"
    return f"{name}.copy()" if type(value) is np.ndarray else f"{name}.clone()"
