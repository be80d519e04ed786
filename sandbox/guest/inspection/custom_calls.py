"""Check custom calls in a program: only LAPACK calls with matching operands are allowed.

A custom call runs compiled code that trusts its shapes, so each routine has its own rule. `jax.export` checks them only
when it exports, which the student controls. XLA reads a call's settings in more than one place, so everything that was
not checked is removed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxlib import lapack
from jaxlib.mlir import ir

from sandbox.guest.inspection.graph import Refused, Type

Types = list[Type]
Settings = dict[str, int]
Rule = Callable[[Types, Settings], Types | None]
_REAL = {"f32": "f32", "complex<f32>": "f32"}
_LEFT, _ALL, _THIN = 76, 65, 83  # ASCII codes of L, A and S
_CHECKED = frozenset(["call_target_name", "mhlo.backend_config", "operand_layouts", "result_layouts"])
# XLA needs none of these, so they are removed unread.
_DROPPED = frozenset(["mhlo.frontend_attributes", "output_operand_aliases", "sdy.sharding_rule"])
_EITHER = {"uplo": "LU"}
_SETTINGS: dict[str, dict[str, str]] = {
    "potrf": _EITHER,
    "getrf": {},
    "geqrf": {},
    "orgqr": {},
    "ungqr": {},
    "syevd": _EITHER | {"mode": "VN"},
    "heevd": _EITHER | {"mode": "VN"},
    "gesdd": {"mode": "AS"},
    "trsm": _EITHER | {"side": "LR", "trans_x": "NTC", "diag": "UN"},
}


def check_custom_call(operation: Any, operands: Types, results: Types) -> None:
    """Check the call and remove its unchecked attributes. Raises Refused."""
    attributes = operation.attributes
    target = attributes["call_target_name"].value
    letters = target.removeprefix("lapack_").removesuffix("_ffi")
    rule = _RULES.get(letters[1:]) if target == f"lapack_{letters}_ffi" and letters[:1] in ("s", "c") else None
    if rule is None:
        raise Refused(f"the program calls {target[:100]!r}, which is not allowed in a problem with requirements")
    dtype = "f32" if letters[0] == "s" else "complex<f32>"
    count = 2 if rule in _OF_TWO else 1
    fits = len(operands) == count and all(one.dtype == dtype for one in operands) and len(operands[0].shape) >= 2
    if not fits or rule(operands, _settings(attributes, target, _SETTINGS[letters[1:]])) != results:
        raise Refused(f"the program calls {target!r} with operands that don't fit it")
    _check_layouts(attributes, target, operands, results)
    for name in _DROPPED & set(attributes):
        del attributes[name]
    lapack.prepare_lapack_call("potrf", np.float32)  # looks the routines up once; without it their addresses are unset


def _settings(attributes: Any, target: str, allowed: dict[str, str]) -> Settings:
    """`allowed`: the letters that each setting may have."""
    if not set(attributes) <= _CHECKED | _DROPPED or "mhlo.backend_config" not in attributes:
        raise Refused(f"the program calls {target!r} in a way that JAX does not")
    config = attributes["mhlo.backend_config"]
    byte = ir.IntegerType.get_unsigned(8)
    given = {name: ir.IntegerAttr.get(byte, ord(letter)) for name in allowed for letter in allowed[name]
             if name in config and config[name] == ir.IntegerAttr.get(byte, ord(letter))}  # fmt: skip
    if set(given) != set(allowed) or len(config) != len(allowed):
        raise Refused(f"the program calls {target!r} with settings that JAX does not use")
    return {name: setting.value for name, setting in given.items()}


def _check_layouts(attributes: Any, target: str, operands: Types, results: Types) -> None:
    """Matrices must be column-major, as LAPACK needs them, and all other arrays row-major."""
    for name, types in (("operand_layouts", operands), ("result_layouts", results)):
        layouts = [_layout(len(one.shape), is_matrix=len(one.shape) == len(operands[0].shape)) for one in types]
        if name not in attributes or attributes[name] != ir.ArrayAttr.get(layouts):
            raise Refused(f"the program calls {target!r} with arrays in the wrong memory layout")


def _layout(rank: int, *, is_matrix: bool) -> ir.Attribute:
    axes = list(reversed(range(rank)))
    axes = [rank - 2, rank - 1, *axes[2:]] if is_matrix else axes
    return ir.DenseIntElementsAttr.get(np.asarray(axes, np.int64), type=ir.IndexType.get())


def _split(matrix: Type) -> tuple[tuple[int, ...], int, int]:
    *batch, rows, columns = matrix.shape
    return tuple(batch), rows, columns


def _potrf(operands: Types, _config: Settings) -> Types | None:
    batch, rows, columns = _split(operands[0])
    return [operands[0], Type("i32", batch)] if rows == columns else None


def _getrf(operands: Types, _config: Settings) -> Types | None:
    batch, rows, columns = _split(operands[0])
    return [operands[0], Type("i32", (*batch, min(rows, columns))), Type("i32", batch)]


def _geqrf(operands: Types, _config: Settings) -> Types | None:
    batch, rows, columns = _split(operands[0])
    return [operands[0], Type(operands[0].dtype, (*batch, min(rows, columns)))]


def _orgqr(operands: Types, _config: Settings) -> Types | None:
    batch, rows, columns = _split(operands[0])
    if not operands[1].shape:
        return None
    *scales_batch, scales = operands[1].shape
    return [operands[0]] if tuple(scales_batch) == batch and scales <= columns <= rows else None


def _syevd(operands: Types, _config: Settings) -> Types | None:
    batch, rows, columns = _split(operands[0])
    if rows != columns:
        return None
    return [operands[0], Type(_REAL[operands[0].dtype], (*batch, rows)), Type("i32", batch)]


def _gesdd(operands: Types, config: Settings) -> Types | None:
    batch, rows, columns = _split(operands[0])
    least, dtype = min(rows, columns), operands[0].dtype
    width = {_ALL: (rows, columns), _THIN: (least, least)}.get(config.get("mode", 0))
    if width is None:
        return None
    left, right = Type(dtype, (*batch, rows, width[0])), Type(dtype, (*batch, width[1], columns))
    return [operands[0], Type(_REAL[dtype], (*batch, least)), left, right, Type("i32", batch)]


def _trsm(operands: Types, config: Settings) -> Types | None:
    if len(operands[1].shape) < 2:
        return None
    (batch, rows, columns), (other, height, width) = _split(operands[0]), _split(operands[1])
    side = height if config.get("side") == _LEFT else width
    return [operands[1]] if batch == other and rows == columns == side else None


# The other routines take one operand. All operands have the routine's dtype.
_OF_TWO = (_orgqr, _trsm)
_RULES: dict[str, Rule] = {
    "potrf": _potrf,
    "getrf": _getrf,
    "geqrf": _geqrf,
    "orgqr": _orgqr,
    "ungqr": _orgqr,
    "syevd": _syevd,
    "heevd": _syevd,
    "gesdd": _gesdd,
    "trsm": _trsm,
}
