"""Limit Triton kernels to Triton's language as it was before the source ran, to numbers, and to other kernels.

A kernel that compiles can still reach Python when it is interpreted. The compiler leaves out a branch that it never
takes, and it calls the methods of an object, which may act differently later. So a kernel gets no such object, and no
attribute that leads to one.
"""

import ast
import builtins
import gc
import math
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import is_
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpretedFunction
from triton.tools.tensor_descriptor import TensorDescriptor

from sandbox.guest.student import ASK_PLACE

BUILTINS = {name: vars(builtins)[name] for name in "float int isinstance len list max min print range".split()}  # noqa: SIM905
NUMBERS = (bool, float, int, str, type(None))
TENSORS = (torch.Tensor, torch.nn.Parameter)
# What a kernel may look up in its values: in tensors, types and constants.
MEMBERS = {
    name
    for kind in (tl.tensor, tl.tensor_descriptor, tl.pointer_type(tl.int32), tl.block_type(tl.int32, [1]))
    for name in ("block_shape", "dtype", "numel", "shape", "strides", "type", "value", *dir(kind))
    if not name.startswith("_")
}
ARGUMENT = "argument {name} is of type {kind}; a kernel takes tensors, numbers and None"


class NotCompiled(Exception):
    """Triton can't compile the kernel, or the source has changed Triton."""


class Language:
    """Triton's language as it is now. Make one before the source runs."""

    def __init__(self) -> None:
        interpreter._patch_lang(_uses_language).restore()  # the first time, it adds what classes inherit
        modules = [each for name, each in sys.modules.items() if _is_triton(name)]
        classes = {id(each): each for module in modules for each in vars(module).values() if _is_class(each)}
        owners = [*modules, *classes.values(), builtins, math, np]
        self._before = [(owner.__name__, vars(owner), dict(vars(owner))) for owner in owners]
        self._methods = [(each, set(vars(each))) for each in (tl.tensor, interpreter.TensorHandle)]
        language = [each for each in modules if each.__name__.startswith("triton.language")]
        self._namespaces = [vars(each) for each in (sys.modules["triton"], math, *language)]
        parts = [each for namespace in self._namespaces for each in namespace.values() if _is_part(each)]
        self._parts = {id(each): each for each in (math, sys.modules["triton"], *parts)}

    def check_unchanged(self) -> None:
        """Raises NotCompiled."""
        for name, now, before in self._before:
            if not all(map(is_, map(now.get, before), before.values())):
                changed = next(key for key, value in before.items() if now.get(key) is not value)
                raise NotCompiled(f"the source has replaced {name}.{changed}")
        for owner, names in self._methods:
            if vars(owner).keys() != names:
                raise NotCompiled(f"the source has added to {owner.__name__}")

    def owns(self, function: FunctionType) -> bool:
        return any(function.__globals__ is namespace for namespace in self._namespaces)

    def names_for(self, names: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a function gets of the global names that it uses, when it is interpreted."""
        found = {name: value for name, value in names.items() if self._has(value)}
        return {**found, "__builtins__": BUILTINS, tl.__name__: tl}  # the interpreter looks for the language there

    def check_values(self, given: Mapping[str, Any]) -> None:
        """Check the arguments of a launch. Raises NotCompiled."""
        for name, value in given.items():
            if not self._has(value):
                raise NotCompiled(ARGUMENT.format(name=name, kind=type(value).__name__))

    def check_text(self, tree: ast.AST, names: Mapping[str, Any]) -> None:
        """Check what a function looks up, in modules and in values. Raises NotCompiled."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                owner = _find(node.value, names)
                is_known = self._has(getattr(owner, node.attr, None)) if owner else node.attr in MEMBERS
                if not is_known:
                    raise NotCompiled(f"the kernel uses {ast.unparse(node)}, which is no part of Triton's language")

    def _has(self, value: Any) -> bool:
        kind = type(value)
        if kind in (tuple, tl.tuple):
            return all(map(self._has, value))
        if kind is tl.constexpr:
            return self._has(value.value)
        if kind is TensorDescriptor:
            return all(map(self._has, (value.base, *map(tuple, (value.shape, value.strides, value.block_shape)))))
        return kind in (*NUMBERS, *TENSORS, InterpretedFunction) or id(value) in self._parts


# Taken here, since the source can replace what modules hold.
_mask, _trace, _profile = signal.pthread_sigmask, sys.settrace, sys.setprofile
_collect, _hold = gc.enable, gc.disable
_SIGNALS = signal.valid_signals() - {ASK_PLACE}


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let no function of the source run beside a kernel: for a signal, a tracer, the collector or an error of NumPy."""
    tracer, profiler, collects = sys.gettrace(), sys.getprofile(), gc.isenabled()
    mask = _mask(signal.SIG_BLOCK, _SIGNALS)
    _trace(None)
    _profile(None)
    _hold()
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        if collects:
            _collect()
        _profile(profiler)
        _trace(tracer)
        _mask(signal.SIG_SETMASK, mask)


def _find(node: ast.expr, names: Mapping[str, Any]) -> ModuleType | None:
    """Return the module that an expression names."""
    if isinstance(node, ast.Name):
        found = names.get(node.id)
    else:
        owner = _find(node.value, names) if isinstance(node, ast.Attribute) else None
        found = getattr(owner, node.attr, None) if owner and isinstance(node, ast.Attribute) else None
    return found if isinstance(found, ModuleType) else None


def _is_triton(name: str) -> bool:
    return name.partition(".")[0] == "triton"


def _is_class(value: object) -> bool:
    return isinstance(value, type) and _is_triton(value.__module__)


def _is_part(value: object) -> bool:
    """Whether a value in a module of the language is Triton's own, or of `math`."""
    home = value.__name__ if isinstance(value, ModuleType) else str(getattr(value, "__module__", ""))
    return _is_triton(home) or home == "math"


def _uses_language() -> Any:
    return tl
