"""Triton's kernels in its interpreter: every access to memory is checked.

The interpreter runs the programs of a grid one after the other, in order, and reads and writes any address. A GPU runs
them at the same time. So a launch fails if a program reads or writes outside of the launch's tensors, as it does
without a mask, or an element that another program of the launch changes. Atomic operations are no race. After one, a
program counts as synchronised: it may read and change what others wrote. A kernel that Triton can't compile fails too.

This module replaces private functions of Triton, in the student's own process. It guards against mistakes and not
against intent.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from triton.runtime import interpreter
from triton.runtime.errors import InterpreterError

from sandbox.guest.triton_compile import Compiler
from sandbox.guest.triton_language import undisturbed

Kind = Literal["reads", "writes", "updates"]
Array = NDArray[Any]
Span = tuple[int, int]

FUNCTION: Mapping[Kind, str] = {"reads": "tl.load", "writes": "tl.store", "updates": "the atomic operation"}
# Stands for the numbers of several programs.
SEVERAL = -1
OUTSIDE = "which has {size} elements, the first of which is 0: give {function} a mask, or correct its offsets"
RACE = (
    "which another program of the launch {other}: a GPU runs programs at the same time, so the answer would depend on "
    "chance. Give each program elements of its own, use an atomic operation, or begin a second launch"
)
NO_GRID = "{name} is a kernel: launch it with the number of its programs, as in {name}[(programs,)](…)"
TWICE = "twice in one tl.store, with different values: a GPU stores them in any order"

_builder, _memory = interpreter.interpreter_builder, interpreter._interpreter
_load = _memory.load


class OutsideTensor(Exception):
    """A program reads or writes where no tensor of the launch is."""


class Race(Exception):
    """The answer depends on the order in which programs run, or in which one stores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """An access to memory: `addresses` of its elements, each of `width` bytes. `stored`: what it writes there.

    `block`: its shape, with the elements that a mask leaves out.
    """

    kind: Kind
    addresses: Array
    width: int
    block: tuple[int, ...]
    stored: Array | None = None

    def only(self, lanes: Array) -> "Access":
        return replace(
            self, addresses=self.addresses[lanes], stored=None if self.stored is None else self.stored[lanes]
        )

    def find_changes(self) -> Array:
        """Return where memory gets another value."""
        if self.stored is None:
            return np.ones(self.addresses.shape, bool)
        before = _load(
            self.addresses, np.ones(self.addresses.shape, bool), np.zeros_like(self.stored), self.stored.dtype
        )
        changes: Array = _bits(before) != _bits(self.stored)
        return changes

    def find_repeated(self) -> int | None:
        """Return an address that gets two values at once."""
        if self.stored is None or len(np.unique(self.addresses)) == len(self.addresses):
            return None
        order = np.argsort(self.addresses, kind="stable")
        addresses, bits = self.addresses[order], _bits(self.stored)[order]
        repeated = (addresses[1:] == addresses[:-1]) & (bits[1:] != bits[:-1])
        return int(addresses[1:][repeated][0]) if repeated.any() else None


class Region:
    """The memory of a tensor, or of tensors that overlap. `tensor`: one of them.

    `by`: for each kind of access and each element, the number of the program that made it. 0: none did. `bytes`: of all
    accesses of a kind. `blocks`: the shape of the largest access of a kind.
    """

    def __init__(self, name: str, span: Span, item_bytes: int, tensor: Any) -> None:
        self.name, (self.first, self.end), self.item_bytes, self.tensor = name, span, item_bytes, tensor
        self.size = (self.end - self.first) // item_bytes
        self.by: dict[Kind, Array] = {kind: np.zeros(self.size, np.int32) for kind in FUNCTION}
        self.bytes: dict[Kind, int] = dict.fromkeys(FUNCTION, 0)
        self.blocks: dict[Kind, tuple[int, ...]] = {}

    def find(self, access: Access) -> Array:
        """Return which elements of the access are in the region."""
        return (access.addresses >= self.first) & (access.addresses + access.width <= self.end)

    def element_of(self, address: Any) -> Any:
        """Return the number of the element at an address, or at each of an array."""
        return (np.int64(address) - self.first) // self.item_bytes

    def find_conflict(self, access: Access, program: int) -> tuple[Kind, int] | None:
        """Return what another program did with an element that this access must not meet, and the element."""
        elements, changes = self.element_of(access.addresses), access.find_changes()
        for other in FUNCTION:
            if other != access.kind or other == "writes":
                by = self.by[other][elements]
                wrong = (by != 0) & (by != program) & changes
                if wrong.any():
                    return other, int(elements[wrong][0])
        return None

    def note(self, access: Access, program: int) -> None:
        by, elements, kind = self.by[access.kind], self.element_of(access.addresses), access.kind
        by[elements] = np.where(np.isin(by[elements], (0, program)), program, SEVERAL)
        self.bytes[kind] += len(elements) * access.width
        self.blocks[kind] = max(self.blocks.get(kind, (0,)), access.block, key=prod)

    def is_filled(self) -> bool:
        """Whether the launch wrote every element."""
        return bool(((self.by["writes"] != 0) | (self.by["updates"] != 0)).all())


class Launch:
    """A launch that runs, or has ended. `synchronised`: the number of the program that has made an atomic operation."""

    def __init__(self, kernel: str) -> None:
        self.kernel, self.regions, self.synchronised = kernel, list[Region](), 0
        self.grid: tuple[int, ...] = ()

    def see(self, access: Access) -> None:
        """Check an access before it happens, and note it. Raises OutsideTensor and Race."""
        program = _number_of_program()
        for region, part in self._split(access):
            if (twice := part.find_repeated()) is not None:
                raise Race(self._tell(access.kind, region, region.element_of(twice), TWICE))
            conflict = region.find_conflict(part, program)
            if conflict is not None and program != self.synchronised:
                raise Race(self._tell(access.kind, region, conflict[1], RACE.format(other=conflict[0])))
            region.note(part, program)
        if access.kind == "updates":
            self.synchronised = program

    def _split(self, access: Access) -> Iterator[tuple[Region, Access]]:
        """Yield each region of the access with its part of it. Raises OutsideTensor."""
        found = [(region, region.find(access)) for region in self.regions]
        outside = ~np.any([lanes for _, lanes in found], axis=0) if found else np.ones(access.addresses.shape, bool)
        if outside.any():
            raise OutsideTensor(self._tell_outside(access.kind, int(access.addresses[outside][0])))
        yield from ((region, access.only(lanes)) for region, lanes in found if lanes.any())

    def _tell_outside(self, kind: Kind, address: int) -> str:
        if not self.regions:
            return f"kernel {self.kernel} {kind} memory, but no argument of the launch is a tensor"
        nearest = min(self.regions, key=lambda region: max(region.first - address, address - region.end))
        rest = OUTSIDE.format(size=nearest.size, function=FUNCTION[kind])
        return self._tell(kind, nearest, nearest.element_of(address), rest)

    def _tell(self, kind: Kind, region: Region, element: int, rest: str) -> str:
        program = ", ".join(map(str, _builder.grid_idx))
        return f"kernel {self.kernel}: program ({program}) {kind} element {element} of {region.name}, {rest}"


def _number_of_program() -> int:
    (x, y, z), (_, height, depth) = _builder.grid_idx, _builder.grid_dim
    return int((x * height + y) * depth + z + 1)


def _bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


class Launches:
    """The launches of a process. `listener` gets each that has ended."""

    def __init__(self) -> None:
        self.running: Launch | None = None
        self.listener: Callable[[Launch], None] | None = None

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
        interpreter.InterpretedFunction.__call__ = _call_function
        self._compiler = Compiler()

    def _see(self, kind: Kind, addresses: Array, mask: Any, width: int, stored: Array | None = None) -> None:
        lanes = np.broadcast_to(np.asarray(mask, bool), addresses.shape)
        if self.running is not None and lanes.any():
            values = None if stored is None else np.broadcast_to(stored, addresses.shape)
            access = Access(kind=kind, addresses=addresses, width=width, block=addresses.shape, stored=values)
            self.running.see(access.only(lanes))

    def _checked(self, call: Callable[..., None]) -> Callable[..., None]:
        @wraps(call)
        def launch(executor: Any, *arguments: Any, **named: Any) -> None:
            known = {name: value for name, value in named.items() if name in executor.arg_names}
            given = inspect.getcallargs(executor.fn, *arguments, **known)
            # Functions of the source run before the launch, where what they compute is watched.
            executor.grid = executor.grid(given) if callable(executor.grid) else executor.grid
            hooks, executor.pre_run_hooks = executor.pre_run_hooks, []
            for hook in hooks:
                hook(*arguments, **named)
            self._compiler.check(executor, given)
            self.running = Launch(executor.fn.__name__)
            try:
                self.running.regions = _make_regions(given)
                with undisturbed():
                    call(executor, *arguments, **named)
                self.running.grid = tuple(map(int, _builder.grid_dim))
                if self.listener is not None:
                    self.listener(self.running)
            except InterpreterError as error:
                raise _find_cause(error) from None
            finally:
                self.running = None

        return launch


launches = Launches()


def _call_function(function: Any, *arguments: Any, **named: Any) -> Any:
    """Call a function of a kernel. Triton's own way leaves its language changed, so that no kernel compiles later."""
    if launches.running is None:
        raise TypeError(NO_GRID.format(name=function.__name__))
    scope = interpreter._patch_lang(function.fn)
    try:
        return function.rewrite()(*arguments, **named)
    finally:
        scope.restore()


def _find_cause(error: BaseException) -> BaseException:
    """Return what happened in the kernel, which the interpreter tells as a text."""
    while isinstance(error, InterpreterError) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _make_regions(given: Mapping[str, Any]) -> list[Region]:
    """Return a region for each tensor among the arguments, or for those that overlap."""
    found: list[tuple[str, Span, int, Any]] = []
    tensors = list(_list_tensors(given))
    for name, tensor in sorted(tensors, key=lambda named: _span(named[1])):
        (first, end), item_bytes = _span(tensor), tensor.element_size()
        if found and first < found[-1][1][1]:
            names, (first, other_end), other_bytes, _ = found.pop()
            name, end, item_bytes = f"{names}, {name}", max(end, other_end), min(item_bytes, other_bytes)
        found.append((name, (first, end), item_bytes, tensor))
    order = [name for name, _ in tensors]
    return sorted((Region(*each) for each in found), key=lambda region: order.index(region.name.partition(", ")[0]))


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
