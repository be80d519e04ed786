"""The key `answer`: what cases give for each kind, the driver that runs, and the faults of wrong keys."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import numpy as np
import pytest
import yaml

from app.catalog.answers import ANSWERS, list_case_inputs, read_case_inputs
from app.catalog.custom_inputs import InputsInvalid, read_own_inputs
from app.catalog.fault import PackageInvalid
from app.catalog.inputs import draw_inputs
from app.catalog.manifest import manifest_schema
from app.catalog.package import Package, load_package, package_from_files
from app.catalog.query import described_signature
from app.engine.request import build_request

KINDS = Path(__file__).parents[1] / "kinds"
PACKAGES = sorted(path.parent.name for path in KINDS.glob("*/problem.yaml"))
VALIDATOR = jsonschema_rs.validator_for(manifest_schema())


def package_of(slug: str, *changes: tuple[str, str]) -> Package:
    text = (KINDS / slug / "problem.yaml").read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return package_from_files(slug, {"problem.yaml": text.encode()})


def stored(package: Package) -> dict[str, Any]:
    """The manifest as a revision stores it."""
    manifest: dict[str, Any] = json.loads(package.manifest.model_dump_json())
    return manifest | {"statement": package.statement, "starter": package.starter}


def test_every_kind_has_a_package_that_tests_judge() -> None:
    shown = {load_package(KINDS / slug).manifest.answer.kind for slug in PACKAGES}

    assert shown == set(ANSWERS)


@pytest.mark.parametrize("slug", PACKAGES)
def test_the_schema_takes_the_packages_of_every_kind(slug: str) -> None:
    VALIDATOR.validate(yaml.safe_load((KINDS / slug / "problem.yaml").read_text()))


@pytest.mark.parametrize("slug", PACKAGES)
def test_a_driver_holds_nothing_but_options(slug: str) -> None:
    package = load_package(KINDS / slug)

    runner = package.runner or ""

    assert package.reference not in runner
    assert not any(name in runner for name in ("tolerance", "expected", "rtol", "hidden"))
    assert build_request(package, package.reference, ()).driver == package.runner


@pytest.mark.parametrize(
    ("slug", "signatures", "inputs"),
    [
        ("class_plain", ["RunningMean(size)", "RunningMean.add(x)", "RunningMean.mean()"], ["size", "calls"]),
        ("class_torch", ["BatchNorm(size, momentum)", "BatchNorm.forward(x)"],
         ["size", "momentum", "weights", "calls"]),
        ("functions", ["apply_rotary(x, angles)", "rotate_half(x)"], ["function", "x", "angles"]),
        ("in_place_training", ["train(model, x, y, steps)"], ["weight", "x", "y", "steps"]),
        ("in_place", ["add_into(a, b, out)"], []),
        ("file", ["save(path, weights, step)"], ["weights", "step"]),
        ("integrator", ["integrate(f, a, b)"], ["shape", "scale", "a", "b", "most_calls"]),
    ],
)  # fmt: skip
def test_the_page_shows_what_students_write_and_what_cases_give(
    slug: str, signatures: list[str], inputs: list[str]
) -> None:
    described = described_signature(stored(load_package(KINDS / slug)))

    assert [described["signature"], *(each["signature"] for each in described["definitions"])] == signatures
    assert [each["name"] for each in described["inputs"]] == inputs


def test_a_box_gets_the_names_that_the_source_must_define() -> None:
    functions = load_package(KINDS / "functions")
    methods = load_package(KINDS / "class_plain")

    requests = [build_request(package, "", ()) for package in (functions, methods)]

    assert requests[0].definitions == (("rotate_half", ("x",)),)
    assert requests[1].definitions == (("RunningMean.add", ("x",)), ("RunningMean.mean", ()))


def test_a_function_may_change_what_the_answer_compares() -> None:
    request = build_request(load_package(KINDS / "in_place"), "", ())

    assert request.guarded == ("a", "b")


def test_the_calls_of_a_class_are_drawn_as_their_parameters_say() -> None:
    package = load_package(KINDS / "class_plain")

    inputs = draw_inputs(package.manifest, package.manifest.cases[2], b"secret", 0)

    first, mean, again, *_ = inputs["calls"]
    assert first["add"]["x"].dtype == np.float64
    assert (mean, again) == ("mean", {"add": {"x": {"result_of": 1}}})


def test_equal_draws_of_two_calls_differ() -> None:
    package = load_package(KINDS / "class_plain")

    calls = draw_inputs(package.manifest, package.manifest.cases[1], b"secret", 0)["calls"]

    assert not np.array_equal(calls[2]["add"]["x"], calls[3]["add"]["x"])


@pytest.mark.parametrize("slug", PACKAGES)
def test_inputs_of_ones_own_are_checked_as_those_of_a_case(slug: str) -> None:
    package = load_package(KINDS / slug)
    manifest = stored(package)

    parameters = read_case_inputs(manifest)

    assert [each.name for each in parameters] == [each.name for each in package.manifest.case_inputs]
    assert [each["name"] for each in list_case_inputs(manifest)] == [each.name for each in parameters]
    with pytest.raises(InputsInvalid):
        read_own_inputs("nothing: 1\n", parameters)


@pytest.mark.parametrize(
    ("slug", "text", "words"),
    [
        ("functions", "function: rotat\nx: [1]\n", "'rotat', which is not a known function; did you mean rotate_half?"),
        ("functions", "function: rotate_half\nx: [1]\nangles: [1]\n", "the inputs are function, x"),
        ("class_plain", "size: 1\ncalls: [men]\n", "calls 'men', which is not a known method; did you mean mean?"),
        ("class_plain", "size: 1\ncalls: [{add: {y: 1}}]\n", "calls[0].add.x is missing"),
        ("class_plain", "size: 1\ncalls: [{add: {x: [[1]]}}]\n", "calls[0].add.x has shape [1, 1]"),
        ("class_plain", "size: 1\ncalls: [{add: {x: {result_of: 0}}}]\n", "calls[0].add.x.result_of is 0"),
        ("class_plain", "size: 1\ncalls: 3\n", "calls is not a list of calls"),
        (
            "class_optax",
            "lr: 1\ndecay: 1\ncalls: [{update: {updates: {}, state: 3}}]\n",
            "take it from an earlier call",
        ),
    ],
)
def test_wrong_inputs_of_ones_own_are_explained(slug: str, text: str, words: str) -> None:
    parameters = read_case_inputs(stored(load_package(KINDS / slug)))

    with pytest.raises(InputsInvalid) as refused:
        read_own_inputs(text, parameters)

    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("slug", "old", "new", "key", "words"),
    [
        ("in_place", "kind: in_place", "kind: inplace", "answer", "did you mean in_place?"),
        ("in_place", "{kind: in_place, changed: [out], returned: true}", "in_place", "answer", "write `{kind: …}`"),
        ("in_place", "changed: [out]", "changed: [outt]", "answer.changed[0]", "did you mean out?"),
        ("in_place", "changed: [out]", "change: [out]", "answer.change", "did you mean changed?"),
        ("in_place", "{name: out, type: numpy, shape: [N], dtype: float32, doc: the buffer for the sum}",
         "{name: out, type: float}", "answer.changed[0]", "can't change in place"),
        ("functions", "- name: rotate_half", "- name: apply_rotary", "answer.functions[0].name",
         "the name of another function"),
        ("functions", "function: rotate_half, x: [1, 2, 3, 4]", "function: rotate, x: [1, 2, 3, 4]",
         "cases[0].inputs.function", "did you mean rotate_half?"),
        ("functions", "{function: rotate_half, x: [1, 2, 3, 4]}", "{function: rotate_half}",
         "cases[0].inputs.x", "is missing"),
        ("functions", "shape: [..., D], dtype: float32, doc: vectors of even length}\n  - {name: angles",
         "shape: [..., D, ...], dtype: float32}\n  - {name: angles", "parameters[0].shape", "has ... twice"),
        ("class_plain", "calls: [mean, {add", "calls: [meen, {add", "cases[0].inputs.calls[0]", "did you mean mean?"),
        ("class_plain", "state: [count]", "state: true", "answer.state", "list the names of the attributes"),
        ("class_plain", "{name: size, type: int,", "{name: calls, type: int,", "answer.kind",
         "an input is named calls"),
        ("class_plain", "- name: mean\n", "- name: meann\n", "", "has no method meann"),
        ("class_optimizer", "changed: [params]", "changed: [parms]", "answer.changed[0]", "did you mean params?"),
        ("class_optimizer", "gradients: [params]", "gradients: [lr]", "answer.gradients[0]", "input with tensors"),
        ("class_optimizer", "{name: step, doc", "{name: grad, doc", "answer.methods[0].name", "another method"),
        ("class_optimizer", "- grad: {params: [{array: [1, 1]}", "- grad: {parms: [{array: [1, 1]}",
         "cases[0].inputs.calls[0].grad.parms", "did you mean params?"),
        ("class_functions", "  def f(scale)", "  def g(scale)", "answer", "arguments.py does not make it"),
        ("in_place_gradients", "{parameters: gradients}", "{parameters: gradient}", "answer.gradients.parameters",
         "did you mean gradients?"),
        ("in_place_gradients", "changed: [parameters]", "changed: [gradent]", "answer.changed[0]",
         "parameter or input"),
        ("generator", "first: count", "first: cout", "answer.first", "did you mean count?"),
        ("generator", "first: count", "first: 0", "answer.first", "must be at least 1"),
        ("file", "path: path", "path: weights", "answer.path", "not a known `str` parameter"),
        ("file", "read: npz", "read: zip", "answer.read", "use one of bytes, text, json, npy, npz"),
        ("gradients_torch", "of: [w, x]", "of: [w, v]", "answer.of[1]", "not a known parameter"),
        ("gradients_torch", "library: torch", "library: jax", "answer.of[0]", "but library is jax"),
        ("random", "checkers: {samples: {checker: distribution}}\n", "", "answer", "compares samples one by one"),
        ("random", "seed: seed", "seed: sead", "answer.seed", "did you mean seed?"),
        ("integrator", "calls: f,", "calls: ff,", "requirements[0].calls", "declare a parameter of that name"),
        ("integrator", "  def f(shape, scale)", "  def f(form, scale)", "arguments", "defines f, which takes form"),
        ("integrator", "  def f(shape, scale)", "  def g(shape, scale)", "parameters[0].name",
         "arguments.py does not make it"),
        ("integrator", "arguments: |", "driver: |\n  def run(solution, inputs): ...\narguments: |", "arguments",
         "stands beside driver.py"),
        ("in_place", "answer:", "driver: |\n  def run(solution, inputs): ...\nanswer:", "answer",
         "is given beside driver.py"),
        ("any_rank", "accept_lists: true", "accept_lists: true\ndtype_policy: exact", "accept_lists", "dtype_policy"),
        ("any_rank", "x: [1, 1]", "x: 1", "cases[0].inputs.x", "has shape [], but the parameter's is [..., D]"),
        ("class_plain", "answer:\n", "requirements: [{max_equations: 3}]\nanswer:\n", "requirements[0].max_equations",
         "needs the program of a plain function"),
    ],
)  # fmt: skip
def test_a_wrong_key_is_named_with_its_remedy(slug: str, old: str, new: str, key: str, words: str) -> None:
    with pytest.raises(PackageInvalid) as refused:
        package_of(slug, (old, new))

    found = [(fault.key, f"{fault.message}: {fault.remedy}") for fault in refused.value.problems]
    assert any(where == key and words in text for where, text in found) or any(
        not key and words in text for _, text in found
    ), found


@pytest.mark.parametrize(
    ("slug", "old", "new", "line"),
    [
        ("functions", "kind: functions", "kind: function_s", 11),
        ("class_train", "    - name: eval\n", "    - {name: eval}\n    - name: eval\n", 17),
    ],
)
def test_one_wrong_key_is_one_fault(slug: str, old: str, new: str, line: int) -> None:
    with pytest.raises(PackageInvalid) as refused:
        package_of(slug, (old, new))

    assert [problem.line for problem in refused.value.problems] == [line]
