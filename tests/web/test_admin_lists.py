"""The lists of the admin pages: submissions, the audit log, and the filters of all."""

import html
import re
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.model import User
from app.audit import COMMAND, Act, record
from app.database.cursor import PAGE
from app.database.engine import Database
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, submit
from tests.factories import make_judging, make_submission, make_user
from tests.web.judged import all_right, judge


@pytest.mark.parametrize(
    ("path", "empty"),
    [
        ("/admin/problems?q=nothing&state=ready", "No matching problems."),
        ("/admin/invitations?state=used", "No matching invitations."),
        ("/admin/rejudgings?decision=applied", "No matching rejudgings."),
        ("/admin/users?q=nothing&role=author", "No matching users."),
        ("/admin/submissions?verdict=accepted&mode=sample", "No matching submissions."),
        ("/admin/audit?action=user.suspended", "No matching entries."),
    ],
)
def test_a_filter_is_in_the_address_and_in_its_field(admin: TestClient, path: str, empty: str) -> None:
    page = admin.get(path).text

    assert empty in page
    for value in (part.partition("=")[2] for part in path.partition("?")[2].split("&")):
        assert f'value="{value}"' in page


def test_the_next_page_of_a_list_keeps_its_filters(admin: TestClient) -> None:
    for number in range(51):
        admin.post("/admin/invitations", data={"note": f"guest {number}"})

    first = admin.get("/admin/invitations?state=open").text
    following = re.search(r'href="(/admin/invitations\?state=open&amp;cursor=[^"]+)"', first)

    assert following is not None
    second = admin.get(html.unescape(following[1])).text
    assert "guest 0<" in second
    assert '<option value="open" selected>' in second
    assert 'href="/admin/invitations?state=open"' in second


@pytest.mark.parametrize("path", ["/admin/audit?actor=nobody", "/admin/submissions?user=nobody"])
def test_an_unknown_user_is_named_and_the_form_stays(admin: TestClient, path: str) -> None:
    page = admin.get(path)

    assert page.status_code == 200
    assert "There is no user" in page.text
    assert 'value="nobody"' in page.text


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/admin/audit?action=nonsense", "user.suspended"),
        ("/admin/audit?since=yesterday", "write it as 2026-01-31T09:00, in UTC"),
        ("/admin/submissions?verdict=fine", "erdict is"),
        ("/admin/submissions?mode=both", "ode is"),
        ("/admin/submissions?state=late", "tate is"),
        ("/admin/submissions?revision=1", "evision 1 needs a problem"),
        ("/admin/submissions?cursor=x", "is not valid for this list"),
    ],
)
def test_an_invalid_filter_is_explained(admin: TestClient, path: str, said: str) -> None:
    answer = admin.get(path)

    assert answer.status_code == 422
    assert said in answer.text


def write(database: Database, act: Act, number: int = 1) -> None:
    with database.transaction() as session:
        for _ in range(number):
            record(session, COMMAND, act)


def test_the_audit_page_shows_the_old_and_the_new_value(admin: TestClient) -> None:
    admin.post("/admin/settings", data={"max_pending": "7"})

    page = admin.get("/admin/audit").text

    assert "setting.changed" in page
    assert '<a href="/admin/audit?actor=grace">grace</a>' in page
    assert '<del><span class="hidden-visually">was </span>20</del>' in page
    assert '<ins><span class="hidden-visually">is </span>7</ins>' in page


def test_the_filters_of_the_audit_page_also_filter_its_file(admin: TestClient, database: Database) -> None:
    write(database, Act(action="user.suspended", target="ada"), PAGE + 1)
    write(database, Act(action="user.reactivated", target="bob"))

    page = admin.get("/admin/audit?action=user.suspended&kind=&target=").text

    assert "bob" not in page
    assert '<option value="user.suspended" selected>' in page
    assert 'href="/admin/audit/export?action=user.suspended&amp;format=csv"' in page
    assert 'href="/admin/audit?action=user.suspended&amp;cursor=' in page


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
