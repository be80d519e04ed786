"""Every page and every GET endpoint, from the application's routes, with identifiers of rows that are there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.accounts.user import find_user
from tests.large.fill import PROBLEM_SLUG

# Addresses that are left out of both, and the reasons.
LEFT_OUT = {
    "/static/{name:path}": "a file",
    "/sign-in/oidc": "another server",
    "/sign-in/oidc/callback": "another server",
}
STREAM = "/events"

# By the name of a path's parameter, for the user `:who`.
IDENTIFIERS = {
    "slug": f"SELECT '{PROBLEM_SLUG}'",
    "track": "SELECT 'basics-1'",
    "number": "SELECT '1'",
    # A request before may have erased the first.
    "user_id": "SELECT id FROM users WHERE username LIKE 'user-%' AND username <> 'user-2'"
    " ORDER BY username <> 'user-1', id LIMIT 1",
    "submission_id": "SELECT id FROM submissions WHERE mode = 'submit'"
    " ORDER BY user_id = :who DESC, id IN (SELECT submission_id FROM shared_solutions) DESC, created_at DESC LIMIT 1",
    "question_id": "SELECT id FROM posts WHERE question_id IS NULL ORDER BY user_id = :who DESC LIMIT 1",
    "post_id": "SELECT id FROM posts ORDER BY user_id = :who DESC LIMIT 1",
    "verification_id": "SELECT id FROM verifications ORDER BY queued_at LIMIT 1",
    "rejudging_id": "SELECT id FROM rejudgings ORDER BY decision IS NULL DESC LIMIT 1",
    "name": "SELECT 'nothing-like-it'",
    "secret": "SELECT 'nothing-like-it'",
    "token": "SELECT 'nothing-like-it'",
    "session_id": "SELECT id FROM sessions ORDER BY user_id = :who DESC LIMIT 1",
    "token_id": "SELECT id FROM tokens ORDER BY user_id = :who DESC LIMIT 1",
    "invitation_id": "SELECT id FROM invitations LIMIT 1",
    "worker_id": "SELECT id FROM workers LIMIT 1",
    "act": "SELECT 'suspend'",
    "course": "SELECT slug FROM courses ORDER BY slug LIMIT 1",
    "assignment": "SELECT 'homework-1'",
    "extension_id": "SELECT extensions.id FROM extensions LIMIT 1",
    "comment_id": "SELECT gen_random_uuid()",
    "check_id": "SELECT gen_random_uuid()",
    "request_id": "SELECT gen_random_uuid()",
    "platform_id": "SELECT gen_random_uuid()",
    "linked_id": "SELECT gen_random_uuid()",
    "key": "SELECT 'nothing-like-it'",
    "member_id": "SELECT members.id FROM members JOIN courses ON courses.id = course_id"
    " WHERE role = 'student' AND left_at IS NULL ORDER BY slug, user_id = :who DESC LIMIT 1",
}
AT = {"/tracks/{slug}": {"slug": "basics-1"}}

USERS = ("q=user-3", "q=nobody", "role=author", "role=admin", "state=active", "state=suspended", "state=erased")
# Beside a list's first page: how it is narrowed down.
NARROWED = {
    "/problems/{slug}/solutions": ("order=shortest", "order=newest"),
    "/problems": (
        *("q=gradient", "state=solved", "tag=numpy&difficulty=beginner", "tag=numpy&tag=sums"),
        *("bookmarked=true", "order=least_solved", "q=gradeint"),
    ),
    "/api/v1/problems": ("q=gradient", "state=tried", "track=basics-1", "bookmarked=true", "order=most_tried"),
    "/author": ("by=me", "q=made&availability=listed"),
    "/submissions": ("verdict=accepted", "problem=made_1", "mode=sample"),
    "/api/v1/submissions": (
        *("verdict=accepted", "problem=made_1", "mode=sample", "everyone=true", "everyone=true&problem=made_1"),
        *("everyone=true&verdict=judge_error", "everyone=true&user=user-2", "everyone=true&since=2026-11-01T00:00:00Z"),
        *("everyone=true&user=user-1&verdict=accepted&problem=made_1", "everyone=true&problem=made_1&revision=1"),
        *("everyone=true&problem=made_1&revision=1&verdict=judge_error", "everyone=true&digest=0"),
    ),
    "/admin/rejudgings/new": (
        *(f"verdict={each}" for each in ("accepted", "wrong_answer", "cancelled", "judge_error")),
        *("cause=BoxLost%3A+the+box+ended", "cause=NotSaid%3A+nothing+was+written+down"),
        *("since=2026-11-01T00:00:00Z", "until=2026-11-01T00:00:00Z", "problem=made_1", "problem=made_1&revision=1"),
        *("outdated=true", "outdated=true&onto=current", "user=user-1", "verdict=accepted&onto=current"),
    ),
    "/admin/submissions": (
        "problem=made_1",
        "verdict=judge_error",
        "user=user-2",
        "user=user-1&verdict=accepted",
        "problem=made_1&revision=1",
    ),
    "/admin/invitations": ("state=open", "state=used"),
    "/admin/rejudgings": ("decision=open", "decision=applied"),
    "/api/v1/users": USERS,
    "/admin/users": USERS,
    "/api/v1/audit-events": (
        *("action=user.suspended", "actor=user-3", "channel=command", "about=user-3", "since=2026-11-01T00:00:00Z"),
    ),
    "/admin/audit": ("action=user.suspended", "actor=user-3", "since=2026-11-01", "channel=command", "about=user-3"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """`path` is the route's; `url` has identifiers, and perhaps a query."""

    path: str
    url: str

    @property
    def is_api(self) -> bool:
        return self.path.startswith("/api/")

    @property
    def is_export(self) -> bool:
        """Hands out all that there is, as it is read."""
        return "/export" in self.path


def list_addresses(app: FastAPI, session: Session, username: str) -> list[Address]:
    return [address for path in _paths(app) for address in _addresses(session, path, username)]


def _paths(app: FastAPI) -> Iterator[str]:
    for route in iter_route_contexts(app.routes):
        path = route.path or ""
        if "GET" in (route.methods or ()) and path not in LEFT_OUT and not path.endswith(STREAM):
            yield path


def _addresses(session: Session, path: str, username: str) -> Iterator[Address]:
    url = fill_in(session, path, username)
    yield Address(path=path, url=url)
    for query in NARROWED.get(path, ()):
        yield Address(path=path, url=f"{url}?{query}")


def fill_in(session: Session, path: str, username: str) -> str:
    """Return the path with identifiers of rows that exist in place of its parameters."""
    url = path
    for name in re.findall(r"\{(\w+)", path):
        value = AT.get(path, {}).get(name) or _identifier(session, name, username)
        url = re.sub(rf"\{{{name}[^}}]*\}}", value, url)
    return url


def _identifier(session: Session, name: str, username: str) -> str:
    user = find_user(session, username)
    assert name in IDENTIFIERS, f"tests/large/address.py: say in IDENTIFIERS which {name} is to be asked for"
    query = text(IDENTIFIERS[name])
    values = {"who": user.id} if user and ":who" in IDENTIFIERS[name] else {}
    found = session.execute(query, values).scalar_one_or_none()
    assert found is not None, f"tests/large/address.py: no row is left for {name}: {IDENTIFIERS[name]}"
    return str(found)
