"""A user is erased while a worker judges their submission: the worker is told to stop, and writes nothing."""

from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.admin.erasure import erase
from app.audit import COMMAND
from app.database.engine import Database
from app.judging.verdicts import Finish, Verdict
from app.queue.lease import beat, fail, give_back
from app.submissions.judging_record import JudgingClaim, finish, record_cases
from app.submissions.model import CaseRow, Judging
from tests.api.lease_steps import result, take
from tests.factories import make_judging, make_submission, make_user

LEASE = timedelta(seconds=30)
RIGHT = result(0)


@pytest.fixture
def orphan(database: Database) -> JudgingClaim:
    """The right to a judging whose submission is gone."""
    with database.transaction() as session:
        user = make_user(session)
        make_judging(session, make_submission(session, user).id)
    taken = take(database)
    with database.transaction() as session:
        erase(session, COMMAND, user.id)
    return taken


def test_the_worker_is_told_to_stop_with_its_next_beat(session: Session, orphan: JudgingClaim) -> None:
    assert beat(session, [orphan], LEASE) == {orphan}


def test_nothing_is_written_of_it(database: Database, orphan: JudgingClaim) -> None:
    outcome = Finish(verdict=Verdict.ACCEPTED, score=100, cases=(RIGHT,), image="none", versions={})

    with database.transaction() as session:
        record_cases(session, orphan, [RIGHT])
    assert finish(database, orphan, outcome) is False
    fail(database, orphan, "a reason")
    give_back(database, orphan)

    with database.transaction() as session:
        assert session.scalars(select(Judging)).all() == []
        assert session.scalars(select(CaseRow)).all() == []
