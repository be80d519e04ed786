"""The browsers in which you are signed in."""

from datetime import datetime
from http import HTTPStatus
from operator import attrgetter
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from app.accounts.own_account import sign_out_elsewhere, sign_out_session
from app.accounts.session import list_sessions
from app.api.dependency import AccountChanger, AccountReader, Address, ShortSliced, Stored, act_as
from app.database.cursor import cut_list

router = APIRouter(prefix="/sessions", tags=["sessions"])


class SessionView(BaseModel):
    """A browser that is signed in. Allclose does not keep its cookie's secret."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    browser: str | None = Field(description="the browser's name and system", examples=["Firefox on Linux"])
    address: str | None = Field(description="the network address that it signed in from", examples=["192.0.2.7"])
    created_at: datetime
    last_seen_at: datetime | None = Field(description="to the minute; null before the first request after signing in")
    expires_at: datetime


class SessionList(BaseModel):
    """Valid sessions, the last seen first. You have at most 50."""

    items: list[SessionView]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


@router.get("", summary="List the browsers in which you are signed in")
def list_own_sessions(database: Stored, viewer: AccountReader, wanted: ShortSliced) -> SessionList:
    with database.transaction() as session:
        items, following = cut_list(list_sessions(session, viewer.id), attrgetter("id"), wanted)
        return SessionList(items=[SessionView.model_validate(row) for row in items], next=following)


@router.delete(
    "/{session_id}",
    status_code=HTTPStatus.NO_CONTENT,
    summary="Sign out one browser",
)
def end_own_session(database: Stored, viewer: AccountChanger, address: Address, session_id: UUID) -> None:
    with database.transaction() as session:
        sign_out_session(session, act_as(viewer, address), viewer.user, session_id)


@router.delete("", status_code=HTTPStatus.NO_CONTENT, summary="Sign out all browsers")
def end_own_sessions(database: Stored, viewer: AccountChanger, address: Address) -> None:
    """Tokens stay valid."""
    with database.transaction() as session:
        sign_out_elsewhere(session, act_as(viewer, address), viewer.user)
