"""What a program may call that is not StableHLO: LAPACK on operands that fit each other, and nothing else.

Such a call runs compiled code that trusts the shapes it is given, so each has a rule of its own. `jax.export` looks at
them only where it exports, which is in the student's hands.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxlib import lapack

from .graph import Refused, Type

Types = list[Type]
Rule = Callable[[Types, dict[str, int]], Types | None]
_REAL = {"f32": "f32", "complex<f32>": "f32"}
_LEFT, _ALL, _THIN = 76, 65, 83  # the letters L, A and S


def check_custom_call(target: str, operands: Types, results: Types, config: dict[str, int]) -> None:
    """Raises Refused."""
    letters = target.removeprefix("lapack_").removesuffix("_ffi")
    rule = _RULES.get(letters[1:]) if target == f"lapack_{letters}_ffi" and letters[:1] in ("s", "c") else None
    if rule is None:
        raise Refused(f"the program calls {target[:100]!r}, which is not allowed in a problem with requirements")
    matrix = operands[0] if operands else Type("", ())
    fits = len(matrix.shape) >= 2 and matrix.dtype == ("f32" if letters[0] == "s" else "complex<f32>")
    if not fits or rule(operands, config) != results:
        raise Refused(f"the program calls {target!r} with operands that don't fit it")
    lapack.prepare_lapack_call("potrf", np.float32)  # it looks its routines up once: uncalled, they are no addresses


def config_of(attribute: Any) -> dict[str, int]:
    """The call's own settings that are letters and numbers."""
    found: dict[str, int] = {}
    for entry in attribute:
        value = getattr(entry.attr, "value", None)
        if isinstance(value, int):
            found[entry.name] = value
    return found


def _split(matrix: Type) -> tuple[tuple[int, ...], int, int]:
    *batch, rows, columns = matrix.shape
    return tuple(batch), rows, columns


def _potrf(operands: Types, _config: dict[str, int]) -> Types | None:
    batch, rows, columns = _split(operands[0])
    return [operands[0], Type("i32", batch)] if len(operands) == 1 and rows == columns else None


def _getrf(operands: Types, _config: dict[str, int]) -> Types | None:
    batch, rows, columns = _split(operands[0])
    pivots = Type("i32", (*batch, min(rows, columns)))
    return [operands[0], pivots, Type("i32", batch)] if len(operands) == 1 else None


def _geqrf(operands: Types, _config: dict[str, int]) -> Types | None:
    batch, rows, columns = _split(operands[0])
    scales = Type(operands[0].dtype, (*batch, min(rows, columns)))
    return [operands[0], scales] if len(operands) == 1 else None


def _orgqr(operands: Types, _config: dict[str, int]) -> Types | None:
    batch, rows, columns = _split(operands[0])
    if len(operands) != 2 or not operands[1].shape or operands[1].dtype != operands[0].dtype:
        return None
    *scales_batch, scales = operands[1].shape
    return [operands[0]] if tuple(scales_batch) == batch and scales <= columns <= rows else None


def _syevd(operands: Types, _config: dict[str, int]) -> Types | None:
    batch, rows, columns = _split(operands[0])
    if len(operands) != 1 or rows != columns:
        return None
    return [operands[0], Type(_REAL[operands[0].dtype], (*batch, rows)), Type("i32", batch)]


def _gesdd(operands: Types, config: dict[str, int]) -> Types | None:
    batch, rows, columns = _split(operands[0])
    least, dtype = min(rows, columns), operands[0].dtype
    width = {_ALL: (rows, columns), _THIN: (least, least)}.get(config.get("mode", 0))
    if len(operands) != 1 or width is None:
        return None
    left, right = Type(dtype, (*batch, rows, width[0])), Type(dtype, (*batch, width[1], columns))
    return [operands[0], Type(_REAL[dtype], (*batch, least)), left, right, Type("i32", batch)]


def _trsm(operands: Types, config: dict[str, int]) -> Types | None:
    if len(operands) != 2 or len(operands[1].shape) < 2 or operands[1].dtype != operands[0].dtype:
        return None
    (batch, rows, columns), (other, height, width) = _split(operands[0]), _split(operands[1])
    side = height if config.get("side") == _LEFT else width
    return [operands[1]] if batch == other and rows == columns == side else None


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
