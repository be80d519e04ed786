"""A problem of a course on the pages: chosen by its author, and closed to everyone else."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from app.accounts.model import Role
from app.accounts.session import start_session
from app.authoring.model import Verification
from app.catalog.model import Problem, Revision
from app.courses.model import Assignment, Course, CourseRole
from app.database.engine import Database
from app.web.visit import COOKIE
from tests.catalog.packages import FILES
from tests.factories import make_assignment, make_course, make_member, make_user

SLUG = "scaled_sum"
HOME = f"/author/problems/{SLUG}"
NOW = datetime.now(UTC)
DAY = timedelta(days=1)

Become = Callable[..., TestClient]


@pytest.fixture
def become(anyone: TestClient, database: Database) -> Become:
    """`become("emmy", "author")`: the browser of a new user; with a role in the course `here`, a member."""
    with database.transaction() as session:
        course = make_course(session, "here", title="Deep learning")

    def client(name: str, role: Role = "student", seat: CourseRole | None = None) -> TestClient:
        with database.transaction() as session:
            user = make_user(session, name, role=role)
            if seat:
                make_member(session, session.get_one(Course, course.id), user, seat)
            anyone.cookies.set(COOKIE, start_session(session, user.id))
        return anyone

    return client


def give_to_course(database: Database, opens_at: datetime) -> None:
    with database.transaction() as session:
        course = session.scalars(select(Course)).one()
        revision = session.scalars(select(Revision)).one()
        session.execute(update(Problem).values(availability="course", course_id=course.id))
        make_assignment(session, course, revision, slug="homework", title="Homework", opens_at=opens_at)


def send(client: TestClient, path: str, files: dict[str, str], **fields: str) -> int:
    parts = [(name, (None, value)) for name, value in {"slug": SLUG, "base": "", **fields}.items()]
    for name, text in files.items():
        parts += [("path", (None, name)), ("text", (None, text))]
    return int(client.post(path, files=parts).status_code)


def test_an_instructor_gives_a_problem_to_the_course_and_takes_it_back(become: Become) -> None:
    boss = become("boss", "author", "instructor")

    page = boss.get(HOME).text
    given = boss.post(f"{HOME}/availability", data={"availability": "course:here"})
    said = boss.get(given.headers["location"]).text
    form = boss.get("/courses/here/assignments/new").text
    foreign = become("other", "author").get("/author/edit").text

    assert '<option value="course:here">Deep learning: ' in page
    assert '<option value="course:here" selected>' in said
    assert "Saved. Deep learning: Only this course" in said
    assert SLUG in form
    assert "course:" not in foreign


def test_students_open_its_pages_once_an_assignment_opens(become: Become, database: Database) -> None:
    give_to_course(database, NOW + DAY)
    pages = [f"/problems/{SLUG}", f"/problems/{SLUG}/learning", f"/problems/{SLUG}/quiz"]

    ada = become("ada", seat="student")
    early = [ada.get(page).status_code for page in pages]
    with database.transaction() as session:
        session.execute(update(Assignment).values(opens_at=NOW - DAY))
    opened = [ada.get(page) for page in pages]
    eve = become("eve")
    stranger = [eve.get(page).status_code for page in pages]

    assert early == stranger == [HTTPStatus.NOT_FOUND] * 3
    assert [answer.status_code for answer in opened] == [HTTPStatus.OK] * 3
    assert "This problem belongs to a course." in opened[0].text


def test_no_page_for_authors_opens_it_to_an_author_elsewhere(become: Become, app: FastAPI, database: Database) -> None:
    boss = become("boss", "author", "instructor")
    send(boss, "/author/edit", FILES, slug="midterm_1", is_new="yes", action="publish", availability="course:here")
    give_to_course(database, NOW - DAY)
    with database.transaction() as session:
        sent = session.scalars(select(Verification.id)).one()
    emmy = become("emmy", "author")

    answers = {}
    for route in iter_route_contexts(app.routes):
        path = route.path or ""
        if path.startswith("/author/") and "{" in path:
            address = path.format(slug=SLUG, number=1, verification_id=sent) + "?old=1&new=1"
            for method in (route.methods or set()) & {"GET", "POST"}:
                answers[method, path] = emmy.request(method, address, data={"availability": "listed"}).status_code
    for query in (f"problem={SLUG}", f"like={SLUG}", f"verification={sent}"):
        answers["GET", query] = emmy.get(f"/author/edit?{query}").status_code
    for path in ("/author/edit", "/author/preview", "/author/check", "/author/upload"):
        answers["POST", path] = send(emmy, path, FILES)

    assert len(answers) > 15
    assert {place: status for place, status in answers.items() if status != HTTPStatus.NOT_FOUND} == {}
    assert SLUG not in re.sub(r"\s", "", emmy.get("/author").text)


def test_withdrawing_it_during_an_assignment_is_asked_about(become: Become, database: Database) -> None:
    boss = become("boss", "author", "instructor")
    give_to_course(database, NOW - DAY)
    wish = {"availability": "withdrawn"}

    asked = boss.post(f"{HOME}/availability", data=wish)
    done = boss.post(f"{HOME}/availability", data=wish | {"confirmed": "true"})

    assert asked.status_code == HTTPStatus.CONFLICT
    assert "scaled_sum is in Homework of Deep learning" in asked.text
    assert '<option value="withdrawn" selected>' in asked.text
    assert 'name="confirmed"' in asked.text
    assert done.status_code == HTTPStatus.SEE_OTHER
    assert "takes no submissions" in boss.get(f"/problems/{SLUG}").text
