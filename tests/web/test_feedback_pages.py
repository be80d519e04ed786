"""Comments of the staff on hand-ins, and questions of students about their points, with the pages alone."""

from http import HTTPStatus
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.session import start_session
from app.catalog.model import Revision
from app.database.engine import Database
from app.grading.model import Comment, RegradeRequest
from app.web.visit import COOKIE
from tests.factories import make_assignment, make_course, make_judging, make_member, make_submission, make_user

ASSIGNMENT = "/courses/here/assignments/homework"
BOOK = "/courses/here/grades"


@pytest.fixture
def place(anyone: TestClient, database: Database) -> dict[str, str]:
    """Sessions by user name, ada's `cell` in the grade book, and the IDs of the hand-ins of ada and emmy."""
    with database.transaction() as session:
        here, there = make_course(session, "here"), make_course(session, "there")
        revision = session.scalars(select(Revision)).one()
        homework = make_assignment(session, here, revision, slug="homework")
        make_assignment(session, there, revision, slug="homework")
        users = {name: make_user(session, name) for name in ("teacher", "helper", "ada", "emmy", "stranger", "foreign")}
        roles = {"teacher": "instructor", "helper": "assistant", "ada": "student", "emmy": "student"}
        members = {name: make_member(session, here, users[name], role) for name, role in roles.items()}  # type: ignore[arg-type]
        make_member(session, there, users["foreign"], "assistant")
        made = {name: start_session(session, user.id) for name, user in users.items()}
        for name in ("ada", "emmy"):
            submission = make_submission(session, users[name], revision)
            submission.assignment_id = homework.id
            submission.source = "x = 1\ny = 2\n"
            make_judging(session, submission.id, verdict="wrong_answer", score=40)
            made[f"{name}'s"] = str(submission.id)
        made["cell"] = f"{BOOK}/homework/{members['ada'].id}"
    be(anyone, made, "helper")
    return made


def be(anyone: TestClient, place: dict[str, str], name: str) -> None:
    anyone.cookies.set(COOKIE, place[name])


def comment(anyone: TestClient, place: dict[str, str], **changes: str) -> int:
    form = {"comment_on": place["ada's"], "line": "2", "comment": "Why 2?"} | changes
    status: int = anyone.post(f"{place['cell']}/comments", data=form).status_code
    return status


def release(anyone: TestClient, place: dict[str, str]) -> None:
    be(anyone, place, "teacher")
    anyone.post(f"{BOOK}/homework/release", data={"released": "true"})


def test_a_comment_on_a_line_is_shown_to_its_student_after_the_release(
    anyone: TestClient, place: dict[str, str]
) -> None:
    assert comment(anyone, place) == HTTPStatus.SEE_OTHER
    be(anyone, place, "ada")
    before = anyone.get(ASSIGNMENT).text
    release(anyone, place)
    be(anyone, place, "ada")
    after = anyone.get(ASSIGNMENT).text
    be(anyone, place, "emmy")

    assert "Why 2?" not in before
    assert "Line 2: <code>y = 2</code>" in after
    assert "Why 2?" in after
    assert "Why 2?" not in anyone.get(ASSIGNMENT).text


def test_a_wrong_comment_is_refused_with_the_reason(anyone: TestClient, place: dict[str, str]) -> None:
    for changes in ({"line": "4"}, {"line": "x"}, {"comment": " "}, {"comment_on": place["emmy's"]}):
        assert comment(anyone, place, **changes) == HTTPStatus.UNPROCESSABLE_ENTITY, changes


def test_a_comment_is_removed(anyone: TestClient, database: Database, place: dict[str, str]) -> None:
    comment(anyone, place)

    anyone.post(f"{place['cell']}/comments/{the(database, Comment)}/remove")

    assert "Why 2?" not in anyone.get(place["cell"]).text


def the(database: Database, table: type[Comment] | type[RegradeRequest]) -> UUID:
    """The ID of its only row."""
    with database.transaction() as session:
        return session.scalars(select(table.id)).one()


def test_a_student_asks_after_the_release_and_gets_an_answer(
    anyone: TestClient, database: Database, place: dict[str, str]
) -> None:
    be(anyone, place, "ada")
    early = anyone.post(f"{ASSIGNMENT}/requests", data={"text": "Case 3 is right."})
    release(anyone, place)
    be(anyone, place, "ada")
    asked, again = (anyone.post(f"{ASSIGNMENT}/requests", data={"text": "Case 3 is right."}) for _ in range(2))
    be(anyone, place, "helper")
    listed = anyone.get(BOOK).text
    anyone.post(f"{place['cell']}/requests/{the(database, RegradeRequest)}", data={"answer": "Yes, it is."})
    be(anyone, place, "ada")
    page = anyone.get(ASSIGNMENT).text

    assert (early.status_code, again.status_code) == (HTTPStatus.CONFLICT, HTTPStatus.CONFLICT)
    assert asked.status_code == HTTPStatus.SEE_OTHER
    assert f'<a href="{place["cell"]}">ada' in listed
    assert "Case 3 is right." in page
    assert "Yes, it is." in page


def test_feedback_is_for_the_staff_and_the_student_alone(
    anyone: TestClient, database: Database, place: dict[str, str]
) -> None:
    comment(anyone, place)
    release(anyone, place)
    be(anyone, place, "ada")
    anyone.post(f"{ASSIGNMENT}/requests", data={"text": "Case 3 is right."})
    removal = f"{place['cell']}/comments/{the(database, Comment)}/remove"
    answer = f"{place['cell']}/requests/{the(database, RegradeRequest)}"

    for name, status in (
        ("ada", HTTPStatus.FORBIDDEN),
        ("emmy", HTTPStatus.FORBIDDEN),
        ("stranger", HTTPStatus.NOT_FOUND),
        ("foreign", HTTPStatus.NOT_FOUND),
    ):
        be(anyone, place, name)
        assert comment(anyone, place) == status
        assert anyone.post(removal).status_code == status
        assert anyone.post(answer, data={"answer": "no"}).status_code == status
    assert anyone.post(f"{ASSIGNMENT}/requests", data={"text": "why"}).status_code == HTTPStatus.NOT_FOUND
    for path in (removal, answer):
        there = path.replace("/here/", "/there/")
        assert anyone.post(there, data={"answer": "no"}).status_code == HTTPStatus.NOT_FOUND
    be(anyone, place, "teacher")
    assert anyone.post(f"{ASSIGNMENT}/requests", data={"text": "why"}).status_code == HTTPStatus.FORBIDDEN
