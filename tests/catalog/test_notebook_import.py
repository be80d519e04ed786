"""A notebook with asserts becomes a package. Nothing of it is run."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.catalog.importing.notebook import read_notebook
from app.catalog.importing.package_writer import ImportedPackage
from app.catalog.importing.program import ImportRefused
from app.catalog.package import Package, package_from_files
from tests.catalog.test_import_types import observe

Cells = list[tuple[str, str, dict[str, Any]]]
NBGRADER: Cells = [
    ("markdown", "# Homework\n## Scale\nMultiply a vector with a factor.", {}),
    ("code", "%matplotlib inline\nimport numpy as np", {}),
    (
        "code",
        'def scale(x, factor):\n    """Multiply."""\n'
        "    ### BEGIN SOLUTION\n    return x * factor\n    ### END SOLUTION",
        {"nbgrader": {"grade": False, "solution": True}},
    ),
    (
        "code",
        "x = np.array([1.0, 2.0])\nassert np.allclose(scale(x, 2.0), [2.0, 4.0])\n### BEGIN HIDDEN TESTS\n"
        "np.testing.assert_allclose(scale(np.array([3.0]), -1.0), np.array([-3.0]))\n### END HIDDEN TESTS",
        {"nbgrader": {"grade": True, "points": 2}},
    ),
]
OTTER: Cells = [
    ("markdown", "# BEGIN QUESTION\nname: q1\npoints: 2", {}),
    ("markdown", "**Question 1.** Count the even numbers.", {}),
    ("code", "import otter\ngrader = otter.Notebook()", {}),
    (
        "code",
        "def count_even(numbers):\n    count = sum(n % 2 == 0 for n in numbers) # SOLUTION\n    return count",
        {},
    ),
    ("code", "# TEST\nassert count_even([1, 2, 4]) == 2", {}),
    ("code", "# HIDDEN TEST\nassert abs(count_even([]) - 0) < 1e-9\nassert count_even(range(3)) == 2", {}),
    ("code", "grader.check('q1')", {}),
]


TWICE = "def twice(x):\n    return 2 * x"


def text_of(cells: Cells) -> str:
    listed = [
        {"cell_type": kind, "source": source.splitlines(keepends=True), "metadata": metadata}
        for kind, source, metadata in cells
    ]
    return json.dumps({"cells": listed, "nbformat": 4, "metadata": {}})


def notebook(path: Path, cells: Cells) -> Path:
    path.write_text(text_of(cells))
    return path


def import_code(tmp_path: Path, *sources: str) -> ImportedPackage:
    """Import a notebook of these cells of code."""
    return read_notebook(notebook(tmp_path / "plain.ipynb", [("code", source, {}) for source in sources]), observe)


def load(imported: ImportedPackage) -> Package:
    return package_from_files(imported.slug, {path: text.encode() for path, text in imported.files.items()})


def test_nbgraders_marks_make_the_starter_and_the_hidden_cases(tmp_path: Path) -> None:
    imported = read_notebook(notebook(tmp_path / "scale_it.ipynb", NBGRADER), observe)

    package = load(imported)
    assert (package.slug, package.manifest.entry_point) == ("scale_it", "scale")
    assert [case.visibility for case in package.manifest.cases] == ["sample", "hidden"]
    assert package.manifest.parameters[0].type == "numpy"
    assert imported.answers == {"case_1": [2.0, 4.0], "case_2": [-3.0]}
    assert "return x * factor" in package.reference
    assert "import numpy as np" in package.reference
    assert "SOLUTION" not in package.reference
    assert "x * factor" not in package.starter
    assert "raise NotImplementedError" in package.starter
    assert "Multiply a vector with a factor." in package.statement
    assert any("points" in line for line in imported.left_out)
    assert "set summary, difficulty, estimated_minutes, license: the notebook does not have them" in imported.todo


def test_otters_marks_do_so_too(tmp_path: Path) -> None:
    imported = read_notebook(notebook(tmp_path / "even.ipynb", OTTER), observe)

    package = load(imported)
    assert package.manifest.entry_point == "count_even"
    assert [(case.name, case.visibility) for case in package.manifest.cases] == [
        ("case_1", "sample"),
        ("case_2", "hidden"),
    ]
    assert imported.answers == {"case_1": 2, "case_2": 0}
    assert any("case_3: its argument numbers is or holds a range" in line for line in imported.left_out)
    assert "otter" not in package.reference
    assert "name: q1" not in package.statement
    assert "sum(n % 2" not in package.starter


def test_a_plain_notebook_shows_its_first_tests(tmp_path: Path) -> None:
    imported = import_code(tmp_path, TWICE, "assert twice(1) == 2\nassert twice(2) == 4\nassert twice(3) == 6")

    assert [case.visibility for case in load(imported).manifest.cases] == ["sample", "sample", "hidden"]
    assert any("choose the samples" in line for line in imported.todo)


REFUSED = {
    "no notebook": ("{}", "is not a notebook of format 4"),
    "no assert": (json.dumps({"cells": []}), "no cell defines a function that a later cell asserts about"),
    "no literal": (
        json.dumps({"cells": [{"cell_type": "code", "source": "def f(x): return x\nassert f(g()) == 1"}]}),
        "case_1: NameError: name 'g' is not defined",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_notebook_that_can_not_become_a_package_is_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    text, message = REFUSED[name]
    (tmp_path / "n.ipynb").write_text(text)

    with pytest.raises(ImportRefused) as refused:
        read_notebook(tmp_path / "n.ipynb", observe)

    assert message in str(refused.value)


def test_only_the_answer_itself_has_an_expected_value(tmp_path: Path) -> None:
    asserts = ("twice([1, 2]).shape == (2,)", "twice([3, 4]) - 1 == 7", "len(twice([5, 6])) == 2", "twice([7, 8]) == 3")
    imported = import_code(tmp_path, TWICE, "\n".join(f"assert {each}" for each in asserts))

    assert imported.answers == {"case_4": 3}


def test_asserts_inside_a_loop_are_listed_as_left_out(tmp_path: Path) -> None:
    imported = import_code(tmp_path, TWICE, "assert twice(1) == 2\nfor n in range(3):\n    assert twice(n) == n + n")

    assert "`for n in range(3):`: asserts inside a block" in imported.left_out


def test_imports_of_other_cells_are_kept_where_their_names_are_used(tmp_path: Path) -> None:
    imported = import_code(
        tmp_path,
        "import tkinter, numpy.linalg as la\nfrom math import sqrt as root",
        "def norm(x):\n    return root(sum(n * n for n in x))",
        "import numpy as np",
        "assert norm(np.diag(la.inv(np.eye(2)))) > 1",
    )

    package = load(imported)
    head = "import numpy.linalg as la\nfrom math import sqrt as root\nimport numpy as np\n\n\ndef norm(x):"
    assert package.reference.startswith(head)
    assert "    import numpy.linalg as la\n    import numpy as np\n" in (package.generators or "")
    assert not imported.left_out[1:]


def test_a_function_that_draws_is_marked_as_random(tmp_path: Path) -> None:
    imported = import_code(
        tmp_path, "import random", "def noisy(x):\n    return x + random.random()", "assert noisy(1.0) > 0"
    )

    assert load(imported).manifest.deterministic is False
    assert any("compare random answers" in line for line in imported.todo)


def test_arguments_that_are_no_literals_become_generators(tmp_path: Path) -> None:
    imported = import_code(
        tmp_path,
        "import numpy as np\ndef twice(x):\n    return 2 * x",
        "n = 3\nx = np.arange(n) / n\nassert twice(x).shape == (n,)\nassert np.allclose(twice(x * 0), 0)",
        "assert twice(range(3)) is None",
    )

    package = load(imported)
    assert [case.generate for case in package.manifest.cases] == ["case_1", "case_2"]
    assert package.manifest.parameters[0].dtype == package.manifest.returns.dtype == "float64"
    assert "x = np.arange(n) / n" in (package.generators or "")
    assert "assert" not in (package.generators or "")
    assert any(line.startswith("case_3: ") for line in imported.left_out)


def test_cases_take_their_types_from_the_calls(tmp_path: Path) -> None:
    imported = import_code(
        tmp_path,
        "import numpy as np",
        "def f(x, k=2):\n    return np.float32(k) * x",
        "assert np.allclose(f(np.array([1, 2], dtype=np.float32)), [2, 4])",
        "n = 4\nassert np.allclose(f(np.zeros(n, dtype=np.float32), 3), [0, 0, 0, 0])",
        "assert f(nothing) is None",
    )

    manifest = load(imported).manifest
    assert [(each.type, each.shape, each.dtype) for each in manifest.parameters] == [
        ("numpy", ("X_0",), "float32"),
        ("int", None, None),
    ]
    assert (manifest.returns.type, manifest.returns.shape, manifest.returns.dtype) == ("numpy", ("X_0",), "float32")
    assert [case.generate for case in manifest.cases] == [None, "case_2"]
    assert "n = 4" in imported.files["cases.py"]
    assert any(line.startswith("case_3: NameError") for line in imported.left_out)
