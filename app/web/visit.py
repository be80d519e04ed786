"""One request to a page: its origin, its cookies, its viewer, its database session and its response.

Forms must come from our own pages, against cross-site request forgery. A browser sends the origin with every POST, as
`Sec-Fetch-Site` or, if it is older, as `Origin`. A request with neither does not come from a browser, so it has no
user's cookie. `SameSite=Lax` on the cookies is a second barrier. Scripts can't read them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, urlsplit
from uuid import UUID

from fastapi import Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from app.accounts.model import User
from app.accounts.permission import Permission, Viewer
from app.accounts.session import (
    LIFETIME,
    SessionOrigin,
    end_session,
    find_viewer_by_session,
    start_course_session,
    start_session,
    take_course_session,
)
from app.accounts.sign_in import BROWSER_LIFETIME, name_browser_of
from app.api.request_state import (
    find_exam,
    get_database,
    get_limits,
    get_policy,
    get_progress,
    get_settings,
    read_place,
)
from app.audit import Actor
from app.errors import Refused
from app.judging.printable_text import printable
from app.limits import RateLimitStatus, address_of, network_of
from app.log import note_user
from app.settings import Settings
from app.submissions.exam_door import find_door
from app.submissions.progress import ChangeStream
from app.web.render import render_page
from app.web.shared_page import SharedPages

# The most characters of an address that a page repeats in its links.
MAX_PATH = 2000
COOKIE = "allclose_session"

Answer = TypeVar("Answer", bound=Response)


def require_own_origin(request: Request) -> None:
    """Refuse requests from other sites. Every POST depends on it, except those of `pages/lti.py`. Raises Refused."""
    if not is_own_origin(request):
        raise Refused("this form was sent from another site; open the page on this site and send it again")


def is_own_origin(request: Request) -> bool:
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    if origin is None:
        return True
    try:
        scheme, host = urlsplit(origin)[:2]
    except ValueError:
        return False
    # Behind a proxy, the Host header may differ from the host in the browser's address bar.
    settings = get_settings(request)
    is_public = settings.public_url is not None and (scheme, host) == urlsplit(settings.public_url)[:2]
    return is_public or (scheme, host) == (request.url.scheme, request.headers.get("host"))


def local_path(target: str) -> str:
    """Return `target` if it is a path on this site of at most MAX_PATH characters, else the front page.

    This prevents open redirects.
    """
    is_local = (
        target.startswith("/") and not target.startswith(("//", "/\\")) and target.isascii() and target.isprintable()
    )
    return target if is_local and "\\" not in target and len(target) <= MAX_PATH else "/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookie:
    """A cookie. Over HTTPS it has the prefix `__Host-`, so no other host and no connection without TLS can set it.

    `is_sent_by_others`: a form of another site sends it too. Browsers then want it to be secure, also on loopback.
    """

    name: str
    lifetime: timedelta
    is_sent_by_others: bool = False

    def sent_name(self, settings: Settings) -> str:
        return f"__Host-{self.name}" if settings.has_https else self.name

    def read(self, request: Request) -> str:
        """Return the value, or an empty text without the cookie."""
        return request.cookies.get(self.sent_name(get_settings(request)), "")

    def keep(self, request: Request, response: Answer, value: str) -> Answer:
        max_age = int(self.lifetime.total_seconds())
        response.set_cookie(value=value, max_age=max_age, **self._attributes(request))
        return response

    def forget(self, request: Request, response: Answer) -> Answer:
        response.delete_cookie(**self._attributes(request))
        return response

    def _attributes(self, request: Request) -> dict[str, Any]:
        settings = get_settings(request)
        own = {"key": self.sent_name(settings), "secure": settings.has_https or self.is_sent_by_others}
        return {**own, "httponly": True, "samesite": "none" if self.is_sent_by_others else "lax", "path": "/"}


SESSION = Cookie(name=COOKIE, lifetime=LIFETIME)
# Names the browsers in which a user has signed in; see `app/accounts/sign_in.py`.
BROWSER = Cookie(name="allclose_browser", lifetime=BROWSER_LIFETIME)


def find_secret(request: Request) -> str:
    """Return the session's secret, or an empty text for a visitor without a session."""
    return SESSION.read(request)


def signed_out(request: Request, next_path: str = "/") -> RedirectResponse:
    return SESSION.forget(request, RedirectResponse(next_path, status_code=303))


MAX_CHARACTERS = 60

# The first match counts, because most browsers also name their ancestors.
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
    """Return a name such as "Firefox on Linux", the start of an unknown user agent, or None for an empty one."""
    browser, system = _first(_BROWSERS, user_agent), _first(_SYSTEMS, user_agent)
    if browser is None:
        return printable(user_agent.strip(), MAX_CHARACTERS) or None
    return f"{browser} on {system}" if system else browser


def _first(names: tuple[tuple[str, str], ...], user_agent: str) -> str | None:
    return next((name for name, pattern in names if re.search(pattern, user_agent)), None)


@dataclass(frozen=True, slots=True)
class Visit:
    """A request to a page. `viewer` is None for a visitor who is not signed in."""

    request: Request
    viewer: Viewer | None

    @property
    def user(self) -> User | None:
        return self.viewer.user if self.viewer else None

    @property
    def actor(self) -> Actor:
        """The actor of this request's audit log entries."""
        user_id = self.viewer.id if self.viewer else None
        return Actor(user_id=user_id, channel="page", address=read_address(self.request))

    def transaction(self) -> AbstractContextManager[Session]:
        return get_database(self.request).transaction()

    def render(self, template: str, context: Mapping[str, Any], status: int = 200) -> HTMLResponse:
        here: dict[str, Any] = {"user": self.user, "may": self.may, "path": read_path(self.request)}
        here |= {"here": self._here(), "exam": find_exam(self.request)}
        policy = get_policy(self.request).read()
        here |= {name: getattr(policy, name) for name in ("announcement", "discussions", "shared_solutions")}
        return render_page(template, {**here, **context}, status)

    async def share(self, make: Callable[[], Response]) -> Response:
        """Call `make` in a thread. Visitors without an account share the page if they ask for it at the same moment.

        `make` may depend on the address only.
        """
        if self.viewer is not None:
            return await run_in_threadpool(make)
        pages: SharedPages = self.request.app.state.shared_pages
        return await pages.render(str(self.request.url), make)

    @property
    def announcement(self) -> str:
        """The admins' announcement for all users, or an empty text."""
        return get_policy(self.request).read().announcement

    def may(self, right: Permission) -> bool:
        return self.viewer is not None and self.viewer.may(right)

    def ask_to_sign_in(self, next_path: str = "") -> RedirectResponse:
        """Redirect to the sign-in page, which leads back to the quoted `next_path` or here.

        It says if the session has ended.
        """
        after = "&after=session" if find_secret(self.request) else ""
        return see_other(f"/sign-in?next={next_path or quote(self._here(), safe='')}{after}")

    def _here(self) -> str:
        """Return the address to come back to, without a query that is too long."""
        path, query = read_path(self.request), self.request.url.query
        return f"{path}?{query}" if query and len(path) + len(query) < MAX_PATH else path


def read_path(request: Request) -> str:
    """Return the request's path, or the front page's path if it is too long."""
    path = request.url.path
    return path if len(path) <= MAX_PATH else "/"


def see_other(path: str) -> RedirectResponse:
    return RedirectResponse(path, status_code=303)


def read_visit(request: Request) -> Visit:
    """Return the visit. The viewer is looked up once for each request."""
    if not hasattr(request.state, "viewer"):
        request.state.viewer = _find_viewer(request)
    return Visit(request, request.state.viewer)


def _find_viewer(request: Request) -> Viewer | None:
    # Before the page's transaction: if a page waited for a thread with an open connection, threads could starve.
    secret = find_secret(request)
    if not secret:
        return None
    with get_database(request).separate_statements() as session:
        viewer = find_viewer_by_session(session, secret)
        if viewer is not None:
            place = read_place(request, viewer.credential_id)
            request.state.door = find_door(session, viewer, request.url.path, place)
    if viewer is not None:
        note_user(viewer.id)
    return viewer


def count_visit(request: Request) -> RateLimitStatus:
    """Count the request towards the same rate limit as the REST API: by user, or by address without a user.

    Raises RateLimitReached.
    """
    visit = read_visit(request)
    request.state.is_counted = True
    if visit.viewer is None:
        return get_limits(request).pages.use(network_of(read_address(request)))
    return get_limits(request).requests.use(str(visit.viewer.id))


async def count_page(request: Request) -> RateLimitStatus:
    """Call `count_visit`, in a thread only if it may ask the database. Raises RateLimitReached."""
    if find_secret(request) or get_policy(request).find_fresh() is None:
        return await run_in_threadpool(count_visit, request)
    return count_visit(request)


def is_counted(request: Request) -> bool:
    """Return whether `count_visit` counted the request. Requests for files are not counted."""
    return getattr(request.state, "is_counted", False)


def limit_address(request: Request) -> None:
    """Limit public forms that compute a password hash; a dependency. Raises RateLimitReached."""
    get_limits(request).requests.use(network_of(read_address(request)))


def read_address(request: Request) -> str:
    """Return the client's network address."""
    return address_of(request.client.host if request.client else None)


def read_origin(request: Request) -> SessionOrigin:
    """Return the address and browser of a session that starts with this request."""
    browser = name_browser(request.headers.get("user-agent", ""))
    return SessionOrigin(address=read_address(request), browser=browser)


async def read_current_visit(request: Request) -> Visit:
    """Return the visit without a thread, if `count_visit` has looked the viewer up."""
    return read_visit(request) if is_counted(request) else await run_in_threadpool(read_visit, request)


CurrentVisit = Annotated[Visit, Depends(read_current_visit)]


def arrive(visit: Visit, session: Session, user: User, next_path: str) -> RedirectResponse:
    """Start a session, and redirect. The browser's old session ends, against session fixation."""
    end_session(session, find_secret(visit.request))
    response = see_other(local_path(next_path))
    SESSION.keep(visit.request, response, start_session(session, user.id, read_origin(visit.request)))
    return BROWSER.keep(visit.request, response, name_browser_of(session, user.username))


def arrive_at_course(visit: Visit, session: Session, user: User, course_id: UUID, path: str) -> RedirectResponse:
    """Start a session for this course, or use the browser's session of the user, and redirect."""
    response, secret = see_other(path), find_secret(visit.request)
    if take_course_session(session, secret, user.id, course_id):
        return response
    end_session(session, secret)
    secret = start_course_session(session, user.id, course_id, read_origin(visit.request))
    return SESSION.keep(visit.request, response, secret)


@contextmanager
def hold_stream(visit: Visit, viewer: Viewer, right: Permission) -> Iterator[ChangeStream]:
    """Hold one of the user's streams during the block. Raises LimitReached."""
    request = visit.request
    find_viewer = partial(find_viewer_by_session, secret=find_secret(request))
    with get_limits(request).streams.place(viewer.id):
        yield ChangeStream(progress=get_progress(request), find_viewer=find_viewer, right=right)
