"""A worker that still holds claims of a database that was replaced writes nothing into the one that was restored."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from sqlalchemy import select

from app.audit import COMMAND
from app.authoring.model import Verification
from app.backup.archive import back_up
from app.backup.restore import restore
from app.database.engine import Database
from app.judging.verdicts import Finish, Verdict
from app.queue import lease
from app.queue.lease import Wanted
from app.queue.model import MAX_ATTEMPTS
from app.submissions import judging_record
from app.submissions.judging_record import JudgingClaim
from app.submissions.model import CaseRow, Judging
from app.verification import verification_record
from app.verification.verification_record import VerificationClaim, VerificationResult
from tests.authoring.rows import make_report, make_verification
from tests.factories import make_judging, make_result
from tests.queue.test_lease import attempts_left
from tests.transaction import commit, fetch_all

LEASE = timedelta(seconds=50)
CPU = Wanted(queues=["cpu"], slots=10, worker="of before", lease=LEASE)
RIGHT = Finish(verdict=Verdict.ACCEPTED, score=100, cases=(), image="image", versions={})


def claim(database: Database) -> list[JudgingClaim]:
    return commit(database, lease.claim, CPU, JudgingClaim)


def claim_verifications(database: Database) -> list[VerificationClaim]:
    return commit(database, lease.claim, replace(CPU, queues=["verify-cpu"]), VerificationClaim)


def judgings(database: Database) -> list[Judging]:
    return fetch_all(database, select(Judging).order_by(Judging.id))


def test_judgings_in_progress_are_lost_to_their_workers_after_a_restore(database: Database, tmp_path: Path) -> None:
    submissions = [commit(database, make_judging).submission_id for _ in range(3)]
    back_up(database, tmp_path / "waiting", COMMAND)
    held = claim(database)
    commit(database, judging_record.record_cases, held[0], [make_result(0)])

    restore(database, tmp_path / "waiting", COMMAND, replace=True)
    with database.transaction() as session:
        judging_record.record_cases(session, held[1], [make_result(0)])
        lost = lease.beat(session, held, LEASE)
    written = [judging_record.finish(database, each, RIGHT) for each in held]
    again = claim(database)

    assert lost == set(held)
    assert written == [False, False, False]
    assert [each.submission_id for each in again] == submissions
    assert not {each.judging_id for each in again} & {each.judging_id for each in held}
    assert {each.verdict for each in judgings(database)} == {None}
    assert fetch_all(database, select(CaseRow)) == []


def test_a_submission_that_was_half_judged_in_the_backup_begins_anew(database: Database, tmp_path: Path) -> None:
    commit(database, make_judging)
    held = claim(database)
    commit(database, judging_record.record_cases, held[0], [make_result(0)])
    back_up(database, tmp_path / "half", COMMAND)

    restore(database, tmp_path / "half", COMMAND, replace=True)
    waiting = judgings(database)
    assert not judging_record.finish(database, held[0], RIGHT)

    assert [(each.state, attempts_left(each.job)) for each in waiting if each.job] == [("queued", MAX_ATTEMPTS)]
    assert len(claim(database)) == 1


def test_the_same_backup_twice_is_fenced_twice(database: Database, tmp_path: Path) -> None:
    commit(database, make_judging)
    back_up(database, tmp_path / "one", COMMAND)
    held: list[JudgingClaim] = []
    for _ in range(3):
        held += claim(database)
        restore(database, tmp_path / "one", COMMAND, replace=True)

    written = [judging_record.finish(database, each, RIGHT) for each in held]

    assert len({each.judging_id for each in held}) == 3
    assert written == [False, False, False]


def test_a_verification_keeps_its_name_and_gets_another_job(database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        identifier: UUID = make_verification(session).id
    back_up(database, tmp_path / "sent", COMMAND)
    held = claim_verifications(database)

    restore(database, tmp_path / "sent", COMMAND, replace=True)
    refused = VerificationResult(report=make_report(passed=False), package=None)
    again = claim_verifications(database)
    verification_record.finish(database, held[0], refused)

    assert [each.verification_id for each in again] == [identifier]
    assert again[0].job_id > held[0].job_id
    with database.transaction() as session:
        row = session.get_one(Verification, identifier)
        assert (row.state, row.report) == ("verifying", None)


def test_a_rejudge_still_knows_what_it_is_to_replace(database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        first = make_judging(session)
        make_judging(session, first.submission_id, is_current=False, replaces_id=first.id)
    back_up(database, tmp_path / "two", COMMAND)

    restore(database, tmp_path / "two", COMMAND, replace=True)

    old, new = judgings(database)
    assert (old.replaces_id, new.replaces_id) == (None, old.id)
    assert old.id > first.id
