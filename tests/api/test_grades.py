"""Grades over REST: who sees what before and after the release, and who may decide."""

from collections.abc import Callable
from http import HTTPStatus

import httpx
import pytest

from app.accounts.token import create_token
from app.audit import Actor
from app.courses.model import Course, CourseRole
from app.database.engine import Database
from app.judging.verdicts import Verdict
from app.rejudging.choice import Choice
from app.rejudging.create import Rejudge, rejudge
from app.rejudging.decision import apply
from tests.api.conftest import PATIENCE, SignedIn
from tests.factories import (
    make_assignment,
    make_course,
    make_judging,
    make_member,
    make_problem,
    make_submission,
    make_user,
)
from tests.rejudging.rows import judge_again

HERE = "/courses/here"
Member = Callable[[str, CourseRole], tuple[httpx.Client, str]]


@pytest.fixture
def member(address: str, database: Database) -> Member:
    """`member("ada", "student")`: a client and the member's ID; a student has handed in 50 % of 10 points."""
    with database.transaction() as session:
        course, revision = make_course(session, "here"), make_problem(session, "sum")
        assignment = make_assignment(session, course, revision, slug="homework")

    def client(name: str, role: CourseRole) -> tuple[httpx.Client, str]:
        with database.transaction() as session:
            user = make_user(session, name)
            place = make_member(session, session.get_one(Course, course.id), user, role, name=f"Name of {name}")
            submission = make_submission(session, user, revision)
            submission.assignment_id = assignment.id
            make_judging(session, submission.id, verdict="wrong_answer", score=50)
            secret = create_token(session, user.id, "test").secret
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=PATIENCE), str(place.id)

    return client


def test_students_see_their_own_points_after_the_release_and_never_others(member: Member) -> None:
    teacher, _ = member("teacher", "instructor")
    ada, _ = member("ada", "student")
    member("emmy", "student")

    before = ada.get(f"{HERE}/grades").json()["items"]
    teacher.put(f"{HERE}/assignments/homework/release", json={"released": True}).raise_for_status()
    after = ada.get(f"{HERE}/grades").json()["items"]
    whole = teacher.get(f"{HERE}/grades").json()["items"]

    assert [(row["username"], row["grades"][0]["points"], row["total"]) for row in before] == [("ada", None, None)]
    assert before[0]["grades"][0]["most"] is None
    assert [(row["username"], float(row["grades"][0]["points"]), float(row["total"])) for row in after] == [
        ("ada", 5, 50)
    ]
    assert [(row["username"], float(row["grades"][0]["points"])) for row in whole] == [("ada", 5), ("emmy", 5)]


def test_an_instructor_adjusts_with_a_reason(member: Member) -> None:
    teacher, _ = member("teacher", "instructor")
    _, ada = member("ada", "student")
    path = f"{HERE}/assignments/homework/adjustments/{ada}"

    given = teacher.put(path, json={"kind": "points", "points": 9.5, "reason": "measured twice"})
    after = teacher.get(f"{HERE}/grades").json()["items"][0]["grades"][0]["points"]
    nameless = teacher.put(path, json={"kind": "points", "points": 9.5, "reason": ""})
    empty = teacher.put(path, json={"kind": "points", "reason": "why"})
    taken = teacher.delete(path)

    assert (given.status_code, taken.status_code) == (HTTPStatus.NO_CONTENT, HTTPStatus.NO_CONTENT)
    assert float(after) == 9.5
    assert nameless.json()["errors"][0]["field"] == "reason"
    assert empty.json()["errors"][0]["field"] == "points"
    assert float(teacher.get(f"{HERE}/grades").json()["items"][0]["grades"][0]["points"]) == 5


def test_an_instructor_keeps_points_against_a_rejudging(database: Database, member: Member) -> None:
    teacher, _ = member("teacher", "instructor")
    ada, _ = member("ada", "student")
    with database.transaction() as session:
        actor = Actor(user_id=None, channel="api")
        rejudging = rejudge(session, actor, Rejudge(choice=Choice(assignment="here/homework"))).id
    judge_again(database, Verdict.WRONG_ANSWER, 10)
    wanted = {"rejudging": str(rejudging), "reason": "the case was unclear"}

    kept = teacher.post(f"{HERE}/assignments/homework/kept-points", json=wanted)
    with database.transaction() as session:
        apply(session, rejudging, actor)

    assert kept.json() == {"students": 1}
    assert float(teacher.get(f"{HERE}/grades").json()["items"][0]["grades"][0]["points"]) == 5
    assert ada.post(f"{HERE}/assignments/homework/kept-points", json=wanted).status_code == HTTPStatus.FORBIDDEN


def test_staff_export_the_grades_also_by_problem(member: Member, signed_in: SignedIn) -> None:
    helper, _ = member("helper", "assistant")
    ada, _ = member("ada", "student")

    short, long = (helper.get(f"{HERE}/grades/export{query}") for query in ("", "?problems=true"))

    assert short.headers["content-type"] == "text/csv; charset=utf-8"
    head = "\ufeffnumber,name,username,section,homework"
    assert short.text.splitlines() == [f"{head},total", ",Name of ada,ada,,5.00,50.00"]
    assert long.text.splitlines() == [f"{head},homework: sum,total", ",Name of ada,ada,,5.00,5.00,50.00"]
    assert ada.get(f"{HERE}/grades/export").status_code == HTTPStatus.FORBIDDEN
    assert signed_in("stranger").get(f"{HERE}/grades/export").status_code == HTTPStatus.NOT_FOUND


def test_only_instructors_decide_and_others_find_nothing(member: Member, signed_in: SignedIn) -> None:
    helper, _ = member("helper", "assistant")
    ada, own = member("ada", "student")
    stranger = signed_in("stranger")
    adjustment, decision = f"{HERE}/assignments/homework/adjustments/{own}", {"kind": "zero", "reason": "r"}

    for client, status in (
        (ada, HTTPStatus.FORBIDDEN),
        (helper, HTTPStatus.FORBIDDEN),
        (stranger, HTTPStatus.NOT_FOUND),
    ):
        assert client.put(adjustment, json=decision).status_code == status
        assert client.delete(adjustment).status_code == status
        assert client.put(f"{HERE}/assignments/homework/release", json={"released": True}).status_code == status
    assert stranger.get(f"{HERE}/grades").status_code == HTTPStatus.NOT_FOUND
    assert len(helper.get(f"{HERE}/grades").json()["items"]) == 1


def test_a_member_of_another_course_is_not_found(database: Database, member: Member) -> None:
    teacher, _ = member("teacher", "instructor")
    with database.transaction() as session:
        foreign = make_member(session, make_course(session, "there"), make_user(session)).id

    answer = teacher.put(f"{HERE}/assignments/homework/adjustments/{foreign}", json={"kind": "zero", "reason": "r"})

    assert answer.status_code == HTTPStatus.NOT_FOUND
