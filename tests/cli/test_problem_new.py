"""`allclose problem new`: what it writes loads, and judges rightly as it is."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest

from app.catalog.package import load_package
from app.catalog.schema import manifest_schema
from app.catalog.template.exercise import KINDS
from app.catalog.verification_report import Report
from app.catalog.yaml_document import read_document
from app.settings import ROOT
from tests.cli.test_commands import allclose


def new(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return allclose("problem", "new", *arguments, "--folder", folder)


@pytest.mark.parametrize(
    "framework", ["jax", *(pytest.param(name, marks=pytest.mark.whole) for name in ("numpy", "torch", "flax", "optax"))]
)
def test_the_exercise_of_every_framework_loads_and_fits_the_schema(tmp_path: Path, framework: str) -> None:
    written = new(tmp_path, "my_problem", "--framework", framework, "--title", "Mine: a # title", "--yes")

    assert written.returncode == 0, written.stderr
    package = load_package(tmp_path / "my_problem")
    assert package.manifest.title == "Mine: a # title"
    assert package.manifest.entry_point == "my_problem"
    assert sum(known.verdict == "accepted" for known in package.submissions) >= 2
    assert all(known.source.startswith('"""Mistake: ') for known in package.submissions if known.verdict != "accepted")
    text = (tmp_path / "my_problem" / "problem.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=http://127.0.0.1:8000/schema/problem.json\n")
    jsonschema_rs.validator_for(manifest_schema()).validate(read_document("problem.yaml", text).content)


@pytest.mark.parametrize(
    "kind",
    [kind if kind == "class" else pytest.param(kind, marks=pytest.mark.whole) for kind in KINDS],
)
def test_every_kind_of_answer_has_an_exercise_that_loads_and_fits_the_schema(tmp_path: Path, kind: str) -> None:
    written = new(tmp_path, "my_problem", "--kind", kind, "--title", "Mine", "--yes")

    assert written.returncode == 0, written.stderr
    package = load_package(tmp_path / "my_problem")
    assert package.manifest.entry_point == ("MyProblem" if kind == "class" else "my_problem")
    assert (package.runner is None) is (kind in ("any_rank", "efficiency"))
    assert sum(known.verdict == "accepted" for known in package.submissions) >= 2
    text = (tmp_path / "my_problem" / "problem.yaml").read_text()
    jsonschema_rs.validator_for(manifest_schema()).validate(read_document("problem.yaml", text).content)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--kind", "clas"], "not one of class"),
        pytest.param(["--kind", "class", "--framework", "jax"], "leave out --framework", marks=pytest.mark.whole),
    ],
)
def test_a_kind_that_can_not_be_used_is_named(tmp_path: Path, options: list[str], words: str) -> None:
    refused = new(tmp_path, "mine", *options, "--yes")

    assert refused.returncode == 2
    assert words in refused.stderr


def test_the_exercise_verifies_as_written(tmp_path: Path) -> None:
    new(tmp_path, "mine", "--framework", "numpy", "--yes")

    verified = allclose("problem", "verify", tmp_path / "mine", "--json")

    report = Report.model_validate_json(verified.stdout)
    assert (report.passed, verified.returncode) == (True, 0), report.findings
    assert {finding.severity for finding in report.findings} <= {"note"}


@pytest.mark.whole
@pytest.mark.parametrize("framework", ["numpy", "jax", "torch"])
def test_an_exercise_for_other_parameters_judges_its_own_submissions_rightly(tmp_path: Path, framework: str) -> None:
    wanted = "x: float32[N, D], k: int32[N], scale: float, n: int"

    new(tmp_path, "mine", "--framework", framework, "--parameters", wanted, "--yes")

    package = load_package(tmp_path / "mine")
    assert [parameter.name for parameter in package.manifest.parameters] == ["x", "k", "scale", "n"]
    for known in ("accepted/with_norms", "wrong_answer/last_left_out"):
        judged = allclose("judge", tmp_path / "mine", tmp_path / "mine" / "submissions" / f"{known}.py", "--json")
        assert json.loads(judged.stdout)["verdict"] == known.partition("/")[0], judged.stdout


def test_questions_are_asked_until_the_answer_can_be_used(tmp_path: Path) -> None:
    answers = ["Not a slug", "standardise", "pandas", "numpy", "", "", "", "", "hard", "advanced", "", ""]
    command = [sys.executable, "-m", "app.cli", "problem", "new", "--folder", str(tmp_path)]

    asked = subprocess.run(command, input="\n".join(answers) + "\n", capture_output=True, text=True, cwd=ROOT)

    assert asked.returncode == 0, asked.stderr
    assert "can't be a slug" in asked.stderr
    assert "'pandas' is not one of numpy, jax" in asked.stderr
    assert load_package(tmp_path / "standardise").manifest.difficulty == "advanced"
    assert "allclose problem verify" in asked.stdout


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()

    refused = new(tmp_path, "mine", "--yes")

    assert refused.returncode == 2
    assert "exists already" in refused.stderr
    assert list((tmp_path / "mine").iterdir()) == []


def test_an_option_given_twice_is_refused(tmp_path: Path) -> None:
    refused = new(tmp_path, "mine", "--framework", "jax", "--framework", "torch", "--yes")

    assert refused.returncode == 2
    assert "--framework" in refused.stderr
    assert "given twice" in refused.stderr
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--framework", "pandas", "not one of numpy"),
        ("--parameters", "x: float32[N", "is not a parameter"),
        pytest.param("--parameters", "x: bool[N]", "takes numbers", marks=pytest.mark.whole),
        pytest.param("--parameters", "x: float32[N], x: float", "two names are equal", marks=pytest.mark.whole),
        pytest.param("--entry-point", "two words", "Python function", marks=pytest.mark.whole),
        pytest.param("--entry-point", "deviations", "choose another", marks=pytest.mark.whole),
        pytest.param("--minutes", "0", "from 1 to 1000", marks=pytest.mark.whole),
    ],
)
def test_an_option_that_can_not_be_used_is_named(tmp_path: Path, option: str, value: str, words: str) -> None:
    refused = new(tmp_path, "mine", option, value, "--yes")

    assert refused.returncode == 2
    assert words in refused.stderr
    assert "Traceback" not in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_schema_is_printed() -> None:
    printed = allclose("problem", "schema")

    assert printed.returncode == 0
    assert json.loads(printed.stdout) == manifest_schema()
