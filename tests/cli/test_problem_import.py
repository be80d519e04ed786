"""`allclose problem import`: a small source of each format becomes a package that loads and judges."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.catalog.package import load_package
from tests.cli.test_commands import allclose

KATTIS = {
    "problem.yaml": """source: Example Contest
license: cc by-sa
rights_owner: Jo Judge
validator_flags: float_tolerance 1e-6
limits: {memory: 512}
""",
    "problem_statement/problem.en.tex": r"""\problemname{Add Up}
% for judges only
What is the \emph{mean} of $x_1, \dots, x_n$?
\begin{itemize}
  \item Numbers may be negative.
\end{itemize}
\includegraphics{numbers.png}
\section*{Input}
First $n$, then the numbers.
\section*{Output}
The mean.
""",
    "data/sample/1.in": "3\n1 2 4\n",
    "data/sample/1.ans": "2.3333333333\n",
    "data/secret/group1/one.in": "1\n-7.5\n",
    "data/secret/group1/one.ans": "-7.5\n",
    "data/secret/two.in": "2\n1e3 3\n",
    "data/secret/two.ans": "501.5\n",
    "submissions/accepted/script.py": """#!/usr/bin/env python3
import sys

n = int(sys.stdin.readline())
numbers = [float(word) for word in input().split()]
print(sum(numbers) / n)
if __name__ == "__main__":
    sys.exit(0)
""",
    "submissions/accepted/with_main.py": """def main():
    n = int(input())
    print(f"{sum(map(float, input().split())) / n:.10f}")


if __name__ == "__main__":
    main()
""",
    "submissions/accepted/fast.cpp": "int main() {}\n",
    "submissions/wrong_answer/rounds.py": "# Divides without a remainder.\nn = int(input())\n"
    "print(sum(map(float, input().split())) // n)\n",
    "submissions/run_time_error/whole.py": "n = int(input())\nprint(sum(map(int, input().split())) / n)\n",
}
LITERAL = {
    "problem.md": "# Scale\nMultiply a vector with a factor.\n",
    "solution.py": 'import numpy as np\n\n\ndef scale(x, factor=1.0):\n    """Multiply."""\n    return x * factor\n',
    "tests.json": """[
  {"test": "print(scale(np.array([1.0, 2.0]), 2.0))", "expected_output": "[2. 4.]", "public": true},
  {"test": "scale(np.array([0.5]), factor=-1.0)", "expected_output": "[-0.5]"},
  {"test": "scale(np.zeros(3), 2.0)", "expected_output": "[0. 0. 0.]"}
]
""",
}


def lay(folder: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def verdict(package: Path, known: str) -> str:
    """The last line of what judging one of its own submissions prints."""
    judged = allclose("judge", package, package / "submissions" / f"{known}.py", "--json")
    return str(json.loads(judged.stdout)["verdict"])


@pytest.mark.whole
def test_a_kattis_package_judges_its_own_programs_by_its_own_tolerance(tmp_path: Path) -> None:
    source, target = lay(tmp_path / "addup", KATTIS), tmp_path / "mean_of_numbers"

    imported = allclose("problem", "import", "kattis", source, "--to", target)

    assert imported.returncode == 0, imported.stdout + imported.stderr
    assert "returns all 3 answers of the source" in imported.stdout
    assert "fast.cpp: it is not Python" in imported.stdout
    assert "`pandoc -f latex -t markdown` converts" in imported.stdout
    package = load_package(target)
    assert (package.manifest.title, package.manifest.license) == ("Add Up", "CC-BY-SA-4.0, Jo Judge")
    assert package.manifest.limits.memory_mib == 512
    assert [case.visibility for case in package.manifest.cases] == ["sample", "hidden", "hidden"]
    assert "## Inputs\n\nFirst $n$, then the numbers." in package.statement
    assert "for judges only" not in package.statement
    assert "# TODO: " in (target / "problem.yaml").read_text()
    assert verdict(target, "accepted/with_main") == "accepted"
    assert verdict(target, "wrong_answer/rounds") == "wrong_answer"
    assert verdict(target, "runtime_error/whole") == "runtime_error"


def test_programs_named_py3_are_taken_and_missing_hidden_data_is_said(tmp_path: Path) -> None:
    files = {
        "problem.yaml": "name: Add two\nlicense: cc0\n",
        "data/sample/1.in": "1 2\n",
        "data/sample/1.ans": "3\n",
        "submissions/accepted/add.py": "print(sum(map(int, input().split())))\n",
        "submissions/accepted/add.py3": "a, b = map(int, input().split())\nprint(a + b)\n",
        "submissions/accepted/old.py2": "print input()\n",
    }
    target = tmp_path / "target"

    imported = allclose("problem", "import", "kattis", lay(tmp_path / "addtwo", files), "--to", target)

    assert imported.returncode == 0, imported.stderr
    assert "add hidden cases: there is no hidden data" in imported.stdout
    assert "old.py2: it is Python 2" in imported.stdout
    assert {path.name for path in (target / "submissions/accepted").iterdir()} == {"add.py", "add_py3.py"}


@pytest.mark.whole
def test_answers_that_the_solution_does_not_give_are_named(tmp_path: Path) -> None:
    tests = '{"fn_name": "scale", "inputs": [[[1, 2], 2], [[3], 2]], "outputs": [[1, 2, 1, 2], [6]]}'
    source = lay(tmp_path / "scale", {**LITERAL, "tests.json": tests})

    imported = allclose("problem", "import", "tests", source, "--to", tmp_path / "scaled")

    assert imported.returncode == 1
    assert "case_2: the solution returns [3, 3], the source has [6]" in imported.stdout
    assert "case_1:" not in imported.stdout.partition("To do")[0]


def test_nothing_of_a_source_is_run_on_the_machine(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    hostile = f"open({str(ran)!r}, 'w')\n{LITERAL['solution.py']}"
    source = lay(tmp_path / "scale", {**LITERAL, "solution.py": hostile})

    imported = allclose("problem", "import", "tests", source, "--to", tmp_path / "scaled")

    assert imported.returncode == 2
    assert "the solution answers no test: case_1: FileNotFoundError" in imported.stderr
    assert not ran.exists()


@pytest.mark.parametrize(
    ("form", "changes", "words"),
    [
        ("kattis", {"problem.yaml": "type: interactive\n"}, "interactive, which does not map"),
        pytest.param(
            "kattis",
            {"data/sample/1.in": None},
            "put one there that students may see",
            marks=pytest.mark.whole,
        ),
        pytest.param(
            "kattis",
            {"submissions/accepted/script.py": None, "submissions/accepted/with_main.py": None},
            "in Python 3",
            marks=pytest.mark.whole,
        ),
        ("tests", {}, "lacks the solution"),
        ("polygon", {}, "kattis, notebook, tests"),
    ],
)
def test_a_source_that_can_not_be_imported_is_refused_with_the_reason(
    tmp_path: Path, form: str, changes: dict[str, str | None], words: str
) -> None:
    files = {path: text for path, text in {**KATTIS, **changes}.items() if text is not None}
    source = lay(tmp_path / "addup", files)

    refused = allclose("problem", "import", form, source, "--to", tmp_path / "target")

    assert refused.returncode == 2
    assert words in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (tmp_path / "target").exists()
