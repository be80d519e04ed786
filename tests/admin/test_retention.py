"""Retention: which old rows are removed, and which always stay."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from app.accounts.model import ApiToken, Invitation, User, UserSession
from app.accounts.session import start_session
from app.accounts.token import create_token
from app.admin.retention import BATCH, LOCK, RetentionRun, read_retention, run_if_due
from app.audit import AuditEvent
from app.authoring.model import Publication, Verification
from app.catalog.model import Problem, Revision
from app.courses.model import Assignment, Course, Extension, Member, Sitting
from app.database.engine import Database
from app.grading.model import Adjustment, ShownGrade
from app.rejudging.model import Rejudging
from app.similarity.model import Fingerprint, SimilarityCheck, SimilarPair
from app.submissions.model import CaseRow, Judging, Submission
from app.submissions.solved import solved_at
from tests.factories import (
    make_assignment,
    make_course,
    make_judging,
    make_member,
    make_problem,
    make_submission,
    make_user,
    set_policy,
)
from tests.transaction import commit, execute, fetch_all

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def send(session: Session, day: int, verdict: str | None, user: User, revision: Revision) -> UUID:
    """Judged, on this day of long ago."""
    submission = make_submission(session, user, revision)
    state: dict[str, Any] = {"verdict": verdict} if verdict else {}
    make_judging(session, submission.id, **state)
    at = LONG_AGO + timedelta(days=day)
    session.execute(update(Submission).where(Submission.id == submission.id).values(created_at=at))
    return submission.id


def left(database: Database, model: Any = Submission) -> set[Any]:
    return set(fetch_all(database, select(model.id)))


def test_the_first_and_the_last_accepted_submission_stay_and_so_what_is_solved(database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, keep_submissions_days=30)
        user, revision = make_user(session), make_problem(session)
        verdicts = ("wrong_answer", "accepted", "accepted", "wrong_answer", "accepted", "wrong_answer")
        sent = [send(session, day, verdict, user, revision) for day, verdict in enumerate(verdicts)]
        before = session.scalar(select(solved_at(user.id, revision.problem_id)))

    run = run_if_due(database)

    assert run is not None
    assert run.removed == {"submissions": 4}
    assert left(database) == {sent[1], sent[4]}
    with database.transaction() as session:
        assert session.scalar(select(solved_at(user.id, revision.problem_id))) == before


def test_a_course_is_kept_until_its_date_and_then_removed_whole(database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, keep_submissions_days=30)
        user, revision = make_user(session), make_problem(session)
        kept, ended = (make_course(session, keep_until=at) for at in (datetime(2099, 1, 1, tzinfo=UTC), LONG_AGO))
        sent = [send(session, day, "accepted", user, revision) for day in range(3)]
        for course, submission_id in zip((kept, ended), sent[:2], strict=True):
            make_member(session, course, user)
            make_member(session, course)
            assignment = make_assignment(session, course, revision)
            session.get_one(Submission, submission_id).assignment_id = assignment.id
            own = {"assignment_id": assignment.id, "user_id": user.id}
            session.add(Extension(**own))
            session.add(Sitting(**own, addresses=["192.0.2.1"]))
            session.add(Adjustment(**own, kind="submission", submission_id=submission_id, reason="r"))
            session.add(ShownGrade(**own, why="release"))
            check = SimilarityCheck(problem_id=revision.problem_id, assignment_id=assignment.id, compared="all")
            session.add_all([check, Fingerprint(submission_id=submission_id, version=1, lines=1)])
            session.flush()
            ids = {"check_id": check.id, "left_id": submission_id, "right_id": sent[2]}
            session.add(SimilarPair(**ids, number=1, similarity=90.0, blocks=[]))
        problem = session.get_one(Problem, revision.problem_id)
        problem.course_id, problem.availability = ended.id, "course"

    run = run_if_due(database)

    assert run is not None
    assert run.removed == {"hand_ins": 1, "courses": 1}
    assert left(database) == {sent[0], sent[2]}
    assert left(database, Course) == {kept.id}
    tables = (Assignment, Member, Extension, Sitting, Adjustment, ShownGrade)
    counts = [fetch_all(database, select(func.count()).select_from(table)) for table in tables]
    assert counts == [[1], [2], [1], [1], [1], [1]]
    compared = (SimilarityCheck, SimilarPair, Fingerprint)
    assert [fetch_all(database, select(func.count()).select_from(table)) for table in compared] == [[1]] * 3
    assert fetch_all(database, select(Problem.course_id)) == [kept.id]


def test_unfinished_and_young_submissions_and_the_solutions_of_each_user_and_problem_stay(database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, keep_submissions_days=30)
        users, revisions = [make_user(session) for _ in range(2)], [make_problem(session) for _ in range(2)]
        solutions = {send(session, 0, "accepted", user, revision) for user in users for revision in revisions}
        unfinished = send(session, 0, None, users[0], revisions[0])
        young = make_judging(session, verdict="wrong_answer").submission_id

    run_if_due(database)

    assert left(database) == {*solutions, unfinished, young}


def test_what_was_handed_in_stays(database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, keep_submissions_days=30)
        user, revision = make_user(session), make_problem(session)
        handed_in, practice = (send(session, 0, "wrong_answer", user, revision) for _ in range(2))
        assignment = make_assignment(session, make_course(session), revision)
        session.get_one(Submission, handed_in).assignment_id = assignment.id

    run_if_due(database)

    assert left(database) == {handed_in}
    assert practice


def test_results_go_with_their_submission(database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, keep_submissions_days=30)
        submission_id = send(session, 0, "wrong_answer", make_user(session), make_problem(session))
        judging_id = session.scalars(select(Judging.id).where(Judging.submission_id == submission_id)).one()
        place = {"judging_id": judging_id, "attempt": 1, "position": 0, "sequence": 0}
        session.add(CaseRow(**place, name="small", visibility="sample", verdict="wrong_answer", report={}))

    run_if_due(database)

    with database.transaction() as session:
        assert session.scalars(select(CaseRow.judging_id)).all() == []
        assert session.scalars(select(Judging.id)).all() == []


@pytest.mark.parametrize(("decision", "stays"), [(None, True), ("applied", False), ("cancelled", False)])
def test_a_rejudging_that_is_not_decided_on_keeps_its_submissions(
    database: Database, decision: str | None, stays: bool
) -> None:
    with database.transaction() as session:
        set_policy(session, keep_submissions_days=30)
        sent = send(session, 0, "wrong_answer", make_user(session), make_problem(session))
        rejudging = Rejudging(chosen={}, onto="own", total=1, judged=1 if decision else None, decision=decision)
        session.add(rejudging)
        session.flush()
        again = {"verdict": "wrong_answer", "is_current": False, "rejudging_id": rejudging.id}
        make_judging(session, sent, **again)

    run_if_due(database)

    assert left(database) == ({sent} if stays else set())


def test_nothing_of_users_goes_unless_an_admin_says_so(database: Database) -> None:
    with database.transaction() as session:
        send(session, 0, "wrong_answer", make_user(session), make_problem(session))

    run = run_if_due(database)

    assert run is not None
    assert run.removed == {}
    assert len(left(database)) == 1


def test_more_than_a_batch_goes_in_one_run(database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, keep_submissions_days=30)
        user, revision = make_user(session), make_problem(session)
        for _ in range(BATCH + 1):
            send(session, 0, "wrong_answer", user, revision)

    run_if_due(database)

    assert left(database) == set()


def test_packages_go_but_for_those_that_a_revision_was_published_by(database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, keep_verifications_days=30)
        user, revision = make_user(session), make_problem(session)
        done = {"verdict": "passed", "finished_at": LONG_AGO}
        facts = {"user_id": user.id, "slug": "some", "files": {}, "publish": True}
        rows = [Verification(**facts, digest=str(number), **done) for number in range(2)]
        rows.append(Verification(**facts, digest="3"))
        session.add_all(rows)
        session.flush()
        published = {"problem_id": revision.problem_id, "revision_id": revision.id, "verification_id": rows[0].id}
        session.add(Publication(**published))

    run_if_due(database)

    assert left(database, Verification) == {rows[0].id, rows[2].id}


def test_sessions_tokens_and_invitations_go_long_after_their_end(database: Database) -> None:
    with database.transaction() as session:
        user = make_user(session)
        for _ in range(2):
            start_session(session, user.id)
            create_token(session, user.id, "test")
        for number in range(2):
            far = datetime.now(UTC) + timedelta(days=9)
            session.add(Invitation(token_hash=bytes([number]), role="student", expires_at=far))
        session.flush()
        for model, ended in ((UserSession, {"expires_at": LONG_AGO}), (ApiToken, {"revoked_at": LONG_AGO})):
            first = session.scalars(select(model.id).limit(1)).one()
            session.execute(update(model).where(model.id == first).values(**ended))
        used = session.scalars(select(Invitation.id).limit(1)).one()
        session.execute(update(Invitation).where(Invitation.id == used).values(used_at=LONG_AGO))

    run = run_if_due(database)

    assert run is not None
    assert run.removed == {"sessions": 1, "tokens": 1, "invitations": 1}


def test_the_audit_log_counts_removed_rows_and_stays(database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, keep_submissions_days=30)
        send(session, 0, "wrong_answer", make_user(session), make_problem(session))

    run_if_due(database)

    with database.transaction() as session:
        (event,) = session.scalars(select(AuditEvent)).all()
        assert (event.action, event.channel, event.after) == ("retention.removed", "retention", {"submissions": 1})


def test_it_runs_once_an_hour_and_in_one_process(database: Database) -> None:
    with database.engine.connect() as other:
        other.execute(text("SELECT pg_advisory_lock(:key)"), {"key": LOCK})
        assert run_if_due(database) is None
        other.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": LOCK})

    assert run_if_due(database) is not None
    assert run_if_due(database) is None
    execute(database, update(RetentionRun).values(started_at=RetentionRun.started_at - timedelta(minutes=61)))

    assert run_if_due(database) is not None


def test_the_preview_says_what_would_go_and_removes_nothing(database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, keep_submissions_days=30)
        user, revision = make_user(session), make_problem(session)
        for day, verdict in enumerate(("wrong_answer", "accepted")):
            send(session, day, verdict, user, revision)

    due = {each.name: each.count for each in commit(database, read_retention).due}

    assert due["submissions"] == 1
    assert len(left(database)) == 2
