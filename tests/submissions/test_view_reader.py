"""Reading a view again and again gives what reading it once gives."""

import pytest
from sqlalchemy import func
from sqlalchemy.orm import Session

from app.accounts.permission import signed_in
from app.errors import NotFound
from app.submissions.model import CaseRow, Judging
from app.submissions.view_query import ViewReader
from tests.factories import finish_judgings, make_judging, make_problem, make_submission, make_user, view_submission

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
