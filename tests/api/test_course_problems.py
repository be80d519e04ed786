"""A problem of a course: closed to all but the course, and to its students until an assignment with it has opened."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from app.accounts.model import User
from app.accounts.token import create_token
from app.catalog.archive import write_archive
from app.catalog.model import Problem, Revision
from app.catalog.publish import publish
from app.courses.course import part_with_problems
from app.courses.model import Assignment, Course, CourseRole, Extension, Member, Sitting
from app.database.engine import Database
from tests.api.conftest import PATIENCE, SignedIn
from tests.catalog.packages import FILES, PROBLEM, make_package
from tests.factories import make_assignment, make_course, make_member, make_user
from tests.transaction import commit

PATH = "/problems/scaled_sum"
SOURCE = {"source": "def scaled_sum(x, y, scale, options):\n    return 3\n", "mode": "submit"}
ZIP = {"Content-Type": "application/zip"}
PACKAGE = write_archive("scaled_sum", FILES)
NOW = datetime.now(UTC)
DAY = timedelta(days=1)
# What an author may do with a problem's files.
CALLS: dict[str, Callable[[httpx.Client], httpx.Response]] = {
    "revisions": lambda client: client.get(f"{PATH}/revisions"),
    "files": lambda client: client.get(f"{PATH}/revisions/1/files"),
    "publish": lambda client: client.post(f"{PATH}/revisions/1/publish"),
    "change": lambda client: client.patch(PATH, json={"availability": "course", "course": "here"}),
    "send": lambda client: client.put(PATH, content=PACKAGE, headers=ZIP),
}

Join = Callable[..., httpx.Client]


@pytest.fixture
def course(database: Database) -> Course:
    with database.transaction() as session:
        revision = publish(session, make_package())
        course = make_course(session, "here")
        session.execute(update(Problem).values(availability="course", course_id=course.id))
        make_assignment(session, course, revision, slug="homework", title="The homework", opens_at=NOW + DAY)
    return course


@pytest.fixture
def join(address: str, database: Database, course: Course) -> Join:
    """`join("ada", "student")`: a new member of the course."""

    def client(name: str, seat: CourseRole, **columns: Any) -> httpx.Client:
        with database.transaction() as session:
            user = make_user(session, name, **columns)
            make_member(session, course, user, seat)
            secret = create_token(session, user.id, "test").secret
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=PATIENCE)

    return client


def is_open(client: httpx.Client) -> bool:
    opened = client.get(PATH).status_code == HTTPStatus.OK
    sent = client.post(f"{PATH}/submissions", json=SOURCE | {"mode": "sample"}).status_code == HTTPStatus.ACCEPTED
    listed = [item["slug"] for item in client.get("/problems?q=scaled").json()["items"]]
    assert opened == sent
    assert listed == []
    return sent


def change(database: Database, **columns: Any) -> None:
    with database.transaction() as session:
        session.execute(update(Assignment).values(columns))


def test_students_open_it_once_an_assignment_opens_and_others_never(
    join: Join, signed_in: SignedIn, anyone: httpx.Client, database: Database
) -> None:
    ada, assistant, author = join("ada", "student"), join("helper", "assistant"), signed_in("emmy", role="author")

    assert [is_open(client) for client in (ada, assistant, author)] == [False, True, False]
    change(database, opens_at=NOW - DAY)
    assert [is_open(client) for client in (ada, assistant, author)] == [True, True, False]
    assert anyone.get(PATH).status_code == HTTPStatus.NOT_FOUND
    with database.transaction() as session:
        session.execute(update(Member).values(left_at=NOW))
    assert not is_open(ada)


def test_an_extension_opens_it_early_for_its_student_alone(join: Join, database: Database) -> None:
    ada, eve = join("ada", "student"), join("eve", "student")
    with database.transaction() as session:
        user_id = session.query(Member.user_id).join(Course).order_by(Member.joined_at).limit(1).scalar()
        assignment = session.query(Assignment).one()
        session.add(Extension(assignment_id=assignment.id, user_id=user_id, opens_at=NOW - DAY))

    assert [is_open(client) for client in (ada, eve)] == [True, False]


def test_an_exams_problem_is_open_to_students_who_have_begun(join: Join, database: Database) -> None:
    ada, eve = join("ada", "student"), join("eve", "student")
    change(database, opens_at=NOW - DAY, kind="exam", minutes=60)

    assert not is_open(ada)
    with database.transaction() as session:
        user_id = session.query(Member.user_id).order_by(Member.joined_at).limit(1).scalar()
        assignment = session.query(Assignment).one()
        ended = {"ended_at": NOW, "is_settled": True}
        session.add(Sitting(assignment_id=assignment.id, user_id=user_id, addresses=["192.0.2.1"], **ended))
    assert [is_open(client) for client in (ada, eve)] == [True, False]


@pytest.mark.parametrize("availability", ["course", "draft", "withdrawn"])
def test_only_its_instructors_and_admins_may_read_its_files(
    join: Join, signed_in: SignedIn, database: Database, availability: str
) -> None:
    with database.transaction() as session:
        session.execute(update(Problem).values(availability=availability))
    clients = {
        "instructor": join("boss", "instructor", role="author"),
        "admin": signed_in("root", role="admin"),
        "assistant": join("helper", "assistant", role="author"),
        "student": join("ada", "student", role="author"),
        "elsewhere": signed_in("emmy", role="author"),
    }

    answers = {
        name: {call: send(client).status_code for call, send in CALLS.items()} for name, client in clients.items()
    }

    allowed = {name for name, found in answers.items() if set(found.values()) <= {HTTPStatus.OK, HTTPStatus.ACCEPTED}}
    refused = {name for name, found in answers.items() if set(found.values()) == {HTTPStatus.NOT_FOUND}}
    assert allowed == {"instructor", "admin"}
    assert refused == {"assistant", "student", "elsewhere"}


def test_a_new_problem_of_a_course_is_closed_from_the_moment_it_is_sent(join: Join, signed_in: SignedIn) -> None:
    boss, emmy = join("boss", "instructor", role="author"), signed_in("emmy", role="author")
    content, kind = write_archive("midterm_1", FILES), ZIP

    foreign = emmy.put("/problems/midterm_1?availability=course&course=here", content=content, headers=kind)
    nameless = boss.put("/problems/midterm_1?availability=course", content=content, headers=kind)
    sent = boss.put("/problems/midterm_1?availability=course&course=here", content=content, headers=kind)
    report = sent.headers["Location"].removeprefix("/api/v1")

    assert (foreign.status_code, nameless.status_code, sent.status_code) == (404, 422, 202)
    assert emmy.get(report).status_code == HTTPStatus.NOT_FOUND
    assert emmy.get(f"{report}/files").status_code == HTTPStatus.NOT_FOUND
    assert boss.get(report).status_code == HTTPStatus.OK
    assert emmy.put("/problems/midterm_1", content=content, headers=kind).status_code == HTTPStatus.NOT_FOUND


def test_an_author_gives_a_problem_to_a_course_and_sets_it_there(
    join: Join, signed_in: SignedIn, database: Database
) -> None:
    boss, emmy = join("boss", "instructor", role="author"), signed_in("emmy", role="author")
    commit(database, publish, make_package("other_sum", PROBLEM))
    homework = {"title": "Two", "problems": [{"problem": "scaled_sum"}], "opens_at": f"{NOW:%FT%TZ}"}
    homework["due_at"] = f"{NOW + DAY:%FT%TZ}"

    foreign = emmy.patch("/problems/other_sum", json={"availability": "course", "course": "here"})
    given = boss.patch("/problems/other_sum", json={"availability": "course", "course": "here"})
    made = boss.post("/courses/here/assignments", json=homework)
    opened = boss.patch("/problems/other_sum", json={"availability": "listed"})

    assert (foreign.status_code, given.status_code) == (HTTPStatus.NOT_FOUND, HTTPStatus.OK)
    assert (given.json()["availability"], opened.json()["availability"]) == ("course", "listed")
    assert made.status_code == HTTPStatus.CREATED
    assert emmy.get("/problems/other_sum").status_code == HTTPStatus.OK


def test_no_other_course_can_set_it(join: Join, database: Database) -> None:
    boss = join("boss", "instructor", role="author")
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == "boss")).one()
        make_member(session, make_course(session, "there"), user, "instructor")
    homework = {"title": "Two", "problems": [{"problem": "scaled_sum"}], "opens_at": f"{NOW:%FT%TZ}"}
    homework["due_at"] = f"{NOW + DAY:%FT%TZ}"

    assert "Students can open no problem" in boss.post("/courses/there/assignments", json=homework).text


def test_closing_a_problem_that_students_can_hand_in_needs_a_second_step(join: Join) -> None:
    boss = join("boss", "instructor", role="author")

    refused = [boss.patch(PATH, json={"availability": state}) for state in ("draft", "withdrawn")]
    done = boss.patch(PATH, json={"availability": "withdrawn", "confirmed": True})

    assert [answer.status_code for answer in refused] == [HTTPStatus.CONFLICT] * 2
    assert "scaled_sum is in The homework of here" in refused[0].json()["detail"]
    assert done.json()["availability"] == "withdrawn"


def test_a_deleted_courses_problems_go_to_the_next_course_or_become_drafts(database: Database, course: Course) -> None:
    with database.transaction() as session:
        revision = session.query(Revision).one()
        heir = make_course(session, "next")
        make_assignment(session, heir, revision)
        part_with_problems(session, [course.id])
        problem = session.query(Problem).populate_existing().one()
        assert (problem.course_id, problem.availability) == (heir.id, "course")

        part_with_problems(session, [heir.id, course.id])
        session.refresh(problem)
        assert (problem.course_id, problem.availability) == (None, "draft")
