"""The session cookie: unreadable for scripts, and not sent with other sites' forms."""

from fastapi import Request
from fastapi.responses import RedirectResponse

from app.accounts.session import LIFETIME
from app.settings import Settings
from app.web.origin import local_path

COOKIE = "allclose_session"


def cookie_name(settings: Settings) -> str:
    """Over HTTPS browsers hold to `__Host-`: no other host of the domain, and nobody without TLS, can set one."""
    return f"__Host-{COOKIE}" if settings.has_https else COOKIE


def find_secret(request: Request) -> str:
    """The empty string for somebody who is not signed in."""
    return request.cookies.get(cookie_name(request.app.state.settings), "")


def signed_in(request: Request, secret: str, next_path: str) -> RedirectResponse:
    settings: Settings = request.app.state.settings
    response = RedirectResponse(local_path(next_path), status_code=303)
    response.set_cookie(
        cookie_name(settings),
        secret,
        max_age=int(LIFETIME.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=settings.has_https,
    )
    return response


def signed_out(request: Request) -> RedirectResponse:
    settings: Settings = request.app.state.settings
    response = RedirectResponse("/", status_code=303)
    response.delete_cookie(cookie_name(settings), httponly=True, samesite="lax", secure=settings.has_https)
    return response
