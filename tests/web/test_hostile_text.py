"""Hostile text from users, programs, packages and authors: every page shows it as text."""

import html
import json
import re
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import quote
from uuid import UUID

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from playwright.sync_api import Browser
from sqlalchemy import select
from starlette.routing import BaseRoute

from app.accounts.session import start_session
from app.catalog.package import package_from_files
from app.catalog.publish import publish
from app.cli.notebook_output import submission_html
from app.cli.result_text import submission_text
from app.database.engine import Database
from app.judging.report import AnswerFault
from app.judging.verdicts import Verdict
from app.submissions.model import Submission
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, submit
from app.submissions.view import Mode, SubmissionView
from app.web.visit import COOKIE
from tests.catalog.packages import PROBLEM, make_files
from tests.factories import make_user, set_policy, view_submission
from tests.hostile_text import AUTHORED, IN_A_LINE, LONG_LINE, SAID, UNSTORABLE, list_harm, list_markup
from tests.web.browser import visit
from tests.web.judged import answered, failed, judge

MOST_PAGES = 60
API = "/api/v1"
_PART = re.compile(r"{(\w+)[^}]*}")
PAGE_BYTES = 1_500_000
_LINK = re.compile(r'href="(/[^"#]*)')
_NO_PAGE = ("/static/", "/api/", "/schema/")
SOURCE = f"'''{IN_A_LINE}'''\n# {LONG_LINE[:200_000]}\n"
FAULT = AnswerFault(
    category="exception", message=SAID, exception=SAID, traceback=f'  File "solution.py", line 1\n{SAID}'
)
ANSWER = {IN_A_LINE: np.arange(3.0), "text": IN_A_LINE, "list": [IN_A_LINE, 1.0]}


def make_hostile_package() -> dict[str, bytes]:
    """Make a package with hostile text under every key and in every file that takes text."""
    quoted, short = (json.dumps(text, ensure_ascii=False) for text in (AUTHORED, AUTHORED[-100:]))
    problem = PROBLEM
    for own, hostile in (
        ("title: Scaled sum", f"title: {short}"),
        ("summary: Add up a vector and scale the sum.", f"summary: {quoted}"),
        ("doc: the numbers", f"doc: {quoted}"),
        ("doc: Two numbers.", f"doc: {quoted}"),
        ("hints: [Use numpy.]", f"hints: [{quoted}]"),
        ('"What is 1 + 1?", choices: ["1", "2"]', f"{quoted}, choices: [{quoted}, {short}]"),
        ("explanation: Count.", f"explanation: {quoted}"),
        ("CC-BY-4.0", short),
    ):
        assert own in problem
        problem = problem.replace(own, hostile)
    texts = {"statement.md": f"{AUTHORED}\n\n```python\n{AUTHORED}\n```\n", "editorial.md": AUTHORED}
    starter = f"# {AUTHORED}\ndef scaled_sum(x, y, scale, options):\n    ...\n"
    return make_files({**texts, "starter.py": starter}, problem=problem)


@pytest.fixture
def secret(app: FastAPI, database: Database) -> str:  # noqa: ARG001
    """The session secret of ada, an author, where every text that a user could write is hostile."""
    with database.transaction() as session:
        publish(session, package_from_files("scaled_sum", make_hostile_package()))
        ada = make_user(session, "ada", role="author")
        ada_id, secret = ada.id, start_session(session, ada.id)
    other, said = {**ANSWER, IN_A_LINE: np.ones(3)}, [answered(place, ANSWER, text=SAID) for place in (1, 2)]
    send(database, ada_id, "submit")
    judge(database, *(failed(place, Verdict.RUNTIME_ERROR, FAULT, text=SAID) for place in range(3)))
    send(database, ada_id, "submit")
    judge(database, answered(0, ANSWER, other, text=SAID), *said, hint=IN_A_LINE)
    send(database, ada_id, "sample")
    judge(database, answered(0, ANSWER, ANSWER, text=SAID))
    return secret


@pytest.fixture
def policy(database: Database) -> None:
    """More pages than a person opens in a minute."""
    with database.transaction() as session:
        set_policy(session, requests_per_minute=1_000_000)


@pytest.fixture
def hostile(anyone: TestClient, secret: str) -> TestClient:
    anyone.cookies.set(COOKIE, secret)
    # Pages of errors show it, and a chosen one may hold the number by which a filled template is known.
    anyone.headers["X-Request-ID"] = "hostile"
    return anyone


def send(database: Database, user_id: UUID, mode: Mode) -> None:
    with database.transaction() as session:
        source = f"{mode} = {SOURCE}"
        submit(
            session, Submit(user_id=user_id, slug="scaled_sum", source=source, mode=mode), SubmitLimits(max_pending=9)
        )


@pytest.mark.whole
def test_no_page_that_can_be_reached_does_harm(hostile: TestClient) -> None:
    waiting, seen = deque(["/", "/problems?q=scaled", "/author"]), set[str]()
    harm: dict[str, list[str]] = {}

    while waiting and len(seen) < MOST_PAGES:
        path = waiting.popleft()
        if path in seen or path.startswith(_NO_PAGE):
            continue
        seen.add(path)
        answer = hostile.get(path)
        if answer.headers.get("content-type", "").startswith("text/html"):
            found = list_harm(_outside_fields(answer.text)) + list_markup(answer.text)
            found += [f"status {answer.status_code}"] * answer.is_server_error
            harm |= {path: found} if found or len(answer.content) > PAGE_BYTES else {}
            waiting.extend(html.unescape(link) for link in _LINK.findall(answer.text))

    assert harm == {}
    assert sum(path.startswith("/submissions/") for path in seen) >= 3


def test_a_terminal_and_a_notebook_show_the_api_s_object_as_text(hostile: TestClient, database: Database) -> None:
    for view in list_views(database):
        text, shown = submission_text(view), submission_html(view, "http://127.0.0.1/")

        assert list_harm(text) + list_harm(shown) + list_markup(shown) == []
        assert len(text) < 30_000
        assert hostile.get(f"/submissions/{view.id}").is_success


@pytest.mark.parametrize("text", UNSTORABLE.values(), ids=UNSTORABLE)
def test_text_that_can_not_be_stored_causes_no_server_error(hostile: TestClient, text: str) -> None:
    packed = json.dumps({"source": f"x = '{text}'", "mode": "submit"})

    posted = hostile.post("/problems/scaled_sum/submissions", data={"source": f"x = {text}".encode("utf-8", "replace")})
    drafted = hostile.put("/problems/scaled_sum/draft", content=packed)
    searched = hostile.get("/problems", params={"q": text.encode("utf-8", "surrogatepass")})

    assert not any(answer.is_server_error for answer in (posted, drafted, searched))
    assert list_harm(posted.text + searched.text) == []


@pytest.mark.whole
def test_hostile_text_in_addresses_and_forms_causes_no_server_error(
    hostile: TestClient, app: FastAPI, database: Database
) -> None:
    ids = {"submission_id": str(list_views(database)[0].id), "slug": "scaled_sum"}
    harm: dict[str, list[str]] = {}

    assert len(list_page_routes(app.routes)) > 20
    for route, method in list_page_routes(app.routes):
        for text in (IN_A_LINE, *UNSTORABLE.values()):
            quoted = quote(text.encode("utf-8", "surrogatepass"), safe="")
            named = _PART.sub(partial(_fill, ids, quoted), route.path)
            every = _PART.sub(quoted.replace("\\", r"\\"), route.path)
            query = "&".join(f"{name}={quoted}" for name in list_fields(route))
            form = {"content": query, "headers": {"content-type": "application/x-www-form-urlencoded"}}
            for path in {named, every}:
                arguments: dict[str, Any] = {} if method == "GET" else form
                answer = hostile.request(method, f"{path}?{query}" if method == "GET" else path, **arguments)
                found = [f"status {answer.status_code}"] * answer.is_server_error
                if answer.headers.get("content-type", "").startswith("text/html"):
                    found += list_harm(_outside_fields(answer.text)) + list_markup(answer.text)
                harm |= {f"{method} {route.path} {text!a}": found} if found else {}

    assert harm == {}


@pytest.mark.browser
def test_a_browser_runs_nothing_and_no_line_breaks_the_page(
    browser: Browser, address: str, secret: str, database: Database
) -> None:
    paths = ["/problems", "/problems/scaled_sum", *(f"/submissions/{view.id}" for view in list_views(database))]
    context = browser.new_context(viewport={"width": 390, "height": 800})
    context.add_cookies([{"name": COOKIE, "value": secret, "url": address}])
    visitor, too_wide = visit(context, address), dict[str, int]()

    for path in paths:
        visitor.open(path)
        visitor.page.locator("footer, main").first.wait_for()
        too_wide[path] = visitor.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    context.close()

    assert visitor.complaints == []
    assert {path: wide for path, wide in too_wide.items() if wide > 0} == {}


def list_page_routes(routes: Sequence[BaseRoute]) -> list[tuple[APIRoute, str]]:
    """List the pages' routes, without streams, which never end, and without the API, which its document tests cover."""
    found: list[tuple[APIRoute, str]] = []
    for route in routes:
        if isinstance(route, APIRoute) and not route.path.endswith("/events"):
            found += [(route, method) for method in ("GET", "POST") if method in (route.methods or ())]
        elif (included := getattr(route, "original_router", None)) is not None and included.prefix != API:
            found += list_page_routes(included.routes)
    return found


def list_fields(route: APIRoute) -> set[str]:
    """List the fields of the route's query or form."""
    waiting, names = [route.dependant], set[str]()
    while waiting:
        dependant = waiting.pop()
        names |= {field.alias for field in (*dependant.query_params, *dependant.body_params)}
        waiting += dependant.dependencies
    return names


def list_views(database: Database) -> list[SubmissionView]:
    with database.transaction() as session:
        views = [view_submission(session, submission) for submission in session.scalars(select(Submission))]
    return [SubmissionView.model_validate_json(view.model_dump_json()) for view in views]


def _fill(known: dict[str, str], text: str, part: re.Match[str]) -> str:
    return known.get(part[1], text)


def _outside_fields(page: str) -> str:
    """A field gives back to the letter what was typed; inside it nothing is markup."""
    return re.sub(r"(<textarea[^>]*>).*?(</textarea>)", r"\1\2", page, flags=re.DOTALL)
