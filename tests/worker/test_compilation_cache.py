"""A worker fills the library cache once for each revision and each set of libraries."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog.package import package_from_files
from app.engine import compilation_cache as compilation
from app.engine.compilation_cache import FILLED_FOLDER, CompilationCache
from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.interface import Box, Request
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME
from tests.worker.bench import STANDARDISE, Bench
from tests.worker.cases import make_case

NEVER = threading.Event()
SOLUTIONS = {
    f"submissions/{verdict}/{name}.py": f"# A mistake.\ndef standardise(x, eps):  # {name}\n    return x\n".encode()
    for verdict, name in [("accepted", "a"), ("accepted", "b"), ("wrong_answer", "c"), ("time_limit_exceeded", "d")]
}
MANIFEST = STANDARDISE.files["problem.yaml"]
OF_JAX = MANIFEST.replace(b"frameworks: [numpy]", b"frameworks: [jax]").replace(b"type: numpy", b"type: jax")
IN_JAX = package_from_files("of_jax", {"problem.yaml": OF_JAX} | SOLUTIONS)


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that filled the cache."""
    found: list[str] = []

    def note(_cache: Path, _box: Box, request: Request, _abort: threading.Event, *, eager: bool) -> int:
        found.append("eager: " * eager + request.source)
        return 0

    monkeypatch.setattr(compilation, "fill_cache", note)
    return found


@pytest.fixture
def caching(tmp_path: Path) -> BubblewrapLauncher:
    return BubblewrapLauncher(runtime=find_runtime(RUNTIME), cache=tmp_path)


@pytest.mark.whole
def test_a_revision_fills_the_cache_once_for_each_set_of_libraries(
    bench: Bench, tmp_path: Path, filled: list[str], caching: BubblewrapLauncher
) -> None:
    others = replace(caching, runtime=replace(caching.runtime, python_version="3.99"))

    for each in (caching, caching, others, caching):
        cache = CompilationCache(tmp_path, each, bench.pool)
        cache.fill(IN_JAX, [make_case(0)], NEVER)
        assert cache.has_filled(IN_JAX)

    assert filled == [IN_JAX.reference, IN_JAX.reference]


def test_other_right_solutions_fill_the_cache_too(
    bench: Bench, tmp_path: Path, filled: list[str], caching: BubblewrapLauncher
) -> None:
    CompilationCache(tmp_path, caching, bench.pool).fill_more(IN_JAX, [make_case(0)], NEVER)

    in_steps = [source for source in filled if source.startswith("eager: ")]
    for sources in (set(filled) - set(in_steps), in_steps):
        assert [name for name in "abcd" if any(f"# {name}" in source for source in sources)] == ["a", "b"]
    assert f"eager: {IN_JAX.reference}" in in_steps


def test_without_a_cache_or_without_jax_nothing_is_filled(
    bench: Bench, tmp_path: Path, filled: list[str], caching: BubblewrapLauncher
) -> None:
    CompilationCache(tmp_path, replace(caching, cache=None), bench.pool).fill(IN_JAX, [make_case(0)], NEVER)
    CompilationCache(tmp_path, caching, bench.pool).fill(STANDARDISE, [make_case(0)], NEVER)

    assert filled == []
    assert not (tmp_path / FILLED_FOLDER).exists()
