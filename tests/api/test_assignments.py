"""Assignments over REST: created, extended, handed in under load; and what others may not see or do."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select, update

from app.accounts.token import create_token
from app.accounts.user import find_user
from app.catalog.publish import find_current
from app.courses.model import Assignment, Course, CourseRole
from app.database.engine import Database
from app.limits import ConcurrencyLimit
from app.submissions.model import Submission
from tests.api.conftest import PATIENCE, SignedIn
from tests.api.test_submissions import fill_queue
from tests.factories import make_assignment, make_course, make_member, make_problem, make_user

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
HOMEWORK = {
    "title": "Homework 1",
    "problems": [{"problem": "sum", "points": 12.5, "scoring": "accepted"}],
    "opens_at": (NOW - DAY).isoformat(),
    "due_at": (NOW + DAY).isoformat(),
    "closes_at": (NOW + 2 * DAY).isoformat(),
    "late_steps": [{"hours": 24, "percent": 80}],
}
HERE = "/courses/here/assignments/homework"
SENDING = f"{HERE}/problems/sum/submissions"


@pytest.fixture
def member(address: str, database: Database) -> Callable[[str, CourseRole], httpx.Client]:
    """`member("ada", "student")`: a new member of the course `here`, which has the assignment `homework`."""
    with database.transaction() as session:
        course = make_course(session, "here")
        make_assignment(session, course, make_problem(session, "sum"), slug="homework", attempts=2)

    def client(name: str, role: CourseRole) -> httpx.Client:
        with database.transaction() as session:
            user = make_user(session, name)
            make_member(session, course, user, role)
            secret = create_token(session, user.id, "test").secret
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=PATIENCE)

    return client


Member = Callable[[str, CourseRole], httpx.Client]


def test_an_instructor_creates_changes_and_copies_an_assignment(member: Member, author: httpx.Client) -> None:
    teacher = member("teacher", "instructor")

    made = teacher.post("/courses/here/assignments", json=HOMEWORK)
    path = made.headers["Location"].removeprefix("/api/v1")
    changed = teacher.put(
        path, json=HOMEWORK | {"title": "First homework", "attempts": 3, "shows": "nothing", "shows_hints": False}
    )

    assert made.status_code == HTTPStatus.CREATED
    assert path == "/courses/here/assignments/homework-1"
    assert made.json()["problems"] == [{"problem": "sum", "title": "sum", "points": "12.50", "scoring": "accepted"}]
    told = {
        "title": "First homework",
        "attempts": 3,
        "phase": "open",
        "shows": "nothing",
        "shows_at": None,
        "shows_hints": False,
    }
    assert made.json()["shows_hints"]
    assert changed.json() | told == changed.json()
    assert teacher.get(path).json() == changed.json()
    assert teacher.post("/courses/here/copies", json={"title": "Next", "weeks": 1}).status_code == HTTPStatus.FORBIDDEN
    assert author.post("/courses/here/copies", json={"title": "Next", "weeks": 1}).status_code == HTTPStatus.NOT_FOUND
    assert teacher.delete(path).status_code == HTTPStatus.NO_CONTENT


def test_a_wrong_field_of_an_assignment_is_named(member: Member) -> None:
    wrong = HOMEWORK | {"due_at": "2026-11-02T12:00", "problems": [], "grace_seconds": 301}

    answer = member("teacher", "instructor").post("/courses/here/assignments", json=wrong)

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert {error["field"] for error in answer.json()["errors"]} == {"due_at", "problems", "grace_seconds"}


def test_a_student_hands_in_until_the_attempts_are_used(member: Member) -> None:
    ada = member("ada", "student")

    due = ada.get("/me/assignments").json()["items"]
    sent = [ada.post(SENDING, json={"source": "x = 1"}) for _ in range(3)]

    assert [(each["course"], each["assignment"], each["is_late"]) for each in due] == [("here", "homework", False)]
    assert [each.status_code for each in sent] == [HTTPStatus.ACCEPTED, HTTPStatus.ACCEPTED, HTTPStatus.CONFLICT]
    assert "all 2 attempts" in sent[2].json()["detail"]
    assert ada.get(sent[0].headers["Location"].removeprefix("/api/v1")).json()["state"] == "queued"


PLAIN = "/problems/sum/submissions"
SOLUTION = {"source": "x = 1"}
CLASS = 300


def test_a_submission_is_handed_in_for_the_one_open_homework_and_says_so(member: Member, signed_in: SignedIn) -> None:
    ada, stranger = member("ada", "student"), signed_in("stranger")

    practised = ada.post(PLAIN, json=SOLUTION | {"assignment": "none"}).json()
    sampled = ada.post(PLAIN, json=SOLUTION | {"mode": "sample"}).json()
    by_default = ada.post(PLAIN, json=SOLUTION).json()
    by_name = ada.post(PLAIN, json=SOLUTION | {"assignment": "here/homework"}).json()
    unnamed = ada.post(PLAIN, json=SOLUTION)
    foreign = stranger.post(PLAIN, json=SOLUTION | {"assignment": "here/homework"})

    told = [each["assignment"] for each in (practised, sampled, by_default, by_name)]
    assert told == [None, None, "here/homework", "here/homework"]
    assert unnamed.status_code == HTTPStatus.CONFLICT
    assert "all 2 attempts" in unnamed.json()["detail"]
    assert foreign.status_code == HTTPStatus.NOT_FOUND
    assert stranger.post(PLAIN, json=SOLUTION).json()["assignment"] is None


def test_a_submission_names_its_assignment_if_several_are_open(member: Member, database: Database) -> None:
    ada = member("ada", "student")
    with database.transaction() as session:
        user, problem = find_user(session, "ada"), find_current(session, "sum")
        assert user is not None
        assert problem is not None
        there = make_course(session, "there")
        make_member(session, there, user)
        make_assignment(session, there, problem, slug="homework")

    unnamed = ada.post(PLAIN, json=SOLUTION)

    assert unnamed.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert unnamed.json()["errors"][0]["field"] == "assignment"
    assert all(key in unnamed.json()["detail"] for key in ("here/homework", "there/homework"))


def test_a_repeated_request_is_the_same_hand_in_after_the_close_too(member: Member, database: Database) -> None:
    ada, key = member("ada", "student"), {"Idempotency-Key": "one"}
    first = ada.post(PLAIN, json=SOLUTION, headers=key).json()
    with database.transaction() as session:
        session.execute(update(Assignment).values(due_at=NOW - DAY, closes_at=NOW - DAY))

    again = ada.post(PLAIN, json=SOLUTION, headers=key).json()

    assert again == first
    assert again["assignment"] == "here/homework"


def test_an_extension_over_rest_takes_effect_at_once(member: Member) -> None:
    helper, ada = member("helper", "assistant"), member("ada", "student")
    members = helper.get("/courses/here/members").json()["items"]
    own = next(each["id"] for each in members if each["username"] == "ada")
    later = (NOW + 30 * DAY).isoformat()

    given = helper.put(
        f"{HERE}/extensions", json={"extensions": [{"member": own, "due_at": later, "extra_attempts": 1}]}
    )
    view = ada.get(HERE).json()
    helper.delete(f"{HERE}/extensions/{given.json()['items'][0]['id']}").raise_for_status()

    assert given.json()["items"][0]["username"] == "ada"
    assert (view["attempts"], view["is_extended"]) == (3, True)
    assert datetime.fromisoformat(view["due_at"]) == NOW + 30 * DAY
    assert ada.get(HERE).json()["is_extended"] is False


@pytest.mark.parametrize(
    "policy", [{"max_pending": 1, "submissions_per_hour": 1, "max_queue_minutes": 0}], indirect=True
)
def test_extensions_are_given_as_a_table(member: Member) -> None:
    teacher, ada = member("teacher", "instructor"), member("ada", "student")
    path = teacher.post("/courses/here/assignments", json=HOMEWORK).headers["Location"].removeprefix("/api/v1")
    table = {"csv": "username,extra_attempts,reason\nada,2,ill\n"}

    preview = teacher.post(f"{path}/extensions", json=table | {"preview": True}).json()
    nothing = teacher.get(f"{path}/extensions").json()["items"]
    first, second = (teacher.post(f"{path}/extensions", json=table).json() for _ in range(2))
    wrong = teacher.post(f"{path}/extensions", json={"csv": "username,extra_attempts\nnobody,2\n"})
    named = teacher.post(f"{path}/extensions", json={"csv": "username\nnobody\n", "preview": True}).json()["errors"]

    change = {"line": 2, "whose": "ada", "is_new": True, "fields": {"extra_attempts": "2", "reason": "ill"}}
    assert preview == {"changes": [change], "unchanged": 0, "errors": [], "ignored": []}
    assert (nothing, first["changes"]) == ([], [change])
    assert (second["changes"], second["unchanged"]) == ([], 1)
    assert wrong.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert named == [{"line": 2, "message": "nobody is not in this course."}]
    assert ada.post(f"{path}/extensions", json=table).status_code == HTTPStatus.FORBIDDEN


def test_no_hand_in_of_a_class_is_refused_at_the_deadline(database: Database, address: str, member: Member) -> None:
    member("teacher", "instructor")
    with database.transaction() as session:
        course = session.scalars(select(Course)).one()
        users = [make_user(session) for _ in range(CLASS)]
        for user in users:
            make_member(session, course, user)
        secrets = [create_token(session, user.id, "test").secret for user in users]
    everyone = httpx.Limits(max_connections=CLASS)

    with httpx.Client(base_url=f"{address}/api/v1", timeout=PATIENCE, limits=everyone) as client:

        def hand_in(secret: str) -> httpx.Response:
            return client.post(SENDING, json=SOLUTION, headers={"Authorization": f"Bearer {secret}"})

        with ThreadPoolExecutor(CLASS) as threads:
            answers = list(threads.map(hand_in, secrets))

    assert {answer.status_code for answer in answers} == {HTTPStatus.ACCEPTED}
    with database.transaction() as session:
        count = select(func.count()).where(Submission.assignment_id.is_not(None))
        assert session.scalar(count) == CLASS


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "once"}])
def test_an_overload_refuses_practice_and_no_hand_in_by_the_plain_call(
    app: FastAPI, database: Database, member: Member, signed_in: SignedIn, headers: dict[str, str]
) -> None:
    ada, stranger = member("ada", "student"), signed_in("stranger")
    fill_queue(database)
    app.state.limits.submissions = ConcurrencyLimit("submissions", at_once=1, most=0)

    handed_in = ada.post(PLAIN, json=SOLUTION, headers=headers)
    practised = [ada.post(PLAIN, json=SOLUTION | {"assignment": "none"}), stranger.post(PLAIN, json=SOLUTION)]

    assert (handed_in.status_code, handed_in.json()["assignment"]) == (HTTPStatus.ACCEPTED, "here/homework")
    assert [answer.status_code for answer in practised] == [HTTPStatus.TOO_MANY_REQUESTS] * 2


Call = Callable[[httpx.Client], httpx.Response]
CALLS: dict[str, Call] = {
    "list": lambda client: client.get("/courses/here/assignments"),
    "get": lambda client: client.get(HERE),
    "hand_in": lambda client: client.post(SENDING, json={"source": "x = 1"}),
    "post": lambda client: client.post("/courses/here/assignments", json=HOMEWORK),
    "put": lambda client: client.put(HERE, json=HOMEWORK),
    "delete": lambda client: client.delete(HERE),
    "get_extensions": lambda client: client.get(f"{HERE}/extensions"),
    "extend": lambda client: client.put(f"{HERE}/extensions", json={"extensions": [{"section": "Mon"}]}),
}
FOR_STUDENTS = {"list", "get", "hand_in"}
FOR_STAFF = {*FOR_STUDENTS, "get_extensions", "extend"}


def allowed(client: httpx.Client) -> set[str]:
    return {name for name, call in CALLS.items() if call(client).is_success}


def test_each_role_may_do_what_the_table_says(member: Member, signed_in: SignedIn) -> None:
    student, helper = member("ada", "student"), member("helper", "assistant")
    stranger = signed_in("stranger")

    assert allowed(student) == FOR_STUDENTS
    assert allowed(helper) == FOR_STAFF
    assert {call(stranger).status_code for call in CALLS.values()} == {HTTPStatus.NOT_FOUND}


@pytest.mark.parametrize("kind", ["homework", "exam"])
def test_a_refused_hand_in_does_not_tell_the_problems_before_the_opening(
    database: Database, member: Member, kind: str
) -> None:
    ada = member("ada", "student")
    minutes = 60 if kind == "exam" else None
    with database.transaction() as session:
        session.execute(update(Assignment).values(kind=kind, minutes=minutes, opens_at=NOW + DAY / 2))
        make_problem(session, "other")

    asked = [ada.post(f"{HERE}/problems/{slug}/submissions", json={"source": "1"}) for slug in ("sum", "other")]

    assert {(answer.status_code, answer.json()["detail"]) for answer in asked} == {
        (HTTPStatus.CONFLICT, asked[0].json()["detail"])
    }


def test_a_student_sees_no_problem_before_the_opening(database: Database, member: Member) -> None:
    ada = member("ada", "student")
    with database.transaction() as session:
        course = make_course(session, "future")
        make_member(session, course, make_user(session))
        make_assignment(session, course, make_problem(session), slug="exam", opens_at=NOW + DAY)

    assert ada.get("/courses/future/assignments/exam").status_code == HTTPStatus.NOT_FOUND
    assert ada.get("/courses/here/assignments/exam").status_code == HTTPStatus.NOT_FOUND
