"""Leases of verifications: a worker's death loses none, and a superseded attempt writes nothing."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select, update

from app.authoring.model import Publication, Verification
from app.authoring.query import get_verification, list_revisions
from app.authoring.send import cancel
from app.catalog.folder import digest
from app.catalog.package import Package
from app.catalog.publish import find_current, publish
from app.database.engine import Database
from app.queue.lease import beat, bury, claim, fail, give_back
from app.queue.model import MAX_ATTEMPTS, Job
from app.verification.verification_record import VerificationClaim, VerificationResult, finish, record_step
from tests.authoring.rows import make_report, make_verification
from tests.authoring.steps import WANTED, take
from tests.catalog.packages import PROBLEM, make_package
from tests.factories import make_user
from tests.transaction import commit, execute, fetch_one

LEASE = timedelta(seconds=15)
PACKAGE = make_package()
OTHER = make_package(problem=PROBLEM.replace("Scaled sum", "Another title"))


def send(database: Database, package: Package = PACKAGE, **wish: Any) -> UUID:
    return commit(database, make_verification, package, **wish).id


def read(database: Database) -> Verification:
    return fetch_one(database, select(Verification))


def expire(database: Database) -> None:
    execute(database, update(Job).values(lease_until=func.now() - timedelta(seconds=1)))


def verified(package: Package = PACKAGE, passed: bool = True) -> VerificationResult:
    return VerificationResult(report=make_report(passed), package=package)


def current(database: Database, slug: str = "scaled_sum") -> str | None:
    with database.transaction() as session:
        revision = find_current(session, slug)
        return revision.digest if revision else None


def test_a_package_that_passes_is_published_in_the_same_commit_with_its_publisher(database: Database) -> None:
    verification_id = send(database)

    revision = finish(database, take(database), verified())

    assert revision is not None
    row = read(database)
    assert (row.state, row.verdict, row.revision_id) == ("done", "passed", revision.id)
    assert current(database) == digest(PACKAGE.files)
    with database.transaction() as session:
        (shown,) = list_revisions(session, "scaled_sum")
        sender = session.scalars(select(Publication.user_id)).one()
    assert [publication.verification for publication in shown.publications] == [verification_id]
    assert sender == row.user_id


@pytest.mark.parametrize(("passed", "wish"), [(False, True), (True, False)])
def test_a_refused_package_or_one_that_is_only_verified_is_not_published(
    database: Database, passed: bool, wish: bool
) -> None:
    send(database, publish=wish)

    assert finish(database, take(database), verified(passed=passed)) is None

    assert read(database).verdict == ("passed" if passed else "refused")
    assert current(database) is None


def test_a_superseded_attempt_writes_nothing(database: Database) -> None:
    send(database)
    zombie = take(database)
    expire(database)
    take(database)

    commit(database, record_step, zombie, "zombie", 1, 2)
    assert finish(database, zombie, verified()) is None
    fail(database, zombie, "zombie")

    row = read(database)
    assert row.job is not None
    assert (row.state, row.job.attempt, row.step, row.report) == ("verifying", 2, "", None)
    assert "zombie" not in (row.job.reason or "")
    assert current(database) is None


def test_a_revision_that_came_meanwhile_is_not_overwritten(database: Database) -> None:
    first = commit(database, publish, PACKAGE)
    send(database, OTHER, replaces=first.digest)
    taken = take(database)
    third = make_package(problem=PROBLEM.replace("Scaled sum", "A third title"))
    commit(database, publish, third)

    assert finish(database, taken, verified(OTHER)) is None

    row = read(database)
    assert (row.verdict, row.revision_id) == ("passed", None)
    assert "was not published" in (row.reason or "")
    assert current(database) == digest(third.files)


def test_attempts_that_all_fail_are_a_failure_with_its_reasons(database: Database) -> None:
    send(database)

    attempts = range(1, MAX_ATTEMPTS + 1)
    for attempt in attempts:
        fail(database, take(database), f"no box {attempt}")

    row = read(database)
    assert (row.state, row.verdict) == ("done", "failed")
    assert row.reason is not None
    assert row.reason.splitlines() == [f"attempt {n}: no box {n}" for n in attempts]


def test_one_whose_worker_died_in_the_last_attempt_is_ended(database: Database) -> None:
    send(database)
    for _ in range(MAX_ATTEMPTS):
        take(database)
        expire(database)

    assert commit(database, bury, VerificationClaim) == 1

    assert read(database).verdict == "failed"


def test_a_cancelled_one_ends_at_once_and_its_worker_is_told_to_stop(database: Database) -> None:
    verification_id = send(database)
    taken = take(database)
    with database.transaction() as session:
        cancel(session, get_verification(session, verification_id))

    row = read(database)
    assert (row.verdict, row.is_cancelled, row.finished_at is not None) == ("failed", True, True)
    assert commit(database, beat, [taken], LEASE) == {taken}
    give_back(database, taken)
    assert read(database).reason == "cancelled"
    assert commit(database, claim, WANTED, VerificationClaim) == []


def test_one_that_passes_after_it_was_cancelled_is_not_published(database: Database) -> None:
    verification_id = send(database)
    fail(database, take(database), "no box")
    taken = take(database)
    with database.transaction() as session:
        cancel(session, get_verification(session, verification_id))
    assert read(database).reason == "attempt 1: no box\ncancelled"

    assert finish(database, taken, verified()) is None

    row = read(database)
    assert (row.verdict, row.report, row.revision_id) == ("failed", None, None)
    assert current(database) is None


def test_the_same_package_with_another_precondition_is_another_job(database: Database) -> None:
    with database.transaction() as session:
        first = publish(session, PACKAGE)
        sender = make_user(session, role="author")
        jobs = [
            make_verification(session, OTHER, sender, replaces=replaces)
            for replaces in (None, first.digest, first.digest)
        ]

    assert [job.replaces for job in jobs] == [None, first.digest, first.digest]
    assert jobs[0].id != jobs[1].id == jobs[2].id


def test_a_verification_of_another_device_is_left_to_others(database: Database) -> None:
    send(database, make_package(problem=PROBLEM.replace("memory_mib: 256", "memory_mib: 256, gpu: true")))

    assert commit(database, claim, WANTED, VerificationClaim) == []
