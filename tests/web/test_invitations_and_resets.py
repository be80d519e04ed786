"""Sign-up modes, invitations and new passwords on the pages, and over REST."""

import re

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.invitation import Invite, invite
from app.accounts.model import User, UserSession
from app.accounts.password_reset import make_reset_link
from app.accounts.session import start_session
from app.accounts.token import create_token
from app.accounts.user import SignUp, sign_up
from app.audit import COMMAND
from app.database.engine import Database
from app.policy import PolicyRow
from app.web.visit import COOKIE
from tests.factories import make_user
from tests.transaction import commit, fetch_all
from tests.web.conftest import PASSWORD

GRACE = {"username": "grace", "password": PASSWORD}
LINK = re.compile(r"http://[^\s<\"]+/invitations/([\w-]+)")


def set_mode(database: Database, mode: str) -> None:
    with database.transaction() as session:
        session.add(PolicyRow(name="sign_up", value=mode))


def make_invitation(database: Database, **wanted: str) -> str:
    return commit(database, invite, COMMAND, Invite(**wanted)).secret  # type: ignore[arg-type]


@pytest.fixture
def admin(anyone: TestClient, database: Database) -> TestClient:
    with database.transaction() as session:
        user = make_user(session, "root", role="admin")
        anyone.cookies.set(COOKIE, start_session(session, user.id))
        anyone.headers["Authorization"] = f"Bearer {create_token(session, user.id, 'test').secret}"
    return anyone


@pytest.mark.parametrize(
    ("mode", "sentence"), [("invitation", "need an invitation to sign up"), ("closed", "signing up is closed")]
)
def test_a_closed_sign_up_page_has_no_form(anyone: TestClient, database: Database, mode: str, sentence: str) -> None:
    set_mode(database, mode)

    page, sent = anyone.get("/sign-up"), anyone.post("/sign-up", data=GRACE)
    refused = anyone.post("/api/v1/users", json=GRACE)

    assert (page.status_code, sent.status_code, refused.status_code) == (200, 403, 403)
    for answer in (page, sent):
        assert sentence in answer.text.lower()
        assert 'name="password"' not in answer.text
        assert 'href="/sign-in?next=/"' in answer.text
    assert "Ask an admin" in refused.json()["detail"]


def test_an_invitation_page_shows_role_and_address_and_signs_up(anyone: TestClient, database: Database) -> None:
    set_mode(database, "invitation")
    secret = make_invitation(database, role="author", email="grace@example.org")

    page = anyone.get(f"/invitations/{secret}").text
    answer = anyone.post(f"/invitations/{secret}", data=GRACE)

    assert "You are invited as an author" in page
    assert 'value="grace@example.org"' in page
    assert answer.status_code == 303
    assert 'href="/author"' in anyone.get("/").text
    used = anyone.get(f"/invitations/{secret}").text
    assert "was already used" in used
    assert "You are signed in as grace." in used
    assert "Already have an account?" not in used


def test_a_failed_sign_up_keeps_the_invitation(anyone: TestClient, database: Database) -> None:
    secret = make_invitation(database, role="admin")

    answer = anyone.post(f"/invitations/{secret}", data=GRACE | {"password": "short"})

    assert answer.status_code == 422
    assert "You are invited as an admin" in answer.text
    assert f'action="/invitations/{secret}"' in answer.text
    assert anyone.post(f"/invitations/{secret}", data=GRACE).status_code == 303


@pytest.mark.parametrize("secret", ["x", "%00", "x" * 5000, "<b>"])
def test_an_unknown_invitation_is_refused_with_a_page(anyone: TestClient, secret: str) -> None:
    answer = anyone.get(f"/invitations/{secret}")

    assert answer.status_code == 403
    assert "There is no such invitation" in answer.text
    assert "<b>" not in answer.text


def test_a_guest_signs_up_over_rest_and_gets_the_role(anyone: TestClient, database: Database) -> None:
    set_mode(database, "invitation")
    secret = make_invitation(database, role="author")

    created = anyone.post("/api/v1/users", json=GRACE | {"invitation": secret})
    again = anyone.post("/api/v1/users", json={**GRACE, "username": "eve", "invitation": secret})

    assert (created.status_code, created.json()["role"]) == (201, "author")
    assert (again.status_code, "was already used" in again.json()["detail"]) == (403, True)


def test_an_invitation_link_is_shown_once_and_can_be_revoked(admin: TestClient) -> None:
    made = admin.post("/admin/invitations", data={"role": "author", "note": "<b>autumn</b>", "days": "7"})
    found = LINK.search(made.text)
    assert found is not None
    listed = admin.get("/admin/invitations").text
    action = re.search(r'action="(/admin/invitations/[0-9a-f-]+/revoke)"', listed)
    assert action is not None
    revoked = admin.post(action[1])

    assert found[0].startswith("http://127.0.0.1:8000/"), "the requested host must not matter"
    assert found[1] not in listed
    assert "&lt;b&gt;autumn&lt;/b&gt;" in listed
    assert revoked.status_code == 303
    assert "revoked" in admin.get("/admin/invitations").text
    assert "was revoked" in admin.get(f"/invitations/{found[1]}").text


@pytest.mark.parametrize(
    ("changed", "field"), [({"days": "0"}, "days"), ({"email": "nowhere"}, "email"), ({"note": "x" * 201}, "note")]
)
def test_an_error_of_the_invitation_form_stands_beside_its_field(
    admin: TestClient, changed: dict[str, str], field: str
) -> None:
    answer = admin.post("/admin/invitations", data={"role": "student", "days": "7"} | changed)

    assert answer.status_code == 422
    assert f'aria-describedby="{field}-hint {field}-error"' in answer.text.split('aria-invalid="true"')[1][:80]
    assert LINK.search(answer.text) is None


def test_asking_for_a_new_password_gets_the_same_answer_for_every_account(
    anyone: TestClient, database: Database
) -> None:
    commit(database, sign_up, SignUp(username="ada", password=PASSWORD, email="ada@example.org"))

    pages = [
        anyone.post("/forgot-password", data={"account": name}) for name in ("ada", "nobody", "ada@example.org", "")
    ]

    assert {answer.status_code for answer in pages} == {200}
    assert len({answer.text for answer in pages}) == 1


def reset_path(database: Database) -> str:
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == "ada")).one_or_none()
        user = user or sign_up(session, SignUp(username="ada", password=PASSWORD))
        start_session(session, user.id)
        return make_reset_link(session, user, "")


def test_a_new_password_is_chosen_on_the_page_and_signs_out_everywhere(anyone: TestClient, database: Database) -> None:
    path = reset_path(database)

    page = anyone.get(path)
    short = anyone.post(path, data={"password": "short"})
    done = anyone.post(path, data={"password": "battery staple"})
    again = anyone.post(path, data={"password": "battery staple"})

    assert "New password for ada" in page.text
    assert (short.status_code, done.status_code, again.status_code) == (422, 303, 403)
    assert "Your new password is set" in anyone.get(done.headers["location"]).text
    assert "This link is not valid" in again.text
    assert 'action="/forgot-password"' in again.text
    assert fetch_all(database, select(UserSession)) == []
    assert anyone.post("/sign-in", data={"username": "ada", "password": "battery staple"}).status_code == 303


def test_too_many_requests_for_a_new_password_are_refused_with_the_wait(anyone: TestClient) -> None:
    answers = [anyone.post("/forgot-password", data={"account": "ada"}) for _ in range(31)]

    assert [answer.status_code for answer in answers] == [200] * 30 + [429]
    assert len({answer.text for answer in answers[:30]}) == 1
    assert "Try again in" in answers[-1].text
