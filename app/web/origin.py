"""Protection against cross-site request forgery: forms must come from our own pages.

A browser sends the origin with every POST, as `Sec-Fetch-Site` or, if it is older, as `Origin`. A request with neither
does not come from a browser, so it has no user's cookie. `SameSite=Lax` on the cookie is a second barrier.
"""

from urllib.parse import urlsplit

from fastapi import Request

from app.api.request_state import get_settings
from app.errors import Refused

# The most characters of an address that a page repeats in its links.
MAX_PATH = 2000


def require_own_origin(request: Request) -> None:
    """Refuse requests from other sites; a dependency of every POST. Raises Refused."""
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
