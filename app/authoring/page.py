"""Lists of authors' work that go on from page to page."""

from uuid import UUID

from pydantic import Field
from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from app.authoring.model import Verification
from app.authoring.query import LIGHT, list_revisions
from app.authoring.view import RevisionView, VerificationView, View, view_verification
from app.catalog.publish import MAX_NUMBER
from app.cursor import read_number_cursor, read_uuid_cursor, write_cursor

PAGE = 50


class VerificationPage(View):
    """Newest first, without reports."""

    items: tuple[VerificationView, ...]
    next: str | None = Field(description="the cursor of the page after this one; null at the end")


class RevisionPage(View):
    """Newest first."""

    items: tuple[RevisionView, ...]
    next: str | None = Field(description="the cursor of the page after this one; null at the end")


def page_verifications(session: Session, user_id: UUID, cursor: str | None = None) -> VerificationPage:
    """Of one author. Raises CursorInvalid."""
    place = (Verification.queued_at, Verification.id)
    query = select(Verification).options(*LIGHT).where(Verification.user_id == user_id)
    if cursor is not None:
        query = query.where(tuple_(*place) < tuple_(*read_uuid_cursor(cursor)))
    rows = session.scalars(query.order_by(*(column.desc() for column in place)).limit(PAGE + 1)).all()
    return VerificationPage(
        items=tuple(view_verification(session, each, with_report=False) for each in rows[:PAGE]),
        next=write_cursor(rows[PAGE - 1].queued_at, rows[PAGE - 1].id) if len(rows) > PAGE else None,
    )


def page_revisions(session: Session, slug: str, cursor: str | None = None) -> RevisionPage:
    """Of one problem. Raises NotFound and CursorInvalid."""
    before = None if cursor is None else read_number_cursor(cursor, most=MAX_NUMBER)[1]
    found = list_revisions(session, slug, before=before, most=PAGE + 1)
    last = found[PAGE - 1] if len(found) > PAGE else None
    return RevisionPage(
        items=tuple(found[:PAGE]), next=write_cursor(last.created_at, last.number) if last is not None else None
    )
