"""Reading submissions: who may, what a view shows, and the history in pages."""

from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.permission import signed_in
from app.database.cursor import PAGE
from app.errors import NotFound
from app.judging.verdicts import Verdict
from app.submissions.model import CaseRow, Judging, Submission
from app.submissions.query import HistoryFilters, get_submission, list_submissions
from app.submissions.view_query import HINT_SECONDS, ViewReader
from tests.factories import finish_judgings, make_judging, make_problem, make_submission, make_user, view_submission


def make_case(judging_id: int, attempt: int, position: int) -> CaseRow:
    return CaseRow(
        judging_id=judging_id,
        attempt=attempt,
        position=position,
        sequence=position,
        name=f"case-{position}",
        visibility="sample",
        verdict=Verdict.ACCEPTED,
        report={},
    )


def test_only_the_owner_and_an_admin_see_a_submission(session: Session) -> None:
    owner, other, admin = make_user(session), make_user(session), make_user(session, role="admin")
    submission = make_submission(session, owner)

    assert get_submission(session, submission.id, signed_in(owner)) is submission
    assert get_submission(session, submission.id, signed_in(admin)) is submission
    with pytest.raises(NotFound):
        get_submission(session, submission.id, signed_in(other))
    with pytest.raises(NotFound):
        get_submission(session, uuid4(), signed_in(owner))


def test_a_view_shows_the_cases_of_the_current_attempt_only(session: Session) -> None:
    submission = make_submission(session)
    judging = make_judging(session, submission.id, verdict="accepted", attempt=2)
    session.add_all([make_case(judging.id, 1, 0), make_case(judging.id, 2, 1), make_case(judging.id, 2, 0)])
    session.flush()

    view = view_submission(session, submission)

    assert [case.name for case in view.cases] == ["case-0", "case-1"]


def test_a_hint_is_expected_for_a_while(session: Session) -> None:
    submission = make_submission(session)
    judging = make_judging(session, submission.id, verdict="wrong_answer", hint_pending=True)
    judging.finished_at = session.scalars(select(func.now())).one()
    is_expected = view_submission(session, submission).hint_pending
    judging.finished_at -= timedelta(seconds=HINT_SECONDS)
    is_given_up = not view_submission(session, submission).hint_pending

    assert is_expected
    assert is_given_up


def test_a_view_shows_no_cases_of_a_failed_attempt_while_the_next_one_waits(session: Session) -> None:
    submission = make_submission(session)
    judging = make_judging(session, submission.id, attempt=1)
    session.add(make_case(judging.id, 1, 0))
    session.flush()

    view = view_submission(session, submission)

    assert view.cases == ()


def test_a_view_shows_the_latest_judging(session: Session) -> None:
    submission = make_submission(session)
    make_judging(session, submission.id, verdict="wrong_answer", score=0)
    make_judging(session, submission.id, verdict="accepted", score=100)

    view = view_submission(session, submission)

    assert (view.verdict, view.score) == (Verdict.ACCEPTED, 100)


def test_a_view_never_shows_the_reason_of_a_judge_error(session: Session) -> None:
    submission = make_submission(session)
    make_judging(session, submission.id, verdict="judge_error", reason="secret-path")

    view = view_submission(session, submission)

    assert "secret-path" not in view.model_dump_json()


def test_a_history_can_be_of_one_problem(session: Session) -> None:
    user = make_user(session)
    wanted = make_submission(session, user, make_problem(session, "wanted"))
    make_judging(session, wanted.id)
    make_judging(session, make_submission(session, user).id)

    page = list_submissions(session, user.id, HistoryFilters(problem="wanted"))

    assert [(item.id, item.problem, item.state) for item in page.items] == [(wanted.id, "wanted", "queued")]


def test_the_next_page_is_there_when_the_last_submission_of_the_page_before_has_gone(session: Session) -> None:
    user, revision = make_user(session), make_problem(session)
    for _ in range(PAGE + 2):
        make_judging(session, make_submission(session, user, revision).id)
    first = list_submissions(session, user.id)
    session.delete(session.get_one(Submission, first.items[-1].id))
    session.flush()

    assert len(list_submissions(session, user.id, cursor=first.next).items) == 2


CASES = [{"name": name, "visibility": "sample"} for name in ("small", "large")]


def add_result(session: Session, judging: Judging, position: int, sequence: int) -> None:
    result = {"verdict": "accepted", "report": {}, **CASES[position], "position": position, "sequence": sequence}
    session.add(CaseRow(judging_id=judging.id, attempt=judging.latest.attempt, **result))
    session.flush()


def test_every_change_shows_as_if_it_was_read_for_the_first_time(session: Session) -> None:
    user, revision = make_user(session), make_problem(session, cases=CASES, parameters=[])
    submission = make_submission(session, user, revision)
    judging = make_judging(session, submission.id)
    reader, seen = ViewReader(submission.id), []

    def read() -> None:
        found, view = reader.read(session, signed_in(user))
        assert (found, view) == (submission, view_submission(session, submission))
        seen.append([case.name for case in view.cases])

    read()
    job = judging.job
    assert job is not None
    job.attempt, job.started_at, job.lease_until = 1, func.now(), func.now()
    session.flush()
    add_result(session, judging, 1, 0)
    read()
    add_result(session, judging, 0, 1)
    read()
    job.lease_until = None
    session.flush()
    read()
    job.lease_until, job.attempt = func.now(), 2
    session.flush()
    add_result(session, judging, 0, 0)
    read()
    finish_judgings(session, attempt=2, finished_at=func.now())
    add_result(session, judging, 1, 1)
    read()
    make_judging(session, submission.id, revision_id=make_problem(session, cases=CASES[:1], parameters=[]).id)
    read()

    assert seen == [[], ["large"], ["small", "large"], [], ["small"], ["small", "large"], []]


def test_the_submissions_of_others_are_not_there(session: Session) -> None:
    judging = make_judging(session)

    with pytest.raises(NotFound):
        ViewReader(judging.submission_id).read(session, signed_in(make_user(session)))
