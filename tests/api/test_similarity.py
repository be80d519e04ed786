"""Similarity checks over REST: staff of the course see them, instructors decide, and nobody else finds one."""

import csv
import io
from collections.abc import Callable
from http import HTTPStatus
from uuid import UUID

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import User
from app.accounts.token import create_token
from app.audit import AuditEvent
from app.authoring.model import Publication
from app.courses.model import Course
from app.database.engine import Database
from app.similarity.model import SimilarPair
from app.submissions.model import Submission
from tests.api.conftest import PATIENCE
from tests.factories import make_course, make_member, make_user
from tests.similarity.cohort_rows import Homework, begin, finish, hand_in, join, make_homework
from tests.transaction import fetch_all, fetch_one

CHECKS = "/similarity-checks"
Client = Callable[[str], httpx.Client]


@pytest.fixture
def homework(database: Database) -> Homework:
    """Hand-ins of ada, grace and emmy, and an assistant of this course and of another one."""
    with database.transaction() as session:
        homework = make_homework(session)
        for name in ("ada", "grace", "emmy"):
            hand_in(session, homework, join(session, homework, name, name=f"={name}"), "x = 1")
        course = session.get_one(Course, homework.taught.course.id)
        make_member(session, course, make_user(session, "helper"), "assistant")
        make_member(session, make_course(session, "elsewhere"), make_user(session, "assistant-elsewhere"), "assistant")
        make_user(session, "stranger")
        make_user(session, "an-author", role="author")
        make_user(session, "root", role="admin")
    return homework


@pytest.fixture
def client(address: str, database: Database) -> Client:
    def client(username: str) -> httpx.Client:
        with database.transaction() as session:
            user_id = session.scalars(select(User.id).where(User.username == username)).one()
            secret = create_token(session, user_id, "test").secret
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=PATIENCE)

    return client


@pytest.fixture
def teacher(client: Client, homework: Homework) -> httpx.Client:
    return client(homework.taught.instructor.username)


def make_report(database: Database, homework: Homework) -> UUID:
    """A check that found ada and grace 95 % similar, and grace and emmy 85 %."""
    with database.transaction() as session:
        check = begin(session, homework)
        query = select(User.username, Submission.id).join(Submission, Submission.user_id == User.id)
        sent = {row.username: row.id for row in session.execute(query)}
        finish(session, check, (sent["ada"], sent["grace"], 95.04), (sent["grace"], sent["emmy"], 85.0))
        return check.id


def test_an_instructor_begins_one_and_a_second_request_gets_the_same(
    teacher: httpx.Client, homework: Homework, database: Database
) -> None:
    wanted = {"problem": homework.slug, "assignment": homework.key}

    answers = [teacher.post(CHECKS, json=wanted) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [HTTPStatus.ACCEPTED] * 2
    assert answers[0].json()["id"] == answers[1].json()["id"]
    assert answers[0].headers["location"] == f"/api/v1{CHECKS}/{answers[0].json()['id']}"
    view = teacher.get(answers[0].headers["location"].removeprefix("/api/v1")).json()
    assert (view["state"], view["assignment"], view["compared"]) == ("queued", homework.key, "counting")
    assert "No worker is running" in view["notice"]
    listed = teacher.get(CHECKS, params={"assignment": homework.key}).json()["items"]
    assert [each["id"] for each in listed] == [view["id"]]
    assert "similarity_check.created" in fetch_all(database, select(AuditEvent.action))


def test_pairs_tell_who_sent_first_and_are_exported_without_formulas(
    teacher: httpx.Client, homework: Homework, database: Database
) -> None:
    report = f"{CHECKS}/{make_report(database, homework)}"

    pairs = teacher.get(f"{report}/pairs", params={"limit": 1}).json()
    rest = teacher.get(f"{report}/pairs", params={"cursor": pairs["next"]}).json()
    lines = list(csv.DictReader(io.StringIO(teacher.get(f"{report}/pairs/export").text.removeprefix("\ufeff"))))

    (first,) = pairs["items"]
    assert (first["number"], first["similarity"], first["left"]["username"]) == (1, 95.0, "ada")
    assert (first["left"]["attempt"], first["left"]["is_staff"], first["dismissed_at"]) == (1, False, None)
    assert [each["number"] for each in rest["items"]] == [2]
    assert [(line["left_name"], line["right_username"]) for line in lines] == [("'=ada", "grace"), ("'=grace", "emmy")]


def test_an_instructor_dismisses_a_pair_with_a_note_and_reopens_it(
    teacher: httpx.Client, homework: Homework, database: Database
) -> None:
    dismissal = f"{CHECKS}/{make_report(database, homework)}/pairs/1/dismissal"

    without_note = teacher.put(dismissal, json={"note": ""})
    teacher.put(dismissal, json={"note": "They may work in pairs."}).raise_for_status()
    dismissed = teacher.get(dismissal.removesuffix("/1/dismissal")).json()["items"][0]
    teacher.delete(dismissal).raise_for_status()

    assert without_note.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert (dismissed["note"], dismissed["dismissed_by"]) == (
        "They may work in pairs.",
        homework.taught.instructor.username,
    )
    assert fetch_all(database, select(SimilarPair.dismissed_at)) == [None, None]
    assert teacher.put(dismissal.replace("/1/", "/9/"), json={"note": "x"}).status_code == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("username", ["ada", "stranger", "assistant-elsewhere", "an-author"])
def test_to_everybody_else_there_is_none(
    client: Client, teacher: httpx.Client, homework: Homework, database: Database, username: str
) -> None:
    report = f"{CHECKS}/{make_report(database, homework)}"
    eve, wanted = client(username), {"problem": homework.slug, "assignment": homework.key}

    answers = [
        eve.get(CHECKS, params={"assignment": homework.key}),
        eve.get(CHECKS, params={"problem": homework.slug}),
        eve.post(CHECKS, json=wanted),
        eve.post(CHECKS, json={"problem": homework.slug}),
        eve.get(report),
        eve.get(f"{report}/pairs"),
        eve.get(f"{report}/pairs/export"),
        eve.put(f"{report}/pairs/1/dismissal", json={"note": "no"}),
        eve.delete(f"{report}/pairs/1/dismissal"),
    ]

    assert {answer.status_code for answer in answers} == {HTTPStatus.NOT_FOUND}
    assert not any("grace" in answer.text for answer in answers)
    assert teacher.get(report).status_code == HTTPStatus.OK


def test_an_author_compares_the_programs_for_a_problem_of_the_own(
    client: Client, homework: Homework, database: Database
) -> None:
    wanted = {"problem": homework.slug, "compared": "all"}
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == "an-author")).one()
        later = make_user(session, "later-author", role="author")
        ids = {"problem_id": homework.revision.problem_id, "revision_id": homework.revision.id}
        for each in (user, later):
            session.add(Publication(**ids, user_id=each.id))
            session.flush()
    author, other = client("an-author"), client("later-author")

    begun = author.post(CHECKS, json=wanted)
    report = begun.headers["location"].removeprefix("/api/v1")
    opened = [author.get(report), author.get(f"{report}/pairs"), author.get(CHECKS, params={"problem": homework.slug})]
    closed = [author.get(CHECKS), other.post(CHECKS, json=wanted), other.get(f"{report}/pairs")]
    with database.transaction() as session:
        make_member(session, session.get_one(Course, homework.taught.course.id), session.get_one(User, user.id))
    as_student = [author.post(CHECKS, json=wanted), author.get(report), author.get(f"{report}/pairs")]

    assert begun.status_code == HTTPStatus.ACCEPTED
    assert {answer.status_code for answer in opened} == {HTTPStatus.OK}
    assert {answer.status_code for answer in (*closed, *as_student)} == {HTTPStatus.NOT_FOUND}


def test_an_assistant_reads_and_leaves_the_decisions_to_instructors(
    client: Client, homework: Homework, database: Database
) -> None:
    report = f"{CHECKS}/{make_report(database, homework)}"
    helper = client("helper")

    assert helper.get(f"{report}/pairs").status_code == HTTPStatus.OK
    refused = [
        helper.post(CHECKS, json={"problem": homework.slug, "assignment": homework.key}),
        helper.put(f"{report}/pairs/1/dismissal", json={"note": "no"}),
        helper.delete(f"{report}/pairs/1/dismissal"),
    ]
    assert {answer.status_code for answer in refused} == {HTTPStatus.FORBIDDEN}


def test_an_admin_compares_all_submissions_for_a_problem(client: Client, homework: Homework) -> None:
    root = client("root")

    begun = root.post(CHECKS, json={"problem": homework.slug, "compared": "all"})
    nowhere = root.post(CHECKS, json={"problem": "nothing_like_it"})

    assert (begun.status_code, begun.json()["assignment"]) == (HTTPStatus.ACCEPTED, None)
    assert nowhere.status_code == HTTPStatus.NOT_FOUND
    assert len(root.get(CHECKS).json()["items"]) == 1


def test_pairs_go_with_a_students_submissions(
    client: Client, teacher: httpx.Client, homework: Homework, database: Database
) -> None:
    report = f"{CHECKS}/{make_report(database, homework)}"
    grace = fetch_one(database, select(User.id).where(User.username == "grace"))

    client("root").delete(f"/users/{grace}").raise_for_status()

    assert teacher.get(f"{report}/pairs").json()["items"] == []
