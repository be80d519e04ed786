"""Make the inputs of a case from its YAML: literals as they are, draws from a seed.

Every draw has its own generator. HMAC-SHA256 over the variant, the case and the location of the draw gives its seed, so
adding a case or a parameter changes no other draw. The inputs of one variant reveal nothing about another one. Samples
use a public key in place of the revision's secret and are the same in every variant.
"""

import hmac
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from app.catalog.answers.class_calls import CallList
from app.catalog.answers.kind import inputs_of
from app.catalog.case import (
    Array,
    Case,
    Choice,
    Drawn,
    Integers,
    Normal,
    Permutation,
    Shape,
    Uniform,
    completed,
    size_of,
)
from app.catalog.dtype import DType
from app.catalog.fault import Location
from app.catalog.manifest import Manifest
from app.catalog.parameter import Parameter

SAMPLE_KEY = b"allclose sample"


def draw_inputs(manifest: Manifest, case: Case, secret_seed: bytes, variant: int) -> dict[str, Any]:
    """Return the inputs of a case by name: bool, int, float, str, None, list, dict or NumPy array.

    The case has `inputs`; a box makes those of a generated case from `case_seed`.
    """
    assert case.inputs is not None, f"{case.name} is generated"
    drawing = _Drawing(case, secret_seed, variant)
    given = inputs_of(manifest.case_inputs, case.inputs)
    return {each.name: drawing.argument(each, case.inputs[each.name], (each.name,)) for each in given}


def case_seed(case: Case, secret_seed: bytes, variant: int) -> int:
    """Return the seed of a generated case: 0 ≤ seed < 2**31, which every framework accepts."""
    return _seed(case, secret_seed, variant, ()) >> (256 - 31)


def _seed(case: Case, secret_seed: bytes, variant: int, where: Location) -> int:
    if case.visibility == "sample":
        secret_seed, variant = SAMPLE_KEY, 0
    # Names contain no NUL, so different locations give different messages.
    message = "\0".join(map(str, (variant, case.name, *where)))
    return int.from_bytes(hmac.digest(secret_seed, message.encode(), "sha256"), "big")


class _Drawing:
    """Turns the values of one case into inputs."""

    def __init__(self, case: Case, secret_seed: bytes, variant: int) -> None:
        self._case, self._secret_seed, self._variant = case, secret_seed, variant

    def argument(self, parameter: Parameter, value: Any, where: Location) -> Any:
        if value is None:
            return None
        if isinstance(parameter, CallList):
            return self._calls(parameter, value, where)
        if parameter.is_array:
            return self._array(parameter, value, where)
        nested = self._nested(parameter, value, where)
        return float(nested) if parameter.type == "float" else nested

    def _calls(self, parameter: CallList, calls: Any, where: Location) -> list[Any]:
        """Return each call as the guest takes it: a name, or a dict with the arguments by name."""
        made: list[Any] = [
            call if isinstance(call, str) else {name: dict(values) for name, values in call.items()} for call in calls
        ]
        for (index, method, name), declared, value in parameter.arguments(calls):
            made[int(index)][method][name] = self.argument(declared, value, (*where, index, method, name))
        return made

    def _array(self, parameter: Parameter, value: Any, where: Location) -> NDArray[Any]:
        dtype = parameter.dtype or "float32"
        shape = size_of(parameter, value)
        if isinstance(value, Drawn):
            return self._drawn(value, shape, where).astype(_numpy_dtype(dtype))
        return _literal(value.array if isinstance(value, Array) else value, shape, dtype)

    def _nested(self, parameter: Parameter, value: Any, where: Location) -> Any:
        if isinstance(value, dict):
            return {key: self._nested(parameter, item, (*where, key)) for key, item in value.items()}
        if isinstance(value, tuple):
            return [self._nested(parameter, item, (*where, index)) for index, item in enumerate(value)]
        if isinstance(value, Array):
            return _literal(value.array, size_of(parameter, value), value.dtype or parameter.dtype or "float32")
        return self._nested_draw(parameter, value, where) if isinstance(value, Drawn) else value

    def _nested_draw(self, parameter: Parameter, draw: Drawn, where: Location) -> Any:
        shape, dtype = completed(draw, parameter)
        drawn = self._drawn(draw, shape, where)
        return drawn.tolist() if dtype is None else drawn.astype(_numpy_dtype(dtype))

    def _drawn(self, draw: Drawn, shape: Shape, where: Location) -> NDArray[Any]:
        seed = _seed(self._case, self._secret_seed, self._variant, where)
        return np.asarray(_draw(np.random.Generator(np.random.PCG64(seed)), draw, shape))


def _draw(generator: np.random.Generator, draw: Drawn, shape: Shape) -> Any:
    """Return numbers in the widest type; the caller narrows them."""
    match draw:
        case Normal():
            return generator.normal(draw.loc, draw.scale, shape)
        case Uniform():
            return generator.uniform(draw.low, draw.high, shape)
        case Integers():
            unsigned = draw.high > 2**63
            return generator.integers(draw.low, draw.high, shape, dtype=np.uint64 if unsigned else np.int64)
        case Permutation():
            return generator.permutation(draw.n)
        case Choice():
            return _elements(draw.of)[generator.integers(len(draw.of), size=shape)]
    raise AssertionError(f"{type(draw).__name__} has no generator here")


def _elements(of: tuple[Any, ...]) -> NDArray[Any]:
    """Return an object array of the choices, as the author wrote them."""
    array = np.empty(len(of), dtype=object)
    array[:] = of
    return array


def _literal(value: Any, shape: Shape, dtype: DType) -> NDArray[Any]:
    return np.asarray(value, dtype=_numpy_dtype(dtype)).reshape(shape)


def _numpy_dtype(dtype: DType) -> np.dtype[Any]:
    return np.dtype(ml_dtypes.bfloat16) if dtype == "bfloat16" else np.dtype(dtype)
