"""A worker makes spares for the problems that students have open."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.queue.background_work import BackgroundPause
from app.submissions.submit import notify_problem_opened
from app.worker.spares import SPARES, Spares
from app.worker.work import Works
from tests.queue.fleet import wait_until
from tests.worker.bench import REFERENCE, STANDARDISE, Bench, changed

ON_GPU = changed("gpu: false", "gpu: true", "on_gpu")


@contextmanager
def spares(bench: Bench, pause: BackgroundPause | None = None) -> Iterator[Spares]:
    found = Spares(Works(bench.database), bench.pools, pause or BackgroundPause(), "cpu")
    found.start()
    try:
        yield found
    finally:
        found.stop()


def has_opened(bench: Bench, made: Spares) -> bool:
    """Open the page until the worker listens and has made all spares."""
    with bench.database.transaction() as session:
        notify_problem_opened(session, STANDARDISE.slug)
    return bench.pool.count_spares(made.setup_of(STANDARDISE)) == SPARES


def test_opening_a_problem_makes_spares_that_its_judgings_use(bench: Bench) -> None:
    revision = bench.publish()
    with spares(bench) as made:
        wait_until(lambda: has_opened(bench, made))
        setup = made.setup_of(STANDARDISE)

    bench.send(revision, REFERENCE)
    judged = bench.worker().judge(bench.claim(), threading.Event())

    assert str(judged.finish.verdict) == "accepted"
    assert bench.pool.count_spares(setup) < SPARES


def test_none_is_made_while_submissions_are_judged(bench: Bench) -> None:
    bench.publish()
    pause = BackgroundPause()
    pause.set(is_paused=True)
    with spares(bench, pause) as made:
        setup = made.setup_of(STANDARDISE)
        made.want(STANDARDISE.slug)
        time.sleep(1)
        assert bench.pool.count_spares(setup) == 0
        pause.set(is_paused=False)
        wait_until(lambda: bench.pool.count_spares(setup) == SPARES)


def test_none_is_made_for_problems_of_another_device(bench: Bench) -> None:
    bench.publish()
    bench.publish(ON_GPU)
    with spares(bench) as made:
        made.want(ON_GPU.slug)
        made.want(STANDARDISE.slug)
        wait_until(lambda: bench.pool.count_spares(made.setup_of(STANDARDISE)) == SPARES)

        assert bench.pool.count_spares(made.setup_of(ON_GPU)) == 0


def test_an_unknown_problem_does_not_stop_the_spares(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.publish()
    with spares(bench) as made:
        made.want("no_such_problem")
        made.want(STANDARDISE.slug)
        wait_until(lambda: bench.pool.count_spares(made.setup_of(STANDARDISE)) == SPARES)

    assert not caplog.records
