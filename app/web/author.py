"""Who may see the authors' pages, and their addresses."""

from http import HTTPStatus
from typing import Annotated
from urllib.parse import quote
from uuid import UUID

from fastapi import Depends
from starlette.exceptions import HTTPException

from app.accounts.model import User
from app.accounts.throttle import Throttle
from app.authoring.right import require_author
from app.errors import NotFound
from app.web.visit import CurrentVisit


def read_author(visit: CurrentVisit) -> User:
    """Raises Refused, and leads to the sign-in page who is not signed in."""
    if visit.user is None:
        here = visit.request.url.path if visit.request.method == "GET" else "/author"
        headers = {"Location": "/sign-in?next=" + quote(here, safe="")}
        raise HTTPException(HTTPStatus.SEE_OTHER, "sign in first", headers=headers)
    require_author(visit.user)
    return visit.user


Author = Annotated[User, Depends(read_author)]


def limit_author(visit: CurrentVisit, author: Author) -> None:
    """A dependency of what costs us the reading of a package. Raises TooOften."""
    throttle: Throttle = visit.request.app.state.request_throttle
    throttle.use("user", str(author.id))


def read_verification_id(verification_id: str) -> UUID:
    try:
        return UUID(verification_id)
    except ValueError:
        raise NotFound("there is no such verification; open it from the list of your packages") from None


VerificationId = Annotated[UUID, Depends(read_verification_id)]
