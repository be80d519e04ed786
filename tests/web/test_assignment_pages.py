"""Assignments with the pages alone: a teacher makes one, a student hands in on the problem's page."""

import re
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.session import start_session
from app.courses.model import Assignment
from app.database.engine import Database
from app.submissions.model import Submission
from app.web.visit import COOKIE
from tests.factories import make_course, make_member, make_user
from tests.web.submit_form import PAGE, SOURCE

HOME = "/courses/here"
SOON = datetime.now(UTC) + timedelta(days=2)
FORM = {
    "title": "Homework 1",
    "opens_at": "2026-01-05T08:00",
    "due_at": f"{SOON:%Y-%m-%dT%H:%M}",
    "problem": ["scaled_sum", ""],
    "points": ["10", "10"],
    "scoring": ["partial", "partial"],
}


@pytest.fixture
def teacher(anyone: TestClient, database: Database) -> TestClient:
    with database.transaction() as session:
        course, user, ada = make_course(session, "here"), make_user(session, "teacher"), make_user(session, "ada")
        make_member(session, course, user, "instructor")
        make_member(session, course, ada, name="Ada Lovelace", section="Mon")
        anyone.cookies.set(COOKIE, start_session(session, user.id))
    return anyone


def become_ada(client: TestClient, database: Database) -> TestClient:
    with database.transaction() as session:
        ada = session.query(type(make_user(session))).filter_by(username="ada").one()
        client.cookies.set(COOKIE, start_session(session, ada.id))
    return client


def test_a_student_hands_in_on_the_problems_page(teacher: TestClient, database: Database) -> None:
    made = teacher.post(f"{HOME}/assignments/new", data=FORM)
    assert made.headers["location"] == f"{HOME}/assignments/homework-1?done=created"
    student = become_ada(teacher, database)

    front, home = student.get("/").text, student.get(HOME).text
    page = student.get(PAGE).text
    action = re.findall(r'<form class="editor" method="post" action="([^"]+)"', page)[0]
    sent = student.post(action, data={"source": SOURCE, "mode": "submit"})
    sample = student.post(action, data={"source": SOURCE, "mode": "sample"})

    assert f'href="{HOME}/assignments/homework-1"' in front
    assert "Homework 1" in home
    assert "This hands in for" in page
    assert action == f"{HOME}/assignments/homework-1/problems/scaled_sum/submissions"
    assert f'Handed in for <a href="{HOME}/assignments/homework-1">' in student.get(sent.headers["location"]).text
    assert (sent.status_code, sample.status_code) == (HTTPStatus.SEE_OTHER, HTTPStatus.SEE_OTHER)
    with database.transaction() as session:
        modes = dict(session.execute(select(Submission.mode, Submission.assignment_id.is_not(None))).all())
    assert modes == {"submit": True, "sample": False}


def test_practice_is_chosen_and_says_so(teacher: TestClient, database: Database) -> None:
    teacher.post(f"{HOME}/assignments/new", data=FORM)
    student = become_ada(teacher, database)

    page = student.get(f"{PAGE}?assignment=none").text
    student.post(f"{PAGE}/submissions", data={"source": SOURCE, "mode": "submit"})

    assert "This is practice: nothing is handed in." in page
    assert f'action="{PAGE}/submissions"' in page
    with database.transaction() as session:
        assert session.scalars(select(Submission.assignment_id)).all() == [None]


@pytest.mark.parametrize(("given", "is_shown"), [({}, False), ({"shows_hints": "true"}, True)])
def test_the_teacher_says_whether_students_get_hints(
    teacher: TestClient, database: Database, given: dict[str, str], *, is_shown: bool
) -> None:
    teacher.post(f"{HOME}/assignments/new", data=FORM | given)
    student = become_ada(teacher, database)

    pages = [student.get(PAGE).text, student.get(f"{PAGE}/learning").text]
    asked = student.post(f"{PAGE}/hints", data={"number": "1"}).status_code

    assert ["Homework 1 shows no hints until" in page for page in pages] == [not is_shown] * 2
    assert ["Show hint 1 of 1" in page for page in pages] == [is_shown] * 2
    assert asked == (HTTPStatus.SEE_OTHER if is_shown else HTTPStatus.FORBIDDEN)


def test_a_refused_hand_in_keeps_the_code(teacher: TestClient, database: Database) -> None:
    teacher.post(f"{HOME}/assignments/new", data=FORM | {"attempts": "1"})
    student = become_ada(teacher, database)
    action = f"{HOME}/assignments/homework-1/problems/scaled_sum/submissions"
    student.post(action, data={"source": SOURCE, "mode": "submit"})

    refused = student.post(action, data={"source": "y = 2", "mode": "submit"})

    assert refused.status_code == HTTPStatus.CONFLICT
    assert "You have used all 1 attempts" in refused.text
    assert "y = 2" in refused.text


EXAM = {"kind": "exam", "minutes": "30"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"due_at": "2026-01-05T07:00"}, "It would be due before it opens"),
        ({"opens_at": "", "due_at": ""}, "Choose a date and a time"),
        ({"opens_at": "2026-03-29T02:30"}, "does not exist in Europe/Berlin"),
        ({"opens_at": "2026-10-25T02:30"}, "Which of the two times?"),
        ({"late_steps": "some"}, "should be hours and percents"),
        ({"points": ["-1"]}, "problems, row 1, points is"),
        (EXAM | {"networks": "192.0.2.0/24 here"}, "networks, row 2 is"),
        (EXAM | {"seb_keys": "secret"}, "should be a key of Safe Exam Browser"),
        ({"problem": ["nothing", ""]}, "Students can open no problem"),
        ({"problem": ["", ""]}, "should not be empty"),
    ],
)
def test_a_wrong_field_comes_back_with_the_reason(teacher: TestClient, changes: dict[str, str], words: str) -> None:
    answer = teacher.post(f"{HOME}/assignments/new", data=FORM | changes)

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert words in answer.text
    assert 'value="Homework 1"' in answer.text


def test_saving_the_form_as_it_is_changes_nothing(teacher: TestClient, database: Database) -> None:
    late = {"closes_at": f"{SOON + timedelta(days=2):%Y-%m-%dT%H:%M}", "late_steps": "24 h: 80 %, 48h: 50"}
    late |= {"shows_hints": "true", "shows": "samples", "shows_at": f"{SOON + timedelta(days=3):%Y-%m-%dT%H:%M}"}
    teacher.post(f"{HOME}/assignments/new", data=FORM | late | {"attempts": "3", "points": ["7.50", "10"]})
    page = teacher.get(f"{HOME}/assignments/homework-1/edit").text
    fields = dict(re.findall(r'name="(\w+)"[^>]*? value="([^"]*)"', page))
    lists = {name: re.findall(rf'name="{name}"[^>]*? value="([^"]*)"', page) for name in ("problem", "points")}
    before = read(database)

    saved = teacher.post(
        f"{HOME}/assignments/homework-1/edit",
        data={**fields, **lists, "scoring": ["partial"] * 4, "counts": "best", "text": "", "shows": "samples"},
    )

    assert saved.status_code == HTTPStatus.SEE_OTHER
    assert read(database) == before
    page = teacher.get(f"{HOME}/assignments/homework-1").text
    assert "80 %" in page
    assert "Those of the samples until" in page


def read(database: Database) -> dict[str, object]:
    with database.transaction() as session:
        row = session.scalars(select(Assignment)).one()
        values = {column.key: getattr(row, column.key) for column in Assignment.__table__.columns}
        return values | {"problems": [(each.points, each.scoring) for each in row.problems]}


def test_an_extension_is_given_and_taken_back(teacher: TestClient) -> None:
    teacher.post(f"{HOME}/assignments/new", data=FORM)
    path = f"{HOME}/assignments/homework-1/extensions"

    given = teacher.post(path, data={"whose": "section:Mon", "due_at": f"{SOON:%Y}-12-31T12:00", "reason": "ill"})
    page = teacher.get(path).text
    taken = teacher.post(re.findall(rf'action="({path}/[^"]+/remove)"', page)[0])

    assert (given.status_code, taken.status_code) == (HTTPStatus.SEE_OTHER, HTTPStatus.SEE_OTHER)
    assert "Section Mon" in page
    assert "ill" in page
    assert "No extensions yet" in teacher.get(path).text
    assert "Choose" in teacher.post(path, data={"whose": ""}).text


def test_extensions_are_given_as_a_table_after_a_preview(teacher: TestClient) -> None:
    teacher.post(f"{HOME}/assignments/new", data=FORM)
    path = f"{HOME}/assignments/homework-1/extensions"
    table = {"csv": f"username,due_at\nada,{SOON + timedelta(days=1):%Y-%m-%d %H:%M}\n"}

    wrong = teacher.post(f"{path}/table", data={"csv": "username,due_at\nada,soon\n", "act": "apply"})
    preview = teacher.post(f"{path}/table", data=table | {"act": "preview"})
    given = teacher.post(f"{path}/table", data=table | {"act": "apply"})
    page = teacher.get(given.headers["location"]).text
    again = teacher.post(f"{path}/table", data=table).text

    assert wrong.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Line 2: &#39;soon&#39; is not a time." in wrong.text
    assert "Ada Lovelace" in preview.text
    assert 'value="apply"' in preview.text
    assert f'href="{path}/table"' in page
    assert "Ada Lovelace" in page
    assert "This table changes nothing." in again


def test_a_course_is_copied_by_an_author(teacher: TestClient, database: Database) -> None:
    teacher.post(f"{HOME}/assignments/new", data=FORM)
    with database.transaction() as session:
        session.query(type(make_user(session))).filter_by(username="teacher").one().role = "author"

    made = teacher.post(f"{HOME}/copy", data={"copy_title": "Next term", "copy_weeks": "52"})

    assert made.headers["location"] == "/courses/next-term?done=copied"
    assert "Homework 1" in teacher.get("/courses/next-term").text
