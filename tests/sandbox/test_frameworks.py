"""The frameworks work under the student's filter, in the boxes of every launcher.

These tests take minutes for each kind of box, so only two of the four kinds run them: both launchers, both ways to
isolate. The quick run tests one framework in one.
"""

import ast
import io
import zipfile
from pathlib import Path

import pytest

from sandbox.interface import MIB
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME, Bench, make_request, run_in, value_of

FOLDER = Path(__file__).parent / "frameworks"
NEEDS = {
    "numpy": ("numpy",),
    "jax": ("jax", "numpy"),
    "flax": ("flax", "jax", "numpy", "optax"),
    "optax": ("jax", "numpy", "optax"),
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


# Of what NumPy ships in its wheel.
NUMPY_MODULES = [
    "_core/tests/test_einsum.py",
    "_core/tests/test_indexing.py",
    "_core/tests/test_multithreading.py",
    "fft/tests",
    "lib/tests/test_io.py",
    "linalg/tests/test_linalg.py",
    "random/tests/test_generator_mt19937.py",
    "random/tests/test_seed_sequence.py",
]
OURS = Path(pytest.__file__).parents[1]
PYTEST = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "py.py")
# Of each, that many at least; none of what an upgrade adds may fail.
LEAST = {"numpy": 1000, "optax": 120, "jax": 60, "torch": 200}


@pytest.fixture(scope="module")
def numpys_tests() -> bytes:
    """NumPy's tests and pytest as a zip, since images leave them out."""
    archive = io.BytesIO()
    installed = find_runtime(RUNTIME).packages
    theirs = [installed / "numpy" / module.partition("/tests")[0] / "tests" for module in NUMPY_MODULES]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for root, places in ((installed, set(theirs)), (OURS, [OURS / name for name in PYTEST])):
            for path in (path for place in places for path in (place, *place.rglob("*"))):
                if path.is_file() and path.suffix != ".pyc":
                    file.write(path, path.relative_to(root))
    return archive.getvalue()


@pytest.mark.whole
@pytest.mark.parametrize("launcher", ["bubblewrap-namespaces", "docker-namespaces"], indirect=True)
@pytest.mark.parametrize("framework", LEAST)
def test_a_frameworks_own_tests_pass_in_a_box(bench: Bench, framework: str, numpys_tests: bytes) -> None:
    source = (FOLDER / f"{framework}_suite.py").read_text()
    inputs = {"suite": numpys_tests, "modules": NUMPY_MODULES} if framework == "numpy" else {}

    found = value_of(bench.call(source, inputs, frameworks=NEEDS[framework], wall_seconds=240, memory_bytes=2048 * MIB))

    assert found["failed"] == []
    assert found["passed"] >= LEAST[framework]
