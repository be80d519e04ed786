"""Library programs: what solutions of a problem have JAX's libraries compute, without the solutions.

A call of a primitive or of a jitted library function is written down as names, shapes, dtypes and static parameters,
never as a value and never with the code that called it (`Recorder`). Another process can then make the same calls with
arrays of ones (`replay`): afterwards JAX has traced, lowered and loaded everything that a student's code asks of the
library at these shapes. What solutions jit, loop over or map themselves is their own, and is left out.

This relies on private functions of JAX; callers check `jax_compilation.TESTED_VERSIONS` first.
"""

import gc
import io
import pickle
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import array, core, dispatch, pjit
from jax._src.interpreters import ad, batching

LIBRARIES = ("jax", "flax", "optax", "chex")
RECORD_BYTES = 8 * 1024
# They run what they are given, which is the caller's.
CONTROL = frozenset(
    """
    jit pjit scan while cond custom_jvp_call custom_vjp_call custom_lin core_call closed_call remat checkpoint
    pure_callback io_callback custom_vjp_call_jaxpr run_state
    """.split()  # noqa: SIM905
)
_VALUE_MODULES = frozenset({"jax", "jaxlib", "numpy", "ml_dtypes"})
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))

Chain = tuple[tuple[int, int | None], ...]


class NotRecordable(Exception):
    """The call is no library's own, or has a parameter that is none of a library's values."""


@dataclass(frozen=True, slots=True)
class Operand:
    """`base`: what the array or number is. `chain`: the levels of transformation around it, outermost first.

    A level is its number and, for vmap, the mapped axis.
    """

    base: tuple[Any, ...]
    chain: Chain


@dataclass(frozen=True, slots=True)
class Dynamic:
    """An argument that is a tree of operands."""

    structure: Any
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Static:
    value: Any


Argument = Dynamic | Static


@dataclass(frozen=True, slots=True)
class PrimitiveCall:
    name: str
    parameters: Mapping[str, Any]
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """Of the jitted function that stands at this line. `levels`: "batch", "jvp" or "linearize", innermost first."""

    module: str
    name: str
    line: int
    arguments: tuple[Argument, ...]
    named: Mapping[str, Argument]
    levels: tuple[str, ...]


Call = PrimitiveCall | LibraryCall


class Recorder:
    """Notes each library call once, as bytes for `replay`."""

    def __init__(self) -> None:
        self.calls: set[bytes] = set()

    @contextmanager
    def recording(self) -> Any:
        """Calls that are made meanwhile, in any thread."""
        modules: tuple[tuple[Any, str], ...] = ((dispatch, "xla_primitive_callable"), (pjit, "_infer_params"))
        primitive_callable, infer_params = (vars(module)[name] for module, name in modules)

        def noting_primitives(primitive: Any, **parameters: Any) -> Callable[..., Any]:
            function: Callable[..., Any] = primitive_callable(primitive, **parameters)

            def run(*operands: Any) -> Any:
                self._note(lambda: _primitive_call(primitive, parameters, operands))
                return function(*operands)

            return run

        def noting_functions(function: Any, info: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
            if not getattr(function, "_apply_primitive", False):
                self._note(lambda: _library_call(function, info, arguments, named))
            return infer_params(function, info, arguments, named)

        vars(dispatch)["xla_primitive_callable"], vars(pjit)["_infer_params"] = noting_primitives, noting_functions
        try:
            yield
        finally:
            vars(dispatch)["xla_primitive_callable"], vars(pjit)["_infer_params"] = primitive_callable, infer_params

    def _note(self, describe: Callable[[], Call]) -> None:
        try:
            record = pickle.dumps(describe(), protocol=5)
        except Exception:  # it is compiled when it is wanted, then
            return
        if len(record) <= RECORD_BYTES:
            self.calls.add(record)


def _primitive_call(primitive: Any, parameters: Mapping[str, Any], operands: Sequence[Any]) -> PrimitiveCall:
    if primitive.name in CONTROL:
        raise NotRecordable
    described = tuple(_operand(operand, []) for operand in operands)
    return PrimitiveCall(primitive.name, {key: _static(value) for key, value in parameters.items()}, described)


def _library_call(function: Any, info: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> LibraryCall:
    module, code = getattr(function, "__module__", None) or "", getattr(function, "__code__", None)
    if module.split(".")[0] not in LIBRARIES or code is None:
        raise NotRecordable
    order: list[tuple[int, str]] = []
    positional = [
        Static(_static(value)) if number in info.static_argnums else _dynamic(value, order)
        for number, value in enumerate(arguments)
    ]
    by_name: dict[str, Argument] = {
        name: Static(_static(value)) if name in info.static_argnames else _dynamic(value, order)
        for name, value in named.items()
    }
    every = (*positional, *by_name.values())
    levels = _innermost_first(order, [one for each in every if isinstance(each, Dynamic) for one in each.operands])
    numbers = {trace: number for number, (trace, _) in enumerate(levels)}
    return LibraryCall(
        module=module,
        name=function.__qualname__,
        line=code.co_firstlineno,
        arguments=tuple(_renumbered(each, numbers) for each in positional),
        named={name: _renumbered(each, numbers) for name, each in by_name.items()},
        levels=tuple(kind for _, kind in levels),
    )


def _dynamic(tree: Any, order: list[tuple[int, str]]) -> Dynamic:
    leaves, structure = jax.tree.flatten(tree, is_leaf=lambda leaf: leaf is None)
    return Dynamic(structure, tuple(_operand(leaf, order) for leaf in leaves))


def _operand(value: Any, order: list[tuple[int, str]]) -> Operand:
    """Adds the levels around it to `order`, each by the identity of its trace."""
    chain: list[tuple[int, int | None]] = []
    while isinstance(value, core.Tracer):
        kind, axis, inner = _peel(value)
        level = (id(value._trace), kind)
        if level not in order:
            order.append(level)
        chain.append((level[0], axis))
        value = inner
    return Operand(_base(value), tuple(chain))


def _peel(tracer: Any) -> tuple[str, int | None, Any]:
    if isinstance(tracer, ad.LinearizeTracer):
        return "linearize", None, tracer.primal
    if isinstance(tracer, ad.JVPTracer):
        return "jvp", None, tracer.primal
    if isinstance(tracer, batching.BatchTracer) and (tracer.batch_dim is None or isinstance(tracer.batch_dim, int)):
        return "batch", tracer.batch_dim, tracer.val
    raise NotRecordable  # inside of a program that is being traced, nothing runs


def _base(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool | int | float | complex):
        return "python", type(value).__name__
    if isinstance(value, np.ndarray | np.generic):
        return "numpy", value.shape, value.dtype
    if isinstance(value, jax.Array):
        aval: Any = core.typeof(value)
        return "array", aval.shape, str(aval.dtype), bool(aval.weak_type), bool(getattr(value, "_committed", False))
    if value is None:
        return ("none",)
    raise NotRecordable


def _static(value: Any) -> Any:
    """The value itself, when it is one of Python's or the libraries', in containers at most."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, tuple | list | frozenset):
        for item in value:
            _static(item)
        if type(value) in (tuple, list, frozenset):
            return value
    is_class = isinstance(value, type)
    kind: Any = value if is_class else type(value)
    if kind.__module__.split(".")[0] not in _VALUE_MODULES and value is not bool:
        raise NotRecordable
    if not is_class and callable(value) and not isinstance(value, np.dtype | Enum):
        raise NotRecordable
    if isinstance(value, core.Jaxpr | core.ClosedJaxpr):
        raise NotRecordable
    return value


def _innermost_first(order: Sequence[tuple[int, str]], operands: Sequence[Operand]) -> list[tuple[int, str]]:
    """Raises NotRecordable where two levels have no order."""
    inside_of = {(a[0], b[0]) for one in operands for a, b in zip(one.chain, one.chain[1:], strict=False)}
    kinds, left, found = dict(order), [trace for trace, _ in order], list[tuple[int, str]]()
    while left:
        free = [trace for trace in left if not any((other, trace) in inside_of for other in left if other != trace)]
        if not free:
            raise NotRecordable
        found.append((free[0], kinds[free[0]]))
        left.remove(free[0])
    return found


def _renumbered(argument: Argument, numbers: Mapping[int, int]) -> Argument:
    if isinstance(argument, Static):
        return argument
    operands = (
        Operand(one.base, tuple((numbers[trace], axis) for trace, axis in one.chain)) for one in argument.operands
    )
    return Dynamic(argument.structure, tuple(operands))


class Library:
    """The jitted functions and primitives of the libraries, by which a call finds what it means.

    Made before `gc.freeze`, which hides objects from the collector's list.
    """

    def __init__(self) -> None:
        self.functions: dict[tuple[str, str, int], Any] = {}
        self.primitives: dict[str, Any] = {}
        for found in gc.get_objects():
            if isinstance(found, core.Primitive):
                self.primitives[found.name] = found
            elif type(found).__name__ == "PjitFunction":
                wrapped: Any = getattr(found, "__wrapped__", None)
                code = getattr(wrapped, "__code__", None)
                if code is not None:
                    self.functions.setdefault((wrapped.__module__, wrapped.__qualname__, code.co_firstlineno), found)

    def replay(self, records: Iterable[bytes]) -> int:
        """Makes each call once, with ones; returns how many could be made."""
        made = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for record in records:
                try:
                    self._make(_Reader(io.BytesIO(record)).load())
                    made += 1
                except Exception:  # then it is compiled when it is wanted
                    continue
        return made

    def _make(self, call: Call) -> None:
        if isinstance(call, PrimitiveCall):
            operands = [_value(operand.base) for operand in call.operands]
            jax.block_until_ready(dispatch.apply_primitive(self.primitives[call.name], *operands, **call.parameters))
        else:
            _call_under_levels(self.functions[call.module, call.name, call.line], call)


class _Reader(pickle.Unpickler):
    """Of records: this module's classes and values of the libraries."""

    def find_class(self, module: str, name: str) -> Any:
        if module != __name__ and module.split(".")[0] not in _VALUE_MODULES and (module, name) != ("builtins", "bool"):
            raise pickle.UnpicklingError(f"{module}.{name} is no value of a library")
        return super().find_class(module, name)


def _value(base: tuple[Any, ...]) -> Any:
    if base[0] == "python":
        return {"bool": True, "int": 1, "float": 1.0, "complex": 1j}[base[1]]
    if base[0] == "numpy":
        ones = np.ones(base[1], base[2])
        return ones[()] if base[1] == () else ones
    return None if base[0] == "none" else _array(*base[1:])


def _array(shape: tuple[int, ...], dtype: str, is_weak: bool, is_committed: bool) -> Any:
    if dtype.startswith("key<"):
        made: Any = jax.random.wrap_key_data(_key_data(shape, dtype[4:-1]), impl=_IMPLEMENTATIONS[dtype[4:-1]])
    else:
        made = jax.device_put(np.ones(shape, jnp.dtype(dtype)))
        if is_weak:
            aval = made.aval.update(weak_type=True)
            made = array.ArrayImpl(aval, made.sharding, made._arrays, committed=False)
    return jax.device_put(made, jax.devices()[0]) if is_committed else made


_IMPLEMENTATIONS = {"fry": "threefry2x32", "rbg": "rbg", "urbg": "unsafe_rbg"}


def _key_data(shape: tuple[int, ...], tag: str) -> Any:
    return jax.device_put(np.zeros((*shape, 2 if tag == "fry" else 4), np.uint32))


def _call_under_levels(function: Any, call: LibraryCall) -> None:
    every = (*call.arguments, *call.named.values())
    operands = [one for each in every if isinstance(each, Dynamic) for one in each.operands]

    def call_with(values: Sequence[Any]) -> Any:
        rest = iter(values)

        def build(argument: Argument) -> Any:
            if isinstance(argument, Static):
                return argument.value
            return jax.tree.unflatten(argument.structure, [next(rest) for _ in argument.operands])

        positional = [build(argument) for argument in call.arguments]
        return function(*positional, **{name: build(argument) for name, argument in call.named.items()})

    def enter(level: int, values: Sequence[Any]) -> Any:
        if level < 0:
            return call_with(values)
        places = [place for place, one in enumerate(operands) if any(number == level for number, _ in one.chain)]

        def inner(*changed: Any) -> Any:
            filled = list(values)
            for place, value in zip(places, changed, strict=True):
                filled[place] = value
            return enter(level - 1, filled)

        chosen = [values[place] for place in places]
        if call.levels[level] == "batch":
            return jax.vmap(inner, in_axes=tuple(dict(operands[place].chain)[level] for place in places))(*chosen)
        if call.levels[level] == "jvp":
            return jax.jvp(inner, tuple(chosen), tuple(jnp.ones_like(value) for value in chosen))
        return _forth_and_back(inner, chosen)

    jax.block_until_ready(enter(len(call.levels) - 1, [_value(one.base) for one in operands]))


def _forth_and_back(function: Callable[..., Any], values: Sequence[Any]) -> Any:
    outputs, back = jax.vjp(function, *values)
    if all(jnp.issubdtype(output.dtype, jnp.floating) for output in jax.tree.leaves(outputs)):
        back(jax.tree.map(jnp.ones_like, outputs))
    return outputs
