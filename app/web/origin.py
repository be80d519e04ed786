"""Forms are taken from our own pages only.

A browser says with every POST where it comes from: `Sec-Fetch-Site`, or `Origin` where it is older. A request with
neither is no browser's, and so carries no one's cookie by accident; `SameSite=Lax` on the cookie stands behind this.
"""

from urllib.parse import urlsplit

from fastapi import Request

from app.errors import Refused
from app.request_state import get_settings

# Characters of an address that a page repeats, to lead back to it.
MAX_PATH = 2000


def require_own_origin(request: Request) -> None:
    """A dependency of every POST. Raises Refused."""
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
    # A proxy may tell us another host than the one that the browser asked for.
    settings = get_settings(request)
    is_public = settings.public_url is not None and (scheme, host) == urlsplit(settings.public_url)[:2]
    return is_public or host == request.headers.get("host")


def local_path(target: str) -> str:
    """`target` when it is a path on this site, else the front page: a link to us must not lead elsewhere.

    The front page also for a target above MAX_PATH, which pages would repeat several times.
    """
    is_local = (
        target.startswith("/") and not target.startswith(("//", "/\\")) and target.isascii() and target.isprintable()
    )
    return target if is_local and "\\" not in target and len(target) <= MAX_PATH else "/"
