"""Signing in at a provider: the way there and back, and what browser and account are like afterwards."""

from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from oidc_provider_mock import User as MockUser
from oidc_provider_mock import run_server_in_thread
from playwright.sync_api import Browser, expect
from sqlalchemy import select

from app.accounts.model import User, UserSession
from app.accounts.single_sign_on import find_provider
from app.database.engine import Database
from app.settings import Settings
from app.web.visit import COOKIE
from app.web_process import create_app
from tests.accounts.oidc_provider import CLIENT_ID, CLIENT_SECRET
from tests.web.browser import visit
from tests.web.single_sign_on.account import read_users
from tests.web.single_sign_on.away import SITE, Away, begin, sign_in


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


def test_the_redirect_to_the_provider_is_new_each_time_and_has_no_secret(anyone: TestClient) -> None:
    asked = [parse_qs(urlsplit(begin(anyone)).query) for _ in range(2)]

    for name in ("state", "nonce", "code_challenge"):
        assert asked[0][name] != asked[1][name]
    assert asked[0]["code_challenge_method"] == ["S256"]
    assert asked[0]["redirect_uri"] == [f"{SITE}/sign-in/oidc/callback"]
    assert "client_secret" not in asked[0]


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "/\\evil.example"])
def test_signing_in_never_redirects_to_another_site(anyone: TestClient, provider: Away, target: str) -> None:
    url = httpx.URL("/sign-in/oidc", params={"next": target})

    assert sign_in(anyone, provider, str(url)).headers["location"] == "/"


def test_signing_in_ends_the_session_that_the_browser_had(ada: TestClient, provider: Away, database: Database) -> None:
    planted = ada.cookies[COOKIE]

    sign_in(ada, provider)

    with database.transaction() as session:
        assert len(session.scalars(select(UserSession)).all()) == 1
    ada.cookies.clear()
    ada.cookies.set(COOKIE, planted)
    assert "Sign out" not in ada.get("/").text


def test_a_suspended_account_stays_out(anyone: TestClient, provider: Away, database: Database) -> None:
    sign_in(anyone, provider)
    anyone.cookies.clear()
    with database.transaction() as session:
        session.scalars(select(User)).one().is_active = False

    answer = sign_in(anyone, provider)

    assert answer.status_code == 403
    assert "suspended" in answer.text


def test_without_a_provider_there_is_no_such_way(database: Database) -> None:
    with TestClient(create_app(Settings(), database), follow_redirects=False) as client:
        assert client.get("/sign-in/oidc").status_code == 404
        assert "Continue with" not in client.get("/sign-in").text


def test_a_provider_that_others_wrote_signs_in_too(database: Database) -> None:
    with run_server_in_thread(user_claims=[MockUser(sub="1", claims={"preferred_username": "ada"})]) as server:
        issuer = f"http://localhost:{server.server_port}"
        settings = Settings(public_url=SITE, oidc_issuer=issuer, oidc_client_id="any", oidc_client_secret="any")
        client = TestClient(create_app(settings, database), follow_redirects=False)

        back = httpx.post(begin(client), data={"sub": "1"}).headers["location"]
        answer = client.get(back.removeprefix(SITE))

    assert answer.status_code == 303, answer.text
    assert "ada" in read_users(database)


@pytest.mark.browser
def test_a_real_browser_signs_in_and_links_under_the_content_policy(
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
