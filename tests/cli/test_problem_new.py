"""`allclose problem new`: what it writes loads, and says what its author must write."""

import json
import subprocess
from pathlib import Path

import jsonschema_rs
import pytest

from app.catalog.manifest import manifest_schema
from app.catalog.package import load_package
from app.catalog.verification_report import Report
from app.catalog.yaml_document import read_document
from app.settings import ROOT
from tests.cli.test_commands import allclose

SCHEMA_LINE = "# yaml-language-server: $schema=http://127.0.0.1:8000/schema/problem.json\n"


def new(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return allclose("problem", "new", *arguments, "--folder", folder)


def require_schema(package: Path) -> None:
    text = (package / "problem.yaml").read_text()
    assert text.startswith(SCHEMA_LINE)
    jsonschema_rs.validator_for(manifest_schema()).validate(read_document("problem.yaml", text).content)


def test_a_new_package_verifies_as_written(tmp_path: Path) -> None:
    written = new(tmp_path, "my_problem")

    assert written.returncode == 0, written.stderr
    assert load_package(tmp_path / "my_problem").manifest.title == "My problem"
    require_schema(tmp_path / "my_problem")
    verified = allclose("problem", "verify", tmp_path / "my_problem", "--json")
    report = Report.model_validate_json(verified.stdout)
    assert (report.passed, verified.returncode) == (True, 0), report.findings
    assert {finding.severity for finding in report.findings} <= {"note"}


@pytest.mark.parametrize("slug", ["runge_kutta_4", pytest.param("microbatched_grads", marks=pytest.mark.whole)])
def test_a_package_like_another_one_judges_as_that_one_does(tmp_path: Path, slug: str) -> None:
    written = new(tmp_path, "mine", "--like", slug)

    assert written.returncode == 0, written.stderr
    own, other = load_package(tmp_path / "mine"), load_package(ROOT / "problems" / slug)
    require_schema(tmp_path / "mine")
    assert own.manifest.title == "Mine"
    for field in ("cases", "parameters", "requirements", "checkers"):
        assert getattr(own.manifest, field) == getattr(other.manifest, field)
    assert (own.reference, own.driver, own.submissions) == (other.reference, other.driver, other.submissions)
    known = tmp_path / "mine" / "submissions" / "wrong_answer"
    judged = allclose("judge", tmp_path / "mine", min(known.iterdir()), "--json")
    assert json.loads(judged.stdout)["verdict"] == "wrong_answer"


def test_a_package_like_another_one_has_none_of_its_texts_and_says_what_to_write(tmp_path: Path) -> None:
    new(tmp_path, "mine", "--like", "runge_kutta_4")

    own = load_package(tmp_path / "mine")
    assert (own.editorial, own.manifest.track, own.manifest.hints, own.manifest.quiz) == (None, None, (), ())
    assert {path for path in own.files if not path.endswith(".py")} == {"problem.yaml", "statement.md"}
    refused = allclose("problem", "verify", tmp_path / "mine")
    assert refused.returncode == 1
    assert "error  statement.md:3: contains TODO" in refused.stdout
    assert "error  problem.yaml:" in refused.stdout


def test_a_package_in_one_file_outside_the_catalogue_can_be_named_by_its_path(tmp_path: Path) -> None:
    written = new(tmp_path, "mine", "--like", ROOT / "tests" / "kinds" / "class_plain")

    assert written.returncode == 0, written.stderr
    own = load_package(tmp_path / "mine")
    assert own.manifest.answer.kind == "class"
    assert own.statement.count("TODO") == 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mine", "--like", "nonsense"), ("no problem 'nonsense'", "runge_kutta_4")),
        (("Not a slug",), ("can't be a slug",)),
        (("taken",), ("exists already",)),
    ],
)
def test_a_package_that_can_not_be_made_is_refused_and_nothing_is_written(
    tmp_path: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    (tmp_path / "taken").mkdir()

    refused = new(tmp_path, *arguments)

    assert refused.returncode == 2
    assert all(each in refused.stderr for each in words)
    assert list(tmp_path.rglob("*")) == [tmp_path / "taken"]


def test_the_schema_is_printed() -> None:
    printed = allclose("problem", "schema")

    assert printed.returncode == 0
    assert json.loads(printed.stdout) == manifest_schema()
