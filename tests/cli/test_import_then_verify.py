"""An imported package passes `problem verify` after its author did what the import lists as to do, and no more."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.catalog.test_notebook_import import NBGRADER, text_of
from tests.cli.test_commands import allclose
from tests.cli.test_problem_import import KATTIS, LITERAL, lay

SECTIONS = """## Why this matters

Weights turn up wherever some examples count more than others.

## Worked example

The first sample shows it.

## Common pitfalls

- **The order.** Each number belongs to its place.

"""


@dataclass(frozen=True, slots=True)
class Source:
    """A source to import, and what its author then does: texts of the manifest to replace, and files to write."""

    form: str
    files: Mapping[str, str]
    name: str
    manifest: Mapping[str, str]
    written: Mapping[str, str]


WRONG = '"""Mistake: {mistake}."""\n\n'
# What an author writes for the exercise that multiplies numbers by a factor.
SCALED = {
    "statement.md": SECTIONS + "## Problem\n\nWrite `scale(x, factor)`: the numbers of `x` times `factor`.\n\n"
    "## Output\n\nThe same shape and dtype.\n",
    "submissions/accepted/divided.py": "def scale(x, factor):\n    return x / (1 / factor)\n",
    "submissions/wrong_answer/stand_in.py": WRONG.format(mistake="divides by the factor")
    + "def scale(x, factor):\n    return x / factor\n",
    "submissions/wrong_answer/added.py": WRONG.format(mistake="adds the factor")
    + "def scale(x, factor):\n    return x + factor\n",
}
SOURCES = [
    Source(
        form="tests",
        files={f"scale/{path}": text for path, text in LITERAL.items()},
        name="scale",
        manifest={"TODO: describe the result.": "the scaled numbers"},
        written=SCALED,
    ),
    Source(
        form="kattis",
        files={f"addup/{path}": text for path, text in KATTIS.items()},
        name="addup",
        manifest={"difficulty: intermediate": "difficulty: beginner"},
        written={
            "statement.md": SECTIONS + "## Problem\n\nWrite `main()`, which reads numbers and prints their mean.\n\n"
            "## Inputs\n\nFirst $n$, then the numbers.\n\n## Output\n\nThe mean.\n",
            "submissions/runtime_error/whole.py": WRONG.format(mistake="reads whole numbers only")
            + "def main():\n    n = int(input())\n    print(sum(map(int, input().split())) / n)\n",
            "submissions/wrong_answer/sums.py": WRONG.format(mistake="prints the sum")
            + "def main():\n    input()\n    print(sum(map(float, input().split())))\n",
        },
    ),
    Source(
        form="notebook",
        files={"scale_it.ipynb": text_of(NBGRADER)},
        name="scale_it.ipynb",
        manifest={
            "TODO: describe the result.": "the scaled numbers",
            "estimated_minutes: 20": "estimated_minutes: 5\nlicense: CC-BY-4.0",
            "x: [3.0]\n      factor: -1.0": "x: {draw: normal, shape: [100]}\n"
            "      factor: {draw: uniform, low: 2, high: 9}",
        },
        written=SCALED,
    ),
]
COMMON = {"TODO: describe the problem in one line.": "A small exercise of arithmetic."}


@pytest.mark.whole
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.form)
def test_after_the_todos_the_package_is_verified(tmp_path: Path, source: Source) -> None:
    lay(tmp_path / "source", source.files)
    target = tmp_path / "package"
    imported = allclose("problem", "import", source.form, tmp_path / "source" / source.name, "--to", target)
    assert imported.returncode == 0, imported.stdout + imported.stderr

    manifest = re.sub(r"(?m)^# .*\n", "", (target / "problem.yaml").read_text())
    for before, after in {**COMMON, **source.manifest}.items():
        manifest = manifest.replace(before, after)
    lay(target, {**source.written, "problem.yaml": manifest})
    verified = allclose("problem", "verify", target)

    assert verified.returncode == 0, verified.stdout + verified.stderr
