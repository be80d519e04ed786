"""A small valid package, and copies of it with one change."""

from collections.abc import Mapping
from pathlib import Path

from app.catalog.fault import Fault, PackageInvalid
from app.catalog.package import Package, package_from_files

PROBLEM = """\
title: Scaled sum
summary: Add up a vector and scale the sum.
difficulty: beginner
estimated_minutes: 5
tags: [numpy, sums]
track: basics
position: 1
prerequisites: []
frameworks: [numpy]
entry_point: scaled_sum
parameters:
  - {name: x, type: numpy, shape: [N], dtype: float32, doc: the numbers}
  - {name: y, type: numpy, shape: [N, 2], dtype: int32}
  - {name: scale, type: float}
  - {name: options, type: dict, leaves: numpy, dtype: float64}
returns: {type: numpy, shape: [], dtype: float32}
tolerance: {rtol: 1e-5, atol: 0.0, leaves: {"history": {rtol: 1e-3, atol: 1e-6}}}
limits: {wall_seconds: 2, memory_mib: 256}
variants: 2
cases:
  - name: small
    visibility: sample
    doc: Two numbers.
    inputs:
      x: [1, 2.5]
      y: [[1, 2], [3, 4]]
      scale: 2
      options: {verbose: true, weights: {array: [1, 2]}}
  - name: large
    inputs:
      x: {draw: normal, shape: [100], scale: 2.0}
      y: {draw: integers, shape: [100, 2], low: -5, high: 5}
      scale: {draw: choice, of: [0.5, 2]}
      options: {weights: {draw: uniform, shape: [3]}}
  - {name: made, generate: make, with: {width: 3}}
hints: [Use numpy.]
quiz:
  - {question: "What is 1 + 1?", choices: ["1", "2"], answer: 1, explanation: Count.}
license: CC-BY-4.0
"""
SOLUTION = "def scaled_sum(x, y, scale, options):\n    return x.sum() * scale\n"
FILES = {
    "problem.yaml": PROBLEM,
    "statement.md": "Return the sum of `x`, times `scale`.\n",
    "starter.py": "def scaled_sum(x, y, scale, options):\n    ...\n",
    "reference.py": SOLUTION,
    "cases.py": "def make(seed, width):\n    return {}\n",
    "editorial.md": "Add, then multiply.\n",
    "submissions/accepted/plain.py": SOLUTION,
    "submissions/wrong_answer/unscaled.py": "# forgets the scale\n" + SOLUTION.replace(" * scale", ""),
}


def make_package(slug: str = "scaled_sum", problem: str = PROBLEM) -> Package:
    return package_from_files(slug, make_files(problem=problem))


def make_listed(
    slug: str, place: str = "track: basics\nposition: 1\n", *, problem: str = PROBLEM, **keys: str
) -> Package:
    """Make a package titled by its slug. `place` has its lines of track and position, `keys` replaces other lines."""
    problem = problem.replace("track: basics\nposition: 1\n", place)
    for key, text in {"title": slug, **keys}.items():
        old = next(line for line in problem.splitlines() if line.startswith(f"{key}: "))
        problem = problem.replace(old, f"{key}: {text}")
    return make_package(slug, problem)


def make_files(changed: Mapping[str, str | None] | None = None, problem: str = PROBLEM) -> dict[str, bytes]:
    """`problem` is the text of problem.yaml; `changed` maps paths to texts, None to leave a file out."""
    texts: dict[str, str | None] = {**FILES, "problem.yaml": problem, **(changed or {})}
    return {path: text.encode() for path, text in texts.items() if text is not None}


def write_package(folder: Path, files: Mapping[str, bytes] | None = None) -> Path:
    for path, content in (files or make_files()).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def edited(old: str, new: str) -> str:
    assert PROBLEM.count(old) == 1, f"{old!r} stands {PROBLEM.count(old)} times in the package"
    return PROBLEM.replace(old, new)


def faults_of(files: Mapping[str, bytes]) -> tuple[Fault, ...]:
    try:
        package_from_files("scaled_sum", files)
    except PackageInvalid as invalid:
        return invalid.problems
    return ()
