"""Pages that are not for everybody: who may see them, by the rights of `app.accounts.permission`."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends
from starlette.exceptions import HTTPException

from app.accounts.permission import Permission, Viewer
from app.web.visit import CurrentVisit


def needs(right: Permission, home: str = "/") -> Any:
    """The viewer, who has this right. Who is not signed in is led to that, and after a form to `home`."""
    return Depends(_gate(right, home))


def _gate(right: Permission, home: str) -> Callable[[Any], Viewer]:
    def read_viewer(visit: CurrentVisit) -> Viewer:
        """Raises RightMissing."""
        if visit.viewer is None:
            here = visit.request.url.path if visit.request.method == "GET" else home
            headers = {"Location": "/sign-in?next=" + quote(here, safe="")}
            raise HTTPException(HTTPStatus.SEE_OTHER, "sign in first", headers=headers)
        visit.viewer.require(right)
        return visit.viewer

    return read_viewer


Author = Annotated[Viewer, needs(Permission.WRITE_PROBLEMS, home="/author")]
