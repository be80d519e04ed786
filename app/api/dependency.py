"""What endpoints ask for: the database, the person asking, live progress, the settings.

No transaction is among them. FastAPI takes another thread for each dependency, for the endpoint and for checking its
answer; requests that keep a connection from one to the next deadlock as soon as all threads wait for connections. So a
transaction opens and ends inside one function: `with database.transaction() as session:`.
"""

from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from app.accounts.model import User
from app.accounts.throttle import Throttle
from app.accounts.token import find_user_by_token
from app.api.problem_details import NotSignedIn
from app.authoring.right import require_author
from app.database import Database
from app.settings import Settings
from app.submissions.progress import Progress

_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="bearer",
    bearerFormat="alc_…",
    description="A token from `POST /api/v1/tokens`, sent as `Authorization: Bearer alc_…`.",
)


def get_database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


def get_progress(request: Request) -> Progress:
    progress: Progress = request.app.state.progress
    return progress


def get_address(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def get_settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


Stored = Annotated[Database, Depends(get_database)]
Live = Annotated[Progress, Depends(get_progress)]
Configured = Annotated[Settings, Depends(get_settings)]
Address = Annotated[str, Depends(get_address)]


def limit_address(request: Request, address: Address) -> None:
    """Counts a request of someone unknown. Raises TooOften."""
    _throttle(request).use("address", address)


def get_viewer(
    request: Request,
    address: Address,
    database: Stored,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> User:
    """The user whose token came with the request. Raises NotSignedIn, TooOften."""
    with database.transaction() as session:
        user = find_user_by_token(session, credentials.credentials) if credentials else None
    if user is None:
        limit_address(request, address)
        raise NotSignedIn(_why_unknown(credentials))
    _throttle(request).use("user", str(user.id))
    return user


Viewer = Annotated[User, Depends(get_viewer)]


def find_viewer(
    request: Request,
    address: Address,
    database: Stored,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> User | None:
    """None for somebody without a token, who is counted by address. Raises NotSignedIn for one that does not work."""
    if credentials is None:
        limit_address(request, address)
        return None
    return get_viewer(request, address, database, credentials)


AnyViewer = Annotated[User | None, Depends(find_viewer)]


def get_author(viewer: Viewer) -> User:
    """Raises Refused."""
    require_author(viewer)
    return viewer


Author = Annotated[User, Depends(get_author)]


def _throttle(request: Request) -> Throttle:
    throttle: Throttle = request.app.state.request_throttle
    return throttle


def _why_unknown(credentials: HTTPAuthorizationCredentials | None) -> str:
    if credentials is None:
        return "this needs a token: get one with POST /api/v1/tokens and send it as Authorization: Bearer alc_…"
    return "the token is unknown or was revoked; get another with POST /api/v1/tokens"
