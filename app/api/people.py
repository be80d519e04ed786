"""Users, for admins: finding, changing, signing out, exporting and erasing them. `users.py` has signing up."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, StrictBool
from sqlalchemy.orm import Session

from app.accounts.model import Role
from app.accounts.password_reset import LIFETIME
from app.admin.erasure import erase
from app.admin.personal_data import export_user
from app.admin.user_change import (
    cancel_queue,
    change_email,
    change_role,
    keep_an_admin,
    lock_user,
    make_link,
    reactivate,
    sign_out,
    suspend,
)
from app.admin.user_list import Account, PersonPage, State, UserFilters, get_account, list_users
from app.api.archive import ARCHIVE, send_file
from app.api.dependency import Address, Configured, OneUserReader, Sliced, Stored, UserChanger, UserReader, act_as
from app.api.field import Email
from app.audit import Actor
from app.validation import Body

router = APIRouter(prefix="/users", tags=["users"])


class UserChange(Body):
    """A field that you leave out stays as it is."""

    role: Role | None = Field(None, description="null: unchanged", examples=["author"])
    is_active: StrictBool | None = Field(
        None, description="false: suspend the user and end their sessions; true: reactivate; null: unchanged"
    )
    email: Email | None = Field(None, description="null: remove it", examples=["ada@example.org"])

    @property
    def takes_permissions_away(self) -> bool:
        return self.role not in (None, "admin") or self.is_active is False


class ResetLink(BaseModel):
    """A link with which anyone can choose the account's password: give it to the user only."""

    link: str = Field(examples=["https://judge.example.org/reset-password/…"])
    expires_in_seconds: int


class EndedSessions(BaseModel):
    sessions: int = Field(description="the number of browsers that were signed out")


class CancelledSubmissions(BaseModel):
    submissions: int = Field(description="the number of submissions that were cancelled")


def read_filters(
    q: Annotated[str, Query(description="words that start parts of the user name or e-mail")] = "",
    role: Annotated[Role | None, Query()] = None,
    state: Annotated[State | None, Query()] = None,
) -> UserFilters:
    return UserFilters(q=q, role=role, state=state)


@router.get("", summary="List users, newest first", operation_id="list_users")
def get_users(
    viewer: UserReader,  # noqa: ARG001
    database: Stored,
    filters: Annotated[UserFilters, Depends(read_filters)],
    wanted: Sliced,
) -> PersonPage:
    with database.transaction() as session:
        return list_users(session, filters, wanted.cursor, wanted.limit)


@router.get("/{user_id}", summary="One user")
def get_user(viewer: OneUserReader, database: Stored, user_id: UUID) -> Account:  # noqa: ARG001
    """Everyone may read their own account, with `account:read` as for `GET /me`."""
    with database.transaction() as session:
        return get_account(session, user_id)


@router.patch(
    "/{user_id}",
    summary="Change a user's role or e-mail, suspend or reactivate them",
)
def change_user(
    viewer: UserChanger,
    address: Address,
    database: Stored,
    user_id: UUID,
    change: UserChange,
) -> Account:
    """Applies all changes or none, from the user's next request on. The last active admin must stay one."""
    with database.transaction() as session:
        if change.takes_permissions_away:
            keep_an_admin(session, user_id)  # first: it locks all admins in one order
        lock_user(session, user_id)
        _apply(session, act_as(viewer, address), user_id, change)
        return get_account(session, user_id)


@router.post(
    "/{user_id}/password-resets",
    status_code=HTTPStatus.CREATED,
    summary="Make a link for a new password",
)
def make_reset_link(
    viewer: UserChanger, address: Address, database: Stored, settings: Configured, user_id: UUID
) -> ResetLink:
    """The link works once, for one hour. Give it to the user over a channel that you trust."""
    with database.transaction() as session:
        link = make_link(session, act_as(viewer, address), user_id, settings.base_url)
    return ResetLink(link=link, expires_in_seconds=int(LIFETIME.total_seconds()))


@router.delete(
    "/{user_id}/sessions",
    summary="Sign a user out everywhere",
)
def sign_out_user(viewer: UserChanger, address: Address, database: Stored, user_id: UUID) -> EndedSessions:
    """Signs the user out in all browsers. Their tokens stay valid unless the user is suspended."""
    with database.transaction() as session:
        return EndedSessions(sessions=sign_out(session, act_as(viewer, address), user_id))


@router.delete(
    "/{user_id}/queue",
    operation_id="cancel_queue",
    summary="Cancel all unfinished submissions of a user",
)
def cancel_queue_of_user(
    viewer: UserChanger, address: Address, database: Stored, user_id: UUID
) -> CancelledSubmissions:
    """Ends their submissions in the queue and those being judged, with the verdict `cancelled`.

    A suspended user can't submit, but what they sent before is judged unless you cancel it.
    """
    with database.transaction() as session:
        return CancelledSubmissions(submissions=cancel_queue(session, act_as(viewer, address), user_id))


@router.get(
    "/{user_id}/export",
    response_class=StreamingResponse,
    responses={200: ARCHIVE},
    summary="Export all data of a user as a zip archive",
    operation_id="export_user",
)
def get_user_export(viewer: UserChanger, address: Address, database: Stored, user_id: UUID) -> StreamingResponse:
    file = export_user(database, act_as(viewer, address), user_id)
    return send_file(file, f"allclose-{user_id}.zip")


@router.delete(
    "/{user_id}",
    status_code=HTTPStatus.NO_CONTENT,
    summary="Erase a user for good",
)
def erase_user(viewer: UserChanger, address: Address, database: Stored, user_id: UUID) -> None:
    """Removes the user's submissions, drafts, progress, sessions and tokens, and their name everywhere. No undo."""
    with database.transaction() as session:
        erase(session, act_as(viewer, address), user_id)


def _apply(session: Session, actor: Actor, user_id: UUID, change: UserChange) -> None:
    if change.role is not None:
        change_role(session, actor, user_id, change.role)
    if change.is_active is not None:
        (reactivate if change.is_active else suspend)(session, actor, user_id)
    if "email" in change.model_fields_set:
        change_email(session, actor, user_id, change.email)
