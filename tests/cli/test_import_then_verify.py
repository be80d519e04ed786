"""An imported package passes `problem verify` after its author did what the import lists as to do, and no more."""

import re
from pathlib import Path

import pytest

from tests.catalog.test_notebook_import import NBGRADER, notebook
from tests.cli.test_commands import allclose

SECTIONS = """## Why this matters

Weights turn up wherever some examples count more than others.

## Worked example

The first sample shows it.

## Common pitfalls

- **The order.** Each number belongs to its place.

"""


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
CHANGED = {
    "TODO: describe the problem in one line.": "A small exercise of arithmetic.",
    "TODO: describe the result.": "the scaled numbers",
    "estimated_minutes: 20": "estimated_minutes: 5\nlicense: CC-BY-4.0",
    "x: [3.0]\n      factor: -1.0": "x: {draw: normal, shape: [100]}\n      factor: {draw: uniform, low: 2, high: 9}",
}


@pytest.mark.whole
def test_after_the_todos_the_package_is_verified(tmp_path: Path) -> None:
    target = tmp_path / "package"
    imported = allclose("problem", "import", notebook(tmp_path / "scale_it.ipynb", NBGRADER), "--to", target)
    assert imported.returncode == 0, imported.stdout + imported.stderr

    manifest = re.sub(r"(?m)^# .*\n", "", (target / "problem.yaml").read_text())
    for before, after in CHANGED.items():
        manifest = manifest.replace(before, after)
    for path, text in {**SCALED, "problem.yaml": manifest}.items():
        (target / path).write_text(text)
    verified = allclose("problem", "verify", target)

    assert verified.returncode == 0, verified.stdout + verified.stderr
