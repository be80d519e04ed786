"""An exam in a real browser: the clock, more time and a notice while it runs, and the table of the staff."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import func, select, update

from app.accounts.model import User
from app.accounts.permission import signed_in
from app.audit import Actor
from app.catalog.model import Problem, Revision
from app.courses.model import Assignment, Course, Member, Sitting
from app.courses.role import get_seat
from app.courses.sitting import add_minutes, give_notice
from app.database.engine import Database
from tests.factories import make_assignment, make_course, make_member, make_user
from tests.web.browser import Visitor, visit_as

EXAM = "/courses/here/assignments/midterm"
NOW = datetime.now(UTC)
HOUR = timedelta(hours=1)
WITHIN_MS = 5000
pytestmark = pytest.mark.browser


@pytest.fixture
def exam(database: Database, student: Visitor) -> UUID:
    """The exam `midterm` of the student `ada`, with a teacher."""
    assert student
    with database.transaction() as session:
        course = make_course(session, "here", title="Numerical methods")
        revision = session.scalars(select(Revision).join(Problem, Problem.current_revision_id == Revision.id)).first()
        assert revision is not None
        columns = {"kind": "exam", "minutes": 60, "opens_at": NOW - HOUR, "due_at": NOW + 3 * HOUR, "password": "plum"}
        made = make_assignment(session, course, revision, slug="midterm", title="Midterm", **columns)
        make_member(session, course, session.query(User).filter_by(username="ada").one(), name="Ada Lovelace")
        make_member(session, course, make_user(session, "helper"), "instructor")
        return made.id


@pytest.fixture
def teacher(browser: Browser, address: str, database: Database, exam: UUID) -> Iterator[Visitor]:
    assert exam
    with browser.new_context() as context:
        visitor = visit_as("teacher", context, address, database)
        with database.transaction() as session:
            user = session.query(User).filter_by(username="teacher").one()
            make_member(session, session.query(Course).one(), user, "instructor")
        yield visitor


def begin(student: Visitor) -> None:
    student.open(EXAM)
    student.page.get_by_label("Password of the exam").fill("plum")
    student.page.get_by_role("button", name="Begin").click()
    student.page.get_by_role("link", name="Scaled sum").wait_for()


def test_the_clock_follows_more_time_and_a_notice_appears_at_once(
    student: Visitor, database: Database, exam: UUID
) -> None:
    begin(student)
    clock, notice = student.page.get_by_role("timer"), student.page.locator(".exam-notice")
    expect(clock).to_contain_text("0:59:")
    student.page.get_by_role("link", name="Scaled sum").click()
    student.page.locator("#code").wait_for(state="attached")

    with database.transaction() as session:
        row = session.get_one(Assignment, exam)
        helper = session.query(User).filter_by(username="helper").one()
        seat, actor = get_seat(session, signed_in(helper), "here"), Actor(user_id=helper.id, channel="page")
        member = session.scalars(select(Member.id).where(Member.name == "Ada Lovelace")).one()
        add_minutes(session, actor, seat, row, member, 30)
        give_notice(session, actor, row, "Problem 1: scale is a float.")

    expect(clock).to_contain_text("1:29:", timeout=WITHIN_MS)
    expect(notice).to_contain_text("Problem 1: scale is a float.", timeout=WITHIN_MS)


def test_what_is_typed_stays_with_the_exam_and_the_end_asks_first(student: Visitor, exam: UUID) -> None:
    assert exam
    begin(student)
    student.page.get_by_role("link", name="Scaled sum").click()
    student.page.locator(".cm-content").click()
    student.page.keyboard.type("# mine\n")
    expect(student.page.locator("#draft-status")).to_have_text("Draft saved")
    student.page.reload()
    expect(student.page.locator(".cm-content")).to_contain_text("# mine")
    student.open(EXAM)

    student.page.get_by_label("I want to end the exam now").check()
    student.page.get_by_role("button", name="End the exam").click()

    expect(student.page.get_by_text("In the queue").or_(student.page.get_by_text("queued"))).to_be_visible()
    expect(student.page.locator(".exam-bar")).to_have_count(0)


def test_when_the_time_is_over_the_page_says_so_by_itself(student: Visitor, database: Database, exam: UUID) -> None:
    begin(student)
    student.page.get_by_role("link", name="Scaled sum").click()
    with database.transaction() as session:
        session.execute(update(Sitting).values(started_at=func.now() - timedelta(minutes=61, seconds=1)))
        session.execute(select(func.pg_notify("progress", str(exam))))

    expect(student.page).to_have_url(student.address + EXAM, timeout=2 * WITHIN_MS)
    expect(student.page.locator(".exam-bar")).to_have_count(0)


def test_the_table_of_the_staff_follows(student: Visitor, teacher: Visitor) -> None:
    teacher.open(f"{EXAM}/sittings")
    expect(teacher.page.get_by_text("0 of 1 are writing")).to_be_visible()

    begin(student)

    expect(teacher.page.get_by_text("1 of 1 are writing")).to_be_visible(timeout=2 * WITHIN_MS)
    teacher.page.get_by_text("Change", exact=False).first.click()
    teacher.page.get_by_label("More minutes").fill("15")
    teacher.page.get_by_role("button", name="Give").click()
    expect(student.page.get_by_role("timer")).to_contain_text("1:14:", timeout=WITHIN_MS)
