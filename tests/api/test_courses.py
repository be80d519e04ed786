"""Courses over REST: an instructor's way from nothing to members, and what everyone else may not see or do."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

import httpx
import pytest

from app.accounts.token import create_token
from app.database.engine import Database
from tests.api.conftest import PATIENCE, SignedIn
from tests.factories import make_course, make_member, make_user

NEW = {"title": "Deep learning", "timezone": "Europe/Berlin"}
ROSTER = "number,name,section\n1,Ada Lovelace,Mon\n2,Emmy Noether,Tue\n"


def test_an_author_creates_a_course_and_fills_it(author: httpx.Client, ada: httpx.Client) -> None:
    made = author.post("/courses", json=NEW)
    course = f"/courses/{made.json()['slug']}"
    again = author.post("/courses", json=NEW).json()["slug"]
    author.patch(course, json={"state": "open", "description": "*Welcome*"}).raise_for_status()
    code = author.post(f"{course}/join-code", json={}).json()["join_code"]
    joined = ada.post("/me/courses", json={"code": code})
    preview = author.post(f"{course}/roster", json={"csv": ROSTER, "preview": True})
    applied = author.post(f"{course}/roster", json={"csv": ROSTER})
    members = author.get(f"{course}/members").json()["items"]
    author.patch(f"{course}/members/{members[2]['id']}", json={"username": "ada"}).raise_for_status()
    after = author.get(f"{course}/members").json()["items"]

    assert made.status_code == HTTPStatus.CREATED
    assert made.headers["Location"] == f"/api/v1{course}"
    assert (made.json()["state"], made.json()["role"]) == ("draft", "instructor")
    assert again == "deep-learning-2"
    assert joined.json() == {"course": "deep-learning", "title": "Deep learning"}
    assert preview.json() == applied.json()
    assert [row["line"] for row in applied.json()["new"]] == [2, 3]
    assert [(each["role"], each["username"], each["name"]) for each in members] == [
        ("instructor", "emmy", ""),
        ("student", "ada", ""),
        ("student", None, "Ada Lovelace"),
        ("student", None, "Emmy Noether"),
    ]
    assert [(each["username"], each["number"]) for each in after] == [("emmy", ""), ("ada", "1"), (None, "2")]
    assert ada.get(course).json()["join_code"] is None
    assert [each["slug"] for each in ada.get("/courses").json()["items"]] == ["deep-learning"]


def test_a_course_is_kept_until_a_date_that_is_not_near(author: httpx.Client) -> None:
    path = f"/courses/{author.post('/courses', json={'title': 'Term', 'timezone': 'UTC'}).json()['slug']}"
    far, near = datetime(2099, 3, 31, tzinfo=UTC), datetime.now(UTC) + timedelta(days=29)

    set_far = author.patch(path, json={"keep_until": far.isoformat()}).json()
    refused = author.patch(path, json={"keep_until": near.isoformat()})
    unset = author.patch(path, json={"keep_until": None}).json()

    assert (set_far["keep_until"], unset["keep_until"]) == ("2099-03-31T00:00:00Z", None)
    assert [error["field"] for error in refused.json()["errors"]] == ["keep_until"]


def test_a_course_never_has_the_address_of_another_page(author: httpx.Client) -> None:
    assert author.post("/courses", json=NEW | {"title": "Join!"}).json()["slug"] == "join-1"


def test_a_personal_link_is_shown_once_and_claims_the_place(author: httpx.Client, ada: httpx.Client) -> None:
    course = f"/courses/{author.post('/courses', json=NEW).json()['slug']}"
    author.patch(course, json={"state": "open"})
    author.post(f"{course}/roster", json={"csv": "number,name\n1,Ada Lovelace\n"})

    link = author.post(f"{course}/personal-links").json()["items"][0]["link"].rpartition("/")[2]
    first, second = (ada.post("/me/courses", json={"link": link}) for _ in range(2))

    assert first.json()["course"] == "deep-learning"
    assert second.status_code == HTTPStatus.NOT_FOUND
    assert "Ask your instructor for a new one" in second.json()["detail"]
    assert ada.get(course).json()["role"] == "student"


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"title": "", "timezone": "Europe/Berlin"}, "title", "should not be empty"),
        ({"title": "x" * 121, "timezone": "Europe/Berlin"}, "title", "at most 120 characters"),
        ({"title": "x", "timezone": "Berlin"}, "timezone", "such as Europe/Berlin"),
        ({"title": "x"}, "timezone", "required"),
        ({"title": "x", "timezone": "UTC", "state": "open"}, "state", "not"),
    ],
)
def test_a_wrong_field_is_named(author: httpx.Client, body: dict[str, str], field: str, words: str) -> None:
    answer = author.post("/courses", json=body)

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert words in answer.json()["errors"][0]["message"]


def test_a_wrong_roster_is_refused_and_names_its_lines(author: httpx.Client) -> None:
    course = f"/courses/{author.post('/courses', json=NEW).json()['slug']}"
    wrong = {"csv": "number,email\n1,ada\n"}

    preview, applied = (author.post(f"{course}/roster", json=wrong | {"preview": each}) for each in (True, False))

    assert preview.json()["errors"] == [{"line": 2, "message": "'ada' is not an e-mail address."}]
    assert applied.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert applied.json()["errors"][0]["field"] == "csv"
    assert len(author.get(f"{course}/members").json()["items"]) == 1


Call = Callable[[httpx.Client, str, str], httpx.Response]
CALLS: dict[str, Call] = {
    "get_course": lambda client, course, _: client.get(course),
    "patch_course": lambda client, course, _: client.patch(course, json={"title": "mine"}),
    "renew_code": lambda client, course, _: client.post(f"{course}/join-code", json={}),
    "end_code": lambda client, course, _: client.delete(f"{course}/join-code"),
    "get_members": lambda client, course, _: client.get(f"{course}/members"),
    "post_member": lambda client, course, _: client.post(f"{course}/members", json={"username": "emmy"}),
    "get_member": lambda client, course, member: client.get(f"{course}/members/{member}"),
    "patch_member": lambda client, course, member: client.patch(f"{course}/members/{member}", json={"section": "x"}),
    "delete_member": lambda client, course, member: client.delete(f"{course}/members/{member}"),
    "post_roster": lambda client, course, _: client.post(f"{course}/roster", json={"csv": ROSTER}),
    "post_links": lambda client, course, _: client.post(f"{course}/personal-links"),
}
FOR_MEMBERS = {"get_course"}
FOR_STAFF = {*FOR_MEMBERS, "get_members", "get_member"}


@pytest.fixture
def place(database: Database) -> tuple[str, str]:
    """A course and the ID of one of its students."""
    with database.transaction() as session:
        course = make_course(session, "here")
        student = make_member(session, course, make_user(session, "victim"))
        make_course(session, "there")
        return "/courses/here", str(student.id)


@pytest.fixture
def member(address: str, database: Database) -> Callable[[str, str, str], httpx.Client]:
    def client(name: str, course: str, role: str) -> httpx.Client:
        with database.transaction() as session:
            user = make_user(session, name)
            found = session.query(type(make_course(session))).filter_by(slug=course).one()
            make_member(session, found, user, role)  # type: ignore[arg-type]
            secret = create_token(session, user.id, "test").secret
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=PATIENCE)

    return client


def statuses(client: httpx.Client, place: tuple[str, str]) -> dict[str, int]:
    return {name: call(client, *place).status_code for name, call in CALLS.items()}


def test_a_stranger_and_another_courses_staff_find_nothing(
    place: tuple[str, str], ada: httpx.Client, member: Callable[[str, str, str], httpx.Client]
) -> None:
    with member("elsewhere", "there", "instructor") as foreign:
        assert set(statuses(ada, place).values()) == {HTTPStatus.NOT_FOUND}
        assert set(statuses(foreign, place).values()) == {HTTPStatus.NOT_FOUND}
        there = ("/courses/there", place[1])
        for name in ("get_member", "patch_member", "delete_member"):
            assert CALLS[name](foreign, *there).status_code == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize(("role", "allowed"), [("student", FOR_MEMBERS), ("assistant", FOR_STAFF)])
def test_a_member_may_do_what_the_role_allows_and_no_more(
    place: tuple[str, str], member: Callable[[str, str, str], httpx.Client], role: str, allowed: set[str]
) -> None:
    with member("helper", "here", role) as client:
        answers = statuses(client, place)

    assert {name for name, status in answers.items() if status == HTTPStatus.OK} == allowed
    assert {status for name, status in answers.items() if name not in allowed} == {HTTPStatus.FORBIDDEN}


def test_a_draft_does_not_exist_for_its_students(signed_in: SignedIn, author: httpx.Client) -> None:
    course = f"/courses/{author.post('/courses', json=NEW).json()['slug']}"
    ada = signed_in("ada")
    author.post(f"{course}/members", json={"username": "ada"}).raise_for_status()

    assert ada.get(course).status_code == HTTPStatus.NOT_FOUND
    assert ada.get("/courses").json()["items"] == []


def test_an_admin_may_do_in_every_course_what_instructors_may(place: tuple[str, str], admin: httpx.Client) -> None:
    answers = statuses(admin, place)

    assert {name for name, status in answers.items() if status >= HTTPStatus.BAD_REQUEST} == {
        "post_member",
        "post_links",
    } - {"post_links"}
