import threading
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from app.catalog.package import package_from_files
from app.engine import compilation_cache as compilation
from app.engine.compilation_cache import CALLS_FOLDER, STUDENTS_LEARNED_FROM, CompilationCache
from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.library_cache import CacheFill
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME
from tests.worker.bench import STANDARDISE
from tests.worker.cases import make_case


@pytest.fixture
def fillings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    def note(launcher: BubblewrapLauncher, *_: object) -> CacheFill:
        found.append(launcher.runtime.python_version)
        return CacheFill(0, frozenset([b"call"]))

    monkeypatch.setattr(compilation, "fill_cache", note)
    return found


def test_a_revision_fills_the_cache_once_for_each_set_of_libraries(tmp_path: Path, fillings: list[str]) -> None:
    runtime = find_runtime(RUNTIME)

    for each in (runtime, runtime, replace(runtime, python_version="3.99"), runtime):
        cache = CompilationCache(tmp_path, BubblewrapLauncher(runtime=each, cache=tmp_path))
        cache.fill(STANDARDISE, [make_case(0)], threading.Event())

    assert fillings == [runtime.python_version, "3.99"]


def test_a_damaged_file_of_calls_is_made_again(tmp_path: Path, fillings: list[str]) -> None:
    cache = CompilationCache(tmp_path, launcher_in(tmp_path))
    cache.fill(STANDARDISE, [make_case(0)], threading.Event())
    (file,) = (tmp_path / CALLS_FOLDER).rglob("*.json")
    file.write_text('["63')

    assert cache.calls(STANDARDISE) == ()
    cache.fill(STANDARDISE, [make_case(0)], threading.Event())

    assert len(fillings) == 2
    assert file.read_text() == f'["{b"call".hex()}"]'


def test_while_known_submissions_fill_it_the_calls_stay_what_they_were_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solutions = {
        f"submissions/accepted/{name}.py": f"def standardise(x, eps):  # {name}\n    return x\n".encode()
        for name in ("a", "b", "c", "d")
    }
    package = package_from_files("of_four", {"problem.yaml": STANDARDISE.files["problem.yaml"]} | solutions)
    cache = CompilationCache(tmp_path, launcher_in(tmp_path))
    met: list[tuple[bytes, ...]] = []

    def fill(*_: object) -> CacheFill:
        met.append(cache.calls(package))
        return CacheFill(0, frozenset({b"first", b"second"} if len(met) < 3 else {b"third"}))

    monkeypatch.setattr(compilation, "fill_cache", fill)
    cache.fill_more(package, [make_case(0)], threading.Event())

    assert len(met) == len(package.submissions)
    assert met[:2] == [(), ()]
    assert set(met[2:]) == {(b"first", b"second")}
    assert cache.calls(package) == (b"first", b"second", b"third")


def test_without_a_cache_nothing_counts_as_filled(tmp_path: Path) -> None:
    CompilationCache(tmp_path, BubblewrapLauncher(runtime=find_runtime(RUNTIME))).fill(
        STANDARDISE, [make_case(0)], threading.Event()
    )

    assert not (tmp_path / CALLS_FOLDER).exists()


NEVER = threading.Event()
OF_JAX = package_from_files(
    "of_jax",
    {
        "problem.yaml": STANDARDISE.files["problem.yaml"]
        .replace(b"frameworks: [numpy]", b"frameworks: [jax]")
        .replace(b"type: numpy", b"type: jax")
    },
)
CASES = [make_case(0), make_case(3)]
SORTS = "import jax.numpy as jnp\ndef standardise(x, eps):\n    return jnp.sort(x)\n"
# Says in calls what the hidden input is.
TELLS = """
import jax.numpy as jnp

def standardise(x, eps):
    return jnp.sort(x) if float(x[0]) == 3 else jnp.cumsum(x)
"""


def launcher_in(folder: Path) -> BubblewrapLauncher:
    cache = folder / "cache"
    cache.mkdir(exist_ok=True)
    return BubblewrapLauncher(runtime=find_runtime(RUNTIME), cache=cache)


@pytest.mark.whole
def test_calls_of_two_students_are_made_ahead_and_those_of_one_are_not(tmp_path: Path) -> None:
    cache = CompilationCache(tmp_path, launcher_in(tmp_path))
    ada, grace = uuid4(), uuid4()

    cache.learn(OF_JAX, ada, SORTS, CASES, NEVER)
    assert cache.calls(OF_JAX) == ()
    cache.learn(OF_JAX, ada, SORTS, CASES, NEVER)
    assert cache.calls(OF_JAX) == ()
    cache.learn(OF_JAX, grace, SORTS.replace("sort(x)", "sort(x) + jnp.cumsum(x)"), CASES, NEVER)

    assert any(b"sort" in call for call in cache.calls(OF_JAX))
    assert not any(b"cumsum" in call for call in cache.calls(OF_JAX))
    compiled = [path.name for path in (tmp_path / "cache").iterdir()]
    assert any("sort" in name for name in compiled)
    assert not any("cumsum" in name for name in compiled)


def test_a_source_that_is_learned_from_gets_no_value_of_a_case(tmp_path: Path) -> None:
    cache = CompilationCache(tmp_path, launcher_in(tmp_path))

    for _ in range(2):
        cache.learn(OF_JAX, uuid4(), TELLS, CASES, NEVER)

    assert any(b"cumsum" in call for call in cache.calls(OF_JAX))
    assert not any(b"sort" in call for call in cache.calls(OF_JAX))


@pytest.mark.whole
def test_each_student_is_learned_from_once_and_not_every_student(tmp_path: Path) -> None:
    cache = CompilationCache(tmp_path, launcher_in(tmp_path))
    ada = uuid4()
    assert cache.may_learn(OF_JAX, ada)
    cache.learn(OF_JAX, ada, SORTS, CASES, NEVER)
    assert not cache.may_learn(OF_JAX, ada)

    (file,) = (tmp_path / CALLS_FOLDER).rglob("*.json")
    for number in range(STUDENTS_LEARNED_FROM - 1):
        assert cache.may_learn(OF_JAX, uuid4())
        file.with_name(f"learned-{number}.json").write_text("[]")

    assert not cache.may_learn(OF_JAX, uuid4())
