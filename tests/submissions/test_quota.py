from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from app.database.engine import Database
from app.errors import LimitReached
from app.submissions.cancel import cancel
from app.submissions.model import Submission
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, submit
from tests.factories import make_problem, make_user
from tests.transaction import commit, execute

MANY = SubmitLimits(max_pending=1000)


@pytest.fixture
def wanted(database: Database) -> Submit:
    with database.transaction() as session:
        make_problem(session, "sums", parameters=[{"name": "n", "type": "int"}])
        return Submit(user_id=make_user(session).id, slug="sums", source="def sums(): ...", mode="submit")


def send(database: Database, wanted: Submit, limits: SubmitLimits) -> None:
    commit(database, submit, wanted, limits)


def make_older(database: Database, minutes: int) -> None:
    execute(database, update(Submission).values(created_at=Submission.created_at - timedelta(minutes=minutes)))


def test_one_more_submission_than_the_hourly_limit_waits_for_the_first_to_be_an_hour_old(
    database: Database, wanted: Submit
) -> None:
    limits = replace(MANY, submissions_per_hour=3)
    for _ in range(3):
        send(database, wanted, limits)
    make_older(database, 50)

    with pytest.raises(LimitReached, match=r"you sent 3 submissions in the last hour; the limit is 3\.") as refused:
        send(database, wanted, limits)

    assert timedelta(minutes=9) < refused.value.retry_after < timedelta(minutes=12)
    at = datetime.now(UTC) + refused.value.retry_after
    assert f"Submit again at {at:%H:%M} UTC." in str(refused.value)
    make_older(database, 10)
    send(database, wanted, limits)


def test_large_sources_use_up_the_bytes_of_an_hour(database: Database, wanted: Submit) -> None:
    limits = replace(MANY, submitted_mib_per_hour=1)
    large = replace(wanted, source="#" * 250 * 1024)
    for _ in range(4):
        send(database, large, limits)

    with pytest.raises(LimitReached, match=r"have 1\.0 MiB, and this one 0\.24 MiB; the limit is 1 MiB"):
        send(database, large, limits)

    send(database, wanted, limits)  # a small one still fits
    other = replace(large, user_id=commit(database, make_user).id)
    send(database, other, limits)


def test_one_run_with_custom_inputs_at_a_time(database: Database, wanted: Submit) -> None:
    own = replace(wanted, mode="sample", inputs="n: 3\n")
    send(database, own, MANY)

    with pytest.raises(LimitReached, match="your last run with custom inputs is not finished"):
        send(database, own, MANY)

    send(database, wanted, MANY)  # the problem's own cases are not affected
    with database.transaction() as session:
        assert cancel(session, session.scalars(select(Submission).where(Submission.inputs.is_not(None))).one())
    send(database, own, MANY)
