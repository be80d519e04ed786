"""Typed parameters of endpoints: the database, the viewer, live progress, the settings.

There is no transaction among them. FastAPI runs each dependency, the endpoint and the check of its answer in separate
threads. Requests that keep a connection from one to the next deadlock when all threads wait for connections. So a
transaction opens and ends inside one function: `with database.transaction() as session:`.
"""

from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Query, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes
from fastapi.security.utils import get_authorization_scheme_param
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from app.accounts.permission import AccountSuspended, Permission, Viewer
from app.accounts.token import find_viewer_by_token, is_of_suspended
from app.api.error_code import NotSignedIn
from app.api.field import KnownSlug
from app.api.request_state import (
    get_database,
    get_limits,
    get_policy,
    get_progress,
    get_queue_waits,
    get_settings,
    in_loop,
    read_place,
    shared_state,
)
from app.audit import Actor
from app.catalog.access import require_editable
from app.database.cursor import ALL, MAX_PAGE, PAGE, Slice
from app.database.engine import Database
from app.limits import Limits, RateLimitStatus, address_of, network_of
from app.log import note_user
from app.settings import Settings
from app.submissions.exam_door import ExamDoor, find_door
from app.submissions.progress import Progress
from app.submissions.queue_wait import QueueWaits

_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="bearer",
    bearerFormat="alc_…",
    description="A token from `POST /api/v1/tokens`, sent as `Authorization: Bearer alc_…`.",
)


def get_address(request: Request) -> str:
    return address_of(request.client.host if request.client else None)


Stored = Annotated[Database, Depends(in_loop(get_database))]
Waits = Annotated[QueueWaits, Depends(in_loop(get_queue_waits))]
Live = Annotated[Progress, Depends(in_loop(get_progress))]
Configured = Annotated[Settings, Depends(in_loop(get_settings))]
Address = Annotated[str, Depends(in_loop(get_address))]
AllLimits = Annotated[Limits, Depends(in_loop(get_limits))]
CURSOR_SAYS = "`next` of the previous page"
LIMIT_SAYS = "items per page"
Cursor = Annotated[str | None, Query(description=CURSOR_SAYS)]


def read_slice(
    cursor: Cursor = None, limit: Annotated[int, Query(ge=1, le=MAX_PAGE, description=LIMIT_SAYS)] = PAGE
) -> Slice:
    return Slice(cursor=cursor, limit=limit)


def read_short_slice(
    cursor: Cursor = None,
    limit: Annotated[int | None, Query(ge=1, le=MAX_PAGE, description=f"{LIMIT_SAYS}; without it: all")] = None,
) -> Slice:
    return Slice(cursor=cursor, limit=ALL if limit is None else limit)


class SliceQuery(BaseModel):
    """The same parameters, for a model of all query parameters of a list."""

    cursor: str | None = Field(None, description=CURSOR_SAYS)
    limit: int = Field(PAGE, ge=1, le=MAX_PAGE, description=LIMIT_SAYS)


Sliced = Annotated[Slice, Depends(in_loop(read_slice))]
# For lists that are short by nature: all items by default.
ShortSliced = Annotated[Slice, Depends(in_loop(read_short_slice))]


Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


async def count_call(request: Request) -> RateLimitStatus:
    """Find the token's owner and count the request for that user, or for the client's network without a valid token.

    `RequestLimits` calls it before anything else. Raises RateLimitReached.
    """
    viewer = request.state.viewer = await _find_by_token(request)
    key = str(viewer.id) if viewer else network_of(get_address(request))
    use = partial(get_limits(request).requests.use, key)
    if get_policy(request).find_fresh() is None:  # it will ask the database
        return await run_in_threadpool(use)
    return use()


async def _find_by_token(request: Request) -> Viewer | None:
    token = read_token(request)
    if not token:
        return None

    def find(session: Session) -> tuple[Viewer | None, ExamDoor | None]:
        viewer = find_viewer_by_token(session, token)
        place = read_place(request, viewer.credential_id if viewer else None)
        return viewer, find_door(session, viewer, request.url.path, place) if viewer else None

    viewer, request.state.door = await shared_state(request).token_lookups.read(find)
    if viewer is not None:
        note_user(viewer.id)
        shared_state(request).recent_tokens.note(token, viewer)
    return viewer


def read_token(request: Request) -> str:
    """Return the token of the request, or an empty text without one."""
    scheme, token = get_authorization_scheme_param(request.headers.get("Authorization"))
    return token if scheme.lower() == "bearer" else ""


async def get_viewer(request: Request, wanted: SecurityScopes, database: Stored, credentials: Credentials) -> Viewer:
    """Return the viewer whose token came with the request. Raises NotSignedIn and PermissionMissing."""
    viewer: Viewer | None = request.state.viewer
    if viewer is None:
        raise NotSignedIn(await run_in_threadpool(_why_unknown, database, credentials))
    for permission in wanted.scopes:
        viewer.require(Permission(permission))
    return viewer


async def get_user_reader(
    request: Request, wanted: SecurityScopes, database: Stored, credentials: Credentials, user_id: UUID
) -> Viewer:
    """Return the viewer if they may read the user in the path: everyone may read themselves. Raises as `get_viewer`."""
    viewer: Viewer | None = request.state.viewer
    if viewer is not None and viewer.id == user_id and viewer.may(Permission.READ_ACCOUNT):
        return viewer
    return await get_viewer(request, wanted, database, credentials)


def needs(permission: Permission) -> Any:
    """Depend on a viewer with this permission."""
    return Security(get_viewer, scopes=[permission])


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
# Of the user in the path.
OneUserReader = Annotated[Viewer, Security(get_user_reader, scopes=[Permission.READ_USERS])]
OperationsReader = Annotated[Viewer, needs(Permission.READ_OPERATIONS)]
Operator = Annotated[Viewer, needs(Permission.OPERATE)]
SettingsChanger = Annotated[Viewer, needs(Permission.CHANGE_SETTINGS)]
Auditor = Annotated[Viewer, needs(Permission.READ_AUDIT)]


def find_edited_slug(author: Author, slug: KnownSlug, database: Stored) -> str:
    """Raises ProblemNotFound for a problem whose files the author may not read."""
    with database.transaction() as session:
        require_editable(session, author.id, slug)
    return slug


EditedSlug = Annotated[str, Depends(find_edited_slug)]


async def find_viewer(
    request: Request, wanted: SecurityScopes, database: Stored, credentials: Credentials
) -> Viewer | None:
    """Return None without a token. Raises as `get_viewer` with one."""
    return None if credentials is None else await get_viewer(request, wanted, database, credentials)


AnyViewer = Annotated[Viewer | None, Security(find_viewer, scopes=[Permission.READ_PROBLEMS])]


def act_as(viewer: Viewer, address: str) -> Actor:
    """Return the actor for the audit log."""
    return Actor(user_id=viewer.id, channel="api", address=address)


def _why_unknown(database: Database, credentials: HTTPAuthorizationCredentials | None) -> str:
    if credentials is None:
        return "This call needs a token. Get one with POST /api/v1/tokens and send it as Authorization: Bearer alc_…"
    with database.transaction() as session:
        if is_of_suspended(session, credentials.credentials):
            return str(AccountSuspended())
    return "The token is unknown, expired or revoked. Get another one with POST /api/v1/tokens."
