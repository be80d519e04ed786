"""The session cookie and other cookies. Scripts can't read them, and other sites' forms don't send them."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from app.accounts.session import LIFETIME
from app.accounts.sign_in import BROWSER_LIFETIME
from app.api.request_state import get_settings
from app.settings import Settings

Answer = TypeVar("Answer", bound=Response)
COOKIE = "allclose_session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookie:
    """A cookie. Over HTTPS it has the prefix `__Host-`, so no other host and no connection without TLS can set it."""

    name: str
    lifetime: timedelta

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
        own = {"key": self.sent_name(settings), "secure": settings.has_https}
        return {**own, "httponly": True, "samesite": "lax", "path": "/"}


SESSION = Cookie(name=COOKIE, lifetime=LIFETIME)
# Names the browsers in which a user has signed in; see `app/accounts/sign_in.py`.
BROWSER = Cookie(name="allclose_browser", lifetime=BROWSER_LIFETIME)


def find_secret(request: Request) -> str:
    """Return the session's secret, or an empty text for a visitor without a session."""
    return SESSION.read(request)


def signed_out(request: Request, next_path: str = "/") -> RedirectResponse:
    return SESSION.forget(request, RedirectResponse(next_path, status_code=303))
