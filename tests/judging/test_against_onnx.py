"""The cases that the package `onnx` ships for every operator: outputs of many dtypes, each with its tolerance."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases

from app.judging.comparison import Comparison, Rules, compare
from app.judging.leaf import Array
from app.judging.tolerance_comparison import Tolerance

pytestmark = pytest.mark.whole  # onnx computes all its outputs when asked for the cases


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Output:
    name: str
    values: Array
    rules: Rules


@pytest.fixture(scope="module")
def outputs() -> list[Output]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    found = [output for case in cases for output in _outputs(case)]
    assert len(found) > 1000
    return found


def test_every_output_is_accepted(outputs: list[Output]) -> None:
    assert [o.name for o in outputs if not judge(o.values.copy(), o).accepted] == []


def test_an_element_beyond_the_tolerance_is_rejected(outputs: list[Output]) -> None:
    assert survivors(outputs, shift_one_element, "values outside tolerance") == []


def test_a_nan_where_none_is_expected_is_rejected(outputs: list[Output]) -> None:
    assert survivors(outputs, put_nan, "nan or inf differs") == []


def test_another_shape_is_rejected(outputs: list[Output]) -> None:
    assert survivors(outputs, lambda output: output.values[np.newaxis], "shape differs") == []


def survivors(outputs: list[Output], spoil: Callable[[Output], Array | None], category: str) -> list[str]:
    """Names of the outputs that could be spoilt and were not rejected for it."""
    spoilt = [(output, answer) for output in outputs if (answer := spoil(output)) is not None]
    assert len(spoilt) > 500
    return [output.name for output, answer in spoilt if judge(answer, output).category != category]


def judge(answer: Array, output: Output) -> Comparison:
    return compare(answer, output.values, output.rules)


def shift_one_element(output: Output) -> Array | None:
    if not output.values.size:
        return None
    if output.values.dtype.kind == "b":
        return np.logical_xor(output.values, _only_first(np.ones(output.values.shape, np.bool_)))
    if "int" in output.values.dtype.name:
        wide = output.values.astype(np.uint64 if output.values.dtype == np.uint64 else np.int64)
        return np.asarray(wide + _only_first(np.ones(wide.shape, np.bool_)).astype(wide.dtype))
    return _shift_float(output)


def _shift_float(output: Output) -> Array | None:
    values, tolerance = output.values.astype(np.float64), output.rules.tolerance
    assert tolerance is not None
    first = _only_first(np.isfinite(values))
    with np.errstate(invalid="ignore"):
        shifted = values + 1.01 * (tolerance.atol + tolerance.rtol * np.abs(values))
    return np.where(first, shifted, values) if first.any() else None


def put_nan(output: Output) -> Array | None:
    if output.values.dtype.kind != "f":
        return None
    first = _only_first(~np.isnan(output.values))
    return np.where(first, np.nan, output.values) if first.any() else None


def _only_first(mask: Any) -> Array:
    flat = np.asarray(mask).reshape(-1)
    only = np.zeros(flat.shape, np.bool_)
    only[np.flatnonzero(flat)[:1]] = True
    return only.reshape(np.shape(mask))


def _outputs(case: Any) -> Iterator[Output]:
    rules = Rules(tolerance=Tolerance(rtol=case.rtol, atol=case.atol))
    for _, given in case.data_sets or ():
        for value in _arrays(given):
            yield Output(name=f"{case.name}: {value.dtype}", values=value, rules=rules)


def _arrays(value: Any) -> Iterator[Array]:
    """Sequences flattened; texts, and maps of an older kind of operator, left out."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from _arrays(item)
    elif isinstance(value, TensorProto):
        yield from _arrays(numpy_helper.to_array(value))
    elif isinstance(value, np.ndarray | np.generic) and value.dtype.kind not in "OUS":
        yield np.asarray(value)
