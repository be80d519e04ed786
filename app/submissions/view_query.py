"""What a submission's owner is shown, read from the database.

What a submission's results will be of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.catalog.custom_inputs import OWN_INPUTS
from app.catalog.model import Problem, Revision
from app.catalog.parameter import list_case_inputs
from app.judging.verdicts import Verdict
from app.submissions.forecast import forecast
from app.submissions.model import CaseRow, Judging, Submission
from app.submissions.phase import read_phases
from app.submissions.view import CaseView, SubmissionView, view_case
from app.submissions.waiting import explain_wait


def list_inputs(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of what a case gives, in their order."""
    return tuple(each["name"] for each in list_case_inputs(manifest))


def list_case_names(manifest: Mapping[str, Any], submission: Submission) -> tuple[str, ...]:
    """Of the cases that it is judged on, in the problem's order."""
    if submission.inputs is not None:
        return (OWN_INPUTS,)
    is_whole = submission.mode == "submit"
    return tuple(case["name"] for case in manifest.get("cases", ()) if is_whole or case["visibility"] == "sample")


# A worker that dies takes the hints with it that it was looking for.
HINT_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A submission as it stands, and its results in the order in which they came in, each under its sequence."""

    view: SubmissionView
    entries: tuple[tuple[int, CaseView], ...]


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
