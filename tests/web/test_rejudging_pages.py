"""The pages of rejudgings, from choosing to the student who is told."""

from http import HTTPStatus

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.session import start_session
from app.catalog.model import Problem, Revision
from app.database.engine import Database
from app.judging.verdicts import Verdict
from app.rejudging.model import Rejudging
from app.submissions.model import Submission
from app.web.visit import COOKIE
from tests.factories import make_user
from tests.rejudging.rows import add_revision, judge_again, make_judged

HOME = "/admin/rejudgings"
OTHER_REVISION = "has a verdict from another revision"


@pytest.fixture
def submission(admin: TestClient, database: Database) -> Submission:  # noqa: ARG001 (its server has published the problem)
    """Wrong, of the published problem."""
    with database.transaction() as session:
        return make_judged(session, session.scalars(select(Revision)).one())


def begin(admin: TestClient, database: Database) -> str:
    """The path of its page."""
    answer = admin.post(HOME, data={"criteria": '{"verdict": "wrong_answer"}', "note": "a case was wrong"})
    with database.transaction() as session:
        rejudging = session.scalars(select(Rejudging)).one()
    assert answer.headers["location"] == f"{HOME}/{rejudging.id}"
    return f"{HOME}/{rejudging.id}"


def test_a_rejudging_begins_with_a_preview(admin: TestClient, submission: Submission) -> None:
    page = admin.get(f"{HOME}/new?problem=scaled_sum&verdict=wrong_answer").text

    assert "1 submission" in page
    assert f"/submissions/{submission.id}" in page
    assert "Rejudge 1 submission" in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("problem=&revision=&user=&verdict=&cause=&since=&until=&ids=&onto=own", "All submissions match"),
        ("samples=true", "All submissions match"),
        ("problem=scaled_sum&revision=abc", "evision is"),
        ("problem=scaled_sum&revision=0", "evision is"),
        ("problem=scaled_sum&revision=" + 12 * "9", "evision is"),
        ("problem=scaled_sum&revision=99", "no revision 99 of"),
        ("revision=1", "needs its problem"),
        ("since=never", "is not a time"),
        ("onto=x&user=grace", "revisions of the verdicts or the current revisions"),
        ("ids=xyz", "should be a UUID"),
        ("verdict=fine", "erdict is"),
        ("user=no", "There is no user"),
    ],
)
def test_an_invalid_selection_of_submissions_is_explained(admin: TestClient, query: str, said: str) -> None:
    answer = admin.get(f"{HOME}/new?{query}")

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert 'role="alert"' in answer.text
    assert said in answer.text
    assert "Input should" not in answer.text


def test_the_empty_form_shows_no_error_and_lists_the_problems(admin: TestClient) -> None:
    page = admin.get(f"{HOME}/new").text

    assert 'role="alert"' not in page
    assert '<option value="scaled_sum">' in page
    assert '<option value="scaled_sum" selected>' in admin.get(f"{HOME}/new?problem=scaled_sum").text


def test_the_preview_warns_of_going_back_to_an_older_revision(
    admin: TestClient, database: Database, submission: Submission
) -> None:
    with database.transaction() as session:
        first = session.get_one(Revision, submission.revision_id)
        make_judged(session, add_revision(session, first))
        session.get_one(Problem, first.problem_id).current_revision_id = first.id

    warning = "1 of them would move to an older revision"
    assert warning in admin.get(f"{HOME}/new?problem=scaled_sum&onto=current").text
    assert "go back" not in admin.get(f"{HOME}/new?problem=scaled_sum&onto=own").text


@pytest.mark.usefixtures("submission")
def test_a_rejudging_runs_and_is_applied(admin: TestClient, database: Database) -> None:
    path = begin(admin, database)
    started = admin.get(path).text

    judge_again(database)
    ready = admin.get(path).text
    answer = admin.post(f"{path}/apply", data={"sure": "yes"})

    assert "0 of 1 rejudged" in started
    assert "Needs attention" not in started
    assert "Apply all" in ready
    assert "case_1" in ready
    assert answer.headers["location"] == path
    assert "Applied" in admin.get(path).text
    assert "a case was wrong" in admin.get(HOME).text


@pytest.mark.usefixtures("submission")
def test_a_rejudging_needs_attention_until_the_decision(admin: TestClient, database: Database) -> None:
    path = begin(admin, database)
    judge_again(database, Verdict.TIME_LIMIT_EXCEEDED, 0)
    ready = admin.get(path).text

    admin.post(f"{path}/apply", data={"sure": "yes"})

    assert ["Needs attention" in page for page in (ready, admin.get(path).text)] == [True, False]


@pytest.mark.usefixtures("submission")
def test_the_live_part_of_the_page_shows_the_changes(admin: TestClient, database: Database) -> None:
    path = begin(admin, database)
    assert ">waiting<" in admin.get(f"{path}/result").text

    judge_again(database)

    fresh = admin.get(f"{path}/result?only=changed").text
    assert "case_1" in fresh
    assert ">waiting<" not in fresh
    assert f'data-live="{path}/result?only=changed"' in admin.get(f"{path}?only=changed").text
    events = admin.get(f"{path}/events?only=changed").text
    assert "case_1" in events
    assert "event: done" in events


@pytest.mark.usefixtures("submission")
def test_a_superseded_rejudging_can_only_be_cancelled(admin: TestClient, database: Database) -> None:
    older = begin(admin, database)
    other = admin.post(HOME, data={"criteria": '{"problem": "scaled_sum"}'}).headers["location"]
    judge_again(database)

    admin.post(f"{other}/apply", data={"sure": "yes"})

    page = admin.get(older).text
    assert "Superseded" in page
    assert "Another rejudging of 1 of these submissions was applied in the meantime" in page
    assert "Apply all" not in page
    assert "Cancel rejudging" in page
    assert "Superseded" in admin.get(HOME).text


@pytest.mark.usefixtures("submission")
def test_a_cancelled_rejudging_has_no_buttons(admin: TestClient, database: Database) -> None:
    path = begin(admin, database)

    admin.post(f"{path}/cancel", data={"sure": "yes"})

    page = admin.get(path).text
    assert "Cancelled" in page
    assert "0 of 1 rejudged" in page
    assert "danger-button" not in page


def test_a_student_sees_the_verdict_before_the_rejudging(
    admin: TestClient, database: Database, submission: Submission
) -> None:
    path = begin(admin, database)
    judge_again(database)
    admin.post(f"{path}/apply", data={"sure": "yes"})

    page = admin.get(f"/submissions/{submission.id}").text

    assert "was rejudged" in page
    assert "Wrong answer (50 %)" in page


def test_a_problem_with_a_new_revision_offers_admins_to_judge_again(
    admin: TestClient, database: Database, submission: Submission
) -> None:
    assert OTHER_REVISION not in admin.get("/author/problems/scaled_sum").text
    assert "Some submissions have verdicts from other revisions" not in admin.get("/admin/problems").text
    with database.transaction() as session:
        add_revision(session, session.get_one(Revision, submission.revision_id))

    page = admin.get("/author/problems/scaled_sum").text

    assert f"1 submission {OTHER_REVISION}" in page
    assert "Some submissions have verdicts from other revisions" in admin.get("/admin/problems").text
    assert "/admin/rejudgings/new?problem=scaled_sum&amp;outdated=true&amp;onto=current" in page
    assert "Rejudge 1 submission" in admin.get(f"{HOME}/new?problem=scaled_sum&outdated=true&onto=current").text


def test_an_author_reads_that_an_admin_can_rejudge(
    anyone: TestClient, database: Database, submission: Submission
) -> None:
    with database.transaction() as session:
        add_revision(session, session.get_one(Revision, submission.revision_id))
        anyone.cookies.clear()
        anyone.cookies.set(COOKIE, start_session(session, make_user(session, "noether", role="author").id))

    page = anyone.get("/author/problems/scaled_sum").text

    assert f"1 submission {OTHER_REVISION}" in page
    assert "another revision. An admin can rejudge them." in page
    assert "/admin/rejudgings" not in page
