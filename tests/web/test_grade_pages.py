"""The grade book with the pages alone: the matrix, one cell, a decision, the release and the export."""

from datetime import UTC, datetime, timedelta
from http import HTTPStatus

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.session import start_session
from app.admin.export import write_csv
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.courses.model import Assignment
from app.database.engine import Database
from app.grading.model import ShownGrade
from app.web.visit import COOKIE
from tests.factories import make_assignment, make_course, make_judging, make_member, make_submission, make_user

BOOK = "/courses/here/grades"


@pytest.fixture
def secrets(anyone: TestClient, database: Database) -> dict[str, str]:
    """Sessions of `teacher` and `ada`, and the ID of ada's place. The browser is the teacher's."""
    with database.transaction() as session:
        course, teacher, ada = make_course(session, "here"), make_user(session, "teacher"), make_user(session, "ada")
        make_member(session, course, teacher, "instructor")
        place = make_member(session, course, ada, name="=Ada", number="1", section="Mon")
        revision = session.scalars(select(Revision).join(Problem, IS_CURRENT).where(Problem.slug == "scaled_sum")).one()
        assignment = make_assignment(session, course, revision, slug="homework", title="Homework")
        submission = make_submission(session, ada, revision)
        submission.assignment_id = assignment.id
        make_judging(session, submission.id, verdict="wrong_answer", score=45)
        made = {user.username: start_session(session, user.id) for user in (teacher, ada)}
        anyone.cookies.set(COOKIE, made["teacher"])
        return made | {"place": str(place.id), "submission": str(submission.id)}


def test_a_cell_opens_what_counts_and_a_decision_changes_it(anyone: TestClient, secrets: dict[str, str]) -> None:
    cell = f"{BOOK}/homework/{secrets['place']}"

    book, page = anyone.get(BOOK).text, anyone.get(cell).text
    wish = {"kind": "add", "points": "2,00", "problem": "scaled_sum", "reason": "a nice proof"}
    decided = anyone.post(cell, data=wish)
    refused = anyone.post(cell, data={"kind": "add", "points": "", "reason": ""})
    after = anyone.get(cell).text

    assert f'href="{cell}">4.50' in book
    assert "45 %" in page
    assert "<strong>counts</strong>" in page
    assert "def solve(): ..." in page
    assert decided.status_code == HTTPStatus.SEE_OTHER
    assert refused.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "<strong>6.50</strong> of 10.00" in after
    assert "a nice proof" in after
    assert "teacher: Add points 2.00" in after


def test_a_student_sees_points_and_reasons_after_the_release_only(anyone: TestClient, secrets: dict[str, str]) -> None:
    cell = f"{BOOK}/homework/{secrets['place']}"
    anyone.post(cell, data={"kind": "points", "points": "7", "reason": "a nice proof"})
    anyone.cookies.set(COOKIE, secrets["ada"])
    before = anyone.get("/courses/here/assignments/homework").text
    anyone.cookies.set(COOKIE, secrets["teacher"])
    anyone.post(f"{BOOK}/homework/release", data={"released": "true"})
    anyone.cookies.set(COOKIE, secrets["ada"])
    after = anyone.get("/courses/here/assignments/homework").text

    assert "7.00" not in before
    assert "a nice proof" not in before
    assert "<strong>counts</strong>" in before
    assert "Your points: <strong>7.00</strong> of 10.00" in after
    assert "a nice proof" in after
    assert anyone.get(BOOK).status_code == HTTPStatus.FORBIDDEN
    assert anyone.get(cell).status_code == HTTPStatus.FORBIDDEN


def test_a_release_that_is_too_early_comes_back_with_the_reason(
    anyone: TestClient, database: Database, secrets: dict[str, str]
) -> None:
    with database.transaction() as session:
        assignment = session.scalars(select(Assignment)).one()
        assignment.shows, assignment.shows_at = "nothing", datetime.now(UTC) + timedelta(days=1)

    refused = anyone.post(f"{BOOK}/homework/release", data={"released": "true"})

    assert refused.status_code == HTTPStatus.CONFLICT
    assert "Homework hides results until" in refused.text
    assert secrets["place"] in refused.text


def test_the_export_has_each_problem_and_no_formula(
    anyone: TestClient, database: Database, secrets: dict[str, str]
) -> None:
    short, long = anyone.get(f"{BOOK}.csv").text, anyone.get(f"{BOOK}.csv?problems=true").text

    assert short.splitlines() == ["\ufeffnumber,name,username,section,homework,total", "1,'=Ada,ada,Mon,4.50,45.00"]
    assert long.splitlines()[1] == "1,'=Ada,ada,Mon,4.50,4.50,45.00"
    assert secrets
    with database.transaction() as session:
        assert [each.why for each in session.scalars(select(ShownGrade))] == ["export", "export"]


def test_points_below_0_are_a_number_of_the_export() -> None:
    rows = [{"name": name} for name in ("-5.00", "-2+3", "-")]

    assert list(write_csv(["name"], rows))[1:] == ["-5.00\r\n", "'-2+3\r\n", "'-\r\n"]
