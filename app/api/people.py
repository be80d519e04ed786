"""Users, for admins: finding, changing and erasing them. `users.py` has signing up."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from pydantic import Field, StrictBool
from sqlalchemy.orm import Session

from app.accounts.model import Role
from app.admin.erasure import erase
from app.admin.user_change import change_email, change_role, keep_an_admin, lock_user, reactivate, suspend
from app.admin.user_list import Account, PersonPage, State, UserFilters, get_account, list_users
from app.api.dependency import Address, OneUserReader, Sliced, Stored, UserChanger, UserReader, act_as
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
