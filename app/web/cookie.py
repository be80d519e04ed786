"""The session cookie: unreadable for scripts, and not sent with other sites' forms."""

from fastapi import Request
from fastapi.responses import RedirectResponse

from app.accounts.session import LIFETIME
from app.settings import Settings
from app.web.origin import local_path

COOKIE = "allclose_session"


def find_secret(request: Request) -> str:
    """The empty string for somebody who is not signed in."""
    return request.cookies.get(COOKIE, "")


def signed_in(request: Request, secret: str, next_path: str) -> RedirectResponse:
    settings: Settings = request.app.state.settings
    response = RedirectResponse(local_path(next_path), status_code=303)
    response.set_cookie(
        COOKIE,
        secret,
        max_age=int(LIFETIME.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=settings.secure_cookies,
    )
    return response


def signed_out() -> RedirectResponse:
    response = RedirectResponse("/", status_code=303)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return response
