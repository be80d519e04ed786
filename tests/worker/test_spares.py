"""A worker makes students' processes ahead for the problems that people have open."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.catalog.model import Revision
from app.catalog.package import Package
from app.submissions.enqueue import tell_opened
from app.worker.compilation import CompilationCache
from app.worker.request import box_spec
from app.worker.spares import SPARES, Spares
from app.worker.work import Works
from sandbox.interface import Launcher
from tests.queue.fleet import wait_until
from tests.worker.bench import REFERENCE, STANDARDISE, Bench

SPEC = box_spec(STANDARDISE.manifest)


@contextmanager
def spares(bench: Bench, data: Path, launcher: Launcher) -> Iterator[tuple[Spares, list[str]]]:
    """And the problems whose library calls were asked for."""
    asked: list[str] = []

    def fill(_revision: Revision, package: Package) -> None:
        asked.append(package.slug)

    found = Spares(bench.database, Works(bench.database), CompilationCache(data, launcher), bench.pools, fill)
    found.start()
    try:
        yield found, asked
    finally:
        found.stop()


def has_opened(bench: Bench, asked: list[str]) -> bool:
    """Opens the page until the worker listens and has heard it."""
    with bench.database.transaction() as session:
        tell_opened(session, STANDARDISE.slug)
    return bool(asked)


def test_opening_a_problem_makes_spares_that_its_judgings_use(bench: Bench, tmp_path: Path, launcher: Launcher) -> None:
    revision = bench.publish()
    with spares(bench, tmp_path, launcher) as (made, asked):
        wait_until(lambda: has_opened(bench, asked))
        setup = made.setup_of(STANDARDISE)
        wait_until(lambda: bench.pool.count_spares(setup) == SPARES)

    bench.send(revision, REFERENCE)
    judged = bench.worker().judge(bench.claim(), threading.Event())

    assert str(judged.verdict) == "accepted"
    assert bench.pool.count_spares(setup) < SPARES
    assert set(asked) == {STANDARDISE.slug}


def test_none_is_made_while_a_submission_has_a_box(bench: Bench, tmp_path: Path, launcher: Launcher) -> None:
    revision = bench.publish()
    with spares(bench, tmp_path, launcher) as (made, _):
        setup = made.setup_of(STANDARDISE)
        with bench.pool.lease(SPEC, threading.Event()):
            made.want(revision, STANDARDISE)
            time.sleep(1)
            assert bench.pool.count_spares(setup) == 0
        wait_until(lambda: bench.pool.count_spares(setup) == SPARES)


def test_a_problem_that_nobody_knows_is_no_reason_to_stop(
    bench: Bench, tmp_path: Path, launcher: Launcher, caplog: pytest.LogCaptureFixture
) -> None:
    revision = bench.publish()
    with spares(bench, tmp_path, launcher) as (made, _):
        with bench.database.transaction() as session:
            tell_opened(session, "no_such_problem")
        made.want(revision, STANDARDISE)
        wait_until(lambda: bench.pool.count_spares(made.setup_of(STANDARDISE)) == SPARES)

    assert not caplog.records
