"""Every page and form for every role: allowed users get in, others are refused, and visitors are asked to sign in."""

import re
from http import HTTPStatus
from urllib.parse import unquote

import httpx
import pytest
from fastapi.testclient import TestClient

from app.accounts.model import Role
from app.accounts.permission import EVERYBODY
from app.accounts.session import start_session
from app.database.engine import Database
from app.web.visit import COOKIE
from tests.factories import make_user
from tests.web.page_routes import PAGES

PROBLEM = "/problems/scaled_sum"
# Pages that visitors may open. All others ask them to sign in.
OPEN = (
    "/static/",
    "/help",
    "/tracks",
    "/visitor-runs/",
    "/sign-",
    "/invitations/",
    "/forgot-password",
    "/reset-password/",
    "/lti/",
)
OPEN_PAGES = {
    *("/", "/about", "/privacy", "/problems", PROBLEM),
    *(f"{PROBLEM}/{part}" for part in ("notebook", "visitor-runs", "learning")),
}
CLOSED = [(method, path) for method, path in PAGES if path not in OPEN_PAGES and not path.startswith(OPEN)]

# What the forms need, so that none is refused for a missing field.
FORM = {
    **{"number": "1", "question": "0", "choice": "0", "title": "t", "body": "b", "text": "t", "reason": "r"},
    **{"source": "x = 1", "mode": "submit", "decision": "hide", "bookmarked": "true"},
    **{"is_shared": "true", "is_ranked": "true", "availability": "listed", "role": "student", "criteria": "{}"},
}
JSON = {"bookmark": {"bookmarked": True}, "note": {"text": "t"}, "draft": {"source": "x = 1", "base": None}}


def ask(client: TestClient, method: str, path: str) -> httpx.Response:
    body = {"POST": {"data": FORM}, "PUT": {"json": JSON.get(path.rpartition("/")[2])}}.get(method, {})
    answer: httpx.Response = client.request(method, path, **body)  # type: ignore[arg-type]
    return answer


def roles_of(path: str) -> tuple[Role, ...]:
    if path.startswith("/admin"):
        return ("admin",)
    if (
        path.startswith("/author")
        or path.endswith("/decision")
        or path == "/courses/new"
        or re.fullmatch("/courses/[^/]+/copy", path)
    ):
        return ("author", "admin")
    return EVERYBODY


generous = pytest.mark.parametrize("policy", [{"requests_per_minute": 1000}], indirect=True)


@generous
@pytest.mark.parametrize("role", EVERYBODY)
def test_a_role_opens_its_pages_and_no_others(anyone: TestClient, database: Database, role: Role) -> None:
    with database.transaction() as session:
        anyone.cookies.set(COOKIE, start_session(session, make_user(session, role=role).id))

    answers = {
        (method, path): ask(anyone, method, path).status_code
        for method, path in CLOSED
        if not path.startswith("/account/")  # some end the session
    }

    refused = {page for page, status in answers.items() if status == HTTPStatus.FORBIDDEN}
    assert refused == {(method, path) for method, path in answers if role not in roles_of(path)}


@generous
def test_visitors_are_asked_to_sign_in(anyone: TestClient) -> None:
    answers = {(method, path): ask(anyone, method, path) for method, path in CLOSED}

    assert len(answers) > 90
    for page, answer in answers.items():
        if answer.status_code == HTTPStatus.SEE_OTHER:
            here = unquote(answer.headers["location"]).removeprefix("/sign-in?next=")
            assert page[1].startswith(here) or page[0] != "GET", page
        else:  # what scripts ask for, and streams
            assert answer.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.NOT_FOUND), (page, answer.text[:200])
