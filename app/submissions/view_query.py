"""Reading the view of a submission from the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.catalog.answers import list_case_inputs
from app.catalog.custom_inputs import OWN_INPUTS
from app.catalog.model import Problem, Revision
from app.judging.efficiency import TimeComparison
from app.judging.verdicts import Phase, Verdict
from app.submissions.model import CaseRow, Judging, Submission
from app.submissions.query import get_readable_judging
from app.submissions.queue_wait import explain_wait, forecast
from app.submissions.view import CaseView, SubmissionView, view_case, view_parts

# After this time no hint comes any more: the worker that looked for it has died.
HINT_SECONDS = 120


def list_inputs(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """List the names of a case's inputs, in their order."""
    return tuple(each["name"] for each in list_case_inputs(manifest))


def list_case_names(manifest: Mapping[str, Any], submission: Submission) -> tuple[str, ...]:
    """List the cases that the submission is judged on, in the problem's order."""
    if submission.inputs is not None:
        return (OWN_INPUTS,)
    is_whole = submission.mode == "submit"
    return tuple(case["name"] for case in manifest.get("cases", ()) if is_whole or case["visibility"] == "sample")


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """New results of the latest attempt with their sequence numbers, in order of arrival. `view`: once it is done."""

    attempt: int
    entries: tuple[tuple[int, CaseView], ...]
    view: SubmissionView | None


def view_submission(session: Session, submission: Submission) -> SubmissionView:
    """Return the view of the current judging's latest attempt."""
    judging = get_current_judging(session, submission)
    revision = _get_revision(session, judging.revision_id)
    return _view(session, submission, judging, revision, _results(session, judging))


class ViewReader:
    """Reads the view of one submission again and again, as a page's event stream does: each time only what changed.

    A submission and its revision never change, and a result of an attempt is read once.
    """

    def __init__(self, submission_id: UUID) -> None:
        self._submission_id = submission_id
        self._submission: Submission | None = None
        self._revision: JudgedRevision | None = None
        self._attempt: tuple[int, int] | None = None
        self._rows: dict[int, CaseRow] = {}

    def read(self, session: Session, viewer: Viewer | None) -> tuple[Submission, SubmissionView]:
        """Raises NotFound."""
        judging = get_readable_judging(session, self._submission_id, viewer)
        submission = self._submission or session.get_one(Submission, self._submission_id)
        if self._revision is None or self._revision.id != judging.revision_id:
            self._revision = _get_revision(session, judging.revision_id)
        if self._attempt != (attempt := (judging.id, judging.latest.attempt)):
            self._attempt, self._rows = attempt, {}
        first = max(self._rows, default=-1) + 1
        new = () if judging.state == "queued" else _list_rows(session, judging, first)
        self._rows.update((row.sequence, row) for row in new)
        self._submission = submission
        rows = sorted(self._rows.values(), key=lambda row: row.position) if judging.state != "queued" else ()
        return submission, _view(session, submission, judging, self._revision, rows)


def read_log(session: Session, submission_id: UUID, viewer: Viewer, attempt: int, first: int) -> Log:
    """Return the results from number `first` of this attempt on, or all results of a later one. Raises NotFound.

    Streams read it at every change, so it reads the whole submission only once it is done.
    """
    judging = get_readable_judging(session, submission_id, viewer)
    known = first if judging.latest.attempt == attempt else 0
    entries = () if judging.state == "queued" else _entries(session, judging, known)
    is_done = judging.state == "done"
    view = view_submission(session, session.get_one(Submission, submission_id)) if is_done else None
    return Log(attempt=judging.latest.attempt, entries=entries, view=view)


def _entries(session: Session, judging: Judging, first: int) -> tuple[tuple[int, CaseView], ...]:
    return tuple((row.sequence, view_case(row)) for row in _list_rows(session, judging, first))


def _list_rows(session: Session, judging: Judging, first: int) -> Sequence[CaseRow]:
    """List the results of the latest attempt from number `first` on, in order of arrival."""
    new = select(CaseRow).where(CaseRow.judging_id == judging.id, CaseRow.attempt == judging.latest.attempt)
    return session.scalars(new.where(CaseRow.sequence >= first).order_by(CaseRow.sequence)).all()


def get_current_judging(session: Session, submission: Submission) -> Judging:
    current = select(Judging).where(Judging.submission_id == submission.id, Judging.is_current)
    return session.scalars(current).one()


def _results(session: Session, judging: Judging) -> Sequence[CaseRow]:
    if judging.state == "queued":  # the results of a failed attempt do not count
        return ()
    of_this_attempt = (CaseRow.judging_id == judging.id, CaseRow.attempt == judging.latest.attempt)
    return session.scalars(select(CaseRow).where(*of_this_attempt).order_by(CaseRow.position)).all()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRevision:
    """What a view says of the problem. `slug` is the problem's."""

    id: UUID
    slug: str
    number: int
    digest: str
    manifest: Mapping[str, Any]


def _get_revision(session: Session, revision_id: UUID) -> JudgedRevision:
    slug, number, digest, manifest = session.execute(
        select(Problem.slug, Revision.number, Revision.digest, Revision.manifest)
        .join(Revision, Revision.problem_id == Problem.id)
        .where(Revision.id == revision_id)
    ).one()
    return JudgedRevision(id=revision_id, slug=slug, number=number, digest=digest, manifest=manifest)


def _view(
    session: Session, submission: Submission, judging: Judging, revision: JudgedRevision, rows: Sequence[CaseRow]
) -> SubmissionView:
    manifest = revision.manifest
    case_names, cases = list_case_names(manifest, submission), tuple(map(view_case, rows))
    return SubmissionView(
        id=submission.id,
        problem=revision.slug,
        title=manifest["title"],
        revision=revision.number,
        digest=revision.digest,
        mode=submission.mode,
        parameters=list_inputs(manifest),
        case_names=case_names,
        created_at=submission.created_at,
        inputs=submission.inputs,
        state=judging.state,
        verdict=Verdict(judging.verdict) if judging.verdict else None,
        score=judging.score,
        parts=view_parts(manifest, case_names, cases, has_score=judging.score is not None),
        cases=cases,
        times=TimeComparison.model_validate(judging.times) if judging.times else None,
        notice=explain_wait(session, judging),
        hint=judging.hint,
        hint_pending=judging.hint_pending and _has_just_ended(session, judging),
        wait=forecast(session, submission, judging),
        phases=read_phases(judging),
        is_again=_is_again(judging),
    )


def _is_again(judging: Judging) -> bool:
    return judging.job is not None and judging.job.attempt > (1 if judging.state == "judging" else 0)


def _has_just_ended(session: Session, judging: Judging) -> bool:
    now = session.scalars(select(func.now())).one()
    return judging.finished_at is not None and now - judging.finished_at < timedelta(seconds=HINT_SECONDS)


def read_phases(judging: Judging) -> tuple[Phase, ...]:
    """Return the latest attempt's phases. A queued judging has only `queued`, also after a failed attempt."""
    later = () if judging.state == "queued" else tuple(map(Phase.model_validate, judging.phases or ()))
    return (Phase(name="queued", seconds=_seconds(judging.queued_at, _claimed_at(judging))), *later)


def _claimed_at(judging: Judging) -> datetime | None:
    return None if judging.state == "queued" else judging.latest.started_at or judging.finished_at


def _seconds(start: datetime, end: datetime | None) -> float | None:
    return None if end is None else round((end - start).total_seconds(), 3)
