"""The command `allclose problem verify`."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.catalog.package import load_package
from app.catalog.verification_report import Report
from app.catalog.verified import list_changed
from app.cli.main import app
from app.errors import NotFound
from tests.cli.test_judge import allclose
from tests.verification.bench import PACKAGES


@pytest.fixture
def unreadable(tmp_path: Path) -> Path:
    """Make a package with an unknown key and a wrong value, which contains a terminal's colour code."""
    text = (PACKAGES / "running_mean" / "problem.yaml").read_text()
    package = tmp_path / "running_mean"
    package.mkdir()
    wrong = 'difficulty: "\\e[31mred"\ndificulty: easy'
    (package / "problem.yaml").write_text(text.replace("difficulty: beginner", wrong))
    return package


def verify(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["problem", "verify", *map(str, arguments)])


def test_a_right_package_ends_with_0_a_line_for_each_check_and_a_page(tmp_path: Path) -> None:
    page = tmp_path / "report.html"

    verified = allclose(
        "problem", "verify", PACKAGES / "running_mean", "--quick", "--mutants", "2", "--html", page, folder=tmp_path
    )

    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "✓  known submissions" in verified.stdout
    assert "running_mean passed" in verified.stdout
    assert "running_mean" in page.read_text()


def test_a_package_that_can_not_be_read_ends_with_1_and_its_faults(unreadable: Path) -> None:
    verified = verify(unreadable)

    assert verified.exit_code == 1
    assert "problem.yaml:3: difficulty is" in verified.output
    assert "problem.yaml:4: dificulty" in verified.output
    assert "\x1b" not in verified.output


def test_such_a_package_has_a_report_like_any_other(unreadable: Path) -> None:
    report = Report.model_validate_json(verify(unreadable, "--json").output)

    assert not report.passed
    assert {finding.line for finding in report.findings} == {3, 4}
    assert [line.mark for line in report.checks] == ["failed", *["skipped"] * 7]


def test_a_faulty_file_does_not_stop_the_checks_of_the_others(unreadable: Path) -> None:
    text = (PACKAGES / "running_mean" / "problem.yaml").read_text()
    (unreadable / "problem.yaml").write_text(text)
    submissions = unreadable / "submissions" / "wrong_answer"
    submissions.mkdir(parents=True)
    (submissions / "broken.py").write_text('"""Mistake: it is not Python."""\n\ndef running_mean(x:\n')
    (unreadable / "notes.txt").write_text("to do")

    verified = verify(unreadable, "--quick", "--mutants", "0", "--json")

    report = Report.model_validate_json(verified.stdout)
    assert verified.exit_code == 1
    assert not report.passed
    assert [line.check for line in report.checks if line.mark in ("failed", "skipped")] == ["lint"]
    errors = [finding for finding in report.findings if finding.severity == "error"]
    assert [(finding.file, finding.line) for finding in errors] == [
        ("notes.txt", None),
        ("submissions/wrong_answer/broken.py", 3),
    ]


def test_an_unchanged_package_that_passed_is_not_verified_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = tmp_path / "problems"
    shutil.copytree(PACKAGES / "running_mean", problems / "running_mean")
    monkeypatch.setenv("ALLCLOSE_PROBLEMS", str(problems))
    monkeypatch.chdir(tmp_path)

    first, second = verify("problems/running_mean", "--record"), verify("--all", "--record")
    samples = load_package(problems / "running_mean").samples
    manifest = problems / "running_mean" / "problem.yaml"
    manifest.write_text(manifest.read_text().replace("Running means", "Running averages"))

    assert (first.exit_code, second.exit_code) == (0, 0), first.output
    assert "running_mean passed" in first.output
    assert "running_mean is unchanged since it passed" in second.output
    assert "running_mean passed" not in second.output
    assert samples is not None
    assert samples.previews
    assert second.output.count("recorded its samples") == 0
    assert list_changed(problems) == ["running_mean"]


def test_only_a_whole_verification_can_be_recorded() -> None:
    assert verify("running_mean", "--quick", "--record").exit_code == 2


@pytest.mark.parametrize("command", ["verify", "preview", "publish"])
def test_a_path_that_is_no_package_is_called_so(command: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no package")

    folder, file = (
        CliRunner().invoke(app, ["problem", command, str(path)]) for path in (tmp_path, tmp_path / "notes.txt")
    )

    assert isinstance(folder.exception, NotFound)
    assert "has no problem.yaml" in str(folder.exception)
    assert isinstance(file.exception, NotFound)
    assert "is not a package: give a folder" in str(file.exception)


def test_a_single_yaml_file_is_a_package(unreadable: Path) -> None:
    single = (unreadable / "problem.yaml").rename(unreadable.parent / "means.yaml")

    report = Report.model_validate_json(verify(single, "--json").output)

    assert (report.problem, {finding.line for finding in report.findings}) == ("means", {3, 4})


def test_a_command_without_packages_is_a_usage_error() -> None:
    assert verify().exit_code == 2
