"""The pages on similar programs: begun from the assignment, a report with its pairs, and a pair side by side."""

import re
from decimal import Decimal
from http import HTTPStatus
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.model import User
from app.accounts.session import start_session
from app.courses.model import Assignment, AssignmentProblem
from app.database.engine import Database
from app.web.pages.similarity import Mark, mark_lines
from app.web.visit import COOKIE
from tests.factories import make_course, make_member, make_problem, make_user
from tests.similarity.cohort_rows import Homework, begin, finish, hand_in, join, make_homework, read_check
from tests.similarity.test_compare import ORIGINAL, RENAMED

PAGE = "/similarity"


@pytest.fixture
def homework(database: Database) -> Homework:
    with database.transaction() as session:
        homework = make_homework(session)
        sent = {}
        for name, source in (("ada", ORIGINAL), ("grace", RENAMED), ("emmy", ORIGINAL)):
            sent[name] = hand_in(session, homework, join(session, homework, name, section="Mon"), source)
        helper = make_user(session, "helper")
        make_member(session, homework.taught.course, helper, "assistant")
        sent["helper"] = hand_in(session, homework, helper, ORIGINAL, minute=5)
        make_member(session, make_course(session, "elsewhere"), make_user(session, "elsewhere"), "assistant")
        make_user(session, "stranger")
        make_user(session, "root", role="admin")
        check = begin(session, homework)
        pairs = (("ada", "grace", 96.0), ("grace", "emmy", 88.5), ("ada", "helper", 81.0), ("emmy", "helper", 20.0))
        finish(session, check, *((sent[one], sent[other], percent) for one, other, percent in pairs))
    return homework


@pytest.fixture
def report(homework: Homework, database: Database) -> str:
    assert homework
    with database.transaction() as session:
        return f"{PAGE}/{read_check(session).id}"


def sign_in(anyone: TestClient, database: Database, user_id: UUID) -> None:
    with database.transaction() as session:
        anyone.cookies.set(COOKIE, start_session(session, user_id))


@pytest.fixture
def teacher(anyone: TestClient, homework: Homework, database: Database) -> TestClient:
    sign_in(anyone, database, homework.taught.instructor.id)
    return anyone


def test_the_assignment_leads_to_a_comparison_that_tells_how_far_it_is(teacher: TestClient, homework: Homework) -> None:
    course, slug = homework.key.split("/")
    assignment = teacher.get(f"/courses/{course}/assignments/{slug}").text
    offered = teacher.get(PAGE, params={"assignment": homework.key}).text
    begun = teacher.post(PAGE, data={"assignment": homework.key, "problem": homework.slug, "compared": "all"})
    waiting = teacher.get(begun.headers["location"]).text

    assert f"/similarity?assignment={course}/{slug}" in assignment
    assert f'<option value="{homework.slug}">' in offered
    assert "No worker is running" in waiting
    assert "This page reloads until it is done." in waiting


def test_all_problems_of_an_assignment_are_compared_at_once(
    teacher: TestClient, homework: Homework, database: Database
) -> None:
    with database.transaction() as session:
        assignment = session.get_one(Assignment, homework.assignment.id)
        other = make_problem(session)
        assignment.problems.append(AssignmentProblem(problem_id=other.problem_id, position=1, points=Decimal(1)))

    begun = teacher.post(PAGE, data={"assignment": homework.key, "problem": "", "compared": "all"})
    page = teacher.get(begun.headers["location"]).text

    assert page.count('<td data-label="State">waits</td>') == 2
    assert '<option value="">All problems</option>' in page


def test_the_report_shows_pairs_from_80_percent_and_the_clusters_that_they_form(
    teacher: TestClient, report: str
) -> None:
    page = teacher.get(report).text
    everything = teacher.get(report, params={"least": 0}).text
    nothing = teacher.get(report, params={"least": 97}).text

    assert [f"{percent} %</td>" in page for percent in ("96", "88.5", "81", "20")] == [True, True, True, False]
    assert "20 %</td>" in everything
    assert "No pair reaches 97 %. The most similar one has 96 %." in nothing
    cluster = re.sub("<[^>]*>", "", page.partition('<ul class="clusters">')[2])
    assert re.match("ada, (grace, emmy|emmy, grace), helper staff", cluster)
    assert "staff</span>" in page
    assert "<svg" in page


def test_short_programs_and_unread_ones_are_told(teacher: TestClient, homework: Homework, database: Database) -> None:
    with database.transaction() as session:
        unread = hand_in(session, homework, join(session, homework, "nested"), "((")
        check = begin(session, homework)
        finish(session, check, median_lines=13, unread=[unread])
        address = f"{PAGE}/{check.id}"

    page = teacher.get(address).text

    assert "Too short to tell." in page
    assert "1 program could not be read" in page
    assert "<bdi>nested</bdi>" in page


def test_a_pair_is_shown_side_by_side_with_marked_lines_and_dismissed_with_a_note(
    teacher: TestClient, report: str
) -> None:
    before = teacher.get(f"{report}/pairs/1").text
    empty = teacher.post(f"{report}/pairs/1", data={"note": " "})
    teacher.post(f"{report}/pairs/1", data={"note": "They may work in pairs."})
    dismissed = teacher.get(report).text
    teacher.post(f"{report}/pairs/1", data={"reopens": "true"})
    reopened = teacher.get(report).text

    assert 'id="left-2" class="match match-1"' in before
    assert teacher.get(f"{report}/pairs/9").status_code == HTTPStatus.NOT_FOUND
    assert teacher.get(f"{report}/pairs/99999999999").status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert 'href="#right-1"' in before
    assert empty.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "dismissed: They may work in pairs." in dismissed
    assert "dismissed:" not in reopened


def test_pairs_are_a_table_for_spreadsheets(teacher: TestClient, report: str) -> None:
    answer = teacher.get(f"{report}/pairs.csv")

    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert len(answer.text.splitlines()) == 5


def test_students_strangers_and_staff_of_other_courses_find_nothing(
    anyone: TestClient, database: Database, report: str, homework: Homework
) -> None:
    addresses = [f"{PAGE}?assignment={homework.key}", PAGE, report, f"{report}/pairs.csv", f"{report}/pairs/1"]
    for name in ("ada", "stranger", "elsewhere"):
        with database.transaction() as session:
            user_id = session.scalars(select(User.id).where(User.username == name)).one()
        sign_in(anyone, database, user_id)

        answers = [anyone.get(address) for address in addresses]
        answers += [
            anyone.post(PAGE, data={"assignment": homework.key, "problem": homework.slug}),
            anyone.post(f"{report}/pairs/1", data={"note": "no"}),
        ]

        assert {answer.status_code for answer in answers} == {HTTPStatus.NOT_FOUND}
        assert not any("grace" in answer.text for answer in answers)


def test_a_line_is_marked_by_the_largest_part_that_it_is_in() -> None:
    marks = mark_lines([(2, 4, 1, 3), (3, 3, 9, 9)])

    assert marks[0] == {2: Mark(block=1, other=1), 3: Mark(block=1, other=None), 4: Mark(block=1, other=None)}
    assert marks[1][9] == Mark(block=2, other=3)
