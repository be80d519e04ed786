"""An exam with the pages alone: begun, written, ended; and every other door of the site closed meanwhile."""

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from app.accounts.session import start_session
from app.accounts.token import create_token
from app.courses.deadlines import find_windows
from app.courses.model import Assignment, Member, Sitting
from app.database.engine import Database
from app.submissions.draft import Draft
from app.submissions.exam_end import settle_sittings
from app.submissions.model import Submission
from app.web.visit import COOKIE
from tests.factories import make_course, make_member, make_user
from tests.web.submit_form import PAGE, SOURCE

HOME = "/courses/here"
EXAM = f"{HOME}/assignments/midterm"
PROBLEM = f"{EXAM}/problems/scaled_sum"
OWN_INPUTS = "x: [1]\ny: [[1, 2]]\nscale: 2\noptions: {}\n"
SOON = datetime.now(UTC) + timedelta(days=2)
KEY = "81aad4ab9dfd447cc479e6a4a7c9a544e2cafc7f3adeb68b2a21efad68eca4dc"
FORM = {
    "kind": "exam",
    "title": "Midterm",
    "minutes": "60",
    "password": "plum tree",
    "hands_in_draft": "true",
    "opens_at": "2026-01-05T08:00",
    "due_at": f"{SOON:%Y-%m-%dT%H:%M}",
    "problem": ["scaled_sum", ""],
    "points": ["10", "10"],
    "scoring": ["partial", "partial"],
}
WRITING = "You are writing Midterm"
DRAFT_MARK = '<span title="a draft was handed in at the end">†</span>'


@pytest.fixture
def teacher(anyone: TestClient, database: Database) -> TestClient:
    with database.transaction() as session:
        course, user = make_course(session, "here"), make_user(session, "teacher")
        make_member(session, course, user, "instructor")
        make_member(session, course, make_user(session, "ada"), name="Ada Lovelace")
        anyone.cookies.set(COOKIE, start_session(session, user.id))
    assert anyone.post(f"{HOME}/assignments/new", data=FORM).headers["location"] == f"{EXAM}?done=created"
    return anyone


def become(client: TestClient, database: Database, name: str) -> TestClient:
    """A new sign-in."""
    with database.transaction() as session:
        user = session.query(type(make_user(session))).filter_by(username=name).one()
        client.cookies.set(COOKIE, start_session(session, user.id))
    return client


@pytest.fixture
def ada(teacher: TestClient, database: Database) -> TestClient:
    """Has begun the exam."""
    become(teacher, database, "ada")
    assert teacher.post(f"{EXAM}/begin", data={"password": "plum tree"}).headers["location"] == EXAM
    return teacher


def change_exam(database: Database, **columns: Any) -> None:
    with database.transaction() as session:
        session.execute(update(Assignment).values(columns))


def change_sitting(database: Database, **columns: Any) -> None:
    with database.transaction() as session:
        session.execute(update(Sitting).values(columns))


def test_an_exam_is_begun_with_its_password_and_shows_nothing_before(teacher: TestClient, database: Database) -> None:
    student = become(teacher, database, "ada")

    before = student.get(EXAM).text
    early = student.get(PROBLEM)
    wrong = student.post(f"{EXAM}/begin", data={"password": "pear"})
    said = student.get(wrong.headers["location"]).text
    student.post(f"{EXAM}/begin", data={"password": "plum tree"})
    page, problem = student.get(EXAM).text, student.get(PROBLEM).text

    assert "Password of the exam" in before
    assert "scaled_sum" not in before
    assert early.headers["location"] == EXAM
    assert "not the password of the exam" in said
    assert f'href="{PROBLEM}"' in page
    assert "data-left=" in page
    assert f'action="{PROBLEM}/submissions"' in problem
    assert "Notes" not in problem


def test_guesses_of_the_password_are_limited(teacher: TestClient, database: Database) -> None:
    student = become(teacher, database, "ada")

    answers = [student.post(f"{EXAM}/begin", data={"password": str(number)}).status_code for number in range(11)]

    assert answers == [HTTPStatus.SEE_OTHER] * 10 + [HTTPStatus.TOO_MANY_REQUESTS]


def list_closed(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Every method and path of the site, but those of this exam and those that need no sign-in."""
    for route in iter_route_contexts(app.routes):
        path = re.sub(r"{[^}]*}", str(uuid4()), route.path or "")
        if not path.startswith(("/static/", "/healthz", "/readyz")) and path != "/sign-out":
            yield from ((method, path) for method in route.methods or ())


def test_while_writing_every_other_path_is_closed(app: FastAPI, ada: TestClient) -> None:
    asked = sorted({each for each in list_closed(app) if not each[1].startswith(("/api/", "/metrics"))})
    paths = [HOME, PAGE, f"{HOME}/grades", f"{HOME}/assignments/other", f"{EXAM}-2", "/", "/nothing"]
    asked += [("GET", path) for path in paths]

    opened = [(method, path) for method, path in asked if ada.request(method, path).status_code != 403]

    assert len(asked) > 200
    assert opened == []
    page = ada.get(PAGE).text
    assert WRITING in page
    assert f'href="{EXAM}"' in page


def test_a_token_opens_nothing_while_the_sitting_is_in_a_browser(
    app: FastAPI, ada: TestClient, database: Database
) -> None:
    with database.transaction() as session:
        sitting = session.scalars(select(Sitting)).one()
        secret = create_token(session, sitting.user_id, "old").secret
    headers = {"Authorization": f"Bearer {secret}"}
    asked = {each for each in list_closed(app) if each[1].startswith("/api/")}
    asked |= {("GET", f"/api/v1{EXAM}"), ("GET", f"/api/v1{PAGE}"), ("POST", f"/api/v1{PROBLEM}/submissions")}

    answers = {(method, path): ada.request(method, path, headers=headers) for method, path in asked}

    assert len(answers) > 70
    assert [each for each, answer in answers.items() if answer.status_code != HTTPStatus.FORBIDDEN] == []
    assert "another browser" in answers["GET", f"/api/v1{EXAM}"].json()["detail"]


def test_staff_and_other_students_go_on(ada: TestClient, database: Database) -> None:
    become(ada, database, "teacher")

    assert [ada.get(path).status_code for path in ("/", PAGE, HOME, EXAM)] == [200] * 4


def test_a_student_hands_in_and_sees_only_what_is_sent_in_the_exam(ada: TestClient, database: Database) -> None:
    sent = ada.post(f"{PROBLEM}/submissions", data={"source": SOURCE, "mode": "submit"})
    sample = ada.post(f"{PROBLEM}/submissions", data={"source": SOURCE, "mode": "sample"})
    own = ada.post(f"{PROBLEM}/submissions", data={"source": SOURCE, "mode": "own", "inputs": "x: [1]"})
    shown = [ada.get(answer.headers["location"]).status_code for answer in (sent, sample)]
    with database.transaction() as session:
        session.execute(update(Submission).values(created_at=func.now() - timedelta(hours=1)))
    earlier = ada.get(sent.headers["location"]).status_code

    assert (shown, earlier) == ([HTTPStatus.OK] * 2, HTTPStatus.FORBIDDEN)
    assert own.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "no custom input" in own.text


def test_a_student_who_writes_after_the_release_sees_no_points(ada: TestClient, database: Database) -> None:
    change_exam(database, released_at=func.now(), shows="nothing")
    hidden = ada.get(EXAM).text
    change_exam(database, shows="all")

    assert "Your points" not in hidden
    assert "Your points" in ada.get(EXAM).text


def test_a_second_sign_in_is_locked_until_staff_unlock_it(ada: TestClient, database: Database) -> None:
    first = ada.cookies[COOKIE]
    become(ada, database, "ada")
    locked = ada.get(EXAM)
    become(ada, database, "teacher")
    with database.transaction() as session:
        member = session.scalars(select(Member.id).where(Member.name == "Ada Lovelace")).one()
    unlocked = ada.post(f"{EXAM}/sittings/{member}/unlock")
    become(ada, database, "ada")
    waiting = ada.get(PROBLEM)
    ada.post(f"{EXAM}/begin", data={"password": "plum tree"})
    here = ada.get(PROBLEM)
    ada.cookies.set(COOKIE, first)
    there = ada.get(PROBLEM)

    assert locked.status_code == HTTPStatus.FORBIDDEN
    assert "ask your teacher to unlock it" in locked.text
    assert unlocked.headers["location"].endswith("done=unlock")
    assert [waiting.status_code, here.status_code, there.status_code] == [403, 200, 403]


def test_staff_see_that_an_exam_goes_on_from_another_address(app: FastAPI, ada: TestClient, database: Database) -> None:
    copied = TestClient(app, client=("198.51.100.9", 50000), cookies={COOKIE: ada.cookies[COOKIE]})
    new_session = TestClient(app, client=("203.0.113.5", 50000))
    become(new_session, database, "ada")
    ada.get(EXAM)
    new_session.get(EXAM)
    become(ada, database, "teacher")
    before = ada.get(f"{EXAM}/sittings/table").text

    for _ in range(2):
        copied.get(PROBLEM)
    after = ada.get(f"{EXAM}/sittings/table").text

    assert "addresses" not in before
    assert "<code>testclient</code>, then <code>198.51.100.9</code></td>" in after
    assert "2 addresses" in after


def test_the_network_and_the_browser_are_checked_at_every_page_and_hand_in(ada: TestClient, database: Database) -> None:
    change_exam(database, networks=["192.0.2.0/24"])
    outside = [ada.get(EXAM), ada.post(f"{PROBLEM}/submissions", data={"source": SOURCE, "mode": "submit"})]
    change_exam(database, networks=[], seb_keys=[KEY])
    no_header = [ada.get(EXAM), ada.post(f"{PROBLEM}/submissions", data={"source": SOURCE, "mode": "submit"})]
    proofs = {
        path: hashlib.sha256(f"{str(ada.base_url).rstrip('/')}{path}{KEY}".encode()).hexdigest()
        for path in (f"{EXAM}?done=x", f"{PROBLEM}/submissions")
    }
    headers = {path: {"X-SafeExamBrowser-ConfigKeyHash": proof} for path, proof in proofs.items()}
    page = ada.get(f"{EXAM}?done=x", headers=headers[f"{EXAM}?done=x"])
    copied = ada.get(PROBLEM, headers=headers[f"{EXAM}?done=x"])
    sent = ada.post(
        f"{PROBLEM}/submissions",
        data={"source": SOURCE, "mode": "submit"},
        headers=headers[f"{PROBLEM}/submissions"],
    )

    assert {answer.status_code for answer in (*outside, *no_header, copied)} == {HTTPStatus.FORBIDDEN}
    assert (page.status_code, sent.status_code) == (HTTPStatus.OK, HTTPStatus.SEE_OTHER)


def test_a_hand_in_counts_until_the_end_with_its_grace_and_not_after(ada: TestClient, database: Database) -> None:
    change_sitting(database, started_at=func.now() - timedelta(minutes=60, seconds=50))
    last_second = ada.post(f"{PROBLEM}/submissions", data={"source": SOURCE, "mode": "submit"})
    change_sitting(database, started_at=func.now() - timedelta(minutes=61, seconds=1))
    too_late = ada.post(f"{PROBLEM}/submissions", data={"source": SOURCE + "#", "mode": "submit"})

    assert last_second.status_code == HTTPStatus.SEE_OTHER
    assert too_late.status_code == HTTPStatus.CONFLICT
    assert "is over" in too_late.text


def test_drafts_of_the_exam_are_its_own_and_are_handed_in_at_the_end(ada: TestClient, database: Database) -> None:
    with database.transaction() as session:
        sitting = session.scalars(select(Sitting)).one()
        problem = session.scalars(select(Assignment)).one().problems[0].problem_id
        session.add(Draft(user_id=sitting.user_id, problem_id=problem, source="prepared at home"))
    assert "prepared at home" not in ada.get(PROBLEM).text
    saved = ada.put(f"{PROBLEM}/draft", json={"source": SOURCE, "base": None})

    ended = ada.post(f"{EXAM}/end")
    after = ada.put(f"{PROBLEM}/draft", json={"source": "later", "base": None})

    assert (saved.status_code, ended.headers["location"], after.status_code) == (200, EXAM, 404)
    assert list_sources(database) == [SOURCE]
    assert ada.get(PAGE).status_code == HTTPStatus.OK
    assert "prepared at home" in ada.get(PAGE).text


def test_when_time_is_up_drafts_are_handed_in_once_as_of_the_end(ada: TestClient, database: Database) -> None:
    ada.put(f"{PROBLEM}/draft", json={"source": SOURCE, "base": None})
    settle_sittings(database)
    assert list_sources(database) == []
    change_sitting(database, started_at=func.now() - timedelta(minutes=90))

    for _ in range(2):
        settle_sittings(database)

    assert list_sources(database) == [SOURCE]
    with database.transaction() as session:
        exam, sitting = session.scalars(select(Assignment)).one(), session.scalars(select(Sitting)).one()
        end = find_windows(session, [exam])[exam.id].of(sitting.user_id).closes_at
        assert session.scalars(select(Submission.created_at)).one() == end


def test_a_draft_that_was_handed_in_at_the_end_is_marked(ada: TestClient, database: Database) -> None:
    first = ada.cookies[COOKIE]
    ada.post(f"{PROBLEM}/submissions", data={"source": SOURCE + "# first", "mode": "submit"})
    become(ada, database, "teacher")
    assert DRAFT_MARK not in ada.get(f"{HOME}/grades").text
    ada.cookies.set(COOKIE, first)
    ada.put(f"{PROBLEM}/draft", json={"source": SOURCE, "base": None})
    ada.post(f"{EXAM}/end")

    mine = ada.get(EXAM).text
    become(ada, database, "teacher")
    book = ada.get(f"{HOME}/grades").text
    cell = ada.get(re.findall(rf'href="({HOME}/grades/midterm/[^"]+)"', book)[0]).text

    assert [page.count('<span class="badge">draft at the end</span>') for page in (mine, cell)] == [1, 1]
    assert "1 of 1" in ada.get(f"{EXAM}/sittings").text
    assert "1 draft at the end" in ada.get(f"{EXAM}/sittings").text
    assert DRAFT_MARK in book


def test_results_wait_for_the_last_student_and_so_does_the_release(ada: TestClient, database: Database) -> None:
    change_exam(database, shows="nothing", shows_at=func.now() - timedelta(hours=1))
    ada.post(f"{PROBLEM}/submissions", data={"source": SOURCE})
    ada.post(f"{EXAM}/end")

    mine = ada.get(EXAM).text
    teacher = become(ada, database, "teacher")
    refused = teacher.post(f"{HOME}/grades/midterm/release", data={"released": "true"})

    assert "until the last student has finished" in mine
    assert refused.status_code == HTTPStatus.CONFLICT
    assert "Students can write Midterm until" in refused.text


def test_the_problems_page_offers_no_solution_while_others_write_the_exam(ada: TestClient, database: Database) -> None:
    ada.post(f"{EXAM}/end")
    change_exam(database, shows_hints=False)

    closed = ada.get(PAGE).text
    change_exam(database, due_at=func.now() - timedelta(minutes=9), closes_at=func.now() - timedelta(minutes=9))
    opened = ada.get(PAGE).text

    assert "Closed while an assignment is open." in closed
    assert "Midterm shows no hints until" in closed
    assert "Closed while an assignment is open." not in opened
    assert "shows no hints" not in opened


def test_custom_inputs_answer_nothing_while_others_write_the_exam(ada: TestClient, database: Database) -> None:
    ada.post(f"{EXAM}/end")
    own = {"source": SOURCE, "mode": "own", "inputs": OWN_INPUTS}

    closed = ada.post(f"{PAGE}/submissions", data=own)
    page = ada.get(PAGE).text
    change_exam(database, due_at=func.now() - timedelta(minutes=9), closes_at=func.now() - timedelta(minutes=9))
    opened = ada.post(f"{PAGE}/submissions", data=own)

    assert closed.status_code == HTTPStatus.CONFLICT
    assert "Students can write Midterm until" in closed.text
    assert "so custom inputs are closed" in page
    assert 'id="own-inputs"' not in page
    assert opened.status_code == HTTPStatus.SEE_OTHER
    assert 'id="own-inputs"' in ada.get(PAGE).text


def test_without_the_wish_drafts_are_not_handed_in(ada: TestClient, database: Database) -> None:
    change_exam(database, hands_in_draft=False)
    ada.put(f"{PROBLEM}/draft", json={"source": SOURCE, "base": None})

    ada.post(f"{EXAM}/end")

    assert list_sources(database) == []


def list_sources(database: Database) -> list[str]:
    with database.transaction() as session:
        return list(session.scalars(select(Submission.source).where(Submission.assignment_id.is_not(None))))


def test_staff_see_who_writes_and_end_and_let_go_on(ada: TestClient, database: Database) -> None:
    become(ada, database, "teacher")
    with database.transaction() as session:
        member = session.scalars(select(Member.id).where(Member.name == "Ada Lovelace")).one()
    table = ada.get(f"{EXAM}/sittings").text
    ada.post(f"{EXAM}/sittings/{member}/minutes", data={"minutes": 15})
    ada.post(f"{EXAM}/sittings/{member}/end")
    ended = ada.get(f"{EXAM}/sittings/table").text
    ada.post(f"{EXAM}/sittings/{member}/resume")
    ada.post(f"{EXAM}/sittings/notice", data={"notice": "Problem 1: x is float32."})
    become(ada, database, "ada")

    assert "Ada Lovelace" in table
    assert "1 of 1 are writing" in table
    assert "Let the student go on" in ended
    with database.transaction() as session:
        exam, sitting = session.scalars(select(Assignment)).one(), session.scalars(select(Sitting)).one()
        window = find_windows(session, [exam])[exam.id].of(sitting.user_id)
    assert (sitting.ended_at, window.closes_at) == (None, sitting.started_at + timedelta(minutes=75))
    assert exam.notice == "Problem 1: x is float32."


@pytest.mark.parametrize("act", ["minutes", "end", "unlock", "resume"])
def test_a_student_can_not_act_on_a_sitting(ada: TestClient, database: Database, act: str) -> None:
    with database.transaction() as session:
        member = session.scalars(select(Member.id).where(Member.name == "Ada Lovelace")).one()
        make_member(
            session,
            session.get_one(type(make_course(session)), session.get_one(Member, member).course_id),
            make_user(session, "grace"),
        )
    become(ada, database, "grace")

    refused = ada.post(f"{EXAM}/sittings/{member}/{act}", data={"minutes": 5})

    assert refused.status_code == HTTPStatus.FORBIDDEN
