"""The keys `requirements`, `static`, `sealed` and `repeat`: strict validation, and conflicts with other keys."""

import jsonschema_rs
import numpy as np
import pytest

from app.catalog.inputs import draw_inputs
from app.catalog.manifest import Manifest, manifest_schema
from app.catalog.package import Package
from app.catalog.yaml_document import read_document
from tests.catalog.packages import PROBLEM, faults_of, make_files, make_package

JAX = (
    PROBLEM.replace("[numpy]", "[jax]")
    .replace("type: numpy", "type: jax")
    .replace("leaves: numpy, dtype: float64", "leaves: jax, dtype: float32")
    .replace("{name: scale, type: float}", "{name: scale, type: float, static: true}")
)
PALLAS = JAX.replace("[jax]", "[pallas]")
SEALED = "  - name: large\n    sealed: true\n    repeat: 3\n"
# problem, what stands under requirements, key, words of the message, words of the remedy
BROKEN = [
    (JAX, "{usess: scan}", "requirements[0]", "has no known kind; did you mean uses?", "one of the keys calls, "),
    (JAX, "scan", "requirements[0]", "is 'scan'", "write `{uses: …}`"),
    (JAX, "{uses: scn}", "requirements[0].uses", "is 'scn'; did you mean scan?", "use one of scan, fori"),
    (JAX, "{uses: scan, len: 3}", "requirements[0].len", "is not a known key", "the known keys are length, slices"),
    (JAX, "{uses: scan, length: -1}", "requirements[0].length", "is -1", "must be at least 0"),
    (JAX, "{uses: scan, length: M}", "requirements[0].length",
     "'M', which is neither a parameter nor a size", "one of N, scale"),
    (JAX, "{uses: while, length: 3}", "requirements[0].length", "does not apply to while", "remove it"),
    (JAX, "{uses: while, slices: [x]}", "requirements[0].slices", "does not apply to while", "ask for scan or fori"),
    (JAX, "{uses: scan, through: [x, z]}", "requirements[0].through[1]",
     "is 'z', which is not a traced parameter", "of x, y"),
    (JAX, "{uses: scan, through: [scale]}", "requirements[0].through[0]",
     "is 'scale', which is not a traced parameter", "of x, y"),
    (JAX.replace(", static: true", ""), "{uses: scan, length: scale}", "requirements[0].length", "not static", "add"),
    (JAX, "{forbids: [while, np.mean]}", "requirements[0].forbids[1]", "is 'np.mean'", "dot_general"),
    (JAX, "{forbids: []}", "requirements[0].forbids", "is empty", "at least 1"),
    (JAX, "{max_temporary_memory: {}}", "requirements[0].max_temporary_memory", "gives no amount", "`{mib: 1}`"),
    (JAX, "{max_temporary_memory: {mib: 1, ratio: 1}}", "requirements[0].max_temporary_memory", "two ways", "write"),
    (JAX, "{max_temporary_memory: {mb: 1}}", "requirements[0].max_temporary_memory.mb",
     "not a known key", "mib, ratio"),
    (JAX, "{max_flops_ratio: 0}", "requirements[0].max_flops_ratio", "is 0", "more than 0"),
    (JAX, "{kernel: {}}", "requirements[0].kernel", "needs pallas", "add pallas to frameworks"),
    (PALLAS, "{kernel: {through: [x, z]}}", "requirements[0].kernel.through[1]", "not a traced parameter", "of x, y"),
    (PALLAS, "{kernel: {max_block_bytes: 0}}", "requirements[0].kernel.max_block_bytes", "is 0", "at least 1"),
    (PALLAS, "{kernel: {blocks: 1}}", "requirements[0].kernel.blocks", "not a known key", "max_kernels, max_reads"),
    (JAX, "{calls: backward, count: 1}", "requirements[0].calls", "needs torch", "add torch to frameworks"),
    (JAX, "{calls: backwards, count: 1}", "requirements[0].calls", "did you mean backward?", "use one of autocast"),
    (PROBLEM, "{max_equations: 9}", "requirements[0].max_equations", "needs jax", "add jax to frameworks"),
    (JAX.replace("leaves: jax", "leaves: numpy"), "{max_equations: 9}", "parameters[3].leaves", "is numpy", "use jax"),
    (JAX.replace("float, static: true", "str"), "{max_equations: 9}", "parameters[2].static", "a text", "add"),
]  # fmt: skip
# what takes the place of the first line of the case `large`, key, words of the message
BROKEN_CASES = [
    ("  - name: large\n    repeat: 3\n", "cases[1].repeat", "is given for a case that is not sealed"),
    ("  - name: large\n    sealed: true\n    repeat: 1\n", "cases[1].repeat", "is 1"),
    ("  - name: large\n    sealed: true\n    repeat: 499\n", "cases", "makes 501 cases in all"),
    ("  - name: large\n    sealed: true\n    visibility: sample\n", "cases[1].sealed", "is given for a sample"),
    (SEALED.replace("large", "a") + "    inputs: {x: {draw: normal, shape: [1]}, y: [[1, 2]]}\n  - name: a_2\n",
     "cases[1].repeat", "makes a case a_2, which is the name of cases[2]"),
    (SEALED.replace("large", "b") + "    inputs: {x: [1], y: [[1, 2]], scale: 1, options: {}}\n  - name: large\n",
     "cases[1].repeat", "nothing in these inputs is drawn"),
]  # fmt: skip


def sealed_package() -> Package:
    return make_package(problem=JAX.replace("  - name: large\n", SEALED))


@pytest.mark.parametrize(("problem", "requirement", "key", "message", "remedy"), BROKEN, ids=[row[1] for row in BROKEN])
def test_a_broken_requirement_names_key_value_and_remedy(
    problem: str, requirement: str, key: str, message: str, remedy: str
) -> None:
    text = f"{problem}requirements:\n  - {requirement}\n"

    faults = {fault.key: fault for fault in faults_of(make_files(problem=text))}

    assert message in faults[key].message
    assert remedy in faults[key].remedy
    assert faults[key].line == (text.count("\n") if key.startswith("requirements") else faults[key].line)


@pytest.mark.parametrize(("head", "key", "message"), BROKEN_CASES, ids=[row[2] for row in BROKEN_CASES])
def test_a_case_that_can_not_be_sealed_or_repeated_says_why(head: str, key: str, message: str) -> None:
    faults = faults_of(make_files(problem=JAX.replace("  - name: large\n", head)))

    assert message in {fault.key: fault.message for fault in faults}[key]


def test_requirements_on_programs_do_not_go_with_a_driver() -> None:
    text = f"{JAX}requirements:\n  - {{max_equations: 9}}\n"

    faults = faults_of(make_files({"driver.py": "def run(solution, inputs):\n    ...\n"}, problem=text))

    told = [f"{fault.key} {fault.message}" for fault in faults]
    assert told == [
        "requirements[0].max_equations needs the program of a plain function, without `answer`, arguments.py and "
        "driver.py"
    ]


def test_an_array_is_never_static() -> None:
    text = JAX.replace("{name: x, type: jax,", "{name: x, static: true, type: jax,")

    assert (
        "is given for type jax, which is traced"
        in {f.key: f.message for f in faults_of(make_files(problem=text))}["parameters[0].static"]
    )


def test_a_repeated_case_is_many_plain_ones_each_with_draws_of_its_own() -> None:
    manifest = sealed_package().manifest

    drawn = [draw_inputs(manifest, case, b"secret", 0)["x"] for case in manifest.cases[1:4]]

    assert [case.name for case in manifest.cases] == ["small", "large_1", "large_2", "large_3", "made"]
    assert [case.repeat for case in manifest.cases] == [None] * 5
    assert not any(np.array_equal(drawn[0], other) for other in drawn[1:])


def test_a_manifest_with_requirements_is_the_same_after_it_was_stored() -> None:
    text = (
        JAX.replace("  - name: large\n", SEALED) + "requirements:\n  - {uses: scan, length: N}\n  - {forbids: [sort]}\n"
    )
    manifest = make_package(problem=text).manifest

    again = Manifest.model_validate(manifest.model_dump(mode="json", by_alias=True))

    assert again == manifest
    assert again.asks_for_programs


def test_the_schema_knows_the_requirements() -> None:
    validator = jsonschema_rs.validator_for(manifest_schema())
    content = read_document("problem.yaml", JAX).content or {}

    assert validator.is_valid(content | {"requirements": [{"uses": "scan", "length": "N"}, {"calls": "backward"}]})
    assert not validator.is_valid(content | {"requirements": [{"uses": "loop"}]})
    assert not validator.is_valid(content | {"requirements": [{"max_equations": "9"}]})


def test_pallas_implies_jax() -> None:
    assert make_package(problem=PALLAS).manifest.frameworks == ("pallas", "jax")
    assert make_package(problem=JAX.replace("[jax]", "[jax, pallas]")).manifest.frameworks == ("jax", "pallas")
