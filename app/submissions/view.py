"""What a submission's owner is shown: the object of `GET /submissions/{id}`, and of `allclose judge --json`."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.model import Problem, Revision
from app.judging.result import CaseResult, Visibility
from app.judging.verdicts import Verdict
from app.submissions.model import CaseRow, Judging, State, Submission
from app.submissions.waiting import explain_wait


class CaseView(BaseModel):
    """`report` holds only what the student may see of this case; so do `wall_seconds` and `memory_bytes`."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    name: str
    visibility: Visibility
    verdict: Verdict
    wall_seconds: float | None
    memory_bytes: int | None
    report: dict[str, Any]


class SubmissionView(BaseModel):
    """`problem` is a slug, `revision` the digest of the revision; `cases` grows, in order, while `state` is judging."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    problem: str
    revision: str
    created_at: datetime
    state: State
    verdict: Verdict | None
    score: int | None
    cases: tuple[CaseView, ...]
    notice: str | None = Field(None, description="a sentence for people: why nobody judges it now; null otherwise")


def view_case(result: CaseResult | CaseRow) -> CaseView:
    return CaseView.model_validate(result)


def view_submission(session: Session, submission: Submission) -> SubmissionView:
    """The latest judging counts, and of that the latest attempt."""
    slug, digest = session.execute(
        select(Problem.slug, Revision.digest)
        .join(Revision, Revision.problem_id == Problem.id)
        .where(Revision.id == submission.revision_id)
    ).one()
    judging = session.scalars(
        select(Judging).where(Judging.submission_id == submission.id).order_by(Judging.id.desc()).limit(1)
    ).one()
    return SubmissionView(
        id=submission.id,
        problem=slug,
        revision=digest,
        created_at=submission.created_at,
        state=judging.state,
        verdict=Verdict(judging.verdict) if judging.verdict else None,
        score=judging.score,
        cases=_view_cases(session, judging),
        notice=explain_wait(session, judging),
    )


def _view_cases(session: Session, judging: Judging) -> tuple[CaseView, ...]:
    if judging.state == "queued":  # again, after an attempt that failed: its results count no more
        return ()
    of_this_attempt = (CaseRow.judging_id == judging.id, CaseRow.attempt == judging.attempt)
    rows = session.scalars(select(CaseRow).where(*of_this_attempt).order_by(CaseRow.position))
    return tuple(view_case(row) for row in rows)
