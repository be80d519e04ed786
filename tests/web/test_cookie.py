"""Attributes of Allclose's cookies."""

import pytest
from fastapi import Request, Response
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.model import UserSession
from app.database.engine import Database
from app.settings import Settings
from app.web.pages.single_sign_on import ATTEMPT
from app.web.visit import COOKIE, SESSION, Cookie
from app.web_process import create_app
from tests.web.conftest import PASSWORD

HTTPS = Settings(public_url="https://judge.example")


def sent(cookie: Cookie, settings: Settings, database: Database) -> list[str]:
    """The headers that keep it and forget it."""
    request = Request({"type": "http", "app": create_app(settings, database), "headers": []})
    response = cookie.forget(request, cookie.keep(request, Response(), "secret"))
    return response.headers.getlist("set-cookie")


def test_a_cookie_header_that_costs_much_to_read_is_not_read(ada: TestClient) -> None:
    """Python up to 3.11.9 takes seconds for many backslashes, and every route has its cookies read."""
    session = f"{COOKIE}={ada.cookies[COOKIE]}"
    ada.cookies.clear()

    statuses = [
        ada.get("/submissions", headers={"Cookie": session + more}).status_code
        for more in ("", '; a="\\\\"', "; a=" + "x" * 9000)
    ]

    assert statuses == [200, 303, 303]


@pytest.mark.parametrize("cookie", [SESSION, ATTEMPT], ids=["session", "attempt"])
def test_every_cookie_is_for_this_host_only_and_out_of_reach_of_scripts_and_other_sites(
    cookie: Cookie, database: Database
) -> None:
    for header in sent(cookie, HTTPS, database):
        assert header.startswith(f"__Host-{cookie.name}=")
        assert {"HttpOnly", "Path=/", "SameSite=lax", "Secure"} <= set(header.split("; "))
        assert "Domain" not in header

    for header in sent(cookie, Settings(), database):
        assert header.startswith(f"{cookie.name}=")
        assert "Secure" not in header


@pytest.mark.parametrize(("cookie", "seconds"), [(SESSION, 30 * 86_400), (ATTEMPT, 600)], ids=["session", "attempt"])
def test_a_cookie_is_kept_for_its_lifetime_and_then_no_more(cookie: Cookie, seconds: int, database: Database) -> None:
    kept, forgotten = sent(cookie, Settings(), database)

    assert f"Max-Age={seconds}" in kept
    assert "Max-Age=0" in forgotten


@pytest.mark.parametrize("settings", [{"secure_cookies": True}], indirect=True)
def test_secure_cookies_are_sent_over_https_only(anyone: TestClient) -> None:
    answer = anyone.post("/sign-up", data={"username": "ada", "password": PASSWORD})

    assert "Secure" in answer.headers["set-cookie"]


@pytest.mark.parametrize("settings", [{"public_url": "https://judge.example/"}], indirect=True)
def test_over_https_cookies_have_the_prefix_of_this_host(anyone: TestClient, database: Database) -> None:
    signed_up = anyone.post("/sign-up", data={"username": "grace", "password": PASSWORD}).headers["set-cookie"]

    assert signed_up.startswith("__Host-allclose_session=")
    for part in ("Secure", "HttpOnly", "SameSite=lax", "Path=/"):
        assert part in signed_up
    assert "Domain" not in signed_up
    cookie = {"Cookie": signed_up.partition(";")[0]}
    assert "Sign out" in anyone.get("/", headers=cookie).text
    gone = anyone.post("/sign-out", headers=cookie).headers["set-cookie"]
    assert gone.startswith('__Host-allclose_session=""')
    assert "Secure" in gone
    with database.transaction() as session:
        assert session.scalars(select(UserSession)).all() == []
