"""An instructor rejudges the hand-ins of an assignment: whose grades change is shown before it counts."""

from http import HTTPStatus

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.session import start_session
from app.catalog.model import Revision
from app.database.engine import Database
from app.judging.verdicts import Verdict
from app.rejudging.choice import Choice
from app.rejudging.create import Rejudge, rejudge
from app.submissions.model import Judging
from app.web.visit import COOKIE
from tests.factories import make_assignment, make_course, make_judging, make_member, make_submission, make_user
from tests.rejudging.rows import judge_again, make_actor

PAGE = "/courses/here/assignments/homework/rejudgings"
SURE = {"sure": "yes"}


@pytest.fixture
def secrets(anyone: TestClient, database: Database) -> dict[str, str]:
    """Sessions by user name. ada has handed in 40 % in the course `here`, and sent another submission."""
    with database.transaction() as session:
        here, there = make_course(session, "here"), make_course(session, "there")
        revision = session.scalars(select(Revision)).one()
        homework = make_assignment(session, here, revision, slug="homework")
        make_assignment(session, there, revision, slug="homework")
        users = {name: make_user(session, name) for name in ("teacher", "helper", "ada", "stranger", "elsewhere")}
        for name, course, role in (
            ("teacher", here, "instructor"),
            ("helper", here, "assistant"),
            ("ada", here, "student"),
            ("elsewhere", there, "instructor"),
        ):
            make_member(session, course, users[name], role)  # type: ignore[arg-type]
        for assignment_id in (homework.id, None):
            submission = make_submission(session, users["ada"], revision)
            submission.assignment_id = assignment_id
            make_judging(session, submission.id, verdict="wrong_answer", score=40)
        made = {name: start_session(session, user.id) for name, user in users.items()}
    anyone.cookies.set(COOKIE, made["teacher"])
    return made


def test_an_instructor_sees_whose_grades_rise_and_applies_it(
    anyone: TestClient, database: Database, secrets: dict[str, str]
) -> None:
    assert secrets
    offered = anyone.get(PAGE).text
    path = anyone.post(PAGE, data={"onto": "own", "note": "a case was wrong"}).headers["location"]
    again = anyone.post(PAGE, data={"onto": "own"})
    judging = anyone.get(path).text
    judge_again(database)
    ready = anyone.get(path).text
    anyone.post(f"{path}/apply", data=SURE)

    assert "It has 1 hand-in" in offered
    assert again.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "0 of 1 judged" in judging
    assert "1 would rise, 0 would fall" in ready
    assert '<td class="number">4.00</td><td class="number">10.00</td><td>rises</td>' in ready
    with database.transaction() as session:
        counting = session.scalars(select(Judging.verdict).where(Judging.is_current).order_by(Judging.verdict)).all()
    assert counting == ["accepted", "wrong_answer"]
    assert "a case was wrong" in anyone.get(PAGE).text


@pytest.mark.parametrize("is_applied", [False, True])
def test_an_instructor_keeps_the_points_of_those_whose_grade_falls(
    anyone: TestClient, database: Database, secrets: dict[str, str], *, is_applied: bool
) -> None:
    path = anyone.post(PAGE, data={"onto": "own"}).headers["location"]
    judge_again(database, Verdict.RUNTIME_ERROR, 10)
    words = "Keep the points of the 1 whose grade would fall"
    assert words in anyone.get(path).text
    if is_applied:
        anyone.post(f"{path}/apply", data=SURE)
        words = "Keep the points of the 1 whose grade fell"
        assert words in anyone.get(path).text

    nameless = anyone.post(f"{path}/keep", data={"reason": ""})
    kept = anyone.post(f"{path}/keep", data={"reason": "the case was unclear"})
    page = anyone.get(kept.headers["location"]).text
    anyone.cookies.set(COOKIE, secrets["helper"])
    refused = anyone.post(f"{path}/keep", data={"reason": "r"})

    assert nameless.status_code == HTTPStatus.CONFLICT
    assert "1 student keeps the points." in page
    assert words not in page
    assert refused.status_code == HTTPStatus.FORBIDDEN
    anyone.cookies.set(COOKIE, secrets["teacher"])
    assert "4.00" in anyone.get("/courses/here/grades").text


def test_nobody_else_rejudges_an_assignment(anyone: TestClient, database: Database, secrets: dict[str, str]) -> None:
    path = anyone.post(PAGE, data={"onto": "own"}).headers["location"]
    judge_again(database)

    for name, status in (
        ("ada", HTTPStatus.FORBIDDEN),
        ("helper", HTTPStatus.FORBIDDEN),
        ("stranger", HTTPStatus.NOT_FOUND),
        ("elsewhere", HTTPStatus.NOT_FOUND),
    ):
        anyone.cookies.set(COOKIE, secrets[name])
        answers = [anyone.get(PAGE), anyone.post(PAGE), anyone.get(path)]
        answers += [anyone.post(f"{path}/{act}", data=SURE) for act in ("apply", "cancel")]
        assert {answer.status_code for answer in answers} == {status}, name
    foreign = path.replace("here", "there")
    assert {anyone.get(foreign).status_code, anyone.post(f"{foreign}/apply").status_code} == {HTTPStatus.NOT_FOUND}


def test_an_instructor_does_not_reach_rejudgings_of_other_submissions(
    anyone: TestClient, database: Database, secrets: dict[str, str]
) -> None:
    assert secrets
    with database.transaction() as session:
        choice = Choice(problem="scaled_sum")
        others = rejudge(session, make_actor(session), Rejudge(choice=choice)).id
    judge_again(database)

    answers = [anyone.get(f"{PAGE}/{others}"), anyone.post(f"{PAGE}/{others}/apply", data=SURE)]

    assert {answer.status_code for answer in answers} == {HTTPStatus.NOT_FOUND}
