"""Your own submissions: the list, a source, what changed between two, and one back into the editor."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel

from app.api.dependency import Reader, Sender, Stored
from app.api.openapi import problems
from app.database import storable
from app.drafts.copy import copy_back
from app.judging.verdicts import Verdict
from app.submissions.difference import SourceDifference, compare_submissions
from app.submissions.model import Mode
from app.submissions.query import HistoryFilters, SubmissionPage, get_submission, list_submissions

router = APIRouter(prefix="/submissions", tags=["submissions"])


class SourceView(BaseModel):
    source: str


class DifferenceView(BaseModel):
    """`old` is null where the first submission for a problem is compared with the starter."""

    old: UUID | None
    new: UUID
    difference: SourceDifference


class DraftView(BaseModel):
    """What the editor holds now. `has_other`: what was there, and was never sent, is kept beside it."""

    problem: str
    source: str
    saved_at: datetime
    has_other: bool


def read_filters(
    problem: Annotated[str | None, Query(description="submissions for this problem")] = None,
    verdict: Annotated[Verdict | None, Query(description="those that came out so")] = None,
    mode: Annotated[Mode | None, Query(description="of all cases, or runs of samples")] = None,
) -> HistoryFilters:
    return HistoryFilters(problem=storable(problem), verdict=verdict, mode=mode)


Old = Annotated[UUID | None, Query(description="the one to compare with; the one before when left out")]


@router.get("", responses=problems(401, 422), summary="List your submissions, newest first")
def get_history(
    database: Stored,
    viewer: Reader,
    filters: Annotated[HistoryFilters, Depends(read_filters)],
    cursor: Annotated[str | None, Query(description="`next` of the page before")] = None,
) -> SubmissionPage:
    with database.transaction() as session:
        return list_submissions(session, viewer.id, filters, cursor)


@router.get("/{submission_id}/source", responses=problems(401, 404, 422), summary="The code of a submission")
def get_source(submission_id: UUID, viewer: Reader, database: Stored) -> SourceView:
    with database.transaction() as session:
        return SourceView(source=get_submission(session, submission_id, viewer).source)


@router.get("/{submission_id}/diff", responses=problems(401, 404, 422), summary="What changed from another submission")
def get_difference(submission_id: UUID, viewer: Reader, database: Stored, old: Old = None) -> DifferenceView:
    with database.transaction() as session:
        pair = compare_submissions(session, viewer, submission_id, old)
    return DifferenceView(old=pair.old.id if pair.old else None, new=pair.new.id, difference=pair.difference)


@router.post("/{submission_id}/copy", responses=problems(401, 404, 422), summary="Put a submission into the editor")
def post_copy(submission_id: UUID, viewer: Sender, database: Stored) -> DraftView:
    with database.transaction() as session:
        draft, slug = copy_back(session, viewer, submission_id)
        session.refresh(draft)
        return DraftView(
            problem=slug,
            source=draft.source,
            saved_at=draft.saved_at,
            has_other=draft.other_source is not None,
        )
