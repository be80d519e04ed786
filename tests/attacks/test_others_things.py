"""Other users' data, by ID: a user can't read, change or detect it. And tokens that try more than their scopes."""

from uuid import uuid4

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import UserSession
from app.accounts.permission import Permission
from app.catalog.archive import write_archive
from tests.attacks.conftest import PASSWORD, SLUG, SOURCE, Site, Victim
from tests.catalog.packages import FILES

OF_A_SUBMISSION = (
    ("GET", ""),
    ("GET", "/source"),
    ("GET", "/diff"),
    ("GET", "/events"),
    ("POST", "/cancel"),
    ("POST", "/copy"),
)


@pytest.fixture(scope="module")
def ada(site: Site) -> Victim:
    return site.user(password=PASSWORD)


@pytest.fixture(scope="module")
def submission(site: Site, ada: Victim) -> str:
    return site.send(ada)


@pytest.mark.parametrize("role", ["student", "author"])
@pytest.mark.parametrize(("method", "part"), OF_A_SUBMISSION)
def test_a_submission_of_another_is_nowhere(site: Site, submission: str, role: str, method: str, part: str) -> None:
    eve = site.user(role)  # type: ignore[arg-type]
    for client in (eve.token, eve.browser, site.browser()):
        answer = client.request(method, f"/submissions/{submission}{part}")
        assert answer.status_code in (303, 403, 404, 405), answer.text[:200]
        assert "scaled_sum(x" not in answer.text


def test_a_submission_of_another_is_no_part_of_a_comparison_or_a_cursor(site: Site, submission: str) -> None:
    eve = site.user()
    own = site.send(eve)

    assert eve.browser.get(f"/submissions/{own}/diff", params={"old": submission}).status_code == 404
    assert eve.token.get("/submissions", params={"cursor": submission}).status_code == 422
    assert eve.token.get("/submissions", params={"everyone": "true"}).status_code == 403
    assert eve.token.get("/submissions", params={"user": "student-1"}).status_code == 422


def test_tokens_and_sessions_of_another_do_not_exist(site: Site, ada: Victim) -> None:
    eve = site.user()
    token = ada.token.get("/tokens").json()["items"][0]["id"]
    with site.database.transaction() as database:
        session = database.scalars(select(UserSession.id).where(UserSession.user_id == ada.id)).one()

    for kind, button, another in (("tokens", "revoke", token), ("sessions", "end", session)):
        pressed = [eve.browser.post(f"/account/{kind}/{each}/{button}") for each in (another, uuid4())]
        assert pressed[0].status_code == pressed[1].status_code in (303, 404)
    revoked = [eve.token.delete(f"/tokens/{each}").status_code for each in (token, uuid4())]
    assert revoked == [404, 404]
    assert ada.token.get("/tokens").json()["items"][0]["id"] == token
    with site.database.transaction() as database:
        assert database.get(UserSession, session) is not None


def test_no_cache_keeps_an_answer_for_another_user(ada: Victim) -> None:
    assert ada.token.get("/me").headers["cache-control"] == "no-store"


def test_an_admins_token_for_submissions_alone_sees_no_others(site: Site, submission: str) -> None:
    admin = site.user("admin")
    token = site.token(admin, Permission.READ_SUBMISSIONS, Permission.SUBMIT)

    assert token.get(f"/submissions/{submission}").status_code == 404
    assert token.post(f"/submissions/{submission}/cancel").status_code == 404
    assert token.get("/submissions", params={"everyone": "true"}).status_code == 403


def test_no_token_makes_a_better_one_or_opens_a_page(site: Site, ada: Victim) -> None:
    token = site.token(ada, Permission.READ_ACCOUNT)
    secret = token.headers["authorization"].partition(" ")[2]
    more = {"username": ada.name, "scopes": ["account:write"]}

    assert token.post("/tokens", json=more).status_code == 422
    assert token.post("/tokens", json={**more, "password": secret}).status_code == 401
    assert token.delete(f"/tokens/{uuid4()}").status_code == 403
    assert site.browser(secret).get("/account").status_code == 303
    in_the_address = site.client().get("/me", params={"access_token": secret})
    assert in_the_address.status_code == 422
    assert secret not in in_the_address.text


def test_a_stolen_session_changes_neither_password_nor_email(ada: Victim) -> None:
    guesses: list[httpx.Response] = [
        ada.browser.post("/account/password", data={"new": "another long word"}),
        ada.browser.post("/account/email", data={"email": "eve@example.org"}),
        ada.browser.post("/account/erase", data={"erase_username": ada.name}),
    ]

    assert [answer.status_code for answer in guesses] == [422] * 3
    assert ada.token.get("/me").json()["email"] is None


def test_a_user_can_not_raise_their_own_role(site: Site) -> None:
    eve = site.user("author")
    me = f"/users/{eve.id}"

    assert eve.token.patch(me, json={"role": "admin"}).status_code == 403
    assert eve.browser.post(f"/admin{me}/role", data={"role": "admin", "sure": "yes"}).status_code == 403
    new = {"username": "mallory", "password": PASSWORD, "role": "admin"}
    assert site.client().post("/users", json=new).status_code == 422
    assert site.browser().post("/sign-up", data=new).status_code == 303
    assert site.client().post("/tokens", json={"username": "mallory", "password": PASSWORD}).status_code == 201
    assert [user["role"] for user in _found(site, "mallory")] == ["student"]


def test_a_submission_that_an_admin_cancels_is_in_the_audit_log(site: Site) -> None:
    admin, victim = site.user("admin"), site.user()
    by_token, by_page, own = (site.send(victim) for _ in range(3))

    assert admin.token.post(f"/submissions/{by_token}/cancel").status_code == 200
    assert admin.browser.post(f"/submissions/{by_page}/cancel").status_code == 303
    assert victim.token.post(f"/submissions/{own}/cancel").status_code == 200

    told = admin.token.get("/audit-events", params={"action": "submission.cancelled"}).json()["items"]
    assert [(event["actor"], event["channel"], event["target"]) for event in told] == [
        (admin.name, "page", by_page),
        (admin.name, "api", by_token),
    ]


def test_a_verification_that_another_author_cancels_is_in_the_audit_log(site: Site) -> None:
    emmy, eve = site.user("author"), site.user("author")
    archive = write_archive(SLUG, {**FILES, "editorial.md": "Multiply, then add.\n"})
    headers = {"Content-Type": "application/zip"}
    sent = emmy.token.put(f"/problems/{SLUG}", content=archive, headers=headers).json()["id"]

    assert eve.token.post(f"/verifications/{sent}/cancel").status_code == 200
    assert emmy.token.post(f"/verifications/{sent}/cancel").status_code == 200

    events = site.user("admin").token.get("/audit-events", params={"action": "verification.cancelled"}).json()["items"]
    assert [(event["actor"], event["target"]) for event in events] == [(eve.name, sent)]


def test_who_was_suspended_or_erased_gets_nothing_any_more(site: Site) -> None:
    admin = site.user("admin")
    for method, change, knocking in (("PATCH", {"is_active": False}, 403), ("DELETE", None, 401)):
        gone = site.user(password=PASSWORD)
        admin.token.request(method, f"/users/{gone.id}", json=change).raise_for_status()

        answers = [
            gone.token.get("/me"),
            gone.token.post(f"/problems/{SLUG}/submissions", json={"source": SOURCE}),
            site.client().post("/tokens", json={"username": gone.name, "password": PASSWORD}),
        ]
        assert [answer.status_code for answer in answers] == [401, 401, knocking]
        assert gone.browser.get("/account").headers["location"].startswith("/sign-in")


def _found(site: Site, words: str) -> list[dict[str, object]]:
    items: list[dict[str, object]] = site.user("admin").token.get("/users", params={"q": words}).json()["items"]
    return items
