"""The cache of `allclose judge`: the reference runs once for each package and day."""

import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import case_cache
from app.cli.case_cache import CaseCache, key_of
from app.judging.requirement import Evidence, Loop
from app.settings import ROOT
from sandbox.launcher_choice import choose_launcher
from sandbox.library_cache import CachingLauncher
from tests.cli.test_judge import allclose
from tests.sandbox.bench import RUNTIME
from tests.serving import ONE_PROBLEM, SLUG, WRONG
from tests.worker.bench import STANDARDISE
from tests.worker.cases import make_case

CASES = tuple(make_case(position) for position in range(3))
# The problem's own, but for a sum that is another in every run.
CHANCY = """\
reference: |
  import time

  import numpy as np


  def standardise(x, eps):
      return x * 0 + np.float32(time.time_ns() // 1000 % 1_000_000)
"""

Expect = Callable[..., list[float]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Its reference answers the time."""
    text = (ONE_PROBLEM / SLUG / "problem.yaml").read_text()
    begin, end = text.index("reference: |"), text.index("editorial:")
    (tmp_path / SLUG).mkdir()
    (tmp_path / SLUG / "problem.yaml").write_text(text[:begin] + CHANCY + text[end:])
    return tmp_path / SLUG


@pytest.fixture
def expect(tmp_path: Path, home: Path, package: Path) -> Expect:
    """A function that runs the command and returns the sample's expected values."""
    solution = tmp_path / "solution.py"
    solution.write_text(WRONG)

    def expect(*options: str) -> list[float]:
        judged = allclose("judge", package, solution, "--json", *options, folder=home)
        assert judged.returncode == 1, judged.stderr
        expected: list[float] = json.loads(judged.stdout)["cases"][0]["report"]["expected"]["leaves"][0]["values"]
        return expected

    return expect


def files(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file()]


@pytest.mark.whole
def test_the_reference_does_not_run_again_for_the_same_package(expect: Expect, home: Path) -> None:
    first = expect()

    assert expect() == first
    assert expect("--sample") == first
    assert len(files(home)) == 1


def test_cases_come_back_as_they_were(tmp_path: Path) -> None:
    kept = CaseCache(tmp_path / "cases", "a")

    loop = Loop(index=0, length=None, steps=4, takes_part=True, fed_by=("x",), outside=math.inf, effect=0.5)
    evidence = Evidence(
        loops=(loop,),
        branches=(),
        operations={"dot_general": 2},
        copies=1,
        axes={8: 0.25},
        equations=3,
        temporary_bytes=64,
        flops=1e9,
    )
    cases = (*CASES, replace(CASES[0], position=3, sealed=True, evidence=evidence))

    assert kept.find() is None
    kept.store(cases)
    assert kept.find() == cases


@pytest.mark.parametrize("content", [b"", b"\n", b"not a digest\n[]", b"\xff" * 100])
def test_a_file_that_holds_no_cases_counts_as_none(tmp_path: Path, content: bytes) -> None:
    kept = CaseCache(tmp_path / "cases", "a")
    kept.store(CASES)
    (tmp_path / "cases" / "a").write_bytes(content)

    assert kept.find() is None


def test_cases_are_for_their_user_alone(tmp_path: Path) -> None:
    kept, file = CaseCache(tmp_path / "cases", "a"), tmp_path / "cases" / "a"
    kept.store(CASES)

    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700

    file.chmod(0o644)
    assert kept.find() is None


def test_cases_are_kept_for_a_day(tmp_path: Path) -> None:
    kept = CaseCache(tmp_path, "a")
    kept.store(CASES)
    yesterday = time.time() - case_cache.MAX_SECONDS - 1
    os.utime(tmp_path / "a", (yesterday, yesterday))

    assert kept.find() is None

    CaseCache(tmp_path, "b").store(CASES)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_cases_that_are_too_large_leave_the_others_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    CaseCache(tmp_path, "a").store(CASES)
    monkeypatch.setattr(case_cache, "MAX_BYTES", (tmp_path / "a").stat().st_size + 100)

    CaseCache(tmp_path, "b").store(CASES * 2)

    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("limit", ["MAX_FILES", "MAX_BYTES"])
def test_the_oldest_cases_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    CaseCache(tmp_path, "a").store(CASES)
    monkeypatch.setattr(case_cache, limit, 3 if limit == "MAX_FILES" else 3 * (tmp_path / "a").stat().st_size)
    for name in "abcde":
        CaseCache(tmp_path, name).store(CASES)
        os.utime(tmp_path / name, (time.time() - 100 + ord(name), time.time() - 200 + ord(name)))

    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "d", "e"]


def test_where_nothing_can_be_kept_nothing_is(tmp_path: Path) -> None:
    (tmp_path / "cases").write_text("a file where the folder should be")

    CaseCache(tmp_path / "cases", "a").store(CASES)

    assert CaseCache(tmp_path / "cases", "a").find() is None


def test_the_key_names_the_package_the_seed_the_libraries_and_what_compiles() -> None:
    launcher = choose_launcher("bubblewrap", RUNTIME)
    assert isinstance(launcher, CachingLauncher)
    changed = replace(STANDARDISE, files={**STANDARDISE.files, "editorial.md": b"another"})

    keys = {
        key_of(STANDARDISE, None, launcher, ("executables",)),
        key_of(STANDARDISE, "7", launcher, ("executables",)),
        key_of(STANDARDISE, "8", launcher, ("executables",)),
        key_of(STANDARDISE, None, launcher, ()),
        key_of(changed, None, launcher, ("executables",)),
    }

    assert len(keys) == 5
    assert key_of(STANDARDISE, None, launcher, ("executables",)) in keys


@pytest.mark.whole
def test_from_the_second_call_on_libraries_are_compiled_ahead(home: Path) -> None:
    known = ROOT / "problems" / "microbatched_grads" / "submissions" / "accepted" / "scan_with_jit.py"
    calls = [allclose("judge", "microbatched_grads", known, folder=home, sandbox="bubblewrap") for _ in range(3)]
    compiled = home / ".cache" / "allclose" / "library" / "compilation-cache"

    assert [call.returncode for call in calls] == [0, 0, 0]
    assert any(path.name.startswith("call-") for path in compiled.iterdir())
    assert all(path.stat().st_mode & 0o005 for path in compiled.iterdir())
