"""Two admins act at once, and an admin changes their own account."""

from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.accounts.model import User
from app.accounts.session import start_session
from app.database.engine import Database
from app.web.cookie import COOKIE
from tests.factories import make_user


@pytest.fixture
def root_id(anyone: TestClient, database: Database) -> str:
    """An admin's, whose browser it is; there is another one."""
    with database.transaction() as session:
        make_user(session, "other", role="admin")
        root = make_user(session, "root", role="admin")
        anyone.cookies.set(COOKIE, start_session(session, root.id))
        return str(root.id)


@pytest.fixture
def ada_id(database: Database) -> str:
    with database.transaction() as session:
        user = make_user(session, "ada")
        user.email = "ada@example.org"
        session.flush()
        return str(user.id)


def find(database: Database, user_id: str) -> User:
    with database.transaction() as session:
        return session.get_one(User, UUID(user_id))


@pytest.mark.usefixtures("root_id")
def test_a_page_carries_what_it_was_made_from(anyone: TestClient, ada_id: str) -> None:
    page = anyone.get(f"/admin/users/{ada_id}").text

    assert '<input type="hidden" name="seen" value="student">' in page
    assert '<input type="hidden" name="seen" value="ada@example.org">' in page


@pytest.mark.usefixtures("root_id")
def test_a_stale_page_overwrites_no_role(anyone: TestClient, database: Database, ada_id: str) -> None:
    anyone.post(f"/admin/users/{ada_id}/role", data={"role": "admin", "seen": "student"})

    stale = anyone.post(f"/admin/users/{ada_id}/role", data={"role": "author", "seen": "student"})
    same = anyone.post(f"/admin/users/{ada_id}/role", data={"role": "admin", "seen": "student"})

    assert (stale.status_code, same.status_code) == (409, 303)
    assert "it was student when you looked and is admin now; you chose author" in stale.text
    assert find(database, ada_id).role == "admin"


@pytest.mark.usefixtures("root_id")
def test_a_stale_page_overwrites_no_address(anyone: TestClient, database: Database, ada_id: str) -> None:
    anyone.post(f"/admin/users/{ada_id}/email", data={"email": "ada@new.example", "seen": "ada@example.org"})

    stale = anyone.post(f"/admin/users/{ada_id}/email", data={"email": "", "seen": "ada@example.org"})

    assert stale.status_code == 409
    assert "is ada@new.example now; you chose none" in stale.text
    assert find(database, ada_id).email == "ada@new.example"


def test_an_admin_steps_down_when_the_box_is_ticked_and_is_told_so(
    anyone: TestClient, database: Database, root_id: str
) -> None:
    unsure = anyone.post(f"/admin/users/{root_id}/role", data={"role": "student", "seen": "admin"})
    assert (unsure.status_code, find(database, root_id).role) == (422, "admin")

    sure = anyone.post(f"/admin/users/{root_id}/role", data={"role": "student", "seen": "admin", "sure": "yes"})

    assert sure.status_code == 303
    assert find(database, root_id).role == "student"
    landed = anyone.get(sure.headers["location"])
    assert landed.status_code == 200
    assert "Your role changed. You no longer have access to the admin pages." in landed.text


@pytest.mark.parametrize(
    ("act", "form"), [("email", {"email": "thief@example.org"}), ("reset-link", {}), ("act/erase", {"sure": "yes"})]
)
def test_what_asks_for_a_password_is_not_had_without_it_as_an_admin(
    anyone: TestClient, database: Database, root_id: str, act: str, form: dict[str, str]
) -> None:
    answer = anyone.post(f"/admin/users/{root_id}/{act}", data=form)

    assert answer.status_code == 403
    assert "his is your own account. Change it on /account" in answer.text
    assert (find(database, root_id).email, find(database, root_id).username) == (None, "root")
    page = anyone.get(f"/admin/users/{root_id}").text
    assert f"/admin/users/{root_id}/{act}" not in page
