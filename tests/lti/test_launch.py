"""Launches: who is signed in, with what rights, and what a launch opens."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import select, update

from app.accounts.model import User, UserSession
from app.accounts.session import start_session
from app.courses.model import Course, Member
from app.database.engine import Database
from app.lti.launch import CLAIM
from app.lti.model import Platform, PlatformCourse, PlatformMember, PlatformPerson
from app.settings import Settings
from app.web.visit import COOKIE
from app.web_process import create_app
from tests.application import open_application
from tests.factories import make_assignment, make_course, make_member, make_problem, make_user, set_policy
from tests.http_server import serving
from tests.lti.peer import Peer, Walk, read_claims


def read_member(database: Database) -> tuple[str, str, str, str | None]:
    """The role in the course, the name there, the role here and the e-mail address of the only member."""
    with database.transaction() as session:
        member, user = session.execute(select(Member, User).join(User, User.id == Member.user_id)).one()
        return member.role, member.name, user.role, user.email


def sign_in(walk: Walk, database: Database, username: str, **columns: str) -> None:
    """Sign the browser in as a new user, as with a password."""
    with database.transaction() as session:
        user = make_user(session, username, **columns)  # type: ignore[arg-type]
        walk.cookies[COOKIE] = start_session(session, user.id)


@pytest.mark.usefixtures("course")
@pytest.mark.parametrize(
    ("there", "here"), [("student", "student"), ("instructor", "instructor"), ("Community TA", "assistant")]
)
def test_a_person_becomes_in_the_course_what_they_are_there(
    there: str, here: str, peer: Peer, walk: Walk, database: Database
) -> None:
    answer = walk.launch(peer, user="2", role=there)

    assert (answer.status_code, answer.url.path) == (200, "/courses/ml")
    assert read_member(database) == (here, "User 2", "student", None)


@pytest.mark.usefixtures("course")
def test_a_person_without_a_role_in_the_course_is_refused(peer: Peer, walk: Walk) -> None:
    """The platform's own staff roles say nothing about the course."""
    _, form = walk.log_in(peer)
    claims = read_claims(form["id_token"])
    claims[f"{CLAIM}roles"] = ["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"]

    answer = walk.follow(walk.post("/lti/launch", {**form, "id_token": peer.sign(claims)}, is_foreign=True))

    assert (answer.status_code, "neither student" in answer.text) == (403, True)


@pytest.mark.usefixtures("course")
def test_sign_up_may_be_closed(peer: Peer, walk: Walk, database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, sign_up="closed")

    assert walk.launch(peer).url.path == "/courses/ml"


@pytest.mark.usefixtures("course")
def test_the_second_launch_opens_the_same_account(peer: Peer, walk: Walk, database: Database) -> None:
    walk.launch(peer)
    walk.cookies.clear()

    walk.launch(peer)

    assert read_member(database)[0] == "student"


@pytest.mark.usefixtures("course")
def test_an_account_with_the_same_e_mail_address_is_not_taken(peer: Peer, walk: Walk, database: Database) -> None:
    with database.transaction() as session:
        make_user(session, "ada").email = "u2@uni.test"

    walk.launch(peer, user="2")

    with database.transaction() as session:
        taken = session.scalars(select(User.username).join(PlatformPerson, PlatformPerson.user_id == User.id)).all()
    assert taken == ["user-2"]


def test_a_link_opens_its_assignment(peer: Peer, walk: Walk, database: Database, course: Course) -> None:
    with database.transaction() as session:
        assignment = make_assignment(session, course, slug="homework")

    answer = walk.launch(peer, assignment=str(assignment.id))

    assert answer.url.path == "/courses/ml/assignments/homework"


def test_a_link_to_an_exam_opens_its_beginning_and_leads_back_while_it_is_written(
    peer: Peer, walk: Walk, database: Database, course: Course
) -> None:
    now, hour = datetime.now(UTC), timedelta(hours=1)
    with database.transaction() as session:
        facts = {"slug": "midterm", "kind": "exam", "minutes": 30, "password": "plum"}
        facts |= {"opens_at": now - hour, "due_at": now + hour}
        exam = make_assignment(session, course, make_problem(session, "sum"), **facts)
    path = "/courses/ml/assignments/midterm"
    page = walk.launch(peer, assignment=str(exam.id))
    begun = walk.post(f"{path}/begin", {"password": "plum"})
    sent = walk.post(f"{path}/problems/sum/submissions", {"source": "x = 1", "mode": "submit"})

    again = walk.get(peer.ask("start", json=1, assignment=str(exam.id))["address"])
    elsewhere = Walk(walk.tool).launch(peer, assignment=str(exam.id))
    walk.post(f"{path}/end", {})
    after = walk.launch(peer, assignment=str(exam.id))

    assert (page.url.path, "Password of the exam" in page.text) == (path, True)
    assert (begun.headers["location"], sent.status_code) == (path, 303)
    assert (again.status_code, f'href="{path}">Back to' in again.text) == (403, True)
    assert (elsewhere.status_code, "in another browser" in elsewhere.text) == (403, True)
    assert (after.status_code, after.url.path) == (200, path)


@pytest.mark.usefixtures("course")
def test_a_link_to_an_assignment_of_another_course_is_refused(peer: Peer, walk: Walk, database: Database) -> None:
    with database.transaction() as session:
        other = make_assignment(session, make_course(session))

    answer = walk.launch(peer, assignment=str(other.id))

    assert (answer.status_code, "another course" in answer.text) == (403, True)


@pytest.mark.usefixtures("course")
def test_a_copy_of_the_course_does_not_lead_into_the_old_one(peer: Peer, walk: Walk, database: Database) -> None:
    answer = walk.launch(peer, context="course-v1:uni+ML+2027")

    assert (answer.status_code, "not linked" in answer.text) == (403, True)
    with database.transaction() as session:
        assert session.scalars(select(Member)).all() == []


def test_an_instructor_links_a_course_with_the_account_that_teaches_it(
    peer: Peer, platform: Platform, walk: Walk, database: Database
) -> None:
    sign_in(walk, database, "ada", role="author")
    with database.transaction() as session:
        own, foreign = make_course(session, "own"), make_course(session, "foreign")
        make_member(session, own, session.scalars(select(User)).one(), "instructor")

    page = walk.launch(peer, role="instructor")
    refused = walk.post(page.url.path, {"act": "link_course", "course": foreign.slug})
    walk.post(page.url.path, {"act": "link_course", "course": own.slug})

    assert (page.status_code, "own" in page.text, "foreign" in page.text) == (200, True, False)
    assert refused.status_code == 403
    with database.transaction() as session:
        linked = session.scalars(select(PlatformCourse)).one()
        assert (linked.course_id, linked.platform_id) == (own.id, platform.id)


@pytest.mark.usefixtures("platform")
def test_a_student_can_link_no_course(peer: Peer, walk: Walk, database: Database) -> None:
    sign_in(walk, database, "ada")
    with database.transaction() as session:
        make_member(session, make_course(session, "own"), session.scalars(select(User)).one(), "instructor")
    answer = walk.launch(peer, role="student")
    assert answer.status_code == 403

    answer = walk.post(answer.url.path, {"act": "link_course", "course": "own"})

    assert (answer.status_code, "no instructor" in answer.text) == (403, True)


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize("may_create", [True, False])
def test_an_instructor_creates_a_course_if_the_platform_may(
    may_create: bool, peer: Peer, walk: Walk, database: Database
) -> None:
    with database.transaction() as session:
        session.execute(update(Platform).values(may_create_courses=may_create))
    page = walk.launch(peer, role="instructor")

    answer = walk.follow(walk.post(page.url.path, {"act": "create_course", "timezone": "Europe/Berlin"}))

    assert answer.status_code == (200 if may_create else 403)
    if may_create:
        assert answer.url.path == "/courses/machine-learning"
        assert read_member(database)[0] == "instructor"


@pytest.mark.usefixtures("course")
def test_a_student_who_is_signed_in_may_link_the_account(peer: Peer, walk: Walk, database: Database) -> None:
    sign_in(walk, database, "ada")
    with database.transaction() as session:
        session.execute(update(User).values(password_hash=None))  # who signed in just now
    page = walk.launch(peer)
    assert "Which account" in page.text

    answer = walk.follow(walk.post(page.url.path, {"act": "link_account"}))

    assert answer.url.path == "/courses/ml"
    with database.transaction() as session:
        assert session.scalars(select(User.username)).all() == ["ada"]


@pytest.mark.usefixtures("course")
def test_linking_an_account_asks_for_its_password(peer: Peer, walk: Walk, database: Database) -> None:
    sign_in(walk, database, "ada")
    page = walk.launch(peer)

    answer = walk.follow(walk.post(page.url.path, {"act": "link_account", "password": "wrong"}))

    assert (answer.status_code, "not your password" in answer.text) == (422, True)
    with database.transaction() as session:
        assert session.scalars(select(PlatformPerson)).all() == []


@pytest.mark.usefixtures("course")
@pytest.mark.parametrize("role", ["author", "admin"])
def test_the_account_of_an_author_or_admin_can_not_be_linked(
    role: str, peer: Peer, walk: Walk, database: Database
) -> None:
    sign_in(walk, database, "ada", role=role)
    page = walk.launch(peer)

    answer = walk.post(page.url.path, {"act": "link_account", "password": "any"})

    assert (answer.status_code, "no learning platform can sign in" in answer.text) == (403, True)
    with database.transaction() as session:
        assert session.scalars(select(PlatformPerson)).all() == []


@pytest.mark.usefixtures("course")
def test_a_person_who_became_an_author_is_not_signed_in_any_more(peer: Peer, walk: Walk, database: Database) -> None:
    walk.launch(peer)
    with database.transaction() as session:
        session.execute(update(User).values(role="author"))

    open_session = walk.get("/courses/ml")
    walk.cookies.clear()
    again = walk.launch(peer)

    assert open_session.headers["location"].startswith("/sign-in")
    assert (again.status_code, "no learning platform can sign in" in again.text) == (403, True)
    assert COOKIE not in walk.cookies


@pytest.mark.usefixtures("course")
def test_a_student_unlinks_a_platform_from_the_account(
    peer: Peer, walk: Walk, database: Database, platform: Platform
) -> None:
    sign_in(walk, database, "ada")
    with database.transaction() as session:
        session.execute(update(User).values(password_hash=None))
    page = walk.launch(peer)
    walk.post(page.url.path, {"act": "link_account"})
    launched = Walk(walk.tool)
    launched.launch(peer)
    shown = walk.get("/account").text

    unlinked = walk.post(f"/account/platforms/{platform.id}/remove", {})
    again = walk.post(f"/account/platforms/{platform.id}/remove", {})

    assert "Peer signs you in for its courses" in shown
    assert unlinked.headers["location"] == "/account?done=platform#done"
    assert again.status_code == 404
    assert "signs you in for its courses" not in walk.get("/account").text
    assert launched.get("/courses/ml").headers["location"].startswith("/sign-in")
    with database.transaction() as session:
        assert session.scalars(select(PlatformPerson)).all() == []
        assert session.scalars(select(PlatformMember)).all() == []
        assert session.scalars(select(Member.role)).all() == ["student"]


@pytest.mark.usefixtures("course")
def test_an_account_that_only_a_platform_signs_in_is_told_whom_to_ask_for_its_data(peer: Peer, walk: Walk) -> None:
    walk.launch(peer)

    pages = [walk.get("/account"), walk.post("/account/export", {}), walk.post("/account/erase", {})]

    assert {page.status_code for page in pages} == {403}
    assert all("ask an admin of this site to export or erase your data" in page.text for page in pages)


@pytest.mark.usefixtures("course")
def test_a_launch_opens_nothing_but_courses(peer: Peer, walk: Walk) -> None:
    walk.launch(peer, role="instructor")

    pages = [
        walk.get(path) for path in ("/account", "/me", "/problems/x/questions", "/author", "/admin", "/courses/new")
    ]
    forms = [walk.post(path, {"name": "x"}) for path in ("/account/tokens", "/account/identities", "/courses/new")]

    assert [answer.status_code for answer in (*pages, *forms)] == [403] * 9


@pytest.mark.usefixtures("course")
def test_a_launch_opens_no_other_course_of_its_person(peer: Peer, walk: Walk, database: Database) -> None:
    walk.launch(peer)
    with database.transaction() as session:
        make_member(session, make_course(session, "other"), session.scalars(select(User)).one(), "instructor")

    assert walk.get("/courses/other").status_code == 404
    assert "other" not in walk.get("/courses").text


@pytest.mark.usefixtures("course")
def test_a_launch_keeps_the_session_in_which_the_person_signed_in(peer: Peer, walk: Walk, database: Database) -> None:
    walk.launch(peer)
    with database.transaction() as session:
        walk.cookies[COOKIE] = start_session(session, session.scalars(select(User.id)).one())

    walk.launch(peer)

    assert walk.get("/account").status_code == 200


def test_a_launch_into_a_second_course_keeps_the_first(
    peer: Peer, walk: Walk, database: Database, platform: Platform, course: Course
) -> None:
    with database.transaction() as session:
        link = PlatformCourse(platform_id=platform.id, deployment_id="1", context_id="second", title="Second")
        link.course_id = make_course(session, "second").id
        session.add(link)

    walk.launch(peer)
    walk.launch(peer, context="second")

    assert [walk.get(f"/courses/{slug}").status_code for slug in (course.slug, "second")] == [200, 200]
    with database.transaction() as session:
        assert len(session.scalars(select(UserSession)).all()) == 1


def test_a_person_takes_the_place_of_the_roster_with_their_number(
    peer: Peer, walk: Walk, database: Database, course: Course
) -> None:
    with database.transaction() as session:
        linked = session.scalars(select(PlatformCourse)).one()
        number = f"{linked.id.hex[:8]}:sub-2"
        make_member(session, course, None, number=number, name="Ada Lovelace", section="Monday")

    walk.launch(peer, user="2")

    assert read_member(database)[:2] == ("student", "Ada Lovelace")


def test_a_removed_member_is_refused(peer: Peer, walk: Walk, database: Database, course: Course) -> None:
    walk.launch(peer)
    with database.transaction() as session:
        session.execute(update(Member).values(left_at=course.created_at))

    answer = walk.launch(peer)

    assert (answer.status_code, "removed you" in answer.text) == (403, True)


@pytest.mark.usefixtures("course")
def test_two_tabs_launch_at_the_same_time(peer: Peer, walk: Walk) -> None:
    _, first = walk.log_in(peer)
    _, second = walk.log_in(peer)

    answers = [walk.follow(walk.post("/lti/launch", form, is_foreign=True)) for form in (second, first)]

    assert [answer.url.path for answer in answers] == ["/courses/ml", "/courses/ml"]


@pytest.mark.usefixtures("course")
def test_the_back_button_says_to_open_the_link_again_and_leaves_the_session(peer: Peer, walk: Walk) -> None:
    _, form = walk.log_in(peer)
    launched = walk.post("/lti/launch", form, is_foreign=True)
    walk.follow(launched)

    again = walk.follow(walk.post("/lti/launch", form, is_foreign=True))
    page = walk.get(launched.headers["location"])

    assert ["Open it again" in answer.text for answer in (again, page)] == [True, True]
    assert walk.get("/courses/ml").status_code == 200


@pytest.mark.usefixtures("course")
def test_another_process_finishes_a_launch(peer: Peer, walk: Walk, settings: Settings, database: Database) -> None:
    _, form = walk.log_in(peer)
    other = create_app(settings.model_copy(update={"public_url": walk.tool}), database)

    with serving(other) as address:
        walk.tool, first = address, walk.tool
        launched = walk.post("/lti/launch", form, is_foreign=True)
    walk.tool = first

    assert walk.follow(launched).url.path == "/courses/ml"


@pytest.mark.usefixtures("course")
def test_a_frame_gets_only_a_link_that_opens_a_window(peer: Peer, platform: Platform, walk: Walk) -> None:
    login = peer.ask("start", json=1)["address"]

    answer = walk.get(login, **{"Sec-Fetch-Dest": "iframe"})

    policy = answer.headers["content-security-policy"]
    assert (answer.status_code, walk.cookies) == (200, {})
    assert f"frame-ancestors {platform.web_address}" in policy
    assert "default-src 'none'" in policy
    assert "<script" not in answer.text


def test_without_https_no_platform_can_send_users(settings: Settings, database: Database) -> None:
    app = open_application(settings.model_copy(update={"public_url": "http://judge.example"}), database)

    with serving(app) as address:
        answer = httpx.get(f"{address}/lti/login")

    assert (answer.status_code, "need HTTPS" in answer.text) == (403, True)
