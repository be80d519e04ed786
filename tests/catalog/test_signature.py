"""The parameters of the function, the inputs of cases, and where each is shown."""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy.orm import Session

from app.catalog.answers import read_case_inputs
from app.catalog.custom_inputs import InputsInvalid, read_own_inputs, write_example
from app.catalog.package import Package, load_package, package_from_files
from app.catalog.parameter import Parameter
from app.catalog.publish import publish
from app.catalog.query import get_problem
from app.catalog.source import parameters_of
from app.engine.request import build_request
from app.judging.report import copyable_preview
from tests.catalog.packages import PROBLEM, faults_of, make_files

PROBLEMS = Path(__file__).parents[2] / "problems"
OWN = """\
parameters:
  - {name: model, type: torch.nn.Module, doc: what to train}
  - {name: lr, type: float}
"""
DRIVER = "def run(solution, inputs):\n    return solution(inputs, 0.5)\n"
SOLUTION = "def scaled_sum(model, lr):\n    return model['x'].sum() * lr\n"
CODE = {
    "driver.py": DRIVER,
    "starter.py": "def scaled_sum(model, lr):\n    ...\n",
    "reference.py": SOLUTION,
    "submissions/accepted/plain.py": SOLUTION,
    "submissions/wrong_answer/unscaled.py": "# forgets it\n" + SOLUTION,
}
WITH_INPUTS = PROBLEM.replace("parameters:\n", f"{OWN}inputs:\n")


def driven(problem: str = WITH_INPUTS, code: Mapping[str, str] = CODE) -> Package:
    return package_from_files("scaled_sum", make_files(code, problem))


def told(problem: str, code: Mapping[str, str | None] = {}) -> list[tuple[str, str]]:
    return [(fault.key, fault.message) for fault in faults_of(make_files({**CODE, **code}, problem))]


def test_the_page_shows_what_the_function_takes_and_beside_it_what_cases_give(session: Session) -> None:
    publish(session, driven())

    problem = get_problem(session, "scaled_sum")

    assert problem.signature == "scaled_sum(model, lr)"
    assert [(each.name, each.type) for each in problem.parameters] == [("model", "torch.nn.Module"), ("lr", "float")]
    assert [each.name for each in problem.inputs] == ["x", "y", "scale", "options"]
    assert problem.example_inputs.startswith("x: [1, 2.5]\n")


def test_without_a_driver_cases_give_the_parameters(session: Session) -> None:
    publish(session, package_from_files("scaled_sum", make_files()))

    problem = get_problem(session, "scaled_sum")

    assert problem.signature == "scaled_sum(x, y, scale, options)"
    assert problem.inputs == ()


def test_a_box_gets_the_inputs_and_the_names_of_the_parameters() -> None:
    request = build_request(driven(), SOLUTION, ())

    assert [parameter.name for parameter in request.parameters] == ["x", "y", "scale", "options"]
    assert request.guarded == ("x", "y", "scale", "options")
    assert request.signature == ("model", "lr")


def test_inputs_of_ones_own_are_those_of_a_case() -> None:
    manifest = driven().manifest.model_dump(mode="json")
    inputs = read_case_inputs(manifest)

    read_own_inputs(write_example(manifest, {}), inputs)
    with pytest.raises(InputsInvalid) as refused:
        read_own_inputs("model: 3\n", inputs)

    assert "model is not a known input" in str(refused.value)
    assert "the inputs are x, y, scale, options" in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "code", "key", "message"),
    [
        ("type: torch.nn.Module", "type: torchnnModule", {}, "parameters[0].type", "is 'torchnnModule'"),
        ("{name: x, type: numpy, shape: [N], dtype: float32, doc: the numbers}", "{name: x, type: torch.Tensor}", {},
         "inputs[0].type", "is 'torch.Tensor'"),
        ("      scale: 2\n", "", {}, "cases[0].inputs.scale", "is missing: every case gives every input"),
        ("x: [1, 2.5]", "x: [[1], [2.5]]", {}, "cases[0].inputs.x", "has shape [2, 1], but the input's is [N]"),
        ("variants: 2", "variants: 2\nmay_change: [model]", {}, "may_change[0]", "which is not a known input"),
        ("", "", {"driver.py": None}, "inputs", "is given, but the package has no arguments.py and no driver.py"),
        (WITH_INPUTS, PROBLEM.replace("scale, type: float", "scale, type: object"), {}, "parameters[2].type",
         "is object, which a case can't give"),
        ("", "", {"starter.py": "def scaled_sum(model): ...\n"}, "", "does not take 2 positional arguments"),
    ],
)  # fmt: skip
def test_a_package_that_does_not_fit_its_inputs_or_its_driver_is_refused(
    old: str, new: str, code: dict[str, str | None], key: str, message: str
) -> None:
    found = told(WITH_INPUTS.replace(old, new) if old else WITH_INPUTS, code)

    assert any(where == key and message in text for where, text in found), found


@pytest.mark.parametrize("file", sorted(PROBLEMS.glob("*/problem.yaml")), ids=lambda file: file.parent.name)
def test_every_problem_of_the_project_shows_the_signature_of_its_starter(file: Path) -> None:
    package = load_package(file.parent)
    shown = tuple(parameter.name for parameter in package.manifest.parameters)

    assert parameters_of(ast.parse(package.starter), package.manifest.entry_point) == shown
    assert package.manifest.inputs is None or package.runner is not None


def test_an_example_of_inputs_has_the_values_of_the_sample_that_the_page_shows() -> None:
    values: dict[str, Any] = {
        "tree": {
            10: "cat",
            "2": "true",
            True: [None, (1, 2)],
            "a/~/w": np.array([1, 2], np.float32),
            "n": {"m": np.ones(1)},
        },
        "text": "x\r\n\u200f" * 200,
        "x": np.array([0.5], np.float32),
    }
    declared = [
        Parameter(name="tree", type="dict", leaves="numpy", dtype="float32"),
        Parameter(name="text", type="str"),
        Parameter(name="x", type="numpy", shape=("N",), dtype="float32"),
    ]
    previews = {name: copyable_preview(value) for name, value in values.items()}

    text = write_example(
        {"parameters": [each.model_dump() for each in declared], "entry_point": "f"}, {"one": previews}
    )

    given = read_own_inputs(text, declared).inputs
    assert given is not None
    assert given["text"] == values["text"]
    assert given["x"] == (0.5,)
    assert list(given["tree"]) == [10, "2", True, "a/~/w", "n"]
    assert given["tree"][True] == (None, (1, 2))
    assert (given["tree"]["a/~/w"].array, given["tree"]["n"]["m"].dtype) == ((1.0, 2.0), "float64")
