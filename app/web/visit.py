"""One request to a page: who asks, where the data is, and how to answer.

What a browser calls itself, shortened to what its owner knows it by: "Firefox on Linux".

Signing a browser in.
"""

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote
from uuid import UUID

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import Permission, Viewer
from app.accounts.rate_limit import address_of
from app.accounts.session import SessionOrigin, end_session, find_viewer_by_session, start_session
from app.audit import Actor
from app.judging.text import printable
from app.request_state import get_database, get_policy, get_request_throttle
from app.telemetry.context import note_user
from app.web.cookie import find_secret
from app.web.origin import MAX_PATH
from app.web.render import render_page

MAX_CHARACTERS = 60

# The first that fits counts: most browsers name those that they descend from, too.
_BROWSERS = (
    ("Edge", r"Edg(?:e|A|iOS)?/"),
    ("Opera", r"OPR/|Opera"),
    ("Samsung Internet", r"SamsungBrowser/"),
    ("Firefox", r"Firefox/|FxiOS/"),
    ("Chrome", r"Chrome/|CriOS/|Chromium/"),
    ("Safari", r"Safari/"),
)
_SYSTEMS = (
    ("Android", r"Android"),
    ("iOS", r"iPhone|iPad|iPod"),
    ("Windows", r"Windows"),
    ("macOS", r"Macintosh|Mac OS X"),
    ("ChromeOS", r"CrOS"),
    ("Linux", r"Linux|X11"),
)


def name_browser(user_agent: str) -> str | None:
    """None for one that says nothing; of one that is unknown its first words."""
    browser, system = _first(_BROWSERS, user_agent), _first(_SYSTEMS, user_agent)
    if browser is None:
        return printable(user_agent.strip(), MAX_CHARACTERS) or None
    return f"{browser} on {system}" if system else browser


def _first(names: tuple[tuple[str, str], ...], user_agent: str) -> str | None:
    return next((name for name, pattern in names if re.search(pattern, user_agent)), None)


@dataclass(frozen=True, slots=True)
class Visit:
    """`viewer` is None for somebody who is not signed in."""

    request: Request
    viewer: Viewer | None

    @property
    def user(self) -> User | None:
        return self.viewer.user if self.viewer else None

    @property
    def actor(self) -> Actor:
        """Who is written down for what the request does."""
        user_id = self.viewer.id if self.viewer else None
        return Actor(user_id=user_id, channel="page", address=read_address(self.request))

    def transaction(self) -> AbstractContextManager[Session]:
        return get_database(self.request).transaction()

    def render(self, template: str, context: Mapping[str, Any], status: int = 200) -> HTMLResponse:
        here = {"user": self.user, "may": self.may, "path": read_path(self.request), "here": self._here()}
        here["announcement"] = self.announcement
        return render_page(template, {**here, **context}, status)

    @property
    def announcement(self) -> str:
        """A sentence of the admins' for everybody, or nothing."""
        return get_policy(self.request).read().announcement

    def may(self, right: Permission) -> bool:
        return self.viewer is not None and self.viewer.may(right)

    def ask_to_sign_in(self) -> RedirectResponse:
        """Sign in, then come back here."""
        return see_other("/sign-in?next=" + quote(self._here(), safe=""))

    def _here(self) -> str:
        """The address to come back to; without a query that is too long to be repeated."""
        path, query = read_path(self.request), self.request.url.query
        return f"{path}?{query}" if query and len(path) + len(query) < MAX_PATH else path


def read_path(request: Request) -> str:
    """The path as pages repeat it: the front page's in place of one that is too long for that."""
    path = request.url.path
    return path if len(path) <= MAX_PATH else "/"


def see_other(path: str) -> RedirectResponse:
    return RedirectResponse(path, status_code=303)


def read_visit(request: Request) -> Visit:
    """Who visits, looked up once for each request."""
    if not hasattr(request.state, "viewer"):
        request.state.viewer = _find_viewer(request)
    return Visit(request, request.state.viewer)


def _find_viewer(request: Request) -> Viewer | None:
    # In a transaction of its own: a connection kept while the page waits for a thread can starve the threads that
    # wait for a connection.
    secret = find_secret(request)
    if not secret:
        return None
    with get_database(request).transaction() as session:
        viewer = find_viewer_by_session(session, secret)
    if viewer is not None:
        note_user(viewer.id)
    return viewer


def count_visit(request: Request) -> None:
    """Counts against the same number of requests per user as the REST API does; by address where nobody is signed in.

    `RateLimit` calls it before anything else is done. Raises TooOften.
    """
    visit = read_visit(request)
    request.state.is_counted = True
    throttle = get_request_throttle(request)
    if visit.viewer is None:
        throttle.use_reader(read_address(request))
    else:
        throttle.use_user(visit.viewer.id)


def is_counted(request: Request) -> bool:
    """Whether `count_visit` has seen it. It does not where a file is asked for."""
    return getattr(request.state, "is_counted", False)


def limit_address(request: Request) -> None:
    """A dependency of forms that cost us a password's hash, open to anybody. Raises TooOften."""
    get_request_throttle(request).use_address(read_address(request))


def read_address(request: Request) -> str:
    """The network address that the request came from."""
    return address_of(request.client.host if request.client else None)


def read_origin(request: Request) -> SessionOrigin:
    """What a session that starts with this request is known by."""
    browser = name_browser(request.headers.get("user-agent", ""))
    return SessionOrigin(address=read_address(request), browser=browser)


CurrentVisit = Annotated[Visit, Depends(read_visit)]


def arrive(visit: Visit, session: Session, user_id: UUID) -> str:
    """A new secret for the cookie. The session that the browser had ends: somebody else may have put it there."""
    end_session(session, find_secret(visit.request))
    return start_session(session, user_id, read_origin(visit.request))
