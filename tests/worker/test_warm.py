import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import select, update

from app.catalog.model import ExpectedOutput, Problem, Revision
from app.catalog.package import Package
from app.worker.compilation_cache import CALLS_FOLDER, CompilationCache
from app.worker.expected import ExpectedOutputs
from app.worker.prepare import PreparedCase
from app.worker.warm import Warmer
from app.worker.work import Works
from sandbox.interface import Launcher
from tests.queue.fleet import wait_until
from tests.worker.bench import Bench, changed, database_away, with_reference_line

ALL = "Every variant is prepared"


@pytest.fixture(autouse=True)
def _hear_everything(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


@contextmanager
def warmer(bench: Bench, data: Path, launcher: Launcher, expected: ExpectedOutputs | None = None) -> Iterator[Warmer]:
    cache = CompilationCache(data, launcher)
    warmer = Warmer(Works(bench.database), expected or bench.expected(), bench.known(), cache, bench.pools)
    warmer.start()
    try:
        yield warmer
    finally:
        warmer.stop()


def prepared(bench: Bench) -> set[tuple[str, int]]:
    rows = select(Problem.slug, ExpectedOutput.variant).join(Revision, Revision.problem_id == Problem.id)
    with bench.database.transaction() as session:
        found = session.execute(rows.join(ExpectedOutput, ExpectedOutput.revision_id == Revision.id))
        return {(row.slug, row.variant) for row in found}


class Watched(ExpectedOutputs):
    """Records the requests, and does something else at the first one."""

    def __init__(self, bench: Bench, at_first: Callable[[], object]) -> None:
        super().__init__(bench.database, bench.pool, "cpu")
        self.at_first = at_first
        self.asked: list[tuple[str, int]] = []

    def get(self, revision: Revision, package: Package, variant: int, abort: Event) -> tuple[PreparedCase, ...]:
        self.asked.append((package.slug, variant))
        if len(self.asked) == 1:
            self.at_first()
        return super().get(revision, package, variant, abort)


def publish(bench: Bench, slug: str) -> Revision:
    return bench.publish(changed("title: Standardise", "title: Standardize", slug))


def test_one_problem_that_can_not_be_read_or_run_leaves_the_others_prepared(
    bench: Bench, tmp_path: Path, launcher: Launcher, caplog: pytest.LogCaptureFixture
) -> None:
    outdated = publish(bench, "a_outdated")
    with bench.database.transaction() as session:
        files = {"problem.yaml": "title: of an older format"}
        session.execute(update(Revision).where(Revision.id == outdated.id).values(files=files))
    bench.publish(with_reference_line("raise ValueError", "b_raises"))
    publish(bench, "c_sound")

    with warmer(bench, tmp_path, launcher):
        wait_until(lambda: ALL in caplog.text)

    assert prepared(bench) == {("c_sound", 0), ("c_sound", 1)}
    assert "2 problems are prepared; other variants follow" in caplog.text
    assert "a_outdated" in caplog.text
    assert "b_raises, variant 0, can't be prepared" in caplog.text


def test_a_folder_that_can_not_be_written_leaves_every_variant_prepared(
    bench: Bench, tmp_path: Path, launcher: Launcher, caplog: pytest.LogCaptureFixture
) -> None:
    publish(bench, "first")
    publish(bench, "second")
    (tmp_path / CALLS_FOLDER).touch()

    with warmer(bench, tmp_path, launcher):
        wait_until(lambda: ALL in caplog.text)

    assert prepared(bench) == {("first", 0), ("first", 1), ("second", 0), ("second", 1)}


def test_a_database_that_is_away_at_first_is_waited_for(
    bench: Bench, tmp_path: Path, launcher: Launcher, caplog: pytest.LogCaptureFixture
) -> None:
    publish(bench, "sound")

    with ExitStack() as stack:
        with database_away(bench.database):
            stack.enter_context(warmer(bench, tmp_path, launcher))
            wait_until(lambda: "The database is away" in caplog.text)
        wait_until(lambda: ALL in caplog.text)

    assert prepared(bench) == {("sound", 0), ("sound", 1)}


def test_what_is_published_while_the_worker_runs_is_prepared_too(
    bench: Bench, tmp_path: Path, launcher: Launcher, caplog: pytest.LogCaptureFixture
) -> None:
    with warmer(bench, tmp_path, launcher):
        wait_until(lambda: ALL in caplog.text)

        publish(bench, "later")

        wait_until(lambda: prepared(bench) == {("later", 0), ("later", 1)})


def test_what_is_published_while_others_are_prepared_comes_before_their_other_variants(
    bench: Bench, tmp_path: Path, launcher: Launcher
) -> None:
    publish(bench, "first")
    publish(bench, "second")
    expected = Watched(bench, lambda: publish(bench, "later"))

    with warmer(bench, tmp_path, launcher, expected):
        wait_until(lambda: len(expected.asked) == 6)

    assert {expected.asked.index((slug, 0)) for slug in ("first", "second", "later")} == {0, 1, 2}


def test_a_problem_that_a_student_opens_comes_before_the_others(
    bench: Bench, tmp_path: Path, launcher: Launcher
) -> None:
    for slug in ("first", "second", "third"):
        publish(bench, slug)
    opened = publish(bench, "z_opened")
    hers = Works(bench.database).package(opened)
    begun = Event()
    expected = Watched(bench, begun.wait)

    with warmer(bench, tmp_path, launcher, expected) as made:
        wait_until(lambda: len(expected.asked) == 1)
        made.prefer(opened, hers)
        begun.set()
        wait_until(lambda: len(expected.asked) >= 3)

    assert expected.asked[1:3] == [("z_opened", 0), ("z_opened", 1)]
