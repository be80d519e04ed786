"""A worker makes spares for the problems that students have open."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.catalog.model import Revision
from app.catalog.package import Package
from app.queue.background_pause import BackgroundPause
from app.submissions.enqueue import notify_problem_opened
from app.worker.compilation_cache import CompilationCache
from app.worker.spares import SPARES, Spares
from app.worker.work import Works
from sandbox.interface import Launcher
from tests.queue.fleet import wait_until
from tests.worker.bench import REFERENCE, STANDARDISE, Bench, changed

ON_GPU = changed("gpu: false", "gpu: true", "on_gpu")


@contextmanager
def spares(
    bench: Bench, data: Path, launcher: Launcher, pause: BackgroundPause | None = None
) -> Iterator[tuple[Spares, list[str]]]:
    """Yields the spares, and the problems that are to be prepared first."""
    asked: list[str] = []

    def prefer(_revision: Revision, package: Package) -> None:
        asked.append(package.slug)

    cache = CompilationCache(data, launcher)
    found = Spares(Works(bench.database), cache, bench.pools, pause or BackgroundPause(), "cpu", prefer)
    found.start()
    try:
        yield found, asked
    finally:
        found.stop()


def has_opened(bench: Bench, asked: list[str]) -> bool:
    """Opens the page until the worker listens and has heard it."""
    with bench.database.transaction() as session:
        notify_problem_opened(session, STANDARDISE.slug)
    return bool(asked)


def test_opening_a_problem_makes_spares_that_its_judgings_use(bench: Bench, tmp_path: Path, launcher: Launcher) -> None:
    revision = bench.publish()
    with spares(bench, tmp_path, launcher) as (made, asked):
        wait_until(lambda: has_opened(bench, asked))
        setup = made.setup_of(STANDARDISE)
        wait_until(lambda: bench.pool.count_spares(setup) == SPARES)

    bench.send(revision, REFERENCE)
    judged = bench.worker().judge(bench.claim(), threading.Event())

    assert str(judged.finish.verdict) == "accepted"
    assert bench.pool.count_spares(setup) < SPARES
    assert set(asked) == {STANDARDISE.slug}


def test_none_is_made_while_submissions_are_judged(bench: Bench, tmp_path: Path, launcher: Launcher) -> None:
    bench.publish()
    pause = BackgroundPause()
    pause.set(is_paused=True)
    with spares(bench, tmp_path, launcher, pause) as (made, asked):
        setup = made.setup_of(STANDARDISE)
        made.want(STANDARDISE.slug)
        wait_until(lambda: bool(asked))
        time.sleep(1)
        assert bench.pool.count_spares(setup) == 0
        pause.set(is_paused=False)
        wait_until(lambda: bench.pool.count_spares(setup) == SPARES)


def test_none_is_made_for_problems_of_another_device(bench: Bench, tmp_path: Path, launcher: Launcher) -> None:
    bench.publish()
    bench.publish(ON_GPU)
    with spares(bench, tmp_path, launcher) as (made, asked):
        made.want(ON_GPU.slug)
        made.want(STANDARDISE.slug)
        wait_until(lambda: bool(asked))

    assert asked == [STANDARDISE.slug]


def test_an_unknown_problem_does_not_stop_the_spares(
    bench: Bench, tmp_path: Path, launcher: Launcher, caplog: pytest.LogCaptureFixture
) -> None:
    bench.publish()
    with spares(bench, tmp_path, launcher) as (made, _):
        made.want("no_such_problem")
        made.want(STANDARDISE.slug)
        wait_until(lambda: bench.pool.count_spares(made.setup_of(STANDARDISE)) == SPARES)

    assert not caplog.records
