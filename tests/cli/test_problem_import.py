"""`allclose problem import`: a notebook becomes a package that loads, and its answers are compared."""

import json
from pathlib import Path

import pytest

from tests.catalog.test_notebook_import import NBGRADER, Cells, notebook
from tests.cli.test_commands import allclose


@pytest.mark.whole
def test_a_notebook_judges_its_own_solution(tmp_path: Path) -> None:
    source, target = notebook(tmp_path / "scale.ipynb", NBGRADER), tmp_path / "scaled"

    imported = allclose("problem", "import", source, "--to", target)

    assert imported.returncode == 0, imported.stdout + imported.stderr
    assert "returns all 2 answers of the notebook" in imported.stdout
    assert "# TODO: " in (target / "problem.yaml").read_text()
    judged = allclose("judge", target, target / "submissions/accepted/original.py", "--json")
    assert json.loads(judged.stdout)["verdict"] == "accepted"


@pytest.mark.whole
def test_answers_that_the_solution_does_not_give_are_named(tmp_path: Path) -> None:
    checks = "assert scale([1, 2], 2) == [1, 2, 1, 2]\nassert scale([3], 2) == [6]"
    source = notebook(tmp_path / "scale.ipynb", [*NBGRADER[:3], ("code", checks, {})])

    imported = allclose("problem", "import", source, "--to", tmp_path / "scaled")

    assert imported.returncode == 1
    assert "case_2: the solution returns [3, 3], the notebook has [6]" in imported.stdout
    assert "case_1:" not in imported.stdout.partition("To do")[0]


def test_nothing_of_a_notebook_is_run_on_the_machine(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    kind, solution, metadata = NBGRADER[2]
    hostile: Cells = [*NBGRADER[:2], (kind, f"open({str(ran)!r}, 'w')\n{solution}", metadata), NBGRADER[3]]

    imported = allclose("problem", "import", notebook(tmp_path / "n.ipynb", hostile), "--to", tmp_path / "scaled")

    assert imported.returncode == 2
    assert "the solution answers no test" in imported.stderr
    assert "case_1: FileNotFoundError" in imported.stderr
    assert not ran.exists()


def test_a_file_that_is_no_notebook_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x = 1\n")

    refused = allclose("problem", "import", tmp_path / "notes.txt", "--to", tmp_path / "target")

    assert refused.returncode == 2
    assert "notes.txt is not a notebook of format 4" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (tmp_path / "target").exists()
