"""Invitations: links with which one person each may sign up, with a role."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from app.accounts.invitation import (
    DEFAULT_DAYS,
    MAX_DAYS,
    MAX_NOTE,
    InvitationState,
    Invite,
    check_note,
    get_invitation_view,
    invite,
    list_invitations,
    revoke_invitation,
    state_of,
)
from app.accounts.model import Role
from app.api.dependency import Address, Configured, Sliced, Stored, UserChanger, UserReader, act_as
from app.api.field import Email, ruled
from app.api.openapi import locates
from app.api.request_state import shared_state
from app.validation import Body

router = APIRouter(prefix="/invitations", tags=["invitations"])


class InvitationWish(Body):
    """The invitation to make."""

    role: Role = Field("student", description="the role of the new account")
    email: Email | None = Field(
        None,
        description="where Allclose mails the link, if the deployment sends mail; the new user may choose another",
        examples=["ada@example.org"],
    )
    note: Annotated[str, ruled(check_note)] = Field(
        "",
        description="a note for admins",
        json_schema_extra={"maxLength": MAX_NOTE, "pattern": "^[^\\u0000]*$"},
        examples=["course of autumn 2026"],
    )
    days: int = Field(DEFAULT_DAYS, ge=1, le=MAX_DAYS, description="the days until it expires")


class InvitationEntry(BaseModel):
    """An invitation in the list, without its link. `created_by` and `used_by` are user names."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    state: InvitationState
    role: Role
    email: str | None
    note: str
    created_by: str | None = Field(description="null: made by a command on the server")
    created_at: datetime
    expires_at: datetime
    used_by: str | None
    used_at: datetime | None
    revoked_at: datetime | None


class NewInvitationView(BaseModel):
    """The only answer that ever has `link` and `invitation`: pass one of them on."""

    id: UUID
    state: InvitationState
    role: Role
    email: str | None
    note: str
    expires_at: datetime
    link: str = Field(examples=["https://judge.example/invitations/2pXq…"])
    invitation: str = Field(description="for `POST /users`", examples=["2pXq…"])


class InvitationList(BaseModel):
    items: list[InvitationEntry]
    next: str | None = Field(description="the `cursor` of the next page; null on the last page")


@router.post(
    "",
    status_code=HTTPStatus.CREATED,
    responses={201: locates("the invitation's path")},
    operation_id="create_invitation",
    summary="Make an invitation",
)
def post_invitation(
    request: Request,
    database: Stored,
    settings: Configured,
    viewer: UserChanger,
    address: Address,
    wish: InvitationWish,
    response: Response,
) -> NewInvitationView:
    with database.transaction() as session:
        new = invite(session, act_as(viewer, address), Invite(**wish.model_dump()))
        letter, made = new.letter(settings.base_url), new.invitation
    if letter is not None:
        shared_state(request).outbox.send(letter)
    response.headers["Location"] = f"/api/v1/invitations/{made.id}"
    return NewInvitationView(
        id=made.id,
        state=state_of(made),
        role=made.role,
        email=made.email,
        note=made.note,
        expires_at=made.expires_at,
        link=new.link(settings.base_url),
        invitation=new.secret,
    )


@router.get("", operation_id="list_invitations", summary="List invitations")
def get_invitations(
    database: Stored,
    viewer: UserReader,  # noqa: ARG001
    wanted: Sliced,
    state: Annotated[InvitationState | None, Query(description="only those in this state")] = None,
) -> InvitationList:
    """Newest first."""
    with database.transaction() as session:
        page = list_invitations(session, wanted.cursor, wanted.limit, state)
    return InvitationList(items=[InvitationEntry.model_validate(item) for item in page.items], next=page.next)


@router.get("/{invitation_id}", summary="One invitation, without its link")
def get_invitation(database: Stored, viewer: UserReader, invitation_id: UUID) -> InvitationEntry:  # noqa: ARG001
    with database.transaction() as session:
        return InvitationEntry.model_validate(get_invitation_view(session, invitation_id))


@router.delete(
    "/{invitation_id}",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="withdraw_invitation",
    summary="Revoke an invitation",
)
def delete_invitation(database: Stored, viewer: UserChanger, address: Address, invitation_id: UUID) -> None:
    """The link stops working. A used invitation is a 409."""
    with database.transaction() as session:
        revoke_invitation(session, act_as(viewer, address), invitation_id)
