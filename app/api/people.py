"""Users, for admins: finding, changing, signing out, exporting and erasing them. Signing up is in `users.py`."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, StrictBool
from sqlalchemy.orm import Session

from app.accounts.model import Role
from app.accounts.password_reset import LIFETIME
from app.api.archive import ARCHIVE, send_file
from app.api.dependency import Address, Configured, Cursor, Stored, UserChanger, UserReader, act_as
from app.api.etag import IfMatch, require_tag, tag_of
from app.api.field import Email
from app.api.openapi import problems
from app.audit import Actor
from app.body import Body
from app.people.administration import (
    change_email,
    change_role,
    keep_an_admin,
    lock_user,
    make_link,
    reactivate,
    sign_out,
    suspend,
)
from app.people.erasure import erase
from app.people.personal_data import export_user
from app.people.query import Account, PersonPage, State, UserFilters, get_account, list_users

router = APIRouter(prefix="/users", tags=["users"])


# Fields of a user that every request of theirs may change.
BY_WORKING = {"last_seen_at", "submissions", "sessions", "tokens"}


class UserChange(Body):
    """What is left out stays as it is."""

    role: Role | None = Field(None, description="null: as it is", examples=["author"])
    is_active: StrictBool | None = Field(
        None, description="false: suspended, and signed out everywhere; true: back again; null: as it is"
    )
    email: Email | None = Field(None, description="null: none any more", examples=["ada@example.org"])

    @property
    def takes_rights_away(self) -> bool:
        return self.role not in (None, "admin") or self.is_active is False


class ResetLink(BaseModel):
    """For its owner only: whoever has it can choose the password."""

    link: str = Field(examples=["https://judge.example.org/reset-password/…"])
    expires_in_seconds: int


class Ended(BaseModel):
    sessions: int = Field(description="how many browsers were signed out")


def read_filters(
    q: Annotated[str, Query(description="words with which parts of the name or the e-mail begin")] = "",
    role: Annotated[Role | None, Query()] = None,
    state: Annotated[State | None, Query()] = None,
) -> UserFilters:
    return UserFilters(q=q, role=role, state=state)


@router.get("", responses=problems(401, 403, 422), summary="List users, newest first", operation_id="list_users")
def get_users(
    viewer: UserReader,  # noqa: ARG001
    database: Stored,
    filters: Annotated[UserFilters, Depends(read_filters)],
    cursor: Cursor = None,
) -> PersonPage:
    with database.transaction() as session:
        return list_users(session, filters, cursor)


@router.get("/{user_id}", responses=problems(401, 403, 404, 422), summary="One user")
def get_user(viewer: UserReader, database: Stored, user_id: UUID, response: Response) -> Account:  # noqa: ARG001
    """The `ETag` is for `If-Match` only: what users change by working, when they were seen say, is no part of it."""
    with database.transaction() as session:
        account = get_account(session, user_id)
    response.headers.update({"ETag": _tag_of(account), "Cache-Control": "no-store"})
    return account


@router.patch(
    "/{user_id}",
    responses=problems(401, 403, 404, 409, 412, 422),
    summary="Change a user's role or e-mail, suspend them, or let them back",
)
def change_user(
    viewer: UserChanger,
    address: Address,
    database: Stored,
    user_id: UUID,
    change: UserChange,
    if_match: IfMatch = None,
) -> Account:
    """All of it or nothing. It holds from the user's next request on; the last active admin stays one."""
    with database.transaction() as session:
        if change.takes_rights_away:
            keep_an_admin(session, user_id)  # first: whoever locks several admins does so in one order
        lock_user(session, user_id)
        require_tag(if_match, _tag_of(get_account(session, user_id)))
        _apply(session, act_as(viewer, address), user_id, change)
        return get_account(session, user_id)


@router.post(
    "/{user_id}/password-reset",
    status_code=HTTPStatus.CREATED,
    responses=problems(401, 403, 404, 409, 422),
    summary="Make a link for a new password",
)
def make_reset_link(
    viewer: UserChanger, address: Address, database: Stored, settings: Configured, user_id: UUID
) -> ResetLink:
    """It works once, for an hour; hand it to the user by a way that you trust."""
    with database.transaction() as session:
        link = make_link(session, act_as(viewer, address), user_id, settings.base_url)
    return ResetLink(link=link, expires_in_seconds=int(LIFETIME.total_seconds()))


@router.delete(
    "/{user_id}/sessions",
    responses=problems(401, 403, 404, 409, 422),
    summary="Sign a user out everywhere",
)
def sign_out_user(viewer: UserChanger, address: Address, database: Stored, user_id: UUID) -> Ended:
    """Of all browsers; their tokens go on working, unless they are suspended."""
    with database.transaction() as session:
        return Ended(sessions=sign_out(session, act_as(viewer, address), user_id))


@router.get(
    "/{user_id}/export",
    response_class=StreamingResponse,
    responses={200: ARCHIVE, **problems(401, 403, 404, 422)},
    summary="All that there is of a user, as a zip archive",
    operation_id="export_user",
)
def get_user_export(viewer: UserChanger, address: Address, database: Stored, user_id: UUID) -> StreamingResponse:
    file = export_user(database, act_as(viewer, address), user_id)
    return send_file(file, f"allclose-{user_id}.zip")


@router.delete(
    "/{user_id}",
    status_code=HTTPStatus.NO_CONTENT,
    responses=problems(401, 403, 404, 409, 422),
    summary="Erase a user for good",
)
def erase_user(viewer: UserChanger, address: Address, database: Stored, user_id: UUID) -> None:
    """Their submissions, drafts, progress, sessions and tokens are removed, their name everywhere. There is no undo."""
    with database.transaction() as session:
        erase(session, act_as(viewer, address), user_id)


def _tag_of(account: Account) -> str:
    return tag_of(account, without=BY_WORKING)


def _apply(session: Session, actor: Actor, user_id: UUID, change: UserChange) -> None:
    if change.role is not None:
        change_role(session, actor, user_id, change.role)
    if change.is_active is not None:
        (reactivate if change.is_active else suspend)(session, actor, user_id)
    if "email" in change.model_fields_set:
        change_email(session, actor, user_id, change.email)
