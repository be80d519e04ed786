"""A new teacher's first half hour with the pages alone, and a student's way in."""

import re
from http import HTTPStatus

import pytest
from fastapi.testclient import TestClient

from app.accounts.session import start_session
from app.courses.model import Member
from app.database.engine import Database
from app.web.visit import COOKIE
from tests.factories import make_course, make_member, make_user

COURSE = {"title": "Deep learning", "timezone": "Europe/Berlin"}
ROSTER = "number,name,section\n1,Ada Lovelace,Mon\n2,Emmy Noether,Tue\n"


def become(client: TestClient, database: Database, name: str, role: str = "student") -> TestClient:
    with database.transaction() as session:
        client.cookies.set(COOKIE, start_session(session, make_user(session, name, role=role).id))  # type: ignore[arg-type]
    return client


@pytest.fixture
def teacher(anyone: TestClient, database: Database) -> TestClient:
    return become(anyone, database, "teacher", "author")


def test_a_teacher_creates_a_course_uploads_the_roster_and_students_claim_their_places(
    teacher: TestClient, database: Database
) -> None:
    home = teacher.post("/courses/new", data=COURSE).headers["location"]
    assert "First steps" in teacher.get(home).text
    preview = teacher.post(f"{home}/members/roster", files={"file": ("list.csv", ROSTER.encode())}, data={"csv": ""})
    assert "Apply the roster" in preview.text
    applied = teacher.post(f"{home}/members/roster", data={"csv": ROSTER, "act": "apply"})
    teacher.post(f"{home}/settings", data=COURSE | {"state": "open", "description": "**Welcome**"})
    links = re.findall(r"/courses/claim/([\w-]+)<", teacher.post(f"{home}/members/links").text)

    student = become(teacher, database, "ada")
    asked = student.get(f"/courses/claim/{links[0]}").text
    claimed = student.post(f"/courses/claim/{links[0]}")

    assert applied.status_code == HTTPStatus.SEE_OTHER
    assert "This link is for <strong>Ada Lovelace</strong>" in asked
    assert claimed.headers["location"] == f"{home}?done=joined"
    page = student.get(home).text
    assert "<strong>Welcome</strong>" in page
    assert "First steps" not in page
    assert "Members" not in page


def test_opening_a_link_changes_nothing(teacher: TestClient, database: Database) -> None:
    home = teacher.post("/courses/new", data=COURSE).headers["location"]
    teacher.post(f"{home}/settings", data=COURSE | {"state": "open"})
    teacher.post(f"{home}/join-code", data={"act": "renew"})
    link = re.findall(r"/courses/join\?code=\w+", teacher.get(f"{home}/settings").text)[0]

    student = become(teacher, database, "ada")
    asked = student.get(link).text

    assert "Join <strong>Deep learning</strong> as a student?" in asked
    assert student.get(home).status_code == HTTPStatus.NOT_FOUND
    assert student.post("/courses/join", data={"code": link.partition("=")[2]}).status_code == HTTPStatus.SEE_OTHER
    assert student.get(home).status_code == HTTPStatus.OK


def test_a_wrong_code_comes_back_with_the_reason(ada: TestClient) -> None:
    answer = ada.post("/courses/join", data={"code": "guessed"})

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "This join code is wrong, or it has ended" in answer.text
    assert 'value="guessed"' in answer.text


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (COURSE | {"title": " "}, "should not be empty"),
        (COURSE | {"timezone": ""}, "such as Europe/Berlin"),
    ],
)
def test_a_course_with_a_wrong_field_comes_back_with_the_reason(
    teacher: TestClient, form: dict[str, str], words: str
) -> None:
    answer = teacher.post("/courses/new", data=form)

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert words in answer.text


def test_the_end_of_a_code_that_happens_twice_is_asked_about(teacher: TestClient) -> None:
    home = teacher.post("/courses/new", data=COURSE).headers["location"]
    twice = {"act": "renew", "until": "2037-10-25T02:30"}

    asked = teacher.post(f"{home}/join-code", data=twice)
    answered = teacher.post(f"{home}/join-code", data=twice | {"until_offset": "+01:00"})

    assert "Which of the two times?" in asked.text
    assert answered.status_code == HTTPStatus.SEE_OTHER
    assert "Sun 2037-10-25 02:30 CET" in teacher.get(f"{home}/settings").text


def test_wrong_lines_of_a_roster_are_shown_with_the_table_to_correct(teacher: TestClient) -> None:
    home = teacher.post("/courses/new", data=COURSE).headers["location"]

    answer = teacher.post(f"{home}/members/roster", data={"csv": "number,email\n1,ada\n", "act": "apply"})

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Line 2: &#39;ada&#39; is not an e-mail address." in answer.text
    assert "number,email\n1,ada" in answer.text
    assert "Apply the roster" not in answer.text


def test_a_file_that_begins_with_a_byte_order_mark_can_be_corrected(teacher: TestClient) -> None:
    home = teacher.post("/courses/new", data=COURSE).headers["location"]

    answer = teacher.post(f"{home}/members/roster", files={"file": ("list.csv", b"\xef\xbb\xbf" + ROSTER.encode())})

    assert re.search(r"<textarea[^>]*>\s*number,name,section", answer.text)


def test_what_is_no_table_comes_back_with_the_reason(teacher: TestClient) -> None:
    home = teacher.post("/courses/new", data=COURSE).headers["location"]

    answer = teacher.post(f"{home}/members/roster", data={"csv": "x", "act": "apply"})

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "one of them number, email or username" in answer.text


def test_the_roster_that_is_downloaded_changes_nothing_when_it_is_uploaded(teacher: TestClient) -> None:
    home = teacher.post("/courses/new", data=COURSE).headers["location"]
    names = "number,name\n1,=Ada\n2,Emmy Noether\n"
    teacher.post(f"{home}/members/roster", data={"csv": names, "act": "apply"})

    text = teacher.get(f"{home}/members/roster.csv").text
    again = teacher.post(f"{home}/members/roster", data={"csv": text})

    assert "'=Ada" in text
    facts = re.findall(r"<dt>(.*?)</dt><dd>(\d+)", again.text)
    assert facts[:4] == [("New", "0"), ("Changed", "0"), ("Unchanged", "2"), ("Not in the table", "0")]


def test_a_member_is_changed_and_removed(teacher: TestClient, database: Database) -> None:
    home = teacher.post("/courses/new", data=COURSE).headers["location"]
    with database.transaction() as session:
        make_user(session, "helper")
    teacher.post(f"{home}/members", data={"username": "helper", "role": "assistant"})
    with database.transaction() as session:
        member = session.query(Member).filter_by(role="assistant").one().id

    shown = teacher.get(f"{home}/members/{member}")
    changed = teacher.post(f"{home}/members/{member}", data={"name": "A. Helper", "role": "student", "section": "Mon"})
    page = teacher.get(f"{home}/members?section=Mon").text
    removed = teacher.post(f"{home}/members/{member}/remove", data={"sure": "yes"})

    assert "Time factor in exams" in shown.text
    assert (changed.status_code, removed.status_code) == (HTTPStatus.SEE_OTHER, HTTPStatus.SEE_OTHER)
    assert "A. Helper" in page
    assert "A. Helper" not in teacher.get(f"{home}/members").text


def test_only_instructors_have_the_forms_that_change_members(anyone: TestClient, database: Database) -> None:
    with database.transaction() as session:
        helper, course = make_user(session, "helper"), make_course(session, "here")
        make_member(session, course, helper, "assistant")
        anyone.cookies.set(COOKIE, start_session(session, helper.id))

    page = anyone.get("/courses/here/members").text

    assert "Upload a roster" not in page
    assert anyone.get("/courses/here/members/roster").status_code == HTTPStatus.FORBIDDEN
    assert anyone.post("/courses/here/members", data={"username": "x"}).status_code == HTTPStatus.FORBIDDEN
    assert anyone.get("/courses/here/settings").status_code == HTTPStatus.FORBIDDEN
