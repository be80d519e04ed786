from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.inputs import case_seed, draw_inputs
from app.catalog.manifest import Manifest
from app.catalog.package import package_from_files
from tests.catalog.packages import PROBLEM, edited, make_files, make_package

SECRET = b"a secret"
MANIFEST = make_package().manifest


def draw(manifest: Manifest, name: str, secret_seed: bytes = SECRET, variant: int = 0) -> dict[str, Any]:
    case = next(case for case in manifest.cases if case.name == name)
    return draw_inputs(manifest, case, secret_seed, variant)


def draw_x(dtype: str, value: str) -> Any:
    """Return what the sample draws if its parameter `x` has this element type and value."""
    filler = f"{{draw: choice, shape: [100], of: [{'true' if dtype == 'bool' else 1}]}}"
    problem = edited("shape: [N], dtype: float32", f"shape: [N], dtype: {dtype}").replace("[1, 2.5]", value)
    problem = problem.replace("{draw: normal, shape: [100], scale: 2.0}", filler)
    return draw(make_package(problem=problem).manifest, "small")["x"]


def test_literals_become_arrays_of_the_parameters_type() -> None:
    inputs = draw(MANIFEST, "small")

    assert list(inputs) == ["x", "y", "scale", "options"]
    np.testing.assert_array_equal(inputs["x"], np.array([1, 2.5], np.float32), strict=True)
    np.testing.assert_array_equal(inputs["y"], np.array([[1, 2], [3, 4]], np.int32), strict=True)
    assert (inputs["scale"], type(inputs["scale"])) == (2.0, float)
    assert inputs["options"]["verbose"] is True
    np.testing.assert_array_equal(inputs["options"]["weights"], np.array([1.0, 2.0]), strict=True)


def test_draws_have_their_shape_type_and_bounds() -> None:
    inputs = draw(MANIFEST, "large")

    assert (inputs["x"].shape, inputs["x"].dtype) == ((100,), np.float32)
    assert 1.5 < inputs["x"].std() < 2.5
    assert (inputs["y"].shape, inputs["y"].dtype) == ((100, 2), np.int32)
    assert (inputs["y"].min(), inputs["y"].max()) == (-5, 4)
    assert inputs["scale"] in (0.5, 2.0)
    assert inputs["options"]["weights"].dtype == np.float64


@given(secret=st.binary(max_size=40), variant=st.integers(0, 99))
def test_the_same_secret_and_variant_draw_the_same_inputs(secret: bytes, variant: int) -> None:
    np.testing.assert_equal(draw(MANIFEST, "large", secret, variant), draw(MANIFEST, "large", secret, variant))


@given(
    variants=st.lists(st.integers(0, 99), min_size=2, max_size=2, unique=True),
    secrets=st.lists(st.binary(min_size=32, max_size=32), min_size=2, max_size=2, unique=True),
)
def test_another_variant_or_secret_draws_other_inputs(variants: list[int], secrets: list[bytes]) -> None:
    by_variant, by_secret = ((secrets[0], each) for each in variants), ((each, 0) for each in secrets)
    for one, other in (by_variant, by_secret):
        assert not np.any(draw(MANIFEST, "large", *one)["x"] == draw(MANIFEST, "large", *other)["x"])


def test_a_sample_is_the_same_for_every_secret_and_variant() -> None:
    problem = edited("x: [1, 2.5]", "x: {draw: normal, shape: [2]}")
    manifest = make_package(problem=problem).manifest

    first, second = draw(manifest, "small", b"one", 0), draw(manifest, "small", b"two", 1)

    np.testing.assert_array_equal(first["x"], second["x"])


def test_drawn_numbers_never_change() -> None:
    """Stored expected outputs belong to these numbers, so the recipe must never change."""
    x = draw(MANIFEST, "large", b"seed", 1)["x"]

    np.testing.assert_allclose(x[:3], [1.8213643, -0.75594991, -1.6427313], rtol=1e-6)


def test_a_further_parameter_moves_no_other_draw() -> None:
    problem = edited("  - {name: scale,", "  - {name: z, type: float}\n  - {name: scale,")
    problem = problem.replace("      scale:", "      z: {draw: normal}\n      scale:")
    solution = "def scaled_sum(*values): ..."
    files = make_files({"starter.py": solution, "reference.py": solution}, problem=problem)

    longer = draw(package_from_files("sum", files).manifest, "large")

    np.testing.assert_equal({name: longer[name] for name in longer if name != "z"}, draw(MANIFEST, "large"))


def test_a_draw_does_not_depend_on_the_order_of_keys() -> None:
    """JSON columns do not keep the order of keys."""
    one = edited("{weights: {draw: uniform, shape: [3]}}", "{a: {draw: normal}, b: {draw: normal}}")
    other = edited("{weights: {draw: uniform, shape: [3]}}", "{b: {draw: normal}, a: {draw: normal}}")

    first, second = (draw(make_package(problem=problem).manifest, "large")["options"] for problem in (one, other))

    assert first == second
    assert first["a"] != first["b"]


@pytest.mark.parametrize(
    ("dtype", "value", "numbers"),
    [
        ("bool", "[true, false]", [True, False]),
        ("int8", "[-128, 127]", [-128, 127]),
        ("uint64", "[0, 18446744073709551615]", [0, 2**64 - 1]),
        ("int64", "[-9223372036854775808, 9007199254740993]", [-(2**63), 2**53 + 1]),
        ("float16", "[65504, .nan]", [65504.0, np.nan]),
        ("bfloat16", "[1.5, -.inf]", [1.5, -np.inf]),
        ("float64", "[1e-300, 0.1]", [1e-300, 0.1]),
        ("complex64", "[1, 2.5]", [1 + 0j, 2.5 + 0j]),
    ],
)
def test_every_element_type_takes_its_literals_exactly(dtype: str, value: str, numbers: list[Any]) -> None:
    x = draw_x(dtype, value)

    assert x.dtype == np.dtype(getattr(ml_dtypes, dtype, dtype))
    np.testing.assert_equal(x.tolist(), numbers)


@pytest.mark.parametrize(
    ("dtype", "value", "low", "high"),
    [
        ("bfloat16", "{draw: uniform, shape: [2], low: 1, high: 2}", 1, 2),
        ("float16", "{draw: normal, shape: [2], scale: 0}", 0, 0),
        ("uint64", "{draw: integers, shape: [2], low: 9223372036854775808, high: 18446744073709551616}", 2**63, 2**64),
        ("int64", "{draw: integers, shape: [2], low: -9223372036854775808, high: 0}", -(2**63), 0),
        ("uint8", "{draw: choice, shape: [2], of: [7, 9]}", 7, 9),
        ("bool", "{draw: choice, shape: [2], of: [true]}", True, True),
        ("float32", "{draw: permutation, n: 2}", 0, 1),
    ],
)
def test_draws_of_every_element_type(dtype: str, value: str, low: float, high: float) -> None:
    x = draw_x(dtype, value)

    assert x.dtype == np.dtype(getattr(ml_dtypes, dtype, dtype))
    assert x.shape == (2,)
    assert all(low <= number <= high for number in x.tolist())


def test_draws_without_a_type_inside_plain_values_are_plain_numbers() -> None:
    problem = PROBLEM.replace("type: dict, leaves: numpy, dtype: float64", "type: dict")
    problem = problem.replace("weights: {array: [1, 2]}", "weights: {array: [1, 2], dtype: int8}")
    values = (
        "{n: {draw: integers, low: 3, high: 4}, w: {draw: choice, of: [a], shape: [2]}, p: {draw: permutation, n: 1}}"
    )
    problem = problem.replace("{weights: {draw: uniform, shape: [3]}}", values)

    assert draw(make_package(problem=problem).manifest, "large")["options"] == {"n": 3, "w": ["a", "a"], "p": [0]}


def test_an_empty_array_keeps_its_other_sizes() -> None:
    problem = edited("x: [1, 2.5]", "x: []").replace(
        "y: [[1, 2], [3, 4]]", "y: {draw: integers, shape: [0, 2], low: 0, high: 1}"
    )

    inputs = draw(make_package(problem=problem).manifest, "small")

    assert (inputs["x"].shape, inputs["y"].shape) == ((0,), (0, 2))


def test_null_is_given_where_the_parameter_allows_it() -> None:
    problem = edited("{name: scale, type: float}", "{name: scale, type: float, nullable: true}")
    manifest = make_package(problem=problem.replace("      scale: 2\n", "      scale: null\n")).manifest

    assert draw(manifest, "small")["scale"] is None


def test_a_generated_case_has_a_seed_of_its_own_per_variant() -> None:
    made = MANIFEST.cases[2]

    seeds = {case_seed(made, secret, variant) for secret in (b"one", b"two") for variant in range(3)}

    assert len(seeds) == 6
    assert all(0 <= seed < 2**31 for seed in seeds)
