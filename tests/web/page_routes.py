"""The routes of all pages, with identifiers that name nothing except the problem that the tests publish."""

import re
from uuid import UUID

from fastapi.routing import iter_route_contexts

from app.web.router import build_router

NOWHERE = str(UUID(int=0))
VALUES = {"slug": "scaled_sum", "number": "1", "name": "announcement", "act": "suspend", "secret": "x", "token": "x"}


def fill(path: str) -> str:
    return re.sub(r"{(\w+)[^}]*}", lambda part: VALUES.get(part[1], NOWHERE), path)


# Each by its method and path.
PAGES = [
    (method, fill(each.path))
    for each in iter_route_contexts(build_router().routes)
    for method in sorted(each.methods or ())
    if each.path
]
CHANGES = [(method, path) for method, path in PAGES if method in ("POST", "PUT", "DELETE", "PATCH")]
