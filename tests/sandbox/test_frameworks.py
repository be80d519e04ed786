"""The frameworks work under the student's filter, in the boxes of every launcher.

These tests take minutes for each kind of box, so only two of the four kinds run them: both launchers, both ways to
isolate. The quick run tests one framework in one.
"""

import ast
from pathlib import Path

import pytest

from tests.sandbox.bench import Bench, make_request, run_in, value_of

FOLDER = Path(__file__).parent / "frameworks"
NEEDS = {
    "numpy": ("numpy",),
    "jax": ("jax", "numpy"),
    "flax": ("flax", "jax", "numpy", "optax"),
    "torch": ("numpy", "torch"),
}
QUICK = {("docker-shared", "torch")}
SOLVE = "\n\ndef solve(check):\n    globals()[check]()\n    return 'passed'\n"


def checks_in(source: str) -> list[str]:
    functions = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return [name for name in functions if name.startswith("check_")]


@pytest.mark.parametrize(
    ("launcher", "framework"),
    [
        pytest.param(kind, framework, marks=[] if (kind, framework) in QUICK else pytest.mark.whole)
        for kind in ("bubblewrap-namespaces", "docker-shared")
        for framework in ("numpy", "jax", "flax", "torch")
    ],
    indirect=["launcher"],
)
def test_files_threads_and_compilers_of_a_framework_work_in_a_box(bench: Bench, framework: str) -> None:
    source = (FOLDER / f"{framework}_checks.py").read_text()
    checks = checks_in(source)
    request = make_request(source + SOLVE, *({"check": name} for name in checks), wall_seconds=120)

    with bench.box(*NEEDS[framework]) as box:
        run = run_in(box, request)
        is_usable = box.is_usable()

    failed = {name: case.failure for name, case in zip(checks, run.cases, strict=False) if case.failure}
    assert run.load_failure is None
    assert failed == {}
    assert [value_of(case) for case in run.cases] == ["passed"] * len(checks)
    assert is_usable
