"""A check is a job: made in boxes by any worker, taken over from a killed one, and given back without loss."""

import signal
import threading
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.database.engine import Database
from app.queue.heartbeat import Capacity
from app.queue.lease import Wanted, bury, claim, fail
from app.queue.model import MAX_ATTEMPTS, Job
from app.similarity.check import QUEUE
from app.similarity.comparer import CheckClaim, Comparer
from app.similarity.fingerprint import BATCH, Fingerprints
from app.similarity.model import Fingerprint, SimilarityCheck, SimilarPair
from app.similarity.programs import MOST_OF_ONE, choose_programs
from sandbox.interface import Aborted
from sandbox.pool import Pool
from tests.queue.fleet import Fleet, wait_until
from tests.similarity.cohort_rows import Homework, begin, hand_in, join, make_homework
from tests.similarity.test_compare import ORIGINAL, OTHER, RENAMED
from tests.transaction import commit, execute, fetch_all, fetch_one

WANTED = Wanted(queues=(QUEUE,), slots=1, worker="test", lease=timedelta(seconds=15))
NEVER = threading.Event()
NESTED = "(" * 100_000 + ")" * 100_000
# The parser of some Pythons ends the process on it.
DEEP = "x = " + "-" * 200_000 + "1"


def take(database: Database) -> CheckClaim:
    (taken,) = commit(database, claim, WANTED, CheckClaim)
    return taken


def expire(database: Database) -> None:
    execute(database, update(Job).values(lease_until=func.now() - timedelta(seconds=1)))


def run(database: Database, pool: Pool) -> SimilarityCheck:
    Comparer(database=database, pool=pool).compare(take(database), NEVER)
    return fetch_one(database, select(SimilarityCheck))


def list_pairs(database: Database) -> list[tuple[UUID, UUID]]:
    rows = fetch_all(database, select(SimilarPair).order_by(SimilarPair.number))
    return [(row.left_id, row.right_id) for row in rows]


@pytest.fixture
def homework(database: Database) -> Homework:
    return commit(database, make_homework)


def test_hand_ins_are_compared_in_boxes_and_the_earlier_one_of_a_pair_is_named_first(
    database: Database, pool: Pool, homework: Homework
) -> None:
    with database.transaction() as session:
        late = hand_in(session, homework, join(session, homework, "ada"), RENAMED, minute=9)
        early = hand_in(session, homework, join(session, homework, "grace"), ORIGINAL)
        hand_in(session, homework, join(session, homework, "emmy"), OTHER)
        begin(session, homework)

    check = run(database, pool)

    assert (check.state, check.programs, check.unread) == ("done", 3, [])
    assert (check.step_done, check.step_total, sum(check.histogram)) == (3, 3, 3)
    assert list_pairs(database)[0] == (early, late)


def test_a_source_that_no_parser_reads_is_named_and_the_worker_goes_on(
    database: Database, pool: Pool, homework: Homework
) -> None:
    with database.transaction() as session:
        sources = [NESTED, ORIGINAL, DEEP, "def f(:", RENAMED]
        students = [join(session, homework, f"student-{number}") for number in range(len(sources))]
        sent = [hand_in(session, homework, *each, n) for n, each in enumerate(zip(students, sources, strict=True))]
        begin(session, homework)

    check = run(database, pool)

    assert set(check.unread) == {sent[0], sent[2], sent[3]}
    assert list_pairs(database) == [(sent[1], sent[4])]


def test_only_what_counts_is_compared_or_everything_if_asked(
    database: Database, pool: Pool, homework: Homework
) -> None:
    with database.transaction() as session:
        ada, grace = join(session, homework, "ada"), join(session, homework, "grace")
        copied = hand_in(session, homework, ada, RENAMED, verdict="wrong_answer", score=0)
        counting = hand_in(session, homework, ada, OTHER, minute=1)
        grace_sent = hand_in(session, homework, grace, ORIGINAL, minute=2)
        begin(session, homework)
    first = run(database, pool)
    with database.transaction() as session:
        begin(session, homework, compared="all")
    Comparer(database=database, pool=pool).compare(take(database), NEVER)

    assert first.programs == 2
    assert (copied, grace_sent) in list_pairs(database)
    assert (counting, grace_sent) not in list_pairs(database)


def test_of_one_student_the_newest_programs_are_compared(session: Session) -> None:
    homework = make_homework(session)
    ada, grace = join(session, homework, "ada"), join(session, homework, "grace")
    sent = [hand_in(session, homework, ada, ORIGINAL, minute) for minute in range(MOST_OF_ONE + 2)]
    first = hand_in(session, homework, grace, ORIGINAL, minute=1)

    chosen = choose_programs(session, begin(session, homework, compared="all"))

    assert [each.submission_id for each in chosen] == [first, *sent[2:]]


def test_what_the_package_holds_does_not_count(database: Database, pool: Pool) -> None:
    with database.transaction() as session:
        homework = make_homework(session, {"reference.py": ORIGINAL, "statement.md": "ORIGINAL"})
        for name, source in (("ada", ORIGINAL), ("grace", RENAMED)):
            hand_in(session, homework, join(session, homework, name), source)
        begin(session, homework)

    check = run(database, pool)

    assert (check.programs, check.histogram[0], list_pairs(database)) == (2, 1, [])


def test_an_attempt_that_was_taken_over_writes_nothing(database: Database, pool: Pool, homework: Homework) -> None:
    with database.transaction() as session:
        for name, source in (("ada", ORIGINAL), ("grace", RENAMED)):
            hand_in(session, homework, join(session, homework, name), source)
        begin(session, homework)
    zombie = take(database)
    expire(database)
    second = take(database)

    comparer = Comparer(database=database, pool=pool)
    comparer.compare(zombie, NEVER)
    before = fetch_one(database, select(SimilarityCheck))
    comparer.compare(second, NEVER)

    assert (before.state, before.step_total) == ("comparing", 0)
    assert fetch_one(database, select(SimilarityCheck)).state == "done"
    assert len(list_pairs(database)) == 1


def test_a_killed_workers_check_goes_on_elsewhere_with_its_fingerprints(
    database: Database, pool: Pool, homework: Homework, tmp_path: Path
) -> None:
    with database.transaction() as session:
        for number in range(BATCH + 10):
            hand_in(session, homework, join(session, homework, f"student-{number}"), ORIGINAL)
        begin(session, homework, compared="all")
    fleet = Fleet(database, tmp_path, module="tests.similarity.dying_worker")

    fleet.start("dying")
    assert fleet.wait("dying") == -signal.SIGKILL
    kept = len(fetch_all(database, select(Fingerprint)))
    expire(database)
    check = run(database, pool)

    assert (kept, check.state, check.programs) == (BATCH, "done", BATCH + 10)
    assert "stopped beating" in (check.reason or "")


def test_fingerprints_of_a_stopped_attempt_are_not_made_again(
    database: Database, pool: Pool, homework: Homework
) -> None:
    with database.transaction() as session:
        ada = join(session, homework, "ada")
        sent = [hand_in(session, homework, ada, ORIGINAL, minute=n) for n in range(BATCH + 1)]
    stopped = threading.Event()
    fingerprints = Fingerprints(database=database, pool=pool)

    with pytest.raises(Aborted):
        fingerprints.get(sent, lambda done: stopped.set() if done else None, stopped)
    done: list[int] = []
    fingerprints.get(sent, done.append, NEVER)

    assert done == [BATCH, BATCH + 1]
    assert len(fetch_all(database, select(Fingerprint))) == BATCH + 1


def test_a_loop_makes_checks_and_one_that_fails_every_time_ends_as_failed(
    database: Database, pool: Pool, homework: Homework
) -> None:
    commit(database, begin, homework)
    for _ in range(MAX_ATTEMPTS):
        fail(database, take(database), "no box")
    assert fetch_one(database, select(SimilarityCheck)).state == "failed"
    again = commit(database, begin, homework)
    loop = Comparer(database=database, pool=pool).loop(Capacity(queues=["cpu"], slots=1))

    loop.start()
    try:
        wait_until(lambda: not fetch_all(database, select(Job)))
    finally:
        loop.stop()

    assert fetch_one(database, select(SimilarityCheck).where(SimilarityCheck.id == again.id)).state == "done"


def test_one_whose_worker_died_in_the_last_attempt_is_ended(database: Database, homework: Homework) -> None:
    commit(database, begin, homework)
    for _ in range(MAX_ATTEMPTS):
        take(database)
        expire(database)

    assert commit(database, bury, CheckClaim) == 1
    assert fetch_one(database, select(SimilarityCheck)).state == "failed"


def test_a_dismissed_pair_stays_dismissed_in_the_next_check(database: Database, pool: Pool, homework: Homework) -> None:
    with database.transaction() as session:
        for name, source in (("ada", ORIGINAL), ("grace", RENAMED)):
            hand_in(session, homework, join(session, homework, name), source)
        begin(session, homework)
    run(database, pool)
    execute(database, update(SimilarPair).values(dismissed_at=func.now(), note="They work in a pair."))
    commit(database, begin, homework)

    Comparer(database=database, pool=pool).compare(take(database), NEVER)

    notes = fetch_all(database, select(SimilarPair.note))
    assert notes == ["They work in a pair."] * 2
