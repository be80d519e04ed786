"""Reading the view of a submission from the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, and_, bindparam, case, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session, contains_eager

from app.accounts.permission import Viewer
from app.catalog.answers import list_case_inputs
from app.catalog.custom_inputs import OWN_INPUTS
from app.catalog.model import Problem, Revision
from app.courses.disclosure import ALL, Disclosure, disclosure_of
from app.courses.due import find_hint_lock
from app.judging.efficiency import TimeComparison
from app.judging.verdicts import Phase, Verdict
from app.queue.model import Job
from app.submissions.model import CaseRow, Judging, Submission
from app.submissions.query import SubmissionNotFound, may_read
from app.submissions.queue_wait import Forecast, forecast
from app.submissions.view import CaseView, SubmissionView, view_parts

# After this time no hint comes any more: the worker that looked for it has died.
HINT_SECONDS = 120
NOTHING = {"judging_id": 0, "attempt": 0, "first": 0}


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
class JudgedSubmission:
    """A submission, and the revision that its current judging is about. `slug` is the problem's."""

    submission: Submission
    revision_id: UUID
    slug: str
    number: int
    digest: str
    manifest: Mapping[str, Any]


class ViewReader:
    """Reads the view of one submission again and again, as a page's event stream does: each time only what changed.

    A submission and its revision never change, and a result of an attempt is read once.
    """

    def __init__(self, submission_id: UUID) -> None:
        self._submission_id = submission_id
        self._judged: JudgedSubmission | None = None
        self._attempt = (0, 0)
        self._results: dict[int, tuple[int, CaseView]] = {}

    def read(self, session: Session, viewer: Viewer | None) -> tuple[Submission, SubmissionView]:
        """Return the view of the current judging's latest attempt. Raises NotFound."""
        judging_id, attempt = self._attempt
        known = {"judging_id": judging_id, "attempt": attempt, "first": max(self._results, default=-1) + 1}
        statement = _JUDGING if self._judged else _WHOLE
        found = get_readable(session, self._submission_id, viewer, statement=statement, known=known)
        if self._judged is None:
            self._judged = _read_judged(found)
        elif self._judged.revision_id != found.Judging.revision_id:  # a rejudging with another revision counts now
            self._judged = None
            return self.read(session, viewer)
        cases = self._follow(found)
        submission = self._judged.submission
        view = _view(self._judged, found, cases, forecast(session, submission, found.Judging))
        if (view.hint or view.hint_pending) and _closes_hints(session, submission, viewer):
            view = view.model_copy(update={"hint": None, "hint_pending": False})
        return submission, _withhold(view, _disclose(session, found, viewer), self._judged.manifest)

    def _follow(self, found: Row[Any]) -> tuple[CaseView, ...]:
        """Add the new results, and return all in the problem's order. Those of a failed attempt do not count."""
        judging: Judging = found.Judging
        if self._attempt != (attempt := (judging.id, judging.latest.attempt)):
            self._attempt, self._results = attempt, {}
        if judging.state == "queued":
            return ()
        new = found.results or ()
        self._results |= {result["sequence"]: (result["position"], CaseView(**result)) for result in new}
        return tuple(case for _, case in sorted(self._results.values(), key=itemgetter(0)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """New results of the latest attempt with their sequence numbers, in order of arrival. `view`: once it is done."""

    attempt: int
    entries: tuple[tuple[int, CaseView], ...]
    view: SubmissionView | None


def read_log(session: Session, submission_id: UUID, viewer: Viewer, attempt: int, first: int) -> Log:
    """Return the results from number `first` of this attempt on, or all results of a later one. Raises NotFound.

    Streams read it at every change, so it reads the whole submission only once it is done.
    """
    found = get_readable(session, submission_id, viewer)
    judging: Judging = found.Judging
    known = first if judging.latest.attempt == attempt else 0
    disclosure = _disclose(session, found, viewer)
    results = () if judging.state == "queued" else _list_shown(found.results or (), disclosure)
    entries = tuple((each["sequence"], CaseView(**each)) for each in results if each["sequence"] >= known)
    view = None
    if judging.state == "done" or disclosure is not ALL:
        view = ViewReader(submission_id).read(session, viewer)[1]
    is_done = view is not None and view.state == "done"
    return Log(attempt=judging.latest.attempt, entries=entries, view=view if is_done else None)


def _list_shown(results: Sequence[Mapping[str, Any]], disclosure: Disclosure) -> Sequence[Mapping[str, Any]]:
    """Return the results that the viewer may see, in the order of their arrival, with numbers that tell no others."""
    if disclosure.shows == "all":
        return results
    samples = [each for each in results if each["visibility"] == "sample" and disclosure.shows == "samples"]
    return [{**each, "sequence": number} for number, each in enumerate(samples)]


def _disclose(session: Session, found: Row[Any], viewer: Viewer | None) -> Disclosure:
    return ALL if viewer is None else disclosure_of(session, found.assignment_id, found.user_id, viewer.id)


def _closes_hints(session: Session, submission: Submission, viewer: Viewer | None) -> bool:
    is_own = viewer is not None and viewer.id == submission.user_id
    return is_own and viewer is not None and find_hint_lock(session, viewer.id, submission.problem_id) is not None


def _withhold(view: SubmissionView, disclosure: Disclosure, manifest: Mapping[str, Any]) -> SubmissionView:
    """Return the view without what is hidden. It is done with the samples' results, since later phases would tell."""
    if disclosure.shows == "all":
        return view
    visibility = {case["name"]: case["visibility"] for case in manifest["cases"]}
    is_shown = {name: disclosure.shows == "samples" and visibility.get(name) == "sample" for name in view.case_names}
    shown: dict[str, Any] = {
        "case_names": tuple(name for name in view.case_names if is_shown[name]),
        "cases": tuple(case for case in view.cases if is_shown[case.name]),
        "withheld": disclosure.sentence,
    }
    is_done = view.state == "done" or len(shown["cases"]) == len(shown["case_names"])
    shown |= {"state": "done"} if is_done else {name: getattr(view, name) for name in ("state", "notice", "wait")}
    same = ("id", "problem", "title", "revision", "digest", "mode", "parameters", "created_at")
    kept = {name: getattr(view, name) for name in same}
    return SubmissionView(**kept, **shown, verdict=None, score=None)


def get_readable(
    session: Session,
    submission_id: UUID,
    viewer: Viewer | None,
    *,
    statement: Select[Any] | None = None,
    known: Mapping[str, int] = NOTHING,
) -> Row[Any]:
    """Return the current judging and its results without reading the source. Raises NotFound as `get_submission` does.

    `known`: the attempt of which the caller has the results before `first`.
    """
    chosen = _JUDGING if statement is None else statement
    found = session.execute(chosen, {"submission_id": submission_id, **known}).one_or_none()
    if found is None or not may_read(viewer, found.user_id):
        raise SubmissionNotFound(submission_id)
    return found


def _select_judging() -> Select[Any]:
    attempt = func.coalesce(Job.attempt, Judging.attempt)
    is_known = and_(Judging.id == bindparam("judging_id"), attempt == bindparam("attempt"))
    names = ("position", "sequence", *CaseView.model_fields)
    result = func.jsonb_build_object(*(part for name in names for part in (name, getattr(CaseRow, name))))
    results = select(func.jsonb_agg(aggregate_order_by(result, CaseRow.sequence))).where(
        CaseRow.judging_id == Judging.id,
        CaseRow.attempt == attempt,
        CaseRow.sequence >= case((is_known, bindparam("first")), else_=0),
    )
    return (
        select(
            Submission.user_id,
            Submission.assignment_id,
            Judging,
            results.scalar_subquery().label("results"),
            func.now().label("now"),
        )
        .join(Judging, Judging.submission_id == Submission.id)
        .outerjoin(Judging.job)
        .options(contains_eager(Judging.job))
        .where(Submission.id == bindparam("submission_id"), Judging.is_current)
    )


# Built once, because each read of an event stream runs it: building takes as long as running.
_JUDGING = _select_judging()
_WHOLE = (
    _JUDGING.add_columns(Submission, Problem.slug, Revision.number, Revision.digest, Revision.manifest)
    .join(Revision, Revision.id == Judging.revision_id)
    .join(Problem, Problem.id == Revision.problem_id)
)


def _read_judged(found: Row[Any]) -> JudgedSubmission:
    return JudgedSubmission(
        submission=found.Submission,
        revision_id=found.Judging.revision_id,
        slug=found.slug,
        number=found.number,
        digest=found.digest,
        manifest=found.manifest,
    )


def _view(judged: JudgedSubmission, found: Row[Any], cases: tuple[CaseView, ...], wait: Forecast) -> SubmissionView:
    submission, manifest = judged.submission, judged.manifest
    judging: Judging = found.Judging
    case_names = list_case_names(manifest, submission)
    return SubmissionView(
        id=submission.id,
        problem=judged.slug,
        title=manifest["title"],
        revision=judged.number,
        digest=judged.digest,
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
        notice=wait.notice,
        hint=judging.hint,
        hint_pending=judging.hint_pending and _has_just_ended(judging, found.now),
        wait=wait.wait,
        phases=read_phases(judging),
        is_interpreted=judging.queue == "cpu" and manifest["limits"]["gpu"],
        is_again=_is_again(judging),
    )


def _is_again(judging: Judging) -> bool:
    return judging.job is not None and judging.job.attempt > (1 if judging.state == "judging" else 0)


def _has_just_ended(judging: Judging, now: datetime) -> bool:
    return judging.finished_at is not None and now - judging.finished_at < timedelta(seconds=HINT_SECONDS)


def read_phases(judging: Judging) -> tuple[Phase, ...]:
    """Return the latest attempt's phases. A queued judging has only `queued`, also after a failed attempt."""
    later = () if judging.state == "queued" else tuple(map(Phase.model_validate, judging.phases or ()))
    return (Phase(name="queued", seconds=_seconds(judging.queued_at, _claimed_at(judging))), *later)


def _claimed_at(judging: Judging) -> datetime | None:
    return None if judging.state == "queued" else judging.latest.started_at or judging.finished_at


def _seconds(start: datetime, end: datetime | None) -> float | None:
    return None if end is None else round((end - start).total_seconds(), 3)
