"""Every form of every page: sent from another site, by a link, and with a session that an attacker planted."""

import pytest

from tests.attacks.conftest import Site, Victim
from tests.web.page_routes import CHANGES

FOREIGN: tuple[dict[str, str], ...] = (
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1.evil.example"},
    {"Origin": "https://evil.example", "X-Forwarded-Host": "evil.example", "X-Original-Host": "evil.example"},
)
# Learning platforms send these. They start no session, and tests/lti forges them.
TAKEN_FROM_OTHERS = ("/lti/login", "/lti/launch")


@pytest.fixture(scope="module")
def admin(site: Site) -> Victim:
    return site.user("admin")


def test_all_of_them_are_found() -> None:
    assert len(CHANGES) > 40


@pytest.mark.parametrize(("method", "path"), [each for each in CHANGES if each[1] not in TAKEN_FROM_OTHERS])
def test_none_is_taken_from_another_site(admin: Victim, method: str, path: str) -> None:
    """Send it from an admin's browser, as a form and as a body that a browser sends without a CORS preflight."""
    bodies: tuple[dict[str, object], ...] = (
        {"data": {"password": "x"}},
        {"content": b'{"source": "x", "a": "="}', "headers": {"Content-Type": "text/plain"}},
    )
    for foreign in FOREIGN:
        for body in bodies:
            headers = {**foreign, **(body.get("headers") or {})}  # type: ignore[dict-item]
            rest = {name: value for name, value in body.items() if name != "headers"}
            answer = admin.browser.request(method, path, headers=headers, **rest)  # type: ignore[arg-type]
            assert answer.status_code == 403, (foreign, answer.status_code)
            assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(("method", "path"), CHANGES)
def test_no_link_does_what_a_form_does(admin: Victim, method: str, path: str) -> None:
    """A GET changes nothing in the tables that matter, even if it claims to be another method."""
    before = _audited(admin)
    for headers in ({}, {"X-HTTP-Method-Override": method}):
        admin.browser.get(path, params={"_method": method, "sure": "yes"}, headers=headers)

    assert _audited(admin) == before


def test_a_session_that_an_attacker_planted_in_the_browser_ends_when_its_user_signs_in(site: Site) -> None:
    attacker, victim = site.user(), site.user(password="correct horse battery")
    planted = attacker.browser.cookies["allclose_session"]
    form = {"username": victim.name, "password": "correct horse battery"}

    answer = site.browser(planted).post("/sign-in", data=form)

    assert answer.status_code == 303
    assert planted not in answer.headers["set-cookie"]
    assert attacker.browser.get("/account").headers["location"].startswith("/sign-in")


def _audited(admin: Victim) -> str:
    items = admin.token.get("/audit-events").json()["items"]
    return str(items[0]["id"]) if items else ""
