"""The pages about users: for admins only, as browsers without scripts send their forms."""

import io
import zipfile
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.model import Role, User
from app.accounts.session import start_session
from app.audit import AuditEvent
from app.database.engine import Database
from app.web.cookie import COOKIE
from tests.factories import make_judging, make_submission, make_user

UNKNOWN_USER = UUID(int=0)
POSTS = (
    "role",
    "email",
    "reset-link",
    "export",
    "act/suspend",
    "act/reactivate",
    "act/sign-out",
    "act/cancel-queue",
    "act/erase",
)


def sign_in_as(browser: TestClient, database: Database, username: str, role: Role) -> TestClient:
    with database.transaction() as session:
        browser.cookies.set(COOKIE, start_session(session, make_user(session, username, role=role).id))
    return browser


@pytest.fixture
def root(anyone: TestClient, database: Database) -> TestClient:
    """An admin's browser."""
    return sign_in_as(anyone, database, "root", "admin")


@pytest.fixture
def ada_id(database: Database) -> str:
    with database.transaction() as session:
        user = make_user(session, "ada")
        user.email = "ada@example.org"
        start_session(session, user.id)
        make_submission(session, user)
        return str(user.id)


def find(database: Database, user_id: str) -> User:
    with database.transaction() as session:
        return session.get_one(User, UUID(user_id))


@pytest.mark.parametrize("role", ["student", "author"])
def test_other_users_can_not_see_or_change_users(
    anyone: TestClient, database: Database, ada_id: str, role: Role
) -> None:
    assert anyone.get("/admin/users").status_code == 303
    client = sign_in_as(anyone, database, "eve", role)
    own_id = find_id(database, "eve")

    seen = [
        client.get(path).status_code
        for path in ("/admin/users", f"/admin/users/{ada_id}", f"/admin/users/{UNKNOWN_USER}")
    ]
    form = {"role": "admin", "email": "eve@example.org", "sure": "yes"}
    done = [
        client.post(f"/admin/users/{user}/{act}", data=form).status_code for user in (ada_id, own_id) for act in POSTS
    ]

    assert {*seen, *done} == {403}
    assert (find(database, own_id).role, find(database, ada_id).is_active) == (role, True)


@pytest.mark.parametrize("act", POSTS)
def test_forms_of_other_sites_and_about_unknown_users_do_nothing(root: TestClient, ada_id: str, act: str) -> None:
    form = {"role": "admin", "email": "eve@example.org", "sure": "yes"}

    foreign = root.post(f"/admin/users/{ada_id}/{act}", data=form, headers={"Sec-Fetch-Site": "cross-site"})
    unknown = root.post(f"/admin/users/{UNKNOWN_USER}/{act}", data=form)

    assert (foreign.status_code, unknown.status_code) == (403, 404)


def test_users_are_listed_and_found(root: TestClient, ada_id: str) -> None:
    everyone = root.get("/admin/users").text
    found = root.get("/admin/users?q=example&role=&state=active").text
    none = root.get("/admin/users?q=exa&state=suspended").text

    assert f'href="/admin/users/{ada_id}"' in everyone
    assert "root</a></td>" in everyone
    assert f'href="/admin/users/{ada_id}"' in found
    assert "root</a></td>" not in found
    assert "No matching users" in none


def test_one_user_is_shown_with_what_they_sent(root: TestClient, ada_id: str) -> None:
    page = root.get(f"/admin/users/{ada_id}").text

    assert "ada@example.org" in page
    assert 'href="/admin/submissions?user=ada"' in page


def test_role_and_address_are_changed_and_written_down(root: TestClient, database: Database, ada_id: str) -> None:
    role = root.post(f"/admin/users/{ada_id}/role", data={"role": "author"})
    root.post(f"/admin/users/{ada_id}/email", data={"email": " "})

    assert role.headers["location"] == f"/admin/users/{ada_id}?done=role"
    assert "Role changed" in root.get(role.headers["location"]).text
    assert (find(database, ada_id).role, find(database, ada_id).email) == ("author", None)
    with database.transaction() as session:
        events = session.scalars(select(AuditEvent)).all()
    assert {(event.action, event.channel) for event in events} == {
        ("user.role_changed", "page"),
        ("user.email_changed", "page"),
    }


def test_what_is_no_address_is_said(root: TestClient, ada_id: str) -> None:
    answer = root.post(f"/admin/users/{ada_id}/email", data={"email": "nowhere"})

    assert answer.status_code == 422
    assert "address is not valid" in answer.text


def test_a_user_is_suspended_when_the_box_is_ticked_and_let_in_again(
    root: TestClient, database: Database, ada_id: str
) -> None:
    unsure = root.post(f"/admin/users/{ada_id}/act/suspend")
    assert (unsure.status_code, find(database, ada_id).is_active) == (422, True)

    root.post(f"/admin/users/{ada_id}/act/suspend", data={"sure": "yes"})
    assert find(database, ada_id).is_active is False
    assert "Reactivate" in root.get(f"/admin/users/{ada_id}").text

    root.post(f"/admin/users/{ada_id}/act/reactivate")
    assert find(database, ada_id).is_active is True


def test_a_link_for_a_new_password_is_shown_and_works(root: TestClient, ada_id: str) -> None:
    page = root.post(f"/admin/users/{ada_id}/reset-link").text
    link = page.split('class="shown-once">')[1].split("<")[0]

    assert "/reset-password/" in link
    assert root.get("/reset-password/" + link.split("/reset-password/")[1]).status_code == 200


def test_data_of_a_user_come_as_a_file(root: TestClient, ada_id: str) -> None:
    answer = root.post(f"/admin/users/{ada_id}/export")

    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert b"ada@example.org" in archive.read("account.json")


def test_a_user_is_erased_when_the_box_is_ticked(root: TestClient, database: Database, ada_id: str) -> None:
    unsure = root.post(f"/admin/users/{ada_id}/act/erase")
    root.post(f"/admin/users/{ada_id}/act/erase", data={"sure": "yes"})

    assert unsure.status_code == 422
    assert find(database, ada_id).username.startswith("erased-")
    page = root.get(f"/admin/users/{ada_id}").text
    assert "Change the role" not in page
    assert "ada@example.org" not in page


@pytest.mark.parametrize(("act", "form"), [("act/suspend", {}), ("role", {"role": "student"})])
def test_the_last_admin_stays(root: TestClient, database: Database, act: str, form: dict[str, str]) -> None:
    own_id = find_id(database, "root")

    answer = root.post(f"/admin/users/{own_id}/{act}", data={"sure": "yes"} | form)

    assert answer.status_code == 409
    assert "ake another user an admin first" in answer.text
    assert find(database, own_id).role == "admin"


def find_id(database: Database, username: str) -> str:
    with database.transaction() as session:
        return str(session.scalars(select(User.id).where(User.username == username)).one())


def test_a_suspended_user_s_queue_is_cancelled_by_a_button(root: TestClient, database: Database, ada_id: str) -> None:
    with database.transaction() as session:
        make_judging(session, make_submission(session, session.get_one(User, UUID(ada_id))).id)
    root.post(f"/admin/users/{ada_id}/act/suspend", data={"sure": "yes"})
    before = root.get(f"/admin/users/{ada_id}").text

    done = root.post(f"/admin/users/{ada_id}/act/cancel-queue")

    assert "Cancel 1 submission<" in before
    assert "these are still judged" in before
    assert '<a href="#queue">Cancel it</a>' in before
    after = root.get(done.headers["location"]).text
    assert "Unfinished submissions cancelled." in after
    assert "No submission waits or is being judged." in after
