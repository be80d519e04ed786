"""Grouping cases by shape."""

from typing import Any

import numpy as np

from app.catalog.parameter import Parameter
from app.engine.prepare import PreparedCase, shapes_of
from tests.verification.bench import make_case

PARAMETERS = (
    Parameter(name="x", type="jax", shape=("N",), dtype="float32"),
    Parameter(name="lr", type="float"),
    Parameter(name="n", type="float", static=True),
)


def a_case(name: str, **inputs: Any) -> PreparedCase:
    return make_case(name, None, {"x": np.zeros(4, np.float32), "lr": 0.1, "n": 2.0} | inputs)


def shapes(*cases: PreparedCase) -> dict[str, list[str]]:
    return {shape.label: [case.name for case in shape.cases] for shape in shapes_of(cases, PARAMETERS)}


def test_cases_with_other_numbers_have_the_same_shape() -> None:
    found = shapes(a_case("a"), a_case("b", x=np.ones(4, np.float32), lr=0.5))

    assert found == {"x float32 (4,), n = 2.0": ["a", "b"]}


def test_another_size_another_dtype_and_another_static_value_are_other_shapes() -> None:
    found = shapes(a_case("a"), a_case("size", x=np.ones(5, np.float32)), a_case("dtype", x=np.ones(4, np.int32)))

    assert found == {"x float32 (4,)": ["a"], "x float32 (5,)": ["size"], "x int32 (4,)": ["dtype"]}
    assert shapes(a_case("a"), a_case("static", n=4.0)) == {"n = 2.0": ["a"], "n = 4.0": ["static"]}
