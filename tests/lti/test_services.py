"""What a platform offers besides launches: its roster, and links that an instructor chooses."""

import base64
import json
import re

import httpx
import pytest
from sqlalchemy import select, update

from app.accounts.model import User
from app.courses.model import Course, Member
from app.database.engine import Database
from app.lti.link import list_linked
from app.lti.model import PlatformCourse
from app.lti.platform import open_platforms
from app.lti.roster import read_roster
from app.settings import Settings
from tests.factories import make_assignment, make_course
from tests.lti.conftest import Place
from tests.lti.peer import Peer, Walk, read_form

STUDENTS = 24


def test_the_roster_comes_over_several_pages(database: Database, course: Course, place: Place, walk: Walk) -> None:
    walk.launch(place.peer)
    with database.transaction() as session:
        found = list_linked(session, course.id)[0]

    roster = read_roster(open_platforms(Settings(public_url=place.address), database), found, "7")

    assert len(roster) == STUDENTS
    assert ("u7@uni.test", "User 7") in [(row["email"], row["name"]) for row in roster]


def test_an_instructor_sees_what_the_roster_changes_and_applies_it(
    peer: Peer, walk: Walk, database: Database, course: Course
) -> None:
    student = Walk(walk.tool)
    student.launch(peer, user="2")
    walk.launch(peer, user="1", role="instructor")
    with database.transaction() as session:
        linked = session.scalars(select(PlatformCourse.id)).one()

    preview = walk.post(f"/courses/{course.slug}/platforms/{linked}/roster", {})
    table = re.search(r'<textarea id="csv"[^>]*>\n(.*?)</textarea>', preview.text, re.DOTALL)
    assert table is not None
    walk.post(f"/courses/{course.slug}/members/roster", {"csv": table[1], "act": "apply"})
    late = Walk(walk.tool)
    late.launch(peer, user="9")

    with database.transaction() as session:
        students = session.scalars(select(Member).where(Member.role == "student")).all()
    assert preview.status_code == 200
    assert len(students) == STUDENTS
    assert sum(each.user_id is not None for each in students) == 2
    assert {each.email for each in students if each.user_id} == {"u2@uni.test", "u9@uni.test"}


def test_a_page_of_the_roster_on_another_site_gets_no_token(
    peer: Peer, walk: Walk, database: Database, course: Course
) -> None:
    walk.launch(peer, user="1", role="instructor")
    with database.transaction() as session:
        session.execute(update(PlatformCourse).values(members_url="http://127.0.0.1:1/members"))
        linked = session.scalars(select(PlatformCourse.id)).one()

    answer = walk.post(f"/courses/{course.slug}/platforms/{linked}/roster", {})

    assert (answer.status_code, "can&#39;t be read" in answer.text) == (422, True)


def test_an_instructor_chooses_the_assignment_of_a_link(
    peer: Peer, walk: Walk, database: Database, course: Course
) -> None:
    with database.transaction() as session:
        assignment = make_assignment(session, course, slug="homework", title="Homework 1")
    page = walk.launch(peer, user="1", role="instructor", message="LtiDeepLinkingRequest")
    assert "Homework 1" in page.text

    chosen = walk.post(page.url.path, {"act": "choose", "assignment": str(assignment.id)})
    action = re.search(r'<form class="form" method="post" action="([^"]+)"', chosen.text)
    assert action is not None
    answer = httpx.post(action[1], data=read_form(chosen.text), timeout=30)

    assert answer.status_code == 200, answer.text
    assert f"form-action {peer.url};" in chosen.headers["content-security-policy"]
    saved = peer.ask("state")["links"][-1]["attributes"]
    assert saved["custom"] == {"assignment": str(assignment.id)}
    assert saved["url"] == f"{walk.tool}/lti/launch"
    assert saved["lineItem"]["resourceId"] == str(assignment.id)
    assert walk.get(page.url.path).status_code == 403


def test_an_assignment_of_another_course_can_not_be_chosen(
    peer: Peer, walk: Walk, database: Database, course: Course
) -> None:
    with database.transaction() as session:
        other = make_assignment(session, make_course(session), title="Secret")
    page = walk.launch(peer, user="1", role="instructor", message="LtiDeepLinkingRequest")

    chosen = walk.post(page.url.path, {"act": "choose", "assignment": str(other.id)})

    body = read_form(chosen.text)["JWT"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    items = next(value for name, value in claims.items() if name.endswith("content_items"))
    assert [item["title"] for item in items] == [course.title]
    assert "Secret" not in page.text


@pytest.mark.usefixtures("course")
def test_a_course_page_of_platforms_is_for_its_instructors(peer: Peer, walk: Walk, database: Database) -> None:
    walk.launch(peer, user="2")
    refused = walk.get("/courses/ml/platforms").status_code
    with database.transaction() as session:
        session.execute(update(Member).values(role="instructor"))
        assert session.scalars(select(User.role)).all() == ["student"]

    page = walk.get("/courses/ml/platforms")

    assert (refused, page.status_code, "ML in Peer" in page.text) == (403, 200, False)
    assert "Machine learning in Peer" in page.text
