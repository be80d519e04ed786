"""What a submission's owner is shown: the object of `GET /submissions/{id}`, and of `allclose judge --json`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.catalog.model import Problem, Revision
from app.judging.result import CaseResult, Visibility
from app.judging.verdicts import Verdict
from app.submissions.forecast import Wait, forecast
from app.submissions.model import CaseRow, Judging, Mode, State, Submission
from app.submissions.outlook import list_case_names, list_inputs
from app.submissions.phase import Phase, read_phases
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
    """`problem` is a slug.

    `cases` stand in the problem's order, and fill up in another while `state` is judging.
    """

    model_config = ConfigDict(frozen=True)

    id: UUID
    problem: str
    title: str = Field(description="of the problem")
    revision: int | None = Field(
        description="the number of the revision that it was judged on; null for a folder, which has none"
    )
    digest: str = Field(description="names the content of that revision")
    mode: Mode
    parameters: tuple[str, ...] = Field(
        description="the names of a case's inputs in their order, which `inputs` has not"
    )
    case_names: tuple[str, ...] = Field(description="of all cases that there will be a result of, in their order")
    created_at: datetime
    inputs: str | None = Field(None, description="YAML that was run on in place of the sample cases; null otherwise")
    state: State
    verdict: Verdict | None
    score: int | None
    cases: tuple[CaseView, ...]
    notice: str | None = Field(None, description="a sentence for people: why nobody judges it now; null otherwise")
    hint: str | None = Field(
        None, description="what is wrong, when the answers are those of a known mistake; null otherwise"
    )
    hint_pending: bool = Field(False, description="done, and a `hint` may follow soon")
    wait: Wait | None = Field(None, description="how long it may still take; null when it is done")
    phases: tuple[Phase, ...] = Field((), description="what its time went into so far; the last one may go on")
    is_again: bool = Field(False, description="an earlier attempt broke off by our fault, and it is judged once more")


# A worker that dies takes the hints with it that it was looking for.
HINT_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A submission as it stands, and its results in the order in which they came in, each under its sequence."""

    view: SubmissionView
    entries: tuple[tuple[int, CaseView], ...]


def view_case(result: CaseResult | CaseRow) -> CaseView:
    return CaseView.model_validate(result)


def view_submission(session: Session, submission: Submission) -> SubmissionView:
    """Of the judging that counts, the latest attempt."""
    judging = get_current_judging(session, submission)
    return _view(session, submission, judging, _results(session, judging))


def read_log(session: Session, submission: Submission) -> Log:
    """What `view_submission` gives, and the order."""
    judging = get_current_judging(session, submission)
    rows = _results(session, judging)
    return Log(
        view=_view(session, submission, judging, rows),
        entries=tuple((row.sequence, view_case(row)) for row in sorted(rows, key=lambda row: row.sequence)),
    )


def get_current_judging(session: Session, submission: Submission) -> Judging:
    """The one that counts."""
    current = select(Judging).where(Judging.submission_id == submission.id, Judging.is_current)
    return session.scalars(current).one()


def _results(session: Session, judging: Judging) -> Sequence[CaseRow]:
    if judging.state == "queued":  # again, after an attempt that failed: its results count no more
        return ()
    of_this_attempt = (CaseRow.judging_id == judging.id, CaseRow.attempt == judging.attempt)
    return session.scalars(select(CaseRow).where(*of_this_attempt).order_by(CaseRow.position)).all()


def _view(session: Session, submission: Submission, judging: Judging, rows: Sequence[CaseRow]) -> SubmissionView:
    slug, number, digest, manifest = session.execute(
        select(Problem.slug, Revision.number, Revision.digest, Revision.manifest)
        .join(Revision, Revision.problem_id == Problem.id)
        .where(Revision.id == judging.revision_id)
    ).one()
    return SubmissionView(
        id=submission.id,
        problem=slug,
        title=manifest["title"],
        revision=number,
        digest=digest,
        mode=submission.mode,
        parameters=list_inputs(manifest),
        case_names=list_case_names(manifest, submission),
        created_at=submission.created_at,
        inputs=submission.inputs,
        state=judging.state,
        verdict=Verdict(judging.verdict) if judging.verdict else None,
        score=judging.score,
        cases=tuple(map(view_case, rows)),
        notice=explain_wait(session, judging),
        hint=judging.hint,
        hint_pending=judging.hint_pending and _has_just_ended(session, judging),
        wait=forecast(session, submission, judging),
        phases=read_phases(judging),
        is_again=_is_again(judging),
    )


def _is_again(judging: Judging) -> bool:
    return judging.attempt > (1 if judging.state == "judging" else 0) and judging.state != "done"


def _has_just_ended(session: Session, judging: Judging) -> bool:
    now = session.scalars(select(func.now())).one()
    return judging.finished_at is not None and now - judging.finished_at < timedelta(seconds=HINT_SECONDS)
