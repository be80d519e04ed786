"""The page of the user's own account, with forms as a browser without scripts sends them."""

import io
import zipfile
from datetime import UTC, datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect
from sqlalchemy import func, select, update

from app.accounts.model import ApiToken, User, UserSession
from app.accounts.session import SessionOrigin, start_session
from app.accounts.token import find_viewer_by_token
from app.audit import AuditEvent
from app.database.engine import Database
from tests.factories import make_user, set_policy
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
    with database.transaction() as session:
        return session.scalars(select(User).where(User.username == "ada")).one()


def count_sessions(database: Database) -> int:
    with database.transaction() as session:
        return session.scalars(select(func.count(UserSession.id))).one()


def error_beside(page: str, field: str) -> str:
    return page.split(f'id="{field}-error"')[1].split("</p>")[0]


POSTS = (
    "/account/email",
    "/account/password",
    "/account/tokens",
    "/account/export",
    "/account/erase",
    "/account/sessions/end-others",
    "/account/sessions/00000000-0000-0000-0000-000000000000/end",
    "/account/tokens/00000000-0000-0000-0000-000000000000/revoke",
)


@pytest.mark.parametrize("path", POSTS)
def test_strangers_are_led_to_sign_in_and_other_sites_are_refused(anyone: TestClient, path: str) -> None:
    stranger = anyone.post(path)
    foreign = anyone.post(path, headers={"Sec-Fetch-Site": "cross-site"})

    assert (stranger.status_code, stranger.headers["location"]) == (303, "/sign-in?next=%2Faccount")
    assert foreign.status_code == 403


def test_the_page_says_who_one_is_and_where_one_is_signed_in(owner: TestClient, database: Database) -> None:
    with database.transaction() as session:
        phone = SessionOrigin(address="192.0.2.7", browser="Safari on iOS")
        start_session(session, session.scalars(select(User.id)).one(), phone)

    page = owner.get("/account").text

    assert page.count("this browser") == 1
    assert "Safari on iOS" in page
    assert "192.0.2.7" in page


def test_an_address_is_saved_with_the_password_only(owner: TestClient, database: Database) -> None:
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


def test_another_password_ends_all_other_sessions_and_not_this_one(owner: TestClient, database: Database) -> None:
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


def test_guessing_the_password_in_a_stolen_browser_is_stopped(owner: TestClient) -> None:
    answers = [owner.post("/account/password", data={"current": f"guess {n}", "new": NEW}) for n in range(11)]

    assert [answer.status_code for answer in answers] == [422] * 10 + [429]


def test_a_user_signs_out_their_other_browsers_and_never_those_of_other_users(
    owner: TestClient, database: Database
) -> None:
    with database.transaction() as session:
        start_session(session, session.scalars(select(User.id)).one())
        other = session.scalars(select(UserSession.id).where(UserSession.browser.is_(None))).one()
        start_session(session, make_user(session, "grace").id)
        graces = session.scalars(
            select(UserSession.id).where(UserSession.id != other, UserSession.browser.is_(None))
        ).one()

    for each in (graces, other, other):  # missing and other users' sessions are answered like ended ones
        assert owner.post(f"/account/sessions/{each}/end").status_code == 303
    with database.transaction() as session:
        assert session.get(UserSession, graces) is not None
        assert session.get(UserSession, other) is None
    assert owner.get("/account").status_code == 200


def test_all_other_browsers_are_signed_out(owner: TestClient, database: Database) -> None:
    with database.transaction() as session:
        for _ in range(3):
            start_session(session, session.scalars(select(User.id)).one())

    owner.post("/account/sessions/end-others")

    assert count_sessions(database) == 1
    assert owner.get("/account").status_code == 200


@pytest.mark.parametrize("password", ["", "wrong horse battery"])
def test_no_token_is_made_without_the_password(owner: TestClient, database: Database, password: str) -> None:
    answer = owner.post("/account/tokens", data={"everything": "true", "token_password": password})

    assert answer.status_code == 422
    assert "This is not your password" in error_beside(answer.text, "token_password")
    with database.transaction() as session:
        assert session.scalars(select(ApiToken)).all() == []


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


def test_a_token_for_everything_never_ends_when_no_days_are_given(owner: TestClient, database: Database) -> None:
    owner.post("/account/tokens", data={**PROOF, "token_name": "all", "expires_in_days": "", "everything": "true"})

    with database.transaction() as session:
        token = session.scalars(select(ApiToken)).one()
    assert (token.scopes, token.expires_at) == (None, None)


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"scopes": ["users:write"]}, "scopes"),
        ({"scopes": []}, "scopes"),
        ({"expires_in_days": "soon"}, "expires_in_days"),
        ({"expires_in_days": "4000"}, "expires_in_days"),
        ({"expires_in_days": "٣"}, "expires_in_days"),
        ({"token_name": "x" * 101}, "token_name"),
    ],
)
def test_what_is_wrong_with_a_token_is_said_beside_its_field(
    owner: TestClient, database: Database, changed: dict[str, object], field: str
) -> None:
    form = {**PROOF, "token_name": "laptop", "expires_in_days": "30", "scopes": ["submissions:read"]} | changed

    answer = owner.post("/account/tokens", data=form)

    assert answer.status_code == 422
    assert "<span></span>" not in error_beside(answer.text, field)
    with database.transaction() as session:
        assert session.scalars(select(ApiToken)).all() == []


def test_a_token_is_revoked_by_its_owner_only(owner: TestClient, database: Database) -> None:
    owner.post("/account/tokens", data={**PROOF, "everything": "true"})
    with database.transaction() as session:
        token = session.scalars(select(ApiToken.id)).one()
        graces = start_session(session, make_user(session, "grace").id)
    mine = dict(owner.cookies)
    name = "allclose_session"

    owner.cookies.set(name, graces)
    assert owner.post(f"/account/tokens/{token}/revoke").status_code == 404
    owner.cookies.clear()
    owner.cookies.set(name, mine[name])
    assert owner.post(f"/account/tokens/{token}/revoke").status_code == 303
    assert "Revoke" not in owner.get("/account").text


def test_ones_data_come_as_a_file(owner: TestClient) -> None:
    answer = owner.post("/account/export")

    assert answer.headers["content-disposition"] == 'attachment; filename="allclose-ada.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert b'"ada"' in archive.read("account.json")


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


def test_the_last_admin_stays_and_is_told_what_to_do(owner: TestClient, database: Database) -> None:
    with database.transaction() as session:
        session.scalars(select(User)).one().role = "admin"

    answer = owner.post("/account/erase", data={"erase_username": "ada", "erase_password": PASSWORD})

    assert answer.status_code == 409
    assert "Make another user an admin first" in answer.text


def test_who_signs_in_elsewhere_chooses_a_password_just_after_signing_in(owner: TestClient, database: Database) -> None:
    with database.transaction() as session:
        session.scalars(select(User)).one().password_hash = None

    page = owner.get("/account").text
    chosen = owner.post("/account/password", data={"new": NEW})

    assert 'name="current"' not in page
    assert 'name="erase_password"' not in page
    assert chosen.status_code == 303
    assert find(database).password_hash is not None


def test_who_signs_in_elsewhere_and_did_so_long_ago_signs_in_again_first(owner: TestClient, database: Database) -> None:
    with database.transaction() as session:
        session.scalars(select(User)).one().password_hash = None
        session.execute(update(UserSession).values(created_at=datetime.now(UTC) - timedelta(minutes=11)))

    answers = [
        owner.post("/account/password", data={"new": NEW}),
        owner.post("/account/email", data={"email": "eve@example.org"}),
        owner.post("/account/erase", data={"erase_username": "ada"}),
    ]

    assert [answer.status_code for answer in answers] == [422] * 3
    assert all("within 10 minutes" in answer.text for answer in answers)
    assert (find(database).password_hash, find(database).email) == (None, None)


def test_pages_have_the_same_limit_as_the_api(owner: TestClient, database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, requests_per_minute=3)
    owner.app.state.policy.refresh()  # type: ignore[attr-defined]

    answers = [owner.get("/account").status_code for _ in range(5)]

    assert 429 in answers
    assert "text/html" in owner.get("/account").headers["content-type"]


def test_what_was_done_is_written_down_with_the_address(owner: TestClient, database: Database) -> None:
    owner.post("/account/password", data={"current": PASSWORD, "new": NEW})

    with database.transaction() as session:
        event = session.scalars(select(AuditEvent).where(AuditEvent.action == "user.password_changed")).one()
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


@pytest.mark.whole
@pytest.mark.browser
def test_what_was_done_is_in_view(browser: Browser, address: str, database: Database) -> None:  # noqa: ARG001
    with browser.new_context() as context:
        visitor = visit(context, address)
        visitor.sign_up("ada")
        page = visitor.page
        visitor.open("/account")
        page.get_by_label("Current password").fill(PASSWORD)
        page.get_by_label("New password").fill(NEW)
        page.get_by_role("button", name="Change the password").click()
        expect(page.get_by_text("Password changed.")).to_be_in_viewport()

        page.get_by_text("Details").click()
        page.get_by_label("Type your user name").fill("ada")
        page.locator("#erase").get_by_label("Your password").fill(NEW)
        page.get_by_role("button", name="Erase my account permanently").click()
        expect(page.get_by_text("Your account is erased")).to_be_in_viewport()
        assert visitor.complaints == []
