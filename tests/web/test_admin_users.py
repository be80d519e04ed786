"""The pages about users: for admins only, as browsers without scripts send their forms."""

import io
import zipfile
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.model import User
from app.accounts.session import start_session
from app.audit import AuditEvent
from app.database.engine import Database
from tests.factories import make_judging, make_submission, make_user


@pytest.fixture
def admin_id(admin: TestClient, database: Database) -> str:  # noqa: ARG001 (it is theirs)
    """The ID of the admin whose browser it is. There is another admin."""
    with database.transaction() as session:
        make_user(session, "other", role="admin")
        return str(session.scalars(select(User.id).where(User.username == "grace")).one())


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


def test_users_are_listed_and_found(admin: TestClient, ada_id: str) -> None:
    everyone = admin.get("/admin/users").text
    found = admin.get("/admin/users?q=example&role=&state=active").text
    none = admin.get("/admin/users?q=exa&state=suspended").text

    assert f'href="/admin/users/{ada_id}"' in everyone
    assert "grace</a></td>" in everyone
    assert f'href="/admin/users/{ada_id}"' in found
    assert "grace</a></td>" not in found
    assert "No matching users" in none


def test_the_page_of_a_user_leads_to_their_submissions(admin: TestClient, ada_id: str) -> None:
    page = admin.get(f"/admin/users/{ada_id}").text

    assert "ada@example.org" in page
    assert 'href="/admin/submissions?user=ada"' in page


def test_a_role_and_an_email_address_are_changed_and_recorded(
    admin: TestClient, database: Database, ada_id: str
) -> None:
    role = admin.post(f"/admin/users/{ada_id}/role", data={"role": "author"})
    admin.post(f"/admin/users/{ada_id}/email", data={"email": " "})

    assert role.headers["location"] == f"/admin/users/{ada_id}?done=role"
    assert "Role changed" in admin.get(role.headers["location"]).text
    assert (find(database, ada_id).role, find(database, ada_id).email) == ("author", None)
    with database.transaction() as session:
        events = session.scalars(select(AuditEvent)).all()
    assert {(event.action, event.channel) for event in events} == {
        ("user.role_changed", "page"),
        ("user.email_changed", "page"),
    }


def test_a_user_is_suspended_after_a_confirmation_and_reactivated(
    admin: TestClient, database: Database, ada_id: str
) -> None:
    unsure = admin.post(f"/admin/users/{ada_id}/act/suspend")
    assert (unsure.status_code, find(database, ada_id).is_active) == (422, True)

    admin.post(f"/admin/users/{ada_id}/act/suspend", data={"sure": "yes"})
    assert find(database, ada_id).is_active is False
    assert "Reactivate" in admin.get(f"/admin/users/{ada_id}").text

    admin.post(f"/admin/users/{ada_id}/act/reactivate")
    assert find(database, ada_id).is_active is True


def test_an_admin_gets_a_reset_link_that_works(admin: TestClient, ada_id: str) -> None:
    page = admin.post(f"/admin/users/{ada_id}/reset-link").text
    link = page.split('class="shown-once">')[1].split("<")[0]

    assert "/reset-password/" in link
    assert admin.get("/reset-password/" + link.split("/reset-password/")[1]).status_code == 200


def test_an_admin_downloads_the_data_of_a_user(admin: TestClient, ada_id: str) -> None:
    answer = admin.post(f"/admin/users/{ada_id}/export")

    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert b"ada@example.org" in archive.read("account.json")


def test_a_user_is_erased_after_a_confirmation(admin: TestClient, database: Database, ada_id: str) -> None:
    unsure = admin.post(f"/admin/users/{ada_id}/act/erase")
    admin.post(f"/admin/users/{ada_id}/act/erase", data={"sure": "yes"})

    assert unsure.status_code == 422
    assert find(database, ada_id).username.startswith("erased-")
    page = admin.get(f"/admin/users/{ada_id}").text
    assert "Change the role" not in page
    assert "ada@example.org" not in page


def test_a_suspended_user_s_queue_is_cancelled_by_a_button(admin: TestClient, database: Database, ada_id: str) -> None:
    with database.transaction() as session:
        make_judging(session, make_submission(session, session.get_one(User, UUID(ada_id))).id)
    admin.post(f"/admin/users/{ada_id}/act/suspend", data={"sure": "yes"})
    before = admin.get(f"/admin/users/{ada_id}").text

    done = admin.post(f"/admin/users/{ada_id}/act/cancel-queue")

    assert "Cancel 1 submission<" in before
    assert "these are still judged" in before
    assert '<a href="#queue">Cancel it</a>' in before
    after = admin.get(done.headers["location"]).text
    assert "Unfinished submissions cancelled." in after
    assert "No submission waits or is being judged." in after


def test_the_form_of_a_user_holds_the_values_that_it_was_made_from(admin: TestClient, ada_id: str) -> None:
    page = admin.get(f"/admin/users/{ada_id}").text

    for seen in ("student", "ada@example.org"):
        assert f'<input type="hidden" name="seen" value="{seen}">' in page


def test_a_stale_form_does_not_overwrite_a_role(admin: TestClient, database: Database, ada_id: str) -> None:
    admin.post(f"/admin/users/{ada_id}/role", data={"role": "admin", "seen": "student"})

    stale = admin.post(f"/admin/users/{ada_id}/role", data={"role": "author", "seen": "student"})
    same = admin.post(f"/admin/users/{ada_id}/role", data={"role": "admin", "seen": "student"})

    assert (stale.status_code, same.status_code) == (409, 303)
    assert "it was student when you looked and is admin now; you chose author" in stale.text
    assert find(database, ada_id).role == "admin"


def test_an_admin_steps_down_after_a_confirmation(admin: TestClient, database: Database, admin_id: str) -> None:
    unsure = admin.post(f"/admin/users/{admin_id}/role", data={"role": "student", "seen": "admin"})
    assert (unsure.status_code, find(database, admin_id).role) == (422, "admin")

    sure = admin.post(f"/admin/users/{admin_id}/role", data={"role": "student", "seen": "admin", "sure": "yes"})

    assert sure.status_code == 303
    assert find(database, admin_id).role == "student"
    landed = admin.get(sure.headers["location"])
    assert landed.status_code == 200
    assert "Your role changed. You no longer have access to the admin pages." in landed.text


@pytest.mark.parametrize(
    ("act", "form"), [("email", {"email": "thief@example.org"}), ("reset-link", {}), ("act/erase", {"sure": "yes"})]
)
def test_an_admin_changes_their_own_account_only_with_their_password(
    admin: TestClient, database: Database, admin_id: str, act: str, form: dict[str, str]
) -> None:
    answer = admin.post(f"/admin/users/{admin_id}/{act}", data=form)

    assert answer.status_code == 403
    assert "his is your own account. Change it on /account" in answer.text
    assert (find(database, admin_id).email, find(database, admin_id).username) == (None, "grace")
    page = admin.get(f"/admin/users/{admin_id}").text
    assert f"/admin/users/{admin_id}/{act}" not in page
