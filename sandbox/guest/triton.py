"""Triton's kernels in its interpreter: every access to memory is checked.

The interpreter runs the programs of a grid one after the other, in order, and reads and writes any address. A GPU runs
them at the same time. So a launch fails if a program reads or writes outside of the launch's tensors, as it does
without a mask, or an element that another program of the launch changes. Atomic operations are no race. After one, a
program counts as synchronised: it may read and change what others wrote.

This module replaces private functions of Triton, in the student's own process. It guards against mistakes and not
against intent.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from triton.runtime import interpreter
from triton.runtime.errors import InterpreterError

Access = Literal["reads", "writes", "updates"]
Array = NDArray[Any]
Span = tuple[int, int]

FUNCTION: Mapping[Access, str] = {"reads": "tl.load", "writes": "tl.store", "updates": "the atomic operation"}
# Stands for the numbers of several programs.
SEVERAL = -1
OUTSIDE = "which has {size} elements, the first of which is 0: give {function} a mask, or correct its offsets"
RACE = (
    "which another program of the launch {other}: a GPU runs programs at the same time, so the answer would depend on "
    "chance. Give each program elements of its own, use an atomic operation, or begin a second launch"
)
TWICE = "twice in one tl.store, with different values: a GPU stores them in any order"

_builder, _memory = interpreter.interpreter_builder, interpreter._interpreter
_load = _memory.load


class OutsideTensor(Exception):
    """A program reads or writes where no tensor of the launch is."""


class Race(Exception):
    """The answer depends on the order in which programs run, or in which one stores."""


class Region:
    """The memory of a tensor, or of tensors that overlap.

    `by`: for each kind of access and each element, the number of the program that made it. 0: none did.
    """

    def __init__(self, name: str, span: Span, item_bytes: int) -> None:
        self.name, (self.first, self.end), self.item_bytes = name, span, item_bytes
        self.size = (self.end - self.first) // item_bytes
        self.by: dict[Access, Array] = {kind: np.zeros(self.size, np.int32) for kind in FUNCTION}

    def find(self, addresses: Array, width: int) -> Array:
        """Return which addresses are in the region."""
        return (addresses >= self.first) & (addresses + width <= self.end)

    def element_of(self, address: Any) -> Any:
        """Return the number of the element at an address, or at each of an array."""
        return (np.int64(address) - self.first) // self.item_bytes

    def find_conflict(self, kind: Access, elements: Array, program: int, changes: Array) -> tuple[Access, int] | None:
        """Return what another program did with an element that this access must not meet, and the element."""
        for other in FUNCTION:
            if other != kind or kind == "writes":
                by = self.by[other][elements]
                wrong = (by != 0) & (by != program) & changes
                if wrong.any():
                    return other, int(elements[wrong][0])
        return None

    def note(self, kind: Access, elements: Array, program: int) -> None:
        by = self.by[kind]
        by[elements] = np.where(np.isin(by[elements], (0, program)), program, SEVERAL)


class Launch:
    """A launch that runs. `synchronised`: the number of the program that has made an atomic operation."""

    def __init__(self, kernel: str, regions: list[Region]) -> None:
        self.kernel, self.regions, self.synchronised = kernel, regions, 0

    def see(self, kind: Access, addresses: Array, width: int, stored: Array | None = None) -> None:
        """Check an access before it happens, and note it. `stored`: what it writes. Raises OutsideTensor and Race."""
        program = _number_of_program()
        for region, lanes in self._find_regions(kind, addresses, width):
            here = addresses[lanes]
            elements = region.element_of(here)
            changes = np.ones(here.shape, bool) if stored is None else _find_changes(here, stored[lanes])
            if stored is not None and (twice := _find_repeated(elements, stored[lanes])) is not None:
                raise Race(self._tell(kind, region, twice, TWICE))
            conflict = region.find_conflict(kind, elements, program, changes)
            if conflict is not None and program != self.synchronised:
                raise Race(self._tell(kind, region, conflict[1], RACE.format(other=conflict[0])))
            region.note(kind, elements, program)
        if kind == "updates":
            self.synchronised = program

    def _find_regions(self, kind: Access, addresses: Array, width: int) -> Iterator[tuple[Region, Array]]:
        """Yield each region that has some of the addresses, and which. Raises OutsideTensor."""
        found = [(region, region.find(addresses, width)) for region in self.regions]
        outside = ~np.any([lanes for _, lanes in found], axis=0) if found else np.ones(addresses.shape, bool)
        if outside.any():
            raise OutsideTensor(self._tell_outside(kind, int(addresses[outside][0])))
        yield from ((region, lanes) for region, lanes in found if lanes.any())

    def _tell_outside(self, kind: Access, address: int) -> str:
        if not self.regions:
            return f"kernel {self.kernel} {kind} memory, but no argument of the launch is a tensor"
        nearest = min(self.regions, key=lambda region: max(region.first - address, address - region.end))
        rest = OUTSIDE.format(size=nearest.size, function=FUNCTION[kind])
        return self._tell(kind, nearest, int(nearest.element_of(address)), rest)

    def _tell(self, kind: Access, region: Region, element: int, rest: str) -> str:
        program = ", ".join(map(str, _builder.grid_idx))
        return f"kernel {self.kernel}: program ({program}) {kind} element {element} of {region.name}, {rest}"


def _number_of_program() -> int:
    (x, y, z), (_, height, depth) = _builder.grid_idx, _builder.grid_dim
    return int((x * height + y) * depth + z + 1)


def _bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def _find_changes(addresses: Array, stored: Array) -> Array:
    """Return where memory has another value than the one to be stored."""
    before = _load(addresses, np.ones(addresses.shape, bool), np.zeros_like(stored), stored.dtype)
    changes: Array = _bits(before) != _bits(stored)
    return changes


def _find_repeated(elements: Array, stored: Array) -> int | None:
    """Return an element that gets two different values at once."""
    if len(np.unique(elements)) == len(elements):
        return None
    order = np.argsort(elements, kind="stable")
    places, bits = elements[order], _bits(stored)[order]
    repeated = (places[1:] == places[:-1]) & (bits[1:] != bits[:-1])
    return int(places[1:][repeated][0]) if repeated.any() else None


class Launches:
    """The launches of a process."""

    def __init__(self) -> None:
        self.running: Launch | None = None

    def install(self) -> None:
        """Check every launch of this process from now on."""
        store, rmw, cas = _memory.store, _memory.atomic_rmw, _memory.atomic_cas

        def load(addresses: Array, mask: Array, other: Array, dtype: Any) -> Any:
            self._see("reads", addresses, mask, np.dtype(dtype).itemsize)
            return _load(addresses, mask, other, dtype)

        def seen_store(addresses: Array, values: Array, mask: Array) -> Any:
            self._see("writes", addresses, mask, values.dtype.itemsize, values)
            return store(addresses, values, mask)

        def seen_rmw(operation: Any, addresses: Array, values: Array, mask: Array, *order: Any) -> Any:
            self._see("updates", addresses, mask, values.dtype.itemsize)
            return rmw(operation, addresses, values, mask, *order)

        def seen_cas(addresses: Array, expected: Array, values: Array, *order: Any) -> Any:
            self._see("updates", addresses, np.True_, values.dtype.itemsize)
            return cas(addresses, expected, values, *order)

        vars(_memory).update(load=load, store=seen_store, atomic_rmw=seen_rmw, atomic_cas=seen_cas)
        interpreter.GridExecutor.__call__ = self._checked(interpreter.GridExecutor.__call__)

    def _see(self, kind: Access, addresses: Array, mask: Any, width: int, stored: Array | None = None) -> None:
        lanes = np.broadcast_to(np.asarray(mask, bool), addresses.shape)
        if self.running is not None and lanes.any():
            values = None if stored is None else np.broadcast_to(stored, addresses.shape)[lanes]
            self.running.see(kind, addresses[lanes], width, values)

    def _checked(self, call: Callable[..., None]) -> Callable[..., None]:
        @wraps(call)
        def launch(executor: Any, *arguments: Any, **named: Any) -> None:
            known = {name: value for name, value in named.items() if name in executor.arg_names}
            given = inspect.getcallargs(executor.fn, *arguments, **known)
            self.running = Launch(executor.fn.__name__, _make_regions(given))
            try:
                call(executor, *arguments, **named)
            except InterpreterError as error:
                raise _find_cause(error) from None
            finally:
                self.running = None

        return launch


launches = Launches()


def _find_cause(error: BaseException) -> BaseException:
    """Return what happened in the kernel, which the interpreter tells as a text."""
    while isinstance(error, InterpreterError) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _make_regions(given: Mapping[str, Any]) -> list[Region]:
    """Return a region for each tensor among the arguments, or for those that overlap."""
    found: list[tuple[str, Span, int]] = []
    for name, tensor in sorted(_list_tensors(given), key=lambda named: _span(named[1])):
        (first, end), item_bytes = _span(tensor), tensor.element_size()
        if found and first < found[-1][1][1]:
            names, (first, other_end), other_bytes = found.pop()
            name, end, item_bytes = f"{names}, {name}", max(end, other_end), min(item_bytes, other_bytes)
        found.append((name, (first, end), item_bytes))
    return [Region(*each) for each in found]


def _list_tensors(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in given.items():
        if isinstance(value, tuple):
            yield from _list_tensors({f"{name}[{place}]": item for place, item in enumerate(value)})
        elif hasattr(tensor := getattr(value, "base", value), "data_ptr"):  # a descriptor of blocks has a base
            yield name, tensor


def _span(tensor: Any) -> Span:
    """Return the addresses of the first byte and of the first byte after the end."""
    first: int = tensor.data_ptr()
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return first, first + (last + 1) * tensor.element_size() if tensor.numel() else first
