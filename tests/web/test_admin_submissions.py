"""The page of all users' submissions, and one submission as admins see it."""

from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.model import User
from app.database.engine import Database
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, submit
from tests.factories import make_judging, make_submission, make_user
from tests.web.judged import all_right, judge


@pytest.fixture
def sent(app: object, database: Database) -> UUID:  # noqa: ARG001
    """Emmy's, accepted."""
    with database.transaction() as session:
        emmy = make_user(session, "emmy")
        wanted = Submit(user_id=emmy.id, slug="scaled_sum", source="code of emmy", mode="submit")
        submission_id = submit(session, wanted, SubmitLimits(max_pending=9)).id
    judge(database, *all_right())
    return submission_id


def test_the_list_shows_the_user_of_each_submission(admin: TestClient, sent: UUID) -> None:
    page = admin.get("/admin/submissions").text

    assert f'href="/submissions/{sent}"' in page
    assert '<a href="/admin/submissions?user=emmy">emmy</a>' in page
    assert "Accepted" in page


def test_the_filters_of_the_list_also_filter_its_file_and_a_rejudging(admin: TestClient, sent: UUID) -> None:
    page = admin.get("/admin/submissions?user=emmy&problem=scaled_sum&verdict=accepted&since=").text

    assert f'href="/submissions/{sent}"' in page
    assert '<option value="accepted" selected>' in page
    chosen = "user=emmy&amp;problem=scaled_sum&amp;verdict=accepted"
    assert f'href="/admin/submissions/export?{chosen}&amp;format=csv"' in page
    assert f'href="/admin/rejudgings/new?{chosen}"' in page


def test_submissions_without_a_verdict_can_be_found_but_not_rejudged(
    admin: TestClient, sent: UUID, database: Database
) -> None:
    with database.transaction() as session:
        waiting = make_submission(session, make_user(session, "ada"))
        make_judging(session, waiting.id)

    page, judged = admin.get("/admin/submissions?state=queued").text, admin.get("/admin/submissions?state=done").text

    assert f"/submissions/{waiting.id}" in page
    assert f"/submissions/{sent}" not in page
    assert "Rejudge these" not in page
    assert f"/submissions/{sent}" in judged
    assert f"/submissions/{waiting.id}" not in judged
    assert 'href="/admin/rejudgings/new">Rejudge these' in judged


def test_an_admin_sees_how_a_submission_was_judged(admin: TestClient, sent: UUID, database: Database) -> None:
    with database.transaction() as session:
        failure = {"verdict": "judge_error", "reason": "attempt 1: <BoxLost>", "is_current": False}
        make_judging(session, sent, worker="worker-7", **failure)

    page = admin.get(f"/submissions/{sent}").text

    assert "The code of emmy" in page
    assert "worker-7" in page
    assert "attempt 1: &lt;BoxLost&gt;" in page
    assert page.count('class="badge tone-good">counts') == 1


def test_students_do_not_see_workers_and_reasons_of_judge_errors(ada: TestClient, database: Database) -> None:
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == "ada")).one()
        submission = make_submission(session, user)
        make_judging(session, submission.id, worker="worker-7", reason="attempt 1: BoxLost")

    page = ada.get(f"/submissions/{submission.id}").text

    assert "Your code" in page
    assert "worker-7" not in page
    assert "BoxLost" not in page
