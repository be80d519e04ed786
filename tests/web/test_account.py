"""The page of the user's own account, with forms as a browser without scripts sends them."""

import io
import zipfile
from datetime import UTC, datetime, timedelta

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect
from sqlalchemy import func, select

from app.accounts.model import ApiToken, User, UserSession
from app.accounts.session import SessionOrigin, start_session
from app.accounts.token import find_viewer_by_token
from app.audit import AuditEvent
from app.database.engine import Database
from tests.transaction import fetch_all, fetch_one
from tests.web.browser import visit
from tests.web.conftest import PASSWORD

NEW = "battery staple correct"


# A token outlives the session that made it.
PROOF = {"token_password": PASSWORD}


@pytest.fixture
def owner(anyone: TestClient) -> TestClient:
    """ada, with a password."""
    anyone.post("/sign-up", data={"username": "ada", "password": PASSWORD})
    return anyone


def find(database: Database) -> User:
    return fetch_one(database, select(User).where(User.username == "ada"))


def count_sessions(database: Database) -> int:
    return fetch_one(database, select(func.count(UserSession.id)))


def error_beside(page: str, field: str) -> str:
    return page.split(f'id="{field}-error"')[1].split("</p>")[0]


def test_the_account_page_lists_the_browsers_that_are_signed_in(owner: TestClient, database: Database) -> None:
    with database.transaction() as session:
        phone = SessionOrigin(address="192.0.2.7", browser="Safari on iOS")
        start_session(session, session.scalars(select(User.id)).one(), phone)

    page = owner.get("/account").text

    assert page.count("this browser") == 1
    assert "Safari on iOS" in page
    assert "192.0.2.7" in page


def test_an_email_address_is_saved_only_with_the_password(owner: TestClient, database: Database) -> None:
    form = {"email": "ada@example.org", "email_password": "wrong password"}

    wrong = owner.post("/account/email", data=form)
    nowhere = owner.post("/account/email", data=form | {"email": "nowhere", "email_password": PASSWORD})
    right = owner.post("/account/email", data=form | {"email_password": PASSWORD})

    assert wrong.status_code == nowhere.status_code == 422
    assert "not your password" in error_beside(wrong.text, "email_password")
    assert 'value="ada@example.org"' in wrong.text
    assert "address is not valid" in error_beside(nowhere.text, "email")
    assert right.headers["location"] == "/account?done=email#done"
    assert find(database).email == "ada@example.org"
    assert PASSWORD not in wrong.text + nowhere.text


def test_a_new_password_ends_all_other_sessions(owner: TestClient, database: Database) -> None:
    with database.transaction() as session:
        start_session(session, session.scalars(select(User.id)).one())

    short = owner.post("/account/password", data={"current": PASSWORD, "new": "short"})
    changed = owner.post("/account/password", data={"current": PASSWORD, "new": NEW})

    assert "Choose at least 10" in error_beside(short.text, "new")
    assert changed.status_code == 303
    assert count_sessions(database) == 1
    assert "Password changed" in owner.get("/account?done=password").text
    owner.cookies.clear()
    assert owner.post("/sign-in", data={"username": "ada", "password": NEW}).status_code == 303


def test_a_user_signs_out_one_other_browser_or_all_of_them(owner: TestClient, database: Database) -> None:
    with database.transaction() as session:
        for _ in range(3):
            start_session(session, session.scalars(select(User.id)).one())
        other = session.scalars(select(UserSession.id).where(UserSession.browser.is_(None)).limit(1)).one()

    assert owner.post(f"/account/sessions/{other}/end").status_code == 303
    assert count_sessions(database) == 3
    owner.post("/account/sessions/end-others")
    assert count_sessions(database) == 1
    assert owner.get("/account").status_code == 200


def test_a_token_is_shown_once_and_works_as_far_as_its_scopes_go(owner: TestClient, database: Database) -> None:
    form = {**PROOF, "token_name": "laptop", "expires_in_days": "30", "scopes": ["submissions:read"]}

    made = owner.post("/account/tokens", data=form)
    secret = made.text.split("data-secret>")[1].split("<")[0]

    assert made.status_code == 201
    assert made.headers["cache-control"] == "no-store"
    with database.transaction() as session:
        viewer = find_viewer_by_token(session, secret)
        token = session.scalars(select(ApiToken)).one()
    assert viewer is not None
    assert viewer.permissions == {"submissions:read"}
    assert token.expires_at is not None
    assert timedelta(days=29) < token.expires_at - datetime.now(UTC) < timedelta(days=31)
    again = owner.get("/account").text
    assert "laptop" in again
    assert secret not in again
    assert owner.post(f"/account/tokens/{token.id}/revoke").status_code == 303
    assert "Revoke" not in owner.get("/account").text


def test_a_token_for_everything_never_ends_when_no_days_are_given(owner: TestClient, database: Database) -> None:
    owner.post("/account/tokens", data={**PROOF, "token_name": "all", "expires_in_days": "", "everything": "true"})

    token = fetch_one(database, select(ApiToken))
    assert (token.scopes, token.expires_at) == (None, None)


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"token_password": ""}, "token_password"),
        ({"scopes": []}, "scopes"),
        ({"expires_in_days": "soon"}, "expires_in_days"),
        ({"expires_in_days": "٣"}, "expires_in_days"),
        ({"token_name": "x" * 101}, "token_name"),
    ],
)
def test_an_error_of_the_token_form_stands_beside_its_field(
    owner: TestClient, database: Database, changed: dict[str, object], field: str
) -> None:
    form = {**PROOF, "token_name": "laptop", "expires_in_days": "30", "scopes": ["submissions:read"]} | changed

    answer = owner.post("/account/tokens", data=form)

    assert answer.status_code == 422
    assert "<span></span>" not in error_beside(answer.text, field)
    assert fetch_all(database, select(ApiToken)) == []


def test_a_user_downloads_their_own_data(owner: TestClient) -> None:
    answer = owner.post("/account/export")

    assert answer.headers["content-disposition"] == 'attachment; filename="allclose-ada.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert b'"ada"' in archive.read("account.json")


def test_only_ten_exports_an_hour_are_made(app: FastAPI, owner: TestClient, database: Database) -> None:
    for _ in range(10):
        app.state.limits.exports.use(str(find(database).id))

    answer = owner.post("/account/export")

    assert answer.status_code == 429
    assert "More than 10 exports of your data in 1 hour" in answer.text
    assert int(answer.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"erase_username": "grace", "erase_password": PASSWORD}, "erase_username"),
        ({"erase_username": "ada", "erase_password": "wrong password"}, "erase_password"),
    ],
)
def test_erasing_asks_for_the_name_and_the_password(
    owner: TestClient, database: Database, typed: dict[str, str], field: str
) -> None:
    answer = owner.post("/account/erase", data=typed)

    assert answer.status_code == 422
    assert "<span></span>" not in error_beside(answer.text, field)
    assert find(database).erased_at is None


def test_an_erased_account_is_gone_with_its_session(owner: TestClient, database: Database) -> None:
    answer = owner.post("/account/erase", data={"erase_username": "Ada ", "erase_password": PASSWORD})

    assert (answer.status_code, answer.headers["location"]) == (303, "/?done=erased#done")
    assert count_sessions(database) == 0
    assert owner.get("/account").status_code == 303
    assert owner.post("/sign-in", data={"username": "ada", "password": PASSWORD}).status_code == 422


def test_a_user_without_a_password_chooses_one_just_after_signing_in(owner: TestClient, database: Database) -> None:
    with database.transaction() as session:
        session.scalars(select(User)).one().password_hash = None

    page = owner.get("/account").text
    chosen = owner.post("/account/password", data={"new": NEW})

    assert 'name="current"' not in page
    assert 'name="erase_password"' not in page
    assert chosen.status_code == 303
    assert find(database).password_hash is not None


def test_the_audit_log_records_the_address_of_a_password_change(owner: TestClient, database: Database) -> None:
    owner.post("/account/password", data={"current": PASSWORD, "new": NEW})

    event = fetch_one(database, select(AuditEvent).where(AuditEvent.action == "user.password_changed"))
    assert (event.channel, event.actor_id, event.target) == ("page", find(database).id, str(find(database).id))
    assert event.address is not None


@pytest.mark.whole
@pytest.mark.browser
def test_the_secret_is_copied_by_a_button(browser: Browser, address: str) -> None:
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        visitor = visit(context, address)
        visitor.sign_up("ada")
        visitor.open("/account")
        visitor.page.get_by_label("Everything").check()
        visitor.page.locator("#token_password").fill(PASSWORD)
        visitor.page.get_by_role("button", name="Create token").click()
        secret = visitor.page.locator("[data-secret]").inner_text()
        visitor.page.get_by_role("button", name="Copy").click()
        expect(visitor.page.get_by_role("button", name="Copied")).to_be_visible()

        assert secret.startswith("alc_")
        assert visitor.page.evaluate("navigator.clipboard.readText()") == secret
        assert visitor.complaints == []
