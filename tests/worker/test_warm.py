import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import select, update

from app.catalog.model import ExpectedOutput, Problem, Revision, SolveCount
from app.catalog.package import Package
from app.catalog.publish import notify_problem_opened
from app.engine.compilation_cache import FILLED_FOLDER, CompilationCache
from app.engine.prepare import PreparedCase
from app.queue.background_work import BackgroundPause
from app.worker.expected import ExpectedOutputs
from app.worker.hint_recorder import KnownMistakes
from app.worker.warm import Preparation, Warmer
from app.worker.work import Works
from sandbox.interface import Launcher
from tests.queue.fleet import wait_until
from tests.worker.bench import Bench, changed, database_away, with_reference_line
from tests.worker.test_hints import PACKAGE

ALL = "problems are prepared"


@pytest.fixture(autouse=True)
def _hear_everything(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


@contextmanager
def warmer(
    bench: Bench,
    data: Path,
    launcher: Launcher,
    idle: ExpectedOutputs | None = None,
    pause: BackgroundPause | None = None,
) -> Iterator[Warmer]:
    """`idle` is what prepares when the machine is idle."""
    cache, idle = CompilationCache(data, launcher, bench.pool), idle or bench.expected()
    warmer = Warmer(
        Works(bench.database),
        Preparation(expected=bench.expected(), known=bench.known(), cache=cache),
        Preparation(expected=idle, known=KnownMistakes(bench.database, idle), cache=cache),
        bench.pools,
        pause or BackgroundPause(),
    )
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

    assert prepared(bench) == {("c_sound", 0)}
    assert "2 problems are prepared" in caplog.text
    assert "a_outdated" in caplog.text
    assert "b_raises, variant 0, can't be prepared" in caplog.text


def test_a_folder_that_can_not_be_written_leaves_every_problem_prepared(
    bench: Bench, tmp_path: Path, launcher: Launcher, caplog: pytest.LogCaptureFixture
) -> None:
    publish(bench, "first")
    publish(bench, "second")
    (tmp_path / FILLED_FOLDER).touch()

    with warmer(bench, tmp_path, launcher):
        wait_until(lambda: ALL in caplog.text)

    assert prepared(bench) == {("first", 0), ("second", 0)}


def test_a_database_that_is_away_at_first_is_waited_for(
    bench: Bench, tmp_path: Path, launcher: Launcher, caplog: pytest.LogCaptureFixture
) -> None:
    publish(bench, "sound")

    with ExitStack() as stack:
        with database_away(bench.database):
            stack.enter_context(warmer(bench, tmp_path, launcher))
            wait_until(lambda: "The database is away" in caplog.text)
        wait_until(lambda: ALL in caplog.text)

    assert prepared(bench) == {("sound", 0)}


def test_a_problem_published_while_the_worker_runs_is_prepared(
    bench: Bench, tmp_path: Path, launcher: Launcher, caplog: pytest.LogCaptureFixture
) -> None:
    with warmer(bench, tmp_path, launcher):
        wait_until(lambda: ALL in caplog.text)

        publish(bench, "later")

        wait_until(lambda: prepared(bench) == {("later", 0), ("later", 1)})


def test_the_most_popular_problems_of_a_kind_of_box_are_prepared_first(
    bench: Bench, tmp_path: Path, launcher: Launcher
) -> None:
    submissions = {"first": 3, "second": 0, "third": 7, "other_kind": 5}
    for slug, number in submissions.items():
        framework = "jax" if slug == "other_kind" else "numpy"
        revision = bench.publish(changed("frameworks: [numpy]", f"frameworks: [{framework}]", slug))
        with bench.database.transaction() as session:
            count = {"submissions": number, "students": number, "solved": 0}
            session.add(SolveCount(problem_id=revision.problem_id, **count))
    idle = Watched(bench, lambda: None)

    with warmer(bench, tmp_path, launcher, idle):
        wait_until(lambda: len(idle.asked) == len(submissions))

    assert idle.asked == [("third", 0), ("first", 0), ("second", 0), ("other_kind", 0)]


def test_opening_a_problem_prepares_it_while_others_wait_for_an_idle_machine(
    bench: Bench, tmp_path: Path, launcher: Launcher
) -> None:
    publish(bench, "first")
    opened, pause = bench.publish(PACKAGE), BackgroundPause()
    pause.set(is_paused=True)

    with warmer(bench, tmp_path, launcher, pause=pause):
        wait_until(lambda: open_page(bench, opened) and knows_mistakes(bench, opened, variant=0))

        assert prepared(bench) == {("standardise", 0)}
        pause.set(is_paused=False)
        wait_until(lambda: knows_mistakes(bench, opened, variant=1) and ("first", 0) in prepared(bench))

    assert prepared(bench) == {("standardise", 0), ("standardise", 1), ("first", 0)}


def test_opened_problems_that_need_the_same_box_follow_one_another(
    bench: Bench, tmp_path: Path, launcher: Launcher
) -> None:
    frameworks = {"first": "numpy", "other_kind": "jax", "third": "numpy"}
    opened = [
        bench.publish(changed("frameworks: [numpy]", f"frameworks: [{framework}]", slug))
        for slug, framework in frameworks.items()
    ]
    idle, pause = Watched(bench, lambda: None), BackgroundPause()
    pause.set(is_paused=True)

    with warmer(bench, tmp_path, launcher, idle, pause):
        wait_until(lambda: open_page(bench, opened[0]) and ("first", 0) in prepared(bench))  # once it listens
        for revision in opened[1:]:
            open_page(bench, revision)
        wait_until(lambda: prepared(bench) == {(slug, 0) for slug in frameworks})
        pause.set(is_paused=False)
        wait_until(lambda: prepared(bench) == {(slug, variant) for slug in frameworks for variant in (0, 1)})

    asked = dict.fromkeys(slug for slug, variant in idle.asked if variant == 1)
    assert list(asked) in (["first", "third", "other_kind"], ["other_kind", "first", "third"])


def test_a_problem_that_failed_is_prepared_again_when_it_is_opened_again(
    bench: Bench, tmp_path: Path, launcher: Launcher, caplog: pytest.LogCaptureFixture
) -> None:
    opened = bench.publish(with_reference_line("raise ValueError", "b_raises"))

    with warmer(bench, tmp_path, launcher):
        failed = "b_raises, variant 0, can't be prepared"
        wait_until(lambda: open_page(bench, opened) and caplog.text.count(failed) > 2)


def open_page(bench: Bench, revision: Revision) -> bool:
    with bench.database.transaction() as session:
        notify_problem_opened(session, revision.id)
    return True


def knows_mistakes(bench: Bench, revision: Revision, variant: int) -> bool:
    return bench.known().find(revision, PACKAGE, variant, Event()) is not None
