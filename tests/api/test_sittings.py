"""Exams over REST: a sitting with a token, what staff change in it, and what others may not."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from uuid import UUID

import httpx
import pytest
from sqlalchemy import update

from app.accounts.session import start_session
from app.accounts.token import create_token
from app.catalog.publish import publish
from app.courses.model import Assignment, AssignmentProblem, CourseRole, Sitting
from app.courses.model import Member as MemberRow
from app.database.engine import Database
from app.web.visit import COOKIE
from tests.api.conftest import PATIENCE, SignedIn
from tests.catalog.packages import make_package
from tests.factories import make_assignment, make_course, make_member, make_problem, make_user

NOW = datetime.now(UTC)
HOUR = timedelta(hours=1)
HERE = "/courses/here/assignments/midterm"
SENDING = f"{HERE}/problems/sum/submissions"
SOURCE = {"source": "x = 1"}
CLASS = 300


@pytest.fixture
def member(address: str, database: Database) -> Callable[[str, CourseRole], httpx.Client]:
    """`member("ada", "student")`: a new member of the course `here`, which has the exam `midterm`; staff also of it."""
    with database.transaction() as session:
        course, other = make_course(session, "here"), make_course(session, "other")
        exam = {"kind": "exam", "minutes": 60, "opens_at": NOW - HOUR, "due_at": NOW + 2 * HOUR}
        make_assignment(session, course, make_problem(session, "sum"), slug="midterm", **exam, password="plum")

    def client(name: str, role: CourseRole) -> httpx.Client:
        with database.transaction() as session:
            user = make_user(session, name)
            make_member(session, other if name == "foreign" else course, user, role)
            secret = create_token(session, user.id, "test").secret
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=PATIENCE)

    return client


Member = Callable[[str, CourseRole], httpx.Client]


def find_row(staff: httpx.Client) -> dict[str, object]:
    rows = staff.get(f"{HERE}/sittings").json()["items"]
    found: dict[str, object] = next(each for each in rows if each["username"] == "ada")
    return found


def test_a_student_writes_an_exam_with_a_token(member: Member) -> None:
    ada, helper = member("ada", "student"), member("helper", "assistant")
    before = [ada.get(HERE).json()["problems"], ada.post(SENDING, json=SOURCE).status_code]
    wrong = ada.post(f"{HERE}/sitting", json={"password": "pear"})

    begun = ada.post(f"{HERE}/sitting", json={"password": "plum"})
    sent = ada.post(SENDING, json=SOURCE)
    closed = [ada.get(path).status_code for path in ("/problems/sum", "/submissions", "/me", "/courses/here")]
    opened = [ada.get(path).status_code for path in (HERE, f"{HERE}/sitting", sent.headers["Location"][7:])]
    row = find_row(helper)
    ended = ada.delete(f"{HERE}/sitting")

    assert before == [[], HTTPStatus.CONFLICT]
    assert (wrong.status_code, begun.status_code, sent.status_code) == (403, 201, 202)
    assert 3590 <= begun.json()["seconds_left"] <= 3600
    assert closed == [HTTPStatus.FORBIDDEN] * 4
    assert opened == [HTTPStatus.OK] * 3
    assert (row["state"], row["handed_in"], row["drafts"], row["addresses"]) == ("writing", 1, 0, ["127.0.0.1"])
    assert ended.status_code == HTTPStatus.NO_CONTENT
    assert ada.post(SENDING, json=SOURCE).status_code == HTTPStatus.CONFLICT
    assert ada.get("/courses/here").status_code == HTTPStatus.OK


@pytest.mark.whole
def test_a_class_begins_at_once_and_opens_the_problem(database: Database, address: str) -> None:
    with database.transaction() as session:
        course, revision = make_course(session, "here"), publish(session, make_package())
        window = {"opens_at": NOW - HOUR, "due_at": NOW + HOUR}
        make_assignment(session, course, revision, slug="midterm", kind="exam", minutes=60, password="plum", **window)
        users = [make_user(session) for _ in range(CLASS)]
        for user in users:
            make_member(session, course, user)
        secrets = [start_session(session, user.id) for user in users]

    def write(secret: str) -> list[int]:
        """In a browser of one's own. `verify`: reading the certificates for each would take a while."""
        cookie = {"Cookie": f"{COOKIE}={secret}"}
        with httpx.Client(base_url=address, timeout=PATIENCE, headers=cookie, verify=False) as client:
            begun = client.post(f"{HERE}/begin", data={"password": "plum"})
            pages = (client.get(f"{HERE}{page}") for page in ("", "/problems/scaled_sum"))
            return [begun.status_code, *(page.status_code for page in pages)]

    with ThreadPoolExecutor(CLASS) as threads:
        answers = set(map(tuple, threads.map(write, secrets)))

    assert answers == {(HTTPStatus.SEE_OTHER, HTTPStatus.OK, HTTPStatus.OK)}
    with database.transaction() as session:
        assert session.query(Sitting).count() == CLASS
        assert session.query(AssignmentProblem).one().revision_id == revision.id


def test_staff_extend_end_and_unlock(member: Member) -> None:
    ada, helper = member("ada", "student"), member("helper", "assistant")
    ada.post(f"{HERE}/sitting", json={"password": "plum"}).raise_for_status()
    path = f"{HERE}/sittings/{find_row(helper)['member']}"

    helper.patch(path, json={"more_minutes": 10}).raise_for_status()
    longer = ada.get(f"{HERE}/sitting").json()["seconds_left"]
    helper.patch(path, json={"ended": True}).raise_for_status()
    ended = (find_row(helper)["state"], ada.post(SENDING, json=SOURCE).status_code)
    helper.patch(path, json={"ended": False, "unlocked": True}).raise_for_status()
    waiting = (find_row(helper)["state"], ada.post(SENDING, json=SOURCE).status_code)
    ada.post(f"{HERE}/sitting", json={"password": "plum"}).raise_for_status()

    assert 4180 <= longer <= 4200
    assert ended == ("ended", HTTPStatus.CONFLICT)
    assert waiting == ("unlocked", HTTPStatus.FORBIDDEN)
    assert ada.post(SENDING, json=SOURCE).status_code == HTTPStatus.ACCEPTED


def test_of_changes_that_staff_send_at_once_none_is_lost(member: Member, database: Database) -> None:
    member("ada", "student")
    boss = member("boss", "instructor")
    with database.transaction() as session:
        make_user(session, "emmy")
    member_path = f"{HERE}/sittings/{find_row(boss)['member']}"
    dates = {"opens_at": NOW.isoformat(), "due_at": (NOW + HOUR).isoformat()}
    homework = {"title": "Same", "problems": [{"problem": "sum"}], **dates}
    calls: list[Callable[[], httpx.Response]] = [
        lambda: boss.patch(member_path, json={"more_minutes": 1}),
        lambda: boss.post("/courses/here/assignments", json=homework),
        lambda: boss.post("/courses/here/members", json={"username": "emmy"}),
    ]

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda at: calls[at % 3](), range(12)))

    assert Counter(answer.status_code for answer in answers) == {204: 4, 201: 5, 409: 3}
    assert [each["extra_minutes"] for each in boss.get(f"{HERE}/extensions").json()["items"]] == [4]


def test_a_change_of_an_exam_keeps_what_no_answer_shows(member: Member, database: Database) -> None:
    boss = member("boss", "instructor")
    exam = {"title": "Midterm", "kind": "exam", "minutes": 60, "problems": [{"problem": "sum"}]}
    exam |= {"opens_at": f"{NOW - HOUR:%FT%TZ}", "due_at": f"{NOW + 3 * HOUR:%FT%TZ}"}
    secret = {"password": "plum", "networks": ["192.0.2.0/24"], "seb_keys": ["81aad4ab" * 8], "hands_in_draft": False}
    boss.put(HERE, json=exam | secret).raise_for_status()

    boss.put(HERE, json=exam | {"title": "Renamed"}).raise_for_status()
    with database.transaction() as session:
        row = session.query(Assignment).one()
        kept = {name: getattr(row, name) for name in secret}
    boss.put(HERE, json=exam | {"password": "", "networks": []}).raise_for_status()

    assert (row.title, kept) == ("Renamed", secret)
    with database.transaction() as session:
        row = session.query(Assignment).one()
        assert (row.password, row.networks, row.seb_keys) == ("", [], secret["seb_keys"])


def test_points_are_released_once_the_last_student_has_finished(member: Member, database: Database) -> None:
    ada, boss = member("ada", "student"), member("boss", "instructor")
    ada.post(f"{HERE}/sitting", json={"password": "plum"}).raise_for_status()
    with database.transaction() as session:
        session.execute(update(Assignment).values(due_at=NOW - HOUR / 2, closes_at=NOW - HOUR / 2))
        session.execute(update(Sitting).values(started_at=NOW - HOUR))
        session.execute(update(MemberRow).values(time_factor=2))

    early = boss.put(f"{HERE}/release", json={"released": True})
    ada.delete(f"{HERE}/sitting").raise_for_status()

    assert early.status_code == HTTPStatus.CONFLICT
    assert "Students can write" in early.json()["detail"]
    assert boss.put(f"{HERE}/release", json={"released": True}).is_success


@pytest.mark.parametrize(("network", "status"), [("127.0.0.0/8", 202), ("192.0.2.0/24", 403)])
def test_each_hand_in_comes_from_the_exams_networks(
    member: Member, database: Database, network: str, status: int
) -> None:
    ada = member("ada", "student")
    ada.post(f"{HERE}/sitting", json={"password": "plum"}).raise_for_status()
    with database.transaction() as session:
        session.execute(update(Assignment).values(networks=[network]))

    assert ada.post(SENDING, json=SOURCE).status_code == status


Call = Callable[[httpx.Client, object], httpx.Response]
CALLS: dict[str, Call] = {
    "begin": lambda client, _: client.post(f"{HERE}/sitting", json={"password": "plum"}),
    "own": lambda client, _: client.get(f"{HERE}/sitting"),
    "end own": lambda client, _: client.delete(f"{HERE}/sitting"),
    "list": lambda client, _: client.get(f"{HERE}/sittings"),
    "change": lambda client, row: client.patch(f"{HERE}/sittings/{row}", json={"more_minutes": 1}),
}


@pytest.mark.parametrize(
    ("name", "role", "allowed"),
    [
        ("grace", "student", {"begin", "own", "end own"}),
        ("helper", "assistant", {"list", "change"}),
        ("boss", "instructor", {"list", "change"}),
        ("foreign", "instructor", set()),
    ],
)
def test_each_role_may_do_what_the_table_says(member: Member, name: str, role: CourseRole, allowed: set[str]) -> None:
    ada, staff = member("ada", "student"), member("staff", "assistant")
    ada.post(f"{HERE}/sitting", json={"password": "plum"}).raise_for_status()
    row, client = find_row(staff)["member"], member(name, role)

    answers = {call: send(client, row) for call, send in CALLS.items()}

    assert {call for call, answer in answers.items() if answer.is_success} == allowed
    if name == "foreign":
        assert {answer.status_code for answer in answers.values()} == {HTTPStatus.NOT_FOUND}


def test_a_stranger_learns_of_no_sitting(member: Member, signed_in: SignedIn) -> None:
    member("ada", "student")
    stranger = signed_in("stranger")

    assert {send(stranger, UUID(int=1)).status_code for send in CALLS.values()} == {HTTPStatus.NOT_FOUND}
