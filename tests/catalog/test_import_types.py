"""An import declares what a sandbox saw: the types, shapes and element types of arguments and answers."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from app.catalog.importing.generator import imports_for
from app.catalog.importing.observation import (
    DRIVER,
    ObservedCall,
    Probe,
    declare,
    failed,
    find_object,
    read_observed_call,
)
from app.catalog.importing.package_writer import ImportedPackage, Notes
from app.catalog.importing.program import ImportRefused
from app.catalog.package import Package, package_from_files


def observe(probe: Probe) -> Mapping[str, ObservedCall]:
    """Call the test's own solution here, with the driver that runs in a box."""
    scope: dict[str, Any] = {}
    exec(DRIVER, scope)
    seen = {}
    for name, (code, maker) in probe.makers.items():
        try:
            exec(probe.source, scope)
            seen[name] = read_observed_call(scope["run"](scope[probe.entry_point], {"code": code, "maker": maker}))
        except Exception as error:
            seen[name] = failed(f"{type(error).__name__}: {error}")
    return seen


def load(imported: ImportedPackage) -> Package:
    return package_from_files(imported.slug, {path: text.encode() for path, text in imported.files.items()})


def array(*shape: int, dtype: str = "float32", kind: str = "numpy") -> dict[str, Any]:
    return {"type": kind, "shape": list(shape), "dtype": dtype}


def call(answer: dict[str, Any], **arguments: dict[str, Any]) -> ObservedCall:
    return ObservedCall(arguments=arguments, answer=answer)


def test_axes_that_change_together_have_one_name() -> None:
    seen = [call(array(2, 5), x=array(2, 3), w=array(3, 5)), call(array(4, 5), x=array(4, 7), w=array(7, 5))]

    declared = declare(["x", "w"], seen, Notes())

    assert [each["shape"] for each in declared.parameters] == [["X_0", "X_1"], ["X_1", "W_1"]]
    assert declared.returns["shape"] == ["X_0", "OUT_1"]


def test_a_result_of_an_arguments_shape_has_its_names() -> None:
    declared = declare(["x"], [call(array(2, 2), x=array(2, 2))], Notes())

    assert declared.parameters[0]["shape"] == declared.returns["shape"] == ["X_0", "X_1"]


def test_arrays_of_any_rank_null_and_plain_values_are_declared() -> None:
    seen = [
        call({"type": "float"}, x=array(2, 2), eps={"type": "int"}, mask={"type": "none"}),
        call({"type": "float"}, x=array(3), eps={"type": "float"}, mask=array(3, dtype="bool")),
    ]
    notes = Notes()

    declared = declare(["x", "eps", "mask"], seen, notes)

    assert declared.parameters == [
        {"name": "x", "type": "numpy", "shape": ["..."], "dtype": "float32"},
        {"name": "eps", "type": "float"},
        {"name": "mask", "type": "numpy", "shape": ["MASK_0"], "dtype": "bool", "nullable": True},
    ]
    assert declared.returns["type"] == "float"
    assert any("eps is a float in every case" in line for line in notes.todo)


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        ([call({"type": "int"}, x=array(2)), call({"type": "int"}, x={"type": "list", "items": []})], "list, numpy"),
        ([call({"type": "int"}, x=array(2)), call({"type": "none"}, x=array(2))], "returns None for some tests"),
        ([call({"type": "int"}, x=array(2, dtype=each)) for each in ("int32", "int64")], "int32, int64"),
        ([call({"type": "object", "of": "set"}, x=array(2))], "set"),
    ],
)
def test_values_of_several_types_are_refused(seen: Sequence[ObservedCall], words: str) -> None:
    with pytest.raises(ImportRefused, match=words):
        declare(["x"], seen, Notes())


@pytest.mark.parametrize(
    "reply",
    [
        None,
        {"arguments": {"x": 3}, "answer": {"type": "int"}},
        {"arguments": {}, "answer": {"type": "numpy", "shape": "no", "dtype": "float32"}},
        {"arguments": {}, "answer": {"type": "numpy", "shape": [1], "dtype": "# TODO: run this"}},
    ],
)
def test_a_forged_description_is_a_failure(reply: Any) -> None:
    assert "did not let its call be described" in read_observed_call(reply).failure


def test_an_argument_that_a_case_can_not_give_is_named() -> None:
    held = {"type": "list", "items": [{"type": "object", "of": "Generator"}]}

    assert "its argument g is or holds a Generator" in find_object(call({"type": "int"}, g=held))


def test_a_generator_needs_no_import_that_it_has() -> None:
    generator = "def case_1(seed):\n    import numpy as np\n    return {'x': np.ones(3)}\n"

    assert imports_for([generator, "math.pi"]) == ["import math"]
