"""Learning platforms over REST: registered, changed, approved, and removed only knowingly when they are in use."""

from http import HTTPStatus
from uuid import UUID

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import User, UserSession
from app.accounts.session import SOMEWHERE, start_course_session, start_session
from app.audit import AuditEvent
from app.database.engine import Database
from app.lti.model import Deployment, Platform, PlatformCourse, PlatformPerson
from tests.factories import make_course, make_user
from tests.transaction import fetch_all

PATH = "/platforms"
MOODLE = {
    "name": "Moodle",
    "issuer": "https://moodle.example.org",
    "client_id": "6gAkbNQ2",
    "web_address": "https://moodle.example.org",
    "login_url": "https://moodle.example.org/mod/lti/auth.php",
    "token_url": "https://moodle.example.org/mod/lti/token.php",
    "keys_url": "https://moodle.example.org/mod/lti/certs.php",
}


@pytest.fixture
def path(admin: httpx.Client) -> str:
    """The path of a registered platform."""
    made = admin.post(PATH, json=MOODLE)
    return str(made.headers["location"]).removeprefix("/api/v1")


def test_an_admin_registers_changes_and_removes_a_platform(admin: httpx.Client, path: str, database: Database) -> None:
    again = admin.post(PATH, json=MOODLE)
    changed = admin.put(path, json=MOODLE | {"name": "Campus", "may_create_courses": True})
    other = admin.put(path, json=MOODLE | {"issuer": "https://other.example.org"})
    unsafe = admin.put(path, json=MOODLE | {"keys_url": "http://moodle.example.org/keys"})
    listed = admin.get(PATH).json()["items"]
    removed = admin.delete(path)

    assert again.status_code == HTTPStatus.CONFLICT
    assert (changed.json()["name"], changed.json()["may_create_courses"]) == ("Campus", True)
    assert [answer.json()["errors"][0]["field"] for answer in (other, unsafe)] == ["issuer", "keys_url"]
    assert [each["name"] for each in listed] == ["Campus"]
    assert (removed.status_code, admin.get(path).status_code) == (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_FOUND)
    acts = fetch_all(
        database, select(AuditEvent.action).where(AuditEvent.target_kind == "platform").order_by(AuditEvent.id)
    )
    assert acts == ["platform.added", "platform.changed", "platform.removed"]


def test_a_deployment_is_approved_and_withdrawn(admin: httpx.Client, path: str, database: Database) -> None:
    with database.transaction() as session:
        session.add(Deployment(platform_id=UUID(path.rpartition("/")[2]), deployment_id="1"))

    states = []
    for is_approved in (True, False):
        change = {"deployment": "1", "is_approved": is_approved}
        admin.patch(f"{path}/deployments", json=change).raise_for_status()
        (deployment,) = admin.get(path).json()["deployments"]
        states.append(deployment["approved_at"] is not None)
    unknown = admin.patch(f"{path}/deployments", json={"deployment": "2", "is_approved": True})

    assert states == [True, False]
    assert unknown.status_code == HTTPStatus.NOT_FOUND


def test_a_platform_in_use_says_so_and_is_removed_only_when_confirmed(
    admin: httpx.Client, path: str, database: Database
) -> None:
    with database.transaction() as session:
        platform_id = UUID(path.rpartition("/")[2])
        course = make_course(session, "ml", title="Machine learning")
        session.add(Deployment(platform_id=platform_id, deployment_id="1"))
        session.flush()
        link = {"platform_id": platform_id, "deployment_id": "1", "context_id": "c", "title": "ML"}
        session.add(PlatformCourse(**link, course_id=course.id))
        ada, eve = make_user(session, "ada"), make_user(session, "eve")
        ada.password_hash = None
        for user in (ada, eve):
            session.add(PlatformPerson(platform_id=platform_id, subject=user.username, user_id=user.id))
            start_course_session(session, user.id, course.id, SOMEWHERE)
        start_session(session, eve.id)

    refused = admin.delete(path)
    linked = admin.get(path).json()["links"]
    removed = admin.delete(path, params={"confirmed": True})

    assert refused.status_code == HTTPStatus.CONFLICT
    detail = refused.json()["detail"]
    assert "Moodle is in use. Removing it ends the links with Machine learning" in detail
    assert "2 people can no longer sign in from it, 1 of them in no other way" in detail
    assert [each["course"] for each in linked] == ["ml"]
    assert removed.status_code == HTTPStatus.NO_CONTENT
    with database.transaction() as session:
        assert session.scalars(select(Platform)).all() == []
        assert session.scalars(select(PlatformPerson)).all() == []
        sessions = session.scalars(select(UserSession)).all()
        assert [(each.user_id, each.course_ids) for each in sessions] == [(eve.id, None)]
        assert {"ada", "eve"} <= set(session.scalars(select(User.username)))
