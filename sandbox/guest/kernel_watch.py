"""Evidence on a solution's Triton kernels: what each launch read and wrote, and what PyTorch computed beside them.

Values are followed from tensor to tensor, by the memory that tensors share. So it is known which parameters reach the
answer through a kernel, and which by another way. All of it is seen in the student's own process: it is evidence and no
proof.
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from sandbox.guest.failure import SOURCE_NAME
from sandbox.guest.triton import Kind, Launch, Region, launches

MAX_LAUNCHES = 1000
# Operations whose results hold no values of other tensors.
ALLOCATING = frozenset(
    """
    arange empty empty_like empty_strided fill full full_like lift_fresh new_empty new_empty_strided new_full new_ones
    new_zeros ones ones_like zero zeros zeros_like
    """.split()  # noqa: SIM905
)
# Operations that give memory with any values. A kernel that leaves some as they are must not be right by chance.
UNFILLED = frozenset({"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided"})
# Operations that arrange values, and compute none.
ARRANGING = frozenset(
    """
    _reshape_alias _to_copy _unsafe_view alias as_strided cat clone constant_pad_nd contiguous copy detach expand
    flatten narrow permute reshape select slice split split_with_sizes squeeze stack t transpose unbind unfold unsqueeze
    view
    """.split()  # noqa: SIM905
)
# Methods by which values leave PyTorch, where nothing follows them.
LEAVING = frozenset(
    """
    __array__ __dlpack__ __repr__ apply_ data_ptr map2_ map_ numpy storage tolist untyped_storage
    """.split()  # noqa: SIM905
)


# Taken here, since its calls by the source are noted.
_without_modes = torch._C.DisableTorchFunction


@dataclass(frozen=True, slots=True)
class Origin:
    """The parameters that a tensor's values depend on: `through` kernels, or `beside` them. `is_written`: by one."""

    beside: frozenset[str] = frozenset()
    through: frozenset[str] = frozenset()
    is_written: bool = False

    def __or__(self, other: "Origin") -> "Origin":
        is_written = self.is_written or other.is_written
        return Origin(self.beside | other.beside, self.through | other.through, is_written)


class KernelWatch:
    """Watches the calls of a solution with these parameters."""

    def __init__(self, parameters: Sequence[str]) -> None:
        self._parameters = parameters
        self._begin()

    def _begin(self) -> None:
        self._origins: dict[int, Origin] = {}
        self._launches: list[dict[str, Any]] = []
        self._outside: set[str] = set()
        self._answer: object = None

    def watched(self, solution: Callable[..., object]) -> Callable[..., object]:
        """Return the solution, each call of which is watched from its beginning."""

        @wraps(solution)
        def call(*arguments: Any, **named: Any) -> object:
            self._begin()
            for name, value in {**dict(zip(self._parameters, arguments, strict=False)), **named}.items():
                for address in _storages(value):
                    self._origins[address] = self._origin_of(address) | Origin(beside=frozenset({name}))
            launches.listener = self._note_launch
            try:
                with _Methods(self), _Operations(self):
                    returned = solution(*arguments, **named)
            finally:
                launches.listener = None
            # A solution that returns nothing writes its answer into an argument.
            self._answer = returned if _storages(returned) else self._written(arguments)
            return returned

        return call

    def _written(self, arguments: Sequence[Any]) -> list[Any]:
        return [each for each in arguments if any(self._origin_of(address).is_written for address in _storages(each))]

    def tell(self) -> dict[str, Any] | None:
        """Return the facts about the last call as plain values, or None if no kernel ran."""
        if not self._launches:
            return None
        origins = [self._origin_of(address) for address in _storages(self._answer)]
        return {
            "calls": self._launches,
            "takes_part": bool(origins) and all(origin.is_written for origin in origins),
            "fed_by": sorted(frozenset().union(*(origin.through for origin in origins))),
            "bypassed_by": sorted(frozenset().union(*(origin.beside for origin in origins))),
            "outside": sorted(self._outside),
        }

    def note_operation(self, name: str, given: object, returned: object) -> None:
        """Note that an operation made values of others, outside of a kernel."""
        sources, origin = _storages(given), Origin()
        for address in () if name in ALLOCATING else sources:
            origin |= self._origin_of(address)
        returned_to = _storages(returned)
        for address in returned_to - sources:
            self._origins[address] = origin
        for address in returned_to & sources:
            self._set(address, origin | self._origin_of(address))
        self.note_computation(name)

    def _set(self, address: int, origin: Origin) -> None:
        """Note the origin of memory that gets values. Memory from before the call may belong to others too."""
        if address not in self._origins:
            if origin == Origin():
                return
            self._outside.add("memory from before the call")
        self._origins[address] = origin

    def note_computation(self, name: str) -> None:
        if name not in ALLOCATING | ARRANGING:
            self.note_outside(name)

    def note_outside(self, name: str) -> None:
        self._outside.add(f"torch.{name}")

    def _note_launch(self, launch: Launch) -> None:
        if len(self._launches) == MAX_LAUNCHES:
            self._outside.add(f"more than {MAX_LAUNCHES:,} launches")
            return
        read = [region for region in launch.regions if region.bytes["reads"] + region.bytes["updates"]]
        written = [region for region in launch.regions if region.bytes["writes"] + region.bytes["updates"]]
        self._launches.append(
            {
                "grid": launch.grid,
                "inputs": [self._block(region, "reads") for region in read],
                "outputs": [self._block(region, "writes") for region in written],
            }
        )
        origin = Origin(is_written=True)
        for region in read:
            for address in _storages(region.tensor):
                found = self._origin_of(address)
                origin |= Origin(through=found.beside | found.through)
        for region in written:
            for address in _storages(region.tensor):
                self._set(address, origin if region.is_filled() else origin | self._origin_of(address))

    def _block(self, region: Region, kind: Kind) -> dict[str, Any]:
        shape = max(region.blocks.get(kind, ()), region.blocks.get("updates", ()), key=prod)
        origin = Origin()
        for address in _storages(region.tensor) if kind == "reads" else ():
            origin |= self._origin_of(address)
        return {
            "parameters": sorted(origin.beside | origin.through),
            "dtype": str(region.tensor.dtype).removeprefix("torch."),
            "shape": shape,
            "bytes": prod(shape) * region.tensor.element_size(),
            "array_bytes": region.end - region.first,
            "total_bytes": region.bytes[kind] + region.bytes["updates"],
        }

    def _origin_of(self, address: int) -> Origin:
        return self._origins.get(address, Origin())


class _Operations(TorchDispatchMode):  # type: ignore[misc]
    """Notes what PyTorch computes, below Python."""

    def __init__(self, watch: KernelWatch) -> None:
        super().__init__()
        self._watch = watch

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        returned = func(*args, **(kwargs or {}))
        # The operations of other libraries can have any name.
        name = func.overloadpacket.__name__.rstrip("_") if func.namespace == "aten" else str(func)
        if launches.running is None:
            self._watch.note_operation(name, (args, kwargs), returned)
            if name in UNFILLED:
                returned.fill_(_poison(returned.dtype))
        elif name != "set":  # the interpreter's own, in a launch; methods of PyTorch may have been replaced
            self._watch.note_computation(name)
        return returned


class _Methods(TorchFunctionMode):  # type: ignore[misc]
    """Notes methods by which values leave PyTorch."""

    def __init__(self, watch: KernelWatch) -> None:
        super().__init__()
        self._watch = watch

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        is_interpreter = launches.running is not None and sys._getframe(1).f_code.co_filename != SOURCE_NAME
        if name in LEAVING and not is_interpreter:
            self._watch.note_outside(f"Tensor.{name}")
        return func(*args, **(kwargs or {}))


def _poison(dtype: torch.dtype) -> float:
    if dtype.is_floating_point or dtype.is_complex:
        return math.nan
    return 1 if dtype == torch.bool else int(torch.iinfo(dtype).max)


def _storages(value: object) -> set[int]:
    """Return the addresses of the memory of all tensors in a tree."""
    with _without_modes():
        return {leaf.untyped_storage().data_ptr() for leaf in tree_leaves(value) if isinstance(leaf, Tensor)}
