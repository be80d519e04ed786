"""Pages that need a permission of `app.accounts.permission`."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends
from starlette.exceptions import HTTPException

from app.accounts.permission import RULES, Permission, Viewer
from app.catalog.access import require_editable
from app.errors import Refused
from app.web.address import Slug
from app.web.visit import CurrentVisit


def needs(right: Permission, home: str = "/") -> Any:
    """Return a dependency: the viewer, who has this permission.

    Visitors who are not signed in are redirected to the sign-in page. After a form they come back to `home`.
    """
    return Depends(_gate(right, home))


def _gate(right: Permission, home: str) -> Callable[[Any], Viewer]:
    def read_viewer(visit: CurrentVisit) -> Viewer:
        """Raises Refused."""
        if visit.viewer is None:
            here = visit.request.url.path if visit.request.method == "GET" else home
            location = visit.ask_to_sign_in(quote(here, safe="")).headers["Location"]
            raise HTTPException(HTTPStatus.SEE_OTHER, "sign in first", headers={"Location": location})
        if not visit.may(right):
            is_for_authors = "author" in RULES[right].roles
            raise Refused(
                "This page is for authors and admins. Ask an admin of this server for the role “author”."
                if is_for_authors
                else "This page is for admins."
            )
        return visit.viewer

    return read_viewer


Author = Annotated[Viewer, needs(Permission.WRITE_PROBLEMS, home="/author")]


def find_edited_slug(visit: CurrentVisit, author: Author, slug: Slug) -> str:
    """Raises ProblemNotFound for a problem whose files the author may not read."""
    with visit.transaction() as session:
        require_editable(session, author.id, slug)
    return slug


EditedSlug = Annotated[str, Depends(find_edited_slug)]
