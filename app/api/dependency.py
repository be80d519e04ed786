"""What endpoints ask for: the database, the person asking, live progress, the settings.

No transaction is among them. FastAPI takes another thread for each dependency, for the endpoint and for checking its
answer; requests that keep a connection from one to the next deadlock as soon as all threads wait for connections. So a
transaction opens and ends inside one function: `with database.transaction() as session:`.
"""

from typing import Annotated, Any

from fastapi import Depends, Query, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes
from fastapi.security.utils import get_authorization_scheme_param

from app.accounts.permission import AccountSuspended, Permission, Viewer
from app.accounts.rate_limit import AccountThrottles, address_of
from app.accounts.stream_limit import StreamLimit
from app.accounts.token import find_viewer_by_token, is_of_suspended
from app.api.error_code import NotSignedIn
from app.audit import Actor
from app.database.engine import Database
from app.request_state import (
    get_account_throttles,
    get_database,
    get_progress,
    get_request_throttle,
    get_settings,
    get_waiting_room,
)
from app.settings import Settings
from app.submissions.progress import Progress
from app.telemetry.context import note_user

_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="bearer",
    bearerFormat="alc_…",
    description="A token from `POST /api/v1/tokens`, sent as `Authorization: Bearer alc_…`.",
)


def get_address(request: Request) -> str:
    return address_of(request.client.host if request.client else None)


Stored = Annotated[Database, Depends(get_database)]
Live = Annotated[Progress, Depends(get_progress)]
Configured = Annotated[Settings, Depends(get_settings)]
Address = Annotated[str, Depends(get_address)]
Throttles = Annotated[AccountThrottles, Depends(get_account_throttles)]
Seats = Annotated[StreamLimit, Depends(get_waiting_room)]
Cursor = Annotated[str | None, Query(description="`next` of the page before")]


Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


def count_call(request: Request) -> None:
    """Finds whose token came with the request, and counts it: for that user, or for the network that it came from.

    `RateLimit` calls it before anything else is done. Raises TooOften.
    """
    viewer = request.state.viewer = _find_by_token(request)
    throttle = get_request_throttle(request)
    if viewer is None:
        throttle.use_address(get_address(request))
    else:
        throttle.use_user(viewer.id)


def _find_by_token(request: Request) -> Viewer | None:
    scheme, token = get_authorization_scheme_param(request.headers.get("Authorization"))
    if scheme.lower() != "bearer":
        return None
    with get_database(request).transaction() as session:
        viewer = find_viewer_by_token(session, token)
    if viewer is not None:
        note_user(viewer.id)
    return viewer


def get_viewer(request: Request, wanted: SecurityScopes, database: Stored, credentials: Credentials) -> Viewer:
    """Whose token came with the request. Raises NotSignedIn, and RightMissing for what it is not for."""
    viewer: Viewer | None = request.state.viewer
    if viewer is None:
        raise NotSignedIn(_why_unknown(database, credentials))
    for right in wanted.scopes:
        viewer.require(Permission(right))
    return viewer


def needs(right: Permission) -> Any:
    """The viewer, who has this right."""
    return Security(get_viewer, scopes=[right])


AccountReader = Annotated[Viewer, needs(Permission.READ_ACCOUNT)]
AccountChanger = Annotated[Viewer, needs(Permission.CHANGE_ACCOUNT)]
ProblemReader = Annotated[Viewer, needs(Permission.READ_PROBLEMS)]
Reader = Annotated[Viewer, needs(Permission.READ_SUBMISSIONS)]
Sender = Annotated[Viewer, needs(Permission.SUBMIT)]
Author = Annotated[Viewer, needs(Permission.WRITE_PROBLEMS)]
Inspector = Annotated[Viewer, needs(Permission.INSPECT_SUBMISSIONS)]
Rejudger = Annotated[Viewer, needs(Permission.REJUDGE)]
UserReader = Annotated[Viewer, needs(Permission.READ_USERS)]
UserChanger = Annotated[Viewer, needs(Permission.CHANGE_USERS)]
OperationsReader = Annotated[Viewer, needs(Permission.READ_OPERATIONS)]
Operator = Annotated[Viewer, needs(Permission.OPERATE)]
SettingsChanger = Annotated[Viewer, needs(Permission.CHANGE_SETTINGS)]
Auditor = Annotated[Viewer, needs(Permission.READ_AUDIT)]


def find_viewer(request: Request, wanted: SecurityScopes, database: Stored, credentials: Credentials) -> Viewer | None:
    """None for somebody without a token. Raises as `get_viewer` for one with a token."""
    return None if credentials is None else get_viewer(request, wanted, database, credentials)


AnyViewer = Annotated[Viewer | None, Security(find_viewer, scopes=[Permission.READ_PROBLEMS])]


def act_as(viewer: Viewer, address: str) -> Actor:
    """Who is written down for what the request does."""
    return Actor(user_id=viewer.id, channel="api", address=address)


def _why_unknown(database: Database, credentials: HTTPAuthorizationCredentials | None) -> str:
    if credentials is None:
        return "this needs a token: get one with POST /api/v1/tokens and send it as Authorization: Bearer alc_…"
    with database.transaction() as session:
        if is_of_suspended(session, credentials.credentials):
            return str(AccountSuspended())
    return "the token is unknown or was revoked; get another with POST /api/v1/tokens"
