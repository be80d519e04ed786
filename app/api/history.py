"""Submissions: the list, a source, the difference between two, and copying one back into the editor."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from app.accounts.permission import Permission
from app.api.dependency import Reader, Sender, SliceQuery, Stored
from app.errors import Invalid
from app.submissions.difference import SourceDifference, compare_submissions
from app.submissions.draft import restore_source
from app.submissions.query import HistoryFilters, SubmissionPage, get_submission, list_submissions

router = APIRouter(prefix="/submissions", tags=["submissions"])


class SourceView(BaseModel):
    source: str


class DifferenceView(BaseModel):
    """`old` is null when a problem's first submission is compared with the starter."""

    old: UUID | None
    new: UUID
    difference: SourceDifference


class DraftView(BaseModel):
    """The editor's content now. `has_other`: an earlier draft that was never submitted is kept beside it."""

    problem: str
    source: str
    saved_at: datetime
    has_other: bool


class HistoryPageQuery(HistoryFilters, SliceQuery):
    everyone: bool = Field(False, description="submissions of all users; needs the permission submissions:inspect")


Old = Annotated[UUID | None, Query(description="the submission to compare with; by default, the one before")]


@router.get(
    "",
    operation_id="list_submissions",
    summary="List your submissions, or all users', newest first",
)
def get_history(database: Stored, viewer: Reader, query: Annotated[HistoryPageQuery, Query()]) -> SubmissionPage:
    if query.everyone:
        viewer.require(Permission.INSPECT_SUBMISSIONS)
    elif query.user is not None:
        raise Invalid("user", "The filter user works with everyone=true only. Add it, or leave user out.")
    with database.transaction() as session:
        user_id = None if query.everyone else viewer.id
        return list_submissions(session, user_id, query, query.cursor, query.limit)


@router.get(
    "/{submission_id}/source",
    operation_id="get_submission_source",
    summary="The code of a submission",
)
def get_source(submission_id: UUID, viewer: Reader, database: Stored) -> SourceView:
    with database.transaction() as session:
        return SourceView(source=get_submission(session, submission_id, viewer).source)


@router.get(
    "/{submission_id}/diff",
    operation_id="compare_submissions",
    summary="The difference from another submission",
)
def get_difference(submission_id: UUID, viewer: Reader, database: Stored, old: Old = None) -> DifferenceView:
    with database.transaction() as session:
        pair = compare_submissions(session, viewer, submission_id, old)
    return DifferenceView(old=pair.old.id if pair.old else None, new=pair.new.id, difference=pair.difference)


@router.post(
    "/{submission_id}/copy",
    operation_id="copy_submission",
    summary="Copy a submission into the editor",
)
def post_copy(submission_id: UUID, viewer: Sender, database: Stored) -> DraftView:
    with database.transaction() as session:
        draft, slug = restore_source(session, viewer, submission_id)
        session.refresh(draft)
        return DraftView(
            problem=slug,
            source=draft.source,
            saved_at=draft.saved_at,
            has_other=draft.other_source is not None,
        )
