"""Signing in at a provider of OpenID Connect: a real one, in a process of its own, that also does everything wrong."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from oidc_provider_mock import User as MockUser
from oidc_provider_mock import run_server_in_thread
from playwright.sync_api import Browser, expect
from sqlalchemy import select

from app.accounts.invitation import Invite, invite
from app.accounts.model import Identity, User, UserSession
from app.accounts.provider import find_provider
from app.accounts.session import start_session
from app.audit.model import AuditEvent
from app.audit.record import COMMAND
from app.catalog.publish import publish
from app.database import Database
from app.main import create_app
from app.policy.model import PolicyRow
from app.settings import Settings
from app.web.attempt_cookie import COOKIE as ATTEMPT
from app.web.cookie import COOKIE
from tests.accounts.oidc_provider import CLIENT_ID, CLIENT_SECRET
from tests.catalog.packages import make_package
from tests.factories import make_user
from tests.web.browser import visit

SITE = "http://testserver"


class Away:
    """The provider's side."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        self.issuer = process.stdout.readline().strip()

    def says(self, **changes: Any) -> None:
        httpx.post(f"{self.issuer}/test", json=changes).raise_for_status()

    def visit(self, url: str) -> str:
        """Where it sends the browser back to: a path of ours."""
        back = httpx.get(url).headers["location"]
        assert back.startswith(f"{SITE}/sign-in/oidc/callback?")
        return back.removeprefix(SITE)


@pytest.fixture(scope="module")
def running() -> Iterator[list[Away]]:
    """The provider that runs, if one does."""
    started: list[Away] = []
    yield started
    for away in started:
        away.process.kill()
        away.process.wait()


@pytest.fixture
def provider(running: list[Away]) -> Away:
    if not running or running[-1].process.poll() is not None:
        command = [sys.executable, "-m", "tests.accounts.oidc_provider", "0"]
        running.append(Away(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)))
    running[-1].says(fault="", person={"sub": "1", "preferred_username": "ada"})
    return running[-1]


@pytest.fixture
def app(provider: Away, database: Database) -> FastAPI:
    with database.transaction() as session:
        publish(session, make_package())
    return create_app(
        Settings(
            public_url=SITE,
            oidc_issuer=provider.issuer,
            oidc_client_id=CLIENT_ID,
            oidc_client_secret=CLIENT_SECRET,
            oidc_name="the university",
        ),
        database,
    )


def set_mode(database: Database, mode: str) -> None:
    with database.transaction() as session:
        session.add(PolicyRow(name="sign_up", value=mode))


def begin(browser: TestClient, path: str = "/sign-in/oidc") -> str:
    answer = browser.get(path)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def sign_in(browser: TestClient, provider: Away, path: str = "/sign-in/oidc") -> httpx.Response:
    answer: httpx.Response = browser.get(provider.visit(begin(browser, path)))
    return answer


def read_users(database: Database) -> dict[str, User]:
    with database.transaction() as session:
        return {user.username: user for user in session.scalars(select(User))}


def test_the_first_sign_in_makes_an_account_and_the_next_finds_it(
    anyone: TestClient, provider: Away, database: Database
) -> None:
    first = sign_in(anyone, provider, "/sign-in/oidc?next=/problems/scaled_sum")
    anyone.cookies.clear()
    second = sign_in(anyone, provider)

    assert (first.status_code, first.headers["location"]) == (303, "/problems/scaled_sum")
    assert second.headers["location"] == "/"
    assert "Sign out" in anyone.get("/").text
    users = read_users(database)
    assert list(users) == ["ada"]
    assert (users["ada"].password_hash, users["ada"].role) == (None, "student")


def test_the_sign_in_page_has_the_provider_by_name_and_says_where_to_go(anyone: TestClient) -> None:
    page = anyone.get("/sign-in?next=/me").text

    assert "Continue with the university" in page
    assert 'href="/sign-in/oidc?next=/me"' in page


def test_what_the_browser_is_sent_with_is_new_each_time_and_has_no_secret(anyone: TestClient) -> None:
    asked = [parse_qs(urlsplit(begin(anyone)).query) for _ in range(2)]

    for name in ("state", "nonce", "code_challenge"):
        assert asked[0][name] != asked[1][name]
    assert asked[0]["code_challenge_method"] == ["S256"]
    assert asked[0]["redirect_uri"] == [f"{SITE}/sign-in/oidc/callback"]
    assert "client_secret" not in asked[0]


def test_a_name_that_is_taken_gets_a_number_and_never_somebody_elses_account(
    anyone: TestClient, provider: Away, database: Database
) -> None:
    with database.transaction() as session:
        make_user(session, "ada").email = "ada@example.org"
    provider.says(person={"sub": "2", "preferred_username": "Ada", "email": "ada@example.org", "email_verified": True})

    sign_in(anyone, provider)

    users = read_users(database)
    assert set(users) == {"ada", "ada-2"}
    assert users["ada-2"].email == "ada@example.org"
    with database.transaction() as session:
        assert session.scalars(select(Identity.user_id)).all() == [users["ada-2"].id]


def test_an_address_that_the_provider_has_not_verified_is_not_taken(
    anyone: TestClient, provider: Away, database: Database
) -> None:
    provider.says(person={"sub": "2", "preferred_username": "eve", "email": "ada@example.org", "email_verified": False})

    sign_in(anyone, provider)

    assert read_users(database)["eve"].email is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Łukasz Ångström", "ukasz-angstrom"),
        ("x@example.org", "user"),
        ("<script>alert(1)</script>", "script-alert-1-script"),
        ("a" * 100, "a" * 32),
        ("", "user"),
    ],
)
def test_whatever_the_name_is_there_the_user_name_is_one_of_ours(
    anyone: TestClient, provider: Away, database: Database, name: str, expected: str
) -> None:
    provider.says(person={"sub": "2", "preferred_username": name})

    assert sign_in(anyone, provider).status_code == 303

    assert list(read_users(database)) == [expected]


@pytest.mark.parametrize("fault", ["nonce", "audience", "expired", "forged", "unsigned"])
def test_an_id_token_that_is_not_right_signs_nobody_in(
    anyone: TestClient, provider: Away, database: Database, fault: str
) -> None:
    provider.says(fault=fault)

    answer = sign_in(anyone, provider)

    assert answer.status_code == 403
    assert "sent an ID token that is not valid; begin again" in answer.text
    assert COOKIE not in anyone.cookies
    assert read_users(database) == {}


@pytest.mark.parametrize("fault", ["broken", "subject"])
def test_a_provider_that_answers_nonsense_is_named_and_a_password_still_works(
    anyone: TestClient, provider: Away, fault: str
) -> None:
    provider.says(fault=fault)

    answer = sign_in(anyone, provider)

    assert answer.status_code in (403, 503)
    assert "the university" in answer.text
    assert 'name="password"' in answer.text


def test_a_discovery_document_of_another_issuer_is_not_believed(anyone: TestClient, provider: Away) -> None:
    provider.says(fault="issuer")

    assert anyone.get("/sign-in/oidc").status_code == 503


def test_a_provider_that_is_down_is_said_so_before_and_after(anyone: TestClient, provider: Away) -> None:
    back = provider.visit(begin(anyone))
    provider.process.kill()
    provider.process.wait()

    after = anyone.get(back)
    anyone.app.state.provider._document = {}  # type: ignore[attr-defined]
    before = anyone.get("/sign-in/oidc")

    assert (before.status_code, after.status_code) == (503, 503)
    for answer in (before, after):
        assert "the university does not answer" in answer.text
        assert 'name="password"' in answer.text


def test_who_declines_is_told_that_nothing_was_changed(anyone: TestClient, provider: Away) -> None:
    provider.says(fault="denied")

    answer = sign_in(anyone, provider)

    assert answer.status_code == 403
    assert "since you declined" in answer.text


def test_an_answer_without_our_state_or_with_another_is_refused(anyone: TestClient, provider: Away) -> None:
    back = provider.visit(begin(anyone))
    strange = anyone.get(back.replace("state=", "state=x"))
    again = anyone.get(back)

    anyone.cookies.clear()
    elsewhere = anyone.get(provider.visit(begin(anyone)).split("&state")[0].replace("state=", "s="))

    for answer in (strange, again, elsewhere):
        assert answer.status_code == 403
        assert "begin it again here" in answer.text
    assert COOKIE not in anyone.cookies


def test_another_browser_can_not_end_what_this_one_began(app: FastAPI, anyone: TestClient, provider: Away) -> None:
    back = provider.visit(begin(anyone))
    other = TestClient(app, follow_redirects=False)
    begin(other)

    answer = other.get(back)

    assert answer.status_code == 403
    assert COOKIE not in other.cookies


def test_a_code_works_once(anyone: TestClient, provider: Away) -> None:
    url = begin(anyone)
    kept = anyone.cookies[ATTEMPT]
    back = provider.visit(url)
    anyone.get(back)
    assert ATTEMPT not in anyone.cookies, "used up with the first answer"
    anyone.cookies.clear()
    anyone.cookies.set(ATTEMPT, kept)

    answer = anyone.get(back)

    assert answer.status_code == 403
    assert "did not accept the sign-in (invalid_grant)" in answer.text


def test_an_answer_that_names_another_provider_is_refused(anyone: TestClient, provider: Away) -> None:
    back = provider.visit(begin(anyone))

    answer = anyone.get(back.split("&iss=")[0] + "&iss=https%3A%2F%2Fevil.example" if "&iss=" in back else back)

    assert answer.status_code == 403


def test_a_cookie_that_was_changed_is_none(anyone: TestClient, provider: Away) -> None:
    back = provider.visit(begin(anyone))
    kept = anyone.cookies[ATTEMPT]
    anyone.cookies.clear()
    anyone.cookies.set(ATTEMPT, "x" + kept)

    assert anyone.get(back).status_code == 403


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "/\\evil.example"])
def test_nobody_is_sent_to_another_site_afterwards(anyone: TestClient, provider: Away, target: str) -> None:
    url = httpx.URL("/sign-in/oidc", params={"next": target})

    assert sign_in(anyone, provider, str(url)).headers["location"] == "/"


@pytest.mark.parametrize(
    ("mode", "sentence"), [("invitation", "takes an invitation; ask an admin"), ("closed", "nobody can sign up here")]
)
def test_where_not_everybody_may_sign_up_only_known_people_get_in(
    anyone: TestClient, provider: Away, database: Database, mode: str, sentence: str
) -> None:
    sign_in(anyone, provider)
    anyone.cookies.clear()
    set_mode(database, mode)

    known = sign_in(anyone, provider)
    anyone.cookies.clear()
    provider.says(person={"sub": "2", "preferred_username": "eve"})
    stranger = sign_in(anyone, provider)

    assert known.status_code == 303
    assert stranger.status_code == 403
    assert sentence in stranger.text
    assert list(read_users(database)) == ["ada"]


def test_an_invitation_carried_through_gives_its_role_once(
    anyone: TestClient, provider: Away, database: Database
) -> None:
    set_mode(database, "invitation")
    with database.transaction() as session:
        secret = invite(session, COMMAND, Invite(role="author")).secret
    path = f"/sign-in/oidc?invitation={secret}"
    assert f"/sign-in/oidc?next=/&amp;invitation={secret}" in anyone.get(f"/invitations/{secret}").text

    first = sign_in(anyone, provider, path)
    anyone.cookies.clear()
    provider.says(person={"sub": "2", "preferred_username": "eve"})
    second = sign_in(anyone, provider, path)

    assert (first.status_code, second.status_code) == (303, 403)
    assert "was used already" in second.text
    assert {name: user.role for name, user in read_users(database).items()} == {"ada": "author"}


def test_a_suspended_account_stays_out(anyone: TestClient, provider: Away, database: Database) -> None:
    sign_in(anyone, provider)
    anyone.cookies.clear()
    with database.transaction() as session:
        session.scalars(select(User)).one().is_active = False

    answer = sign_in(anyone, provider)

    assert answer.status_code == 403
    assert "suspended" in answer.text


def test_signing_in_ends_the_session_that_the_browser_had(ada: TestClient, provider: Away, database: Database) -> None:
    planted = ada.cookies[COOKIE]

    sign_in(ada, provider)

    with database.transaction() as session:
        assert len(session.scalars(select(UserSession)).all()) == 1
    ada.cookies.clear()
    ada.cookies.set(COOKIE, planted)
    assert "Sign out" not in ada.get("/").text


def begin_link(browser: TestClient) -> str:
    page = browser.post("/account/identities")
    assert page.status_code == 200
    delay, _, url = page.headers["refresh"].partition(";url=")
    assert delay == "0"
    return str(url)


def test_an_account_is_linked_and_then_found_by_the_identity(
    ada: TestClient, provider: Away, database: Database
) -> None:
    provider.says(person={"sub": "7", "preferred_username": "countess"})

    linked = ada.get(provider.visit(begin_link(ada)))
    ada.cookies.clear()
    sign_in(ada, provider)

    assert (linked.status_code, linked.headers["location"]) == (303, "/account")
    assert list(read_users(database)) == ["ada"]
    assert 'title="Signed in as ada"' in ada.get("/").text
    with database.transaction() as session:
        event = session.scalars(select(AuditEvent)).one()
        assert (event.action, event.after) == ("identity.linked", {"issuer": provider.issuer})


def test_an_identity_of_somebody_else_is_not_linked(ada: TestClient, provider: Away, database: Database) -> None:
    with database.transaction() as session:
        other = make_user(session, "grace")
        session.add(Identity(issuer=provider.issuer, subject="1", user_id=other.id))

    answer = ada.get(provider.visit(begin_link(ada)))

    assert answer.status_code == 403
    assert "signs in to another account already" in answer.text


def test_a_link_can_not_be_ended_by_who_is_signed_in_as_somebody_else_by_then(
    ada: TestClient, provider: Away, database: Database
) -> None:
    back = provider.visit(begin_link(ada))
    with database.transaction() as session:
        ada.cookies.set(COOKIE, start_session(session, make_user(session, "eve").id))

    assert ada.get(back).status_code == 403
    with database.transaction() as session:
        assert session.scalars(select(Identity)).all() == []


@pytest.mark.parametrize("path", ["/account/identities", "/account/identities/remove"])
def test_another_site_can_not_make_anybody_link(ada: TestClient, path: str) -> None:
    assert ada.post(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert ada.get("/account/identities").status_code in (404, 405)


def test_the_only_way_to_sign_in_is_not_taken_off(anyone: TestClient, provider: Away, database: Database) -> None:
    sign_in(anyone, provider)

    kept = anyone.post("/account/identities/remove", data={"issuer": provider.issuer})
    with database.transaction() as session:
        session.scalars(select(User)).one().password_hash = "some hash"
    gone = anyone.post("/account/identities/remove", data={"issuer": provider.issuer})

    assert (kept.status_code, gone.status_code) == (403, 303)
    with database.transaction() as session:
        assert session.scalars(select(Identity)).all() == []


def test_sign_ups_by_the_provider_are_counted_by_address(anyone: TestClient, provider: Away) -> None:
    for _ in range(300):
        anyone.app.state.account_throttles.sign_ups.use("testclient")  # type: ignore[attr-defined]

    answer = sign_in(anyone, provider)

    assert answer.status_code == 429
    assert "try again in" in answer.text


def test_without_a_provider_there_is_no_such_way(database: Database) -> None:
    with TestClient(create_app(Settings(), database), follow_redirects=False) as client:
        assert client.get("/sign-in/oidc").status_code == 404
        assert "Continue with" not in client.get("/sign-in").text


@pytest.mark.browser
def test_in_a_real_browser_one_signs_in_and_links_under_the_content_policy(
    browser: Browser, app: FastAPI, address: str, provider: Away
) -> None:
    app.state.provider = find_provider(
        Settings(
            public_url=address,
            oidc_issuer=provider.issuer,
            oidc_client_id=CLIENT_ID,
            oidc_client_secret=CLIENT_SECRET,
            oidc_name="the university",
        )
    )
    with browser.new_context() as context:
        visitor = visit(context, address)
        visitor.open("/sign-in?next=/problems/scaled_sum")
        visitor.page.get_by_role("link", name="Continue with the university").click()
        visitor.page.wait_for_url(address + "/problems/scaled_sum")
        expect(visitor.page.get_by_title("Signed in as ada")).to_be_visible()

    provider.says(person={"sub": "7", "preferred_username": "countess"})
    with browser.new_context() as context:
        visitor = visit(context, address)
        visitor.sign_up("grace")
        visitor.open("/account")
        visitor.page.get_by_role("button", name="Link the university").click()
        visitor.page.wait_for_url(address + "/account")
        expect(visitor.page.get_by_text("Linked to " + provider.issuer)).to_be_visible()
        assert visitor.complaints == []


def test_a_provider_that_others_wrote_signs_in_too(database: Database) -> None:
    with run_server_in_thread(user_claims=[MockUser(sub="1", claims={"preferred_username": "ada"})]) as server:
        issuer = f"http://localhost:{server.server_port}"
        settings = Settings(public_url=SITE, oidc_issuer=issuer, oidc_client_id="any", oidc_client_secret="any")
        client = TestClient(create_app(settings, database), follow_redirects=False)

        back = httpx.post(begin(client), data={"sub": "1"}).headers["location"]
        answer = client.get(back.removeprefix(SITE))

    assert answer.status_code == 303, answer.text
    assert "ada" in read_users(database)
