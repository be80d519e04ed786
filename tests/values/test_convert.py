"""Return values of students, converted to the judge's values. The boxes' Python makes them, in `runtime/`."""

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from sandbox.guest.codec import Tree, decode
from tests.framework_runtime import run_in_runtime

ADAM = {"count", "mu", "nu"}


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("runtime")
    run_in_runtime("tests.values.runtime", folder)
    found = decode((folder / "converted").read_bytes())
    assert isinstance(found, dict)
    return found


@pytest.fixture
def value(converted: dict[str, dict[str, Any]], request: pytest.FixtureRequest) -> Any:
    """The value that the test names."""
    assert "message" in converted[request.param], converted[request.param]
    return decode(converted[request.param]["message"])


def of(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("value", [name], indirect=True, ids=[""])


def dtypes(tree: dict[str, Any]) -> dict[str, str]:
    return {name: array.dtype.name for name, array in tree.items()}


@pytest.mark.parametrize("value", [pytest.param("jax_dtypes", marks=pytest.mark.whole), "torch_dtypes"], indirect=True)
def test_arrays_and_tensors_keep_their_dtype(value: Any) -> None:
    assert all(name == dtype for name, dtype in dtypes(value).items())
    assert value["bfloat16"].tolist() == [0, 1]


# By name: what is looked at, and what it must be.
LOOKS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "jax_scalar": (lambda value: (value.shape, value.dtype, float(value)), ((), np.float32, 0.25)),
    "jax_lazy_result": (lambda value: (value == 50).all(), True),
    "jax_typed_keys": (lambda value: (value[0].dtype, value[0].tolist() == value[1].tolist()), (np.uint32, True)),
    "jax_float8": (lambda value: (value.dtype, float(value.flat[0])), (ml_dtypes.float8_e4m3fn, 0.5)),
    "torch_float8": (lambda value: (value.dtype, float(value.flat[0])), (ml_dtypes.float8_e4m3fn, 0.5)),
    "nnx_model": (
        lambda value: (value["layers"][0]["kernel"].shape, value["layers"][2]["rngs"]["key"].dtype),
        ((1, 2), np.uint32),
    ),
    "nnx_optimizer": (lambda value: (set(value), set(value["opt_state"][0])), ({"step", "opt_state"}, ADAM)),
    "nnx_model_that_holds_itself": (list, ["w"]),
    "linen_train_state": (
        lambda value: (set(value), value["params"]["kernel"].dtype),
        ({"step", "params", "opt_state"}, ml_dtypes.bfloat16),
    ),
    "optax_adam": (
        lambda value: (set(value[0]), value[0]["mu"]["kernel"].dtype, value[1]),
        (ADAM, ml_dtypes.bfloat16, {}),
    ),
    "torch_module": (dtypes, {"weight": "bfloat16", "bias": "bfloat16"}),
    "torch_optimizer_state": (lambda value: value["state"][0]["momentum_buffer"].tolist(), [1, 1]),
    "torch_return_types": (
        lambda value: [(type(item), list(item)) for item in value],
        [(OrderedDict, ["values", "indices"]), (OrderedDict, ["sign", "logabsdet"])],
    ),
    "numpy_matrix": (lambda value: (type(value), value.tolist()), (np.ndarray, [[1, 2]])),
}


@pytest.mark.parametrize(("value", "look"), LOOKS.items(), indirect=["value"], ids=list(LOOKS))
def test_states_models_and_arrays_of_frameworks_are_trees_of_arrays(
    value: Any, look: tuple[Callable[[Any], Any], Any]
) -> None:
    see, expected = look

    assert see(value) == expected


@of("named_tuple_and_dataclass")
def test_named_tuples_and_dataclasses_keep_the_names_of_their_fields(value: Any) -> None:
    assert [type(item) for item in value] == [OrderedDict, dict, int, dict, OrderedDict]
    assert value == [{"x": 1.0, "y": np.ones(1)}, {"loss": 0.5, "steps": [1, 2]}, 1, {"b": 1, "a": 2}, {}]


@of("numpy_values")
def test_numpy_scalars_and_views_are_plain_arrays(value: Any) -> None:
    assert (value[0].shape, value[0].dtype, value[1].dtype) == ((), np.float32, np.bool_)
    assert value[2:] == ["text", pytest.approx(np.array([[0, 3], [1, 4], [2, 5]])), 1]


# By name: the numbers of an array, and values that are no array. Liars are read as what they are.
NUMBERS: dict[str, list[Any]] = {
    "jax_complex": [1 + 2j],
    "nnx_param": [1, 1],
    "torch_bfloat16_transposed": [[0, 3], [1, 4], [2, 5]],
    "torch_needs_grad": [2, 2],
    "torch_strided": [0, 3, 6, 9],
    "torch_conjugate": [1 - 2j],
    "torch_negative_bit": [-2],
    "torch_inference": [3, 3],
    "lying_array": [0, 1],
    "lying_tensor": [0, 1],
    "given_tensor_is_the_students_to_change": [1, 1],
}
EQUAL: dict[str, Any] = {
    "torch_size": (2, 3),
    "python_values": [None, True, 3, 2**70, 0.5, 1j, "text", b"bytes", (1, [2, {"a": 3}])],
    "numpy_keys": {3: 1, "a": 2, ("b", 0): 3},
    "changing_dict": {"a": 1},
    "changing_list": [1, 2],
    "lying_tuple": (1, 2),
    "lying_scalars": [0.5, "text"],
    "dict_whose_keys_become_one": {1.0: 1, 2.0: 2, "a": 1, "b": 2},
}


@pytest.mark.parametrize(("value", "numbers"), NUMBERS.items(), indirect=["value"], ids=list(NUMBERS))
def test_arrays_keep_their_numbers(value: Any, numbers: list[Any]) -> None:
    assert value.tolist() == numbers


@pytest.mark.parametrize(("value", "expected"), EQUAL.items(), indirect=["value"], ids=list(EQUAL))
def test_other_values_are_equal_to_what_was_returned(value: Any, expected: Any) -> None:
    assert value == expected


REFUSED = {
    "jax_tracer": "DynamicJaxprTracer at 0",
    "jax_float0": "array of void",
    "jax_shape_only": "ShapeDtypeStruct at out",
    "jax_function": "PjitFunction at f",
    "nnx_graphdef": "ModuleMeta at nodes/0/type",
    "optax_transformation": "function at init",
    "torch_sparse": "tensor that is not dense (Tensor) at 0",
    "torch_meta": "tensor that is not dense (Tensor)",
    "torch_complex32": "tensor of complex32 at spectrum",
    "torch_dtype": "dtype",
    "numpy_masked": "MaskedArray",
    "numpy_objects": "array of object at history",
    "numpy_texts": "array of str32",
    "liar": "Liar at loss",
    "generator": "generator",
    "endless_map": "map at batches",
    "lazy_range": "range",
    "unordered": "set",
    "views_of_a_dict": "dict_keys",
    "thread": "Thread at 0",
    "class_object": "type at model",
    "surrogates": "str with lone surrogates at text",
}

TOO_LARGE = {
    "loop_of_lists": "inside itself",
    "loop_of_dicts": "inside itself",
    "deep_list": "64 levels",
    "doubling_lists": "100000 values",
    "million_keys": "100000 values",
    "million_items": "100000 values",
    "jax_too_large": "an array of shape (1025, 65536)",
    "torch_huge_expanded": "a tensor of shape (1000000, 1000000)",
    "numpy_huge_broadcast": "an array of shape (1000000, 1000000)",
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_object_that_is_no_value_is_refused_with_its_path_and_type(
    converted: dict[str, dict[str, Any]], name: str
) -> None:
    assert converted[name]["refused"] == "Unsupported"
    assert converted[name]["because"].startswith(f"{REFUSED[name]} can't be returned")


@pytest.mark.parametrize("name", TOO_LARGE)
def test_an_endless_or_huge_value_is_too_large(converted: dict[str, dict[str, Any]], name: str) -> None:
    assert converted[name]["refused"] == "TooLarge"
    assert TOO_LARGE[name] in converted[name]["because"]


@pytest.mark.parametrize(
    ("value", "array_type"),
    [
        ("given_as_jax", "ArrayImpl"),
        ("given_as_torch", "Tensor"),
        ("given_as_numpy", "ndarray"),
        ("given_as_values", "ndarray"),
    ],
    indirect=["value"],
)
def test_inputs_become_what_the_problem_says(value: Any, array_type: str) -> None:
    assert value["types"] == [array_type] * 3 + ["int", "float", "NoneType", "str"]
    assert value["containers"] == ["list", "tuple"]
    assert dtypes_of(value["tree"]) == ["float32", "bfloat16", "float16"]


@of("given_dtypes_as_torch")
def test_inputs_become_tensors_of_the_same_dtype(value: Any) -> None:
    assert all(dtype == f"torch.{name}" for name, dtype in value.items())


def test_every_value_made_in_the_runtime_is_looked_at(converted: dict[str, dict[str, Any]]) -> None:
    source = Path(__file__).read_text()

    assert [name for name in converted if f'"{name}"' not in source] == []


def dtypes_of(tree: dict[str, Any]) -> list[str]:
    arrays: list[Tree] = [tree["x"], *tree["half"][0]]
    return [array.dtype.name for array in arrays if isinstance(array, np.ndarray)]
