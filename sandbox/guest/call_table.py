"""A table of library calls: a process makes them without tracing, lowering or compiling.

Where `jit` meets new shapes, it traces, lowers and compiles a program, about 25 ms for a small one. Most programs of a
solution are of one kind: a function or primitive of JAX's libraries, called with plain arrays. A trusted box records
such calls (`record`). In every other process, `jit` looks them up where it would trace (`install`). A hit loads the
program and runs it, in 2 ms. The bits are the same, and later calls of the same shapes are as fast as after tracing.

The key of a call is a digest of the function, static arguments, shapes and dtypes. An entry says which program runs
(`jax_compilation.Programs`) and what its results look like. Neither holds a value or the calling code.

A call inside a transformation (vmap, grad) or a traced function is not looked up. Neither is a function that a source
passes to `jit`, even a library's: no key describes its options, the object it is bound to, or its rules.

This module replaces private functions of JAX, so `jax_compilation` installs it for tested versions only.
"""

import gc
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import Enum
from types import FunctionType
from typing import Any

import jax
import numpy as np
from jax._src import array, config, core, custom_derivatives, dtypes, literals, pjit, sharding_impls
from jax._src.interpreters import pxla
from jax._src.random import prng

from sandbox.guest import codec
from sandbox.guest.jax_compilation import Programs

KEY_BYTES = 8 * 1024
_OF_LAX = [value for value in vars(jax.lax).values() if isinstance(value, type)]
# Static values of exactly these types are equal if and only if their texts are.
_PLAIN = {bool, int, float, complex, str, bytes, type(None), *(kind for kind in _OF_LAX if issubclass(kind, Enum))}
_CONTAINERS = {tuple, list, frozenset, *(kind for kind in _OF_LAX if hasattr(kind, "_fields"))}
_WITH_RULES = (custom_derivatives.custom_jvp, custom_derivatives.custom_vjp)
_KEYS = "key<fry>"
# JAX uses 32 bits in place of these, and says so while it traces.
_WIDE = ("int64", "uint64", "float64", "complex128")
# Options with which tracing, compiling or running does more. They are no part of JAX's trace context.
_DEBUGGING = (config.debug_nans, config.debug_infs, config.log_compiles, config.explain_cache_misses)
# Numbers and arrays of JAX's own code, which have a dtype.
_LITERALS = (literals.TypedInt, literals.TypedFloat, literals.TypedComplex, literals.TypedNdArray)


class NotInTable(Exception):
    """The call is not a library's, or has an argument of an unsupported kind."""


@dataclass(frozen=True, slots=True)
class Entry:
    """`program`: its digest. `places`: the result, with a number in place of each array. `arrays`: the shape and dtype
    of each array, and whether it is weakly typed and committed. `kept`: which arguments the program takes.
    """

    program: str
    places: Any
    arrays: Sequence[tuple[Sequence[int], str, bool, bool]]
    kept: Sequence[bool]

    @classmethod
    def read(cls, content: bytes) -> "Entry":
        fields: Any = codec.decode(content)
        return cls(**fields)

    def to_bytes(self) -> bytes:
        return codec.encode(asdict(self))


class CallTable:
    """Installed once, in the process that students' processes are forked from."""

    def __init__(self, programs: Programs) -> None:
        self._recorded: dict[str, bytes] | None = None
        self._programs = programs
        self._found: dict[str, _Loaded | None] = {}
        # By the identity of the call's parameters, which are kept so that no other object gets it.
        self._keys: dict[int, tuple[str, Any]] = {}
        self._plain_context = config.trace_context()
        # No source has run yet, so all that exists belongs to libraries.
        existing = gc.get_objects()
        # One for each name, since a key has the name only.
        primitives = {found.name: found for found in existing if isinstance(found, core.Primitive)}
        self._primitives = frozenset(map(id, primitives.values()))
        jitted = [found for found in existing if isinstance(found, type(jax.numpy.log))]
        self._names = {found._jit_info: name for found in jitted if (name := _name(found)) is not None}

    def record(self) -> None:
        """Keep from now on what is not in the folder yet: entries of calls, and compiled programs."""
        self._recorded, self._programs.compiled = {}, {}

    def take(self) -> tuple[dict[str, tuple[str, Any]], dict[str, bytes]]:
        """Return the name and executable of each new program, and the new entries, by key."""
        programs, entries = self._programs.compiled or {}, self._recorded or {}
        self._recorded, self._programs.compiled = {}, {}
        return programs, entries

    def install(self) -> None:
        """Look calls up from now on."""
        module = vars(pjit)
        infer, run, fast = (module[name] for name in ("_infer_params", "_run_python_pjit", "_get_fastpath_data"))

        def infer_params(function: Any, info: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
            is_call = sys._getframe(1).f_code.co_name == "cache_miss"  # not `lower` or `trace`
            key = self._key(function, info, arguments, named) if is_call else None
            if key is not None and (loaded := self._find(key)) is not None:
                return loaded, _dynamic(info, arguments, named)
            parameters, flat = infer(function, info, arguments, named)
            if key is not None and self._recorded is not None:
                self._keys[id(parameters)] = key, parameters
            return parameters, flat

        def run_call(parameters: Any, flat: Sequence[Any], *rest: Any) -> Any:
            if isinstance(parameters, _Loaded):
                return parameters.run(flat)
            results = run(parameters, flat, *rest)
            if (found := self._keys.pop(id(parameters), None)) is not None:
                with suppress(NotInTable, codec.Unsupported, codec.TooLarge):
                    self._keep(found[0], results, flat)
            return results

        def fast_path(executable: Any, tree: Any, flat: Sequence[Any], *rest: Any) -> Any:
            if isinstance(executable, _Loaded):
                return executable.fast_path(flat)
            return fast(executable, tree, flat, *rest)

        module.update(_infer_params=infer_params, _run_python_pjit=run_call, _get_fastpath_data=fast_path)

    def _key(self, function: Any, info: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> str | None:
        """Return the key of a call that may be in the table."""
        if not core.trace_state_clean() or config.trace_context() != self._plain_context:
            return None
        if any(option.value for option in _DEBUGGING):
            return None
        try:
            written = repr(self._describe(function, info, arguments, named)).encode()
        except Exception:  # then it is traced, and fails there if it is wrong
            return None
        return self._programs.digest(jax.default_backend().encode() + written) if len(written) <= KEY_BYTES else None

    def _describe(self, function: Any, info: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return values whose text tells calls apart. Raises NotInTable."""
        if getattr(function, "_apply_primitive", False):
            cells = zip(function.__code__.co_freevars, function.__closure__, strict=True)
            values: dict[str, Any] = {name: cell.cell_contents for name, cell in cells}
            primitive = values["prim"]
            if id(primitive) not in self._primitives:
                raise NotInTable
            parameters = {name: _plain(value) for name, value in values["params"].items()}
            return "primitive", primitive.name, parameters, [_operand(value) for value in arguments]
        if info not in self._names:
            raise NotInTable
        return (
            *self._names[info],
            [
                _plain(value) if number in info.static_argnums else _operands(value)
                for number, value in enumerate(arguments)
            ],
            {
                name: _plain(value) if name in info.static_argnames else _operands(value)
                for name, value in named.items()
            },
        )

    def _find(self, key: str) -> "_Loaded | None":
        if key not in self._found:
            self._found[key] = None
            content = self._programs.read(f"call-{key}")
            with suppress(codec.Malformed):  # the host lost power while it wrote the file
                self._found[key] = None if content is None else _load(Entry.read(content), self._programs)
        return self._found[key]

    def _keep(self, key: str, results: tuple[Any, ...], flat: Sequence[Any]) -> None:
        """Raises NotInTable if the call does more than to compute its results."""
        _, out, tree, _, jaxpr, executable, _, constants = results
        program = None if executable is None else self._programs.find(executable.xla_executable)
        if program is None or constants or jaxpr.consts or jaxpr.effects or not all(map(_is_array, out)):
            raise NotInTable
        places = jax.tree.unflatten(tree, range(len(out)))
        _check_containers(places)
        arrays = [
            (value.shape, str(value.dtype), bool(core.typeof(value).weak_type), bool(value._committed)) for value in out
        ]
        kept = [number in executable._kept_var_idx for number in range(len(flat))]
        assert self._recorded is not None
        self._recorded[key] = Entry(program, places, arrays, kept).to_bytes()


class _Loaded:
    """A call whose program is loaded."""

    effects, consts = frozenset[Any](), ()  # as of the traced program

    def __init__(self, entry: Entry, executable: Any) -> None:
        self._executable, self._kept = executable, entry.kept
        self._sharding = sharding_impls.SingleDeviceSharding(jax.devices()[0])
        self._tree = jax.tree.structure(entry.places)
        self._avals = [
            core.ShapedArray(tuple(shape), _dtype(dtype), weak_type=is_weak)
            for shape, dtype, is_weak, _ in entry.arrays
        ]
        self._committed = [is_committed for *_, is_committed in entry.arrays]
        handle = pxla.global_aval_to_result_handler
        self._handlers = [
            handle(aval, self._sharding, own) for aval, own in zip(self._avals, self._committed, strict=True)
        ]

    def run(self, flat: Sequence[Any]) -> Any:
        """Return what `_run_python_pjit` returns."""
        taken = [value for value, is_kept in zip(flat, self._kept, strict=True) if is_kept]
        buffers = pxla.InputsHandler([self._sharding] * len(taken), [None] * len(taken))(taken)
        out = self._executable.execute_sharded(buffers).consume_with_handlers(self._handlers)
        return jax.tree.unflatten(self._tree, out), out, self._tree, flat, self, self, None, []

    def fast_path(self, flat: Sequence[Any]) -> Any:
        """Return what later calls of the same shapes need. None: each comes here again."""
        if any(isinstance(value, prng.PRNGKeyArray) for value in flat) or any(
            isinstance(aval.dtype, prng.KeyTy) for aval in self._avals
        ):
            return None
        taken = sum(self._kept)
        return pxla.MeshExecutableFastpathData(
            self._executable,
            self._tree,
            [self._sharding] * taken,
            [self._sharding] * len(self._avals),
            self._avals,
            self._committed,
            list(self._kept),
            [None] * taken,
            [],
        )


def _load(entry: Entry, programs: Programs) -> _Loaded | None:
    executable = programs.load(entry.program)
    return None if executable is None else _Loaded(entry, executable)


def _name(jitted: Any) -> tuple[str, str, int] | None:
    """Return the place of a library's function. None if there may be several at the place."""
    function = jitted._fun.fun if type(jitted._fun) in _WITH_RULES else jitted._fun
    if type(function) is not FunctionType or "<" in (code := function.__code__).co_qualname:
        return None
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _dynamic(info: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """Return the arguments that are not static, as `jit` flattens them."""
    positional = [value for number, value in enumerate(arguments) if number not in info.static_argnums]
    by_name = {name: value for name, value in named.items() if name not in info.static_argnames}
    leaves: list[Any] = jax.tree.leaves((positional, by_name))
    return leaves


def _operands(tree: Any) -> Any:
    leaves, structure = jax.tree.flatten(tree)
    places = jax.tree.unflatten(structure, range(len(leaves)))
    _check_containers(places)
    return places, [_operand(leaf) for leaf in leaves]


def _operand(value: Any) -> Any:
    """Describe a plain array or number. Raises NotInTable for any other value, for instance inside a transformation."""
    if type(value) in (bool, int, float, complex):
        if type(value) is int and value.bit_length() > 31:
            raise NotInTable
        return type(value).__name__
    if (type(value) is np.ndarray or isinstance(value, np.generic)) and value.dtype.isnative:
        return value.shape, value.dtype.name
    if type(value) in _LITERALS:
        if dtypes.canonicalize_dtype(value.dtype) != value.dtype:
            raise NotInTable
        return "literal", value.aval.shape, value.aval.dtype.name, bool(value.aval.weak_type)
    if not _is_array(value):
        raise NotInTable
    return value.shape, str(value.dtype), bool(core.typeof(value).weak_type), bool(value._committed)


def _is_array(value: Any) -> bool:
    """Whether it is an array or random key, placed as usual."""
    is_key = isinstance(value, prng.PRNGKeyArray) and str(value.dtype) == _KEYS
    if not is_key and type(value) is not array.ArrayImpl:
        return False
    return bool(value.sharding == sharding_impls.SingleDeviceSharding(jax.devices()[0]))


def _check_containers(tree: Any) -> None:
    if type(tree) in (tuple, list):
        for item in tree:
            _check_containers(item)
    elif type(tree) is dict:
        for item in tree.values():
            _check_containers(item)
    elif type(tree) not in (int, type(None)):
        raise NotInTable


def _plain(value: Any) -> Any:
    """Return a static value. Raises NotInTable for one whose text does not tell it from others."""
    kind = type(value)
    if kind in _CONTAINERS:
        for item in value:
            _plain(item)
    elif isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        _plain(np.dtype(value).name)
    elif value in _WIDE if kind is str else kind not in _PLAIN and not isinstance(value, np.generic):
        raise NotInTable
    return value


def _dtype(name: str) -> Any:
    return prng.KeyTy(prng.prngs["threefry2x32"]) if name == _KEYS else codec.DTYPES[name]
