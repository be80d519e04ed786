"""Record which programs of JAX's libraries a solution uses, and compile them ahead of time without the solution.

A call of a primitive or of a jitted library function is recorded as names, shapes, dtypes and static parameters. A
record never holds a value or the calling code (`Recorder`). Another process can make the same calls with arrays of ones
(`Library.replay`). JAX has then traced, lowered and loaded all that a student's code asks of the library at these
shapes. Functions that solutions jit, loop over or map themselves are left out.

A record is a message of `codec`. Reading one creates only values of the kinds below, whatever its origin. This relies
on private functions of JAX, so callers check `jax_compilation.TESTED_VERSIONS` first.
"""

import gc
import math
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import array, core, dispatch, pjit
from jax._src.interpreters import ad, batching

from sandbox.guest import codec

LIBRARIES = ("jax", "flax", "optax", "chex")
RECORD_BYTES = 8 * 1024
# Elements of the largest array of ones.
MOST_ELEMENTS = 2**22
# Limits for calls learned from a student that other students' processes make ahead, as large as usual solutions need.
CALL_ELEMENTS = 2**17
CALL_SECONDS = 0.5
ALL_CALLS_SECONDS = 5.0
# Primitives that run code of the caller.
CONTROL = frozenset(
    """
    jit pjit scan while cond custom_jvp_call custom_vjp_call custom_lin core_call closed_call remat checkpoint
    pure_callback io_callback custom_vjp_call_jaxpr run_state infeed outfeed
    """.split()  # noqa: SIM905
)
# Primitives that JAX's public modules name.
PRIMITIVES = (
    frozenset(
        value.name
        for module in (jax.lax, jax.lax.linalg)
        for name, value in vars(module).items()
        if name.endswith("_p") and isinstance(value, core.Primitive)
    )
    - CONTROL
)
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_ENUMS = {name: value for name, value in vars(jax.lax).items() if isinstance(value, type) and issubclass(value, Enum)}
_NAMED_TUPLES = {
    name: value for name, value in vars(jax.lax).items() if isinstance(value, type) and hasattr(value, "_fields")
}

Chain = tuple[tuple[int, int | None], ...]
_IMPLEMENTATIONS = {"fry": "threefry2x32", "rbg": "rbg", "urbg": "unsafe_rbg"}


class NotRecordable(Exception):
    """The call is not a library's, or has a parameter of an unsupported kind."""


@dataclass(frozen=True, slots=True)
class Operand:
    """`base`: the array or number. `chain`: the levels of transformation around it, outermost first.

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
    """A call of the jitted function at this line. `levels`: "batch", "jvp" or "linearize", innermost first."""

    module: str
    name: str
    line: int
    arguments: tuple[Argument, ...]
    named: Mapping[str, Argument]
    levels: tuple[str, ...]


Call = PrimitiveCall | LibraryCall


class Recorder:
    """Records each library call once, as bytes for `replay`."""

    def __init__(self) -> None:
        self.calls: set[bytes] = set()

    @contextmanager
    def recording(self) -> Any:
        """Record the calls made meanwhile, in any thread."""
        modules: tuple[tuple[Any, str], ...] = ((dispatch, "xla_primitive_callable"), (pjit, "_infer_params"))
        primitive_callable, infer_params = (vars(module)[name] for module, name in modules)

        def record_primitives(primitive: Any, **parameters: Any) -> Callable[..., Any]:
            function: Callable[..., Any] = primitive_callable(primitive, **parameters)

            def run(*operands: Any) -> Any:
                self._record(lambda: _primitive_call(primitive, parameters, operands))
                return function(*operands)

            return run

        def record_functions(function: Any, info: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
            if not getattr(function, "_apply_primitive", False):
                self._record(lambda: _library_call(function, info, arguments, named))
            return infer_params(function, info, arguments, named)

        vars(dispatch)["xla_primitive_callable"], vars(pjit)["_infer_params"] = record_primitives, record_functions
        try:
            yield
        finally:
            vars(dispatch)["xla_primitive_callable"], vars(pjit)["_infer_params"] = primitive_callable, infer_params

    def _record(self, describe: Callable[[], Call]) -> None:
        try:
            record = write(describe())
        except Exception:  # then it is compiled when a student needs it
            return
        if len(record) <= RECORD_BYTES:
            self.calls.add(record)


def _primitive_call(primitive: Any, parameters: Mapping[str, Any], operands: Sequence[Any]) -> PrimitiveCall:
    if primitive.name in CONTROL:
        raise NotRecordable
    described = tuple(_operand(operand, []) for operand in operands)
    return PrimitiveCall(primitive.name, dict(parameters), described)


def _library_call(function: Any, info: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> LibraryCall:
    module, code = getattr(function, "__module__", None) or "", getattr(function, "__code__", None)
    if module.split(".")[0] not in LIBRARIES or code is None:
        raise NotRecordable
    order: list[tuple[int, str]] = []
    positional = [
        Static(value) if number in info.static_argnums else _dynamic(value, order)
        for number, value in enumerate(arguments)
    ]
    by_name: dict[str, Argument] = {
        name: Static(value) if name in info.static_argnames else _dynamic(value, order) for name, value in named.items()
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
    """Append the levels around the value to `order`, each identified by its trace."""
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
    raise NotRecordable  # inside a traced program nothing runs


def _base(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool | int | float | complex):
        return "python", type(value).__name__
    if isinstance(value, np.ndarray | np.generic):
        return "numpy", value.shape, value.dtype.name
    if isinstance(value, jax.Array):
        aval: Any = core.typeof(value)
        return "array", aval.shape, str(aval.dtype), bool(aval.weak_type), bool(getattr(value, "_committed", False))
    if value is None:
        return ("none",)
    raise NotRecordable


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


def find() -> "Library":
    """Call once in a box, before `gc.freeze`, which hides objects from `gc.get_objects`."""
    global found
    found = Library()
    return found


class Library:
    """The jitted functions and primitives of the libraries, indexed to resolve recorded calls."""

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

    def grant(self, records: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the records that may be replayed for every student, although a student sent them.

        These are JAX's own primitives and functions of the libraries, on small arrays, that take little time.
        """
        first = time.process_time()
        for record in records:
            begun = time.process_time()
            if begun - first > ALL_CALLS_SECONDS:
                return
            is_right = len(record) <= RECORD_BYTES and _is_small(record) and self._makes_little(record)
            if is_right and time.process_time() - begun <= CALL_SECONDS:
                yield record

    def _makes_little(self, record: bytes) -> bool:
        try:
            made = jax.tree.leaves(self._make(read(record)))
        except Exception:  # the record is untrusted
            return False
        return sum(getattr(one, "size", 1) for one in made) <= CALL_ELEMENTS

    def replay(self, records: Iterable[bytes], seconds: float) -> list[bytes]:
        """Make each call once, with ones, until the time is up. Return the calls that could be made."""
        made, deadline = list[bytes](), time.monotonic() + seconds
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for record in records:
                if time.monotonic() > deadline:
                    break
                try:
                    self._make(read(record))
                    made.append(record)
                except Exception:  # then it is compiled when a student needs it
                    continue
        return made

    def _make(self, call: Call) -> Any:
        """Return the call's result."""
        if isinstance(call, PrimitiveCall):
            operands = [_value(operand.base) for operand in call.operands]
            made = dispatch.apply_primitive(self.primitives[call.name], *operands, **call.parameters)
        else:
            made = _call_under_levels(self.functions[call.module, call.name, call.line], call)
        return jax.block_until_ready(made)


found: "Library | None" = None


def write(call: Call) -> bytes:
    """Encode a call. Raises NotRecordable, and the errors of `codec.encode`."""
    if isinstance(call, PrimitiveCall):
        parameters = {name: _plain(value) for name, value in call.parameters.items()}
        return codec.encode(("primitive", call.name, parameters, _plain_operands(call.operands)))
    arguments = [_plain_argument(each) for each in call.arguments]
    named = {name: _plain_argument(each) for name, each in call.named.items()}
    return codec.encode(("library", call.module, call.name, call.line, arguments, named, call.levels))


def read(record: bytes) -> Call:
    """Decode a record. Raises various exceptions when the record is malformed."""
    message: Any = codec.decode(record)
    kind, *rest = message
    if kind == "primitive":
        name, parameters, operands = rest
        return PrimitiveCall(name, {key: _value_of(each) for key, each in parameters.items()}, _operands(operands))
    module, name, line, arguments, named, levels = rest
    return LibraryCall(
        module=module,
        name=name,
        line=line,
        arguments=tuple(map(_argument, arguments)),
        named={key: _argument(each) for key, each in named.items()},
        levels=levels,
    )


def _plain_operands(operands: Iterable[Operand]) -> list[Any]:
    return [(_plain(one.base), one.chain) for one in operands]


def _operands(trees: Iterable[Any]) -> tuple[Operand, ...]:
    return tuple(Operand(_value_of(base), chain) for base, chain in trees)


def _plain_argument(argument: Argument) -> Any:
    if isinstance(argument, Static):
        return "static", _plain(argument.value)
    places = jax.tree.unflatten(argument.structure, range(len(argument.operands)))
    _check_containers(places)
    return "dynamic", places, _plain_operands(argument.operands)


def _argument(tree: Any) -> Argument:
    kind, *rest = tree
    if kind == "static":
        return Static(_value_of(rest[0]))
    places, operands = rest
    return Dynamic(jax.tree.structure(places), _operands(operands))


def _check_containers(tree: Any) -> None:
    if type(tree) in (tuple, list):
        for item in tree:
            _check_containers(item)
    elif type(tree) is dict:
        for item in tree.values():
            _check_containers(item)
    elif type(tree) is not int:
        raise NotRecordable


def _plain(value: Any) -> codec.Tree:
    """Return a value that the codec can encode. A dict with one item stands for any other kind of value."""
    kind = type(value)
    if kind in _PLAIN:
        plain: codec.Tree = value
        return plain
    if kind in (tuple, list):
        items: list[Any] | tuple[Any, ...] = kind(map(_plain, value))
        return items
    if kind is frozenset:
        return {"frozenset": [_plain(item) for item in sorted(value)]}
    if isinstance(value, np.dtype):
        return {"dtype": value.name}
    if isinstance(value, np.generic):
        return {"number": (value.dtype.name, value.item())}
    if isinstance(value, type) and issubclass(value, np.generic):
        return {"type": np.dtype(value).name}
    if kind is _ENUMS.get(kind.__name__):
        return {"enum": (kind.__name__, value.name)}
    if kind is _NAMED_TUPLES.get(kind.__name__):
        return {"named tuple": (kind.__name__, *map(_plain, value))}
    raise NotRecordable


def _value_of(tree: Any) -> Any:
    if type(tree) in (tuple, list):
        return type(tree)(map(_value_of, tree))
    if type(tree) is not dict:
        return tree
    ((kind, content),) = tree.items()
    match kind:
        case "frozenset":
            return frozenset(map(_value_of, content))
        case "dtype":
            return _dtype(content)
        case "number":
            return _dtype(content[0]).type(content[1])
        case "type":
            return _dtype(content).type
        case "enum":
            return _ENUMS[content[0]][content[1]]
        case "named tuple":
            return _NAMED_TUPLES[content[0]](*map(_value_of, content[1:]))
    raise ValueError(f"no value is of kind {kind}")


def _is_small(record: bytes) -> bool:
    try:
        call = read(record)
    except Exception:  # the record is untrusted
        return False
    if isinstance(call, PrimitiveCall):
        operands: Sequence[Operand] = call.operands
        if call.name not in PRIMITIVES:
            return False
    else:
        every = (*call.arguments, *call.named.values())
        operands = [one for each in every if isinstance(each, Dynamic) for one in each.operands]
    sizes = [math.prod(one.base[1]) for one in operands if one.base[0] in ("numpy", "array")]
    return sum(sizes) <= CALL_ELEMENTS and max(map(_elements, _parameters(call)), default=0) <= CALL_ELEMENTS


def _parameters(call: Call) -> list[Any]:
    if isinstance(call, PrimitiveCall):
        return list(call.parameters.values())
    return [one.value for one in (*call.arguments, *call.named.values()) if isinstance(one, Static)]


def _elements(parameter: Any) -> int:
    """Return the most elements of an array with this shape or length: `broadcast_in_dim` makes large ones."""
    if isinstance(parameter, tuple | list | frozenset):
        return math.prod(max(1, _elements(item)) for item in parameter)
    return abs(int(parameter)) if isinstance(parameter, int | np.integer) else 1


def _value(base: tuple[Any, ...]) -> Any:
    if base[0] == "python":
        return {"bool": True, "int": 1, "float": 1.0, "complex": 1j}[base[1]]
    if base[0] == "numpy":
        ones = np.ones(_checked(base[1]), _dtype(base[2]))
        return ones[()] if base[1] == () else ones
    return None if base[0] == "none" else _array(*base[1:])


def _checked(shape: tuple[int, ...]) -> tuple[int, ...]:
    if math.prod(shape) > MOST_ELEMENTS:
        raise ValueError(f"an array of shape {shape} has more than {MOST_ELEMENTS} elements")
    return shape


def _dtype(name: str) -> np.dtype[Any]:
    """Accept element types only: NumPy also parses names that contain a shape."""
    if name not in codec.DTYPES:
        raise ValueError(f"no array has elements of type {name}")
    dtype: np.dtype[Any] = jnp.dtype(name)
    return dtype


def _array(shape: tuple[int, ...], dtype: str, is_weak: bool, is_committed: bool) -> Any:
    _checked(shape)
    if dtype.startswith("key<"):
        made: Any = jax.random.wrap_key_data(_key_data(shape, dtype[4:-1]), impl=_IMPLEMENTATIONS[dtype[4:-1]])
    else:
        made = jax.device_put(np.ones(shape, _dtype(dtype)))
        if is_weak:
            aval = made.aval.update(weak_type=True)
            made = array.ArrayImpl(aval, made.sharding, made._arrays, committed=False)
    return jax.device_put(made, jax.devices()[0]) if is_committed else made


def _key_data(shape: tuple[int, ...], tag: str) -> Any:
    return jax.device_put(np.zeros((*shape, 2 if tag == "fry" else 4), np.uint32))


def _call_under_levels(function: Any, call: LibraryCall) -> Any:
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

    return enter(len(call.levels) - 1, [_value(one.base) for one in operands])


def _forth_and_back(function: Callable[..., Any], values: Sequence[Any]) -> Any:
    outputs, back = jax.vjp(function, *values)
    if all(jnp.issubdtype(output.dtype, jnp.floating) for output in jax.tree.leaves(outputs)):
        back(jax.tree.map(jnp.ones_like, outputs))
    return outputs
