import threading
from dataclasses import replace
from pathlib import Path

import pytest

from app.worker import compilation
from app.worker.compilation import CompilationCache
from sandbox.bubblewrap.launcher import BubblewrapLauncher
from sandbox.cache import Filled
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME
from tests.worker.bench import STANDARDISE
from tests.worker.cases import make_case


@pytest.fixture
def fillings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    def note(launcher: BubblewrapLauncher, *_: object) -> Filled:
        found.append(launcher.runtime.python_version)
        return Filled(0, frozenset())

    monkeypatch.setattr(compilation, "fill_cache", note)
    return found


def test_a_revision_fills_the_cache_once_for_each_set_of_libraries(tmp_path: Path, fillings: list[str]) -> None:
    runtime = find_runtime(RUNTIME)

    for each in (runtime, runtime, replace(runtime, python_version="3.99"), runtime):
        cache = CompilationCache(tmp_path, BubblewrapLauncher(runtime=each, cache=tmp_path))
        cache.fill(STANDARDISE, [make_case(0)], threading.Event())

    assert fillings == [runtime.python_version, "3.99"]
