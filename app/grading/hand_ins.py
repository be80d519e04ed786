"""Lists a student's hand-ins for an assignment, and says why each counts or does not."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, exists, select
from sqlalchemy.orm import Session

from app.catalog.model import Problem
from app.courses.deadlines import Window, find_windows
from app.courses.model import Assignment
from app.grading.model import Adjustment
from app.judging.verdicts import Verdict
from app.submissions.model import Judging, Submission

SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class HandInView:
    """`credit`: the percent by its time; None after the close. `counts`: it is the one behind the grade.

    `is_chosen`: an instructor decided that it counts. `is_draft`: it stood in the editor at the end of an exam.
    """

    id: UUID
    problem_id: UUID
    problem: str
    created_at: datetime
    verdict: str | None
    score: int | None
    credit: int | None
    is_chosen: bool
    is_draft: bool
    counts: bool
    source: str

    @property
    def is_open(self) -> bool:
        return self.verdict is None or self.verdict == Verdict.JUDGE_ERROR


def list_hand_ins(session: Session, assignment: Assignment, user_id: UUID) -> list[HandInView]:
    """List the last hand-ins, the newest first."""
    of_it = (Adjustment.assignment_id == assignment.id, Adjustment.user_id == user_id)
    is_chosen = exists().where(*of_it, Adjustment.submission_id == Submission.id, Adjustment.replaced_at.is_(None))
    query = (
        select(Submission, Judging.verdict, Judging.score, Problem.slug, is_chosen)
        .join(Judging, and_(Judging.submission_id == Submission.id, Judging.is_current))
        .join(Problem, Problem.id == Submission.problem_id)
        .where(Submission.assignment_id == assignment.id, Submission.user_id == user_id)
        .order_by(Submission.created_at.desc(), Submission.id)
        .limit(SHOWN)
    )
    window = find_windows(session, [assignment], user_id)[assignment.id].of(user_id)
    found = [_view(window, *row) for row in session.execute(query)]
    return _mark(assignment, found)


def hide_results(found: list[HandInView]) -> list[HandInView]:
    """Return the hand-ins without what tells their results: also which one counts."""
    return [replace(each, verdict=None, score=None, counts=False) for each in found]


def _view(
    window: Window, row: Submission, verdict: str | None, score: int | None, slug: str, is_chosen: bool
) -> HandInView:
    return HandInView(
        id=row.id,
        problem_id=row.problem_id,
        problem=slug,
        created_at=row.created_at,
        verdict=verdict,
        score=score,
        credit=window.credit(max(row.created_at, window.opens_at)),
        is_chosen=is_chosen,
        is_draft=row.is_draft,
        counts=False,
        source=row.source,
    )


def _mark(assignment: Assignment, found: list[HandInView]) -> list[HandInView]:
    """Mark the hand-in of each problem that counts.

    It is the chosen one, or else the best one, the earliest among equals, or the last one.
    """
    scoring = {each.problem_id: each.scoring for each in assignment.problems}
    counting: dict[UUID, tuple[tuple[bool, float, float], UUID]] = {}
    for each in found:
        if each.is_open or each.verdict == Verdict.CANCELLED or (each.credit is None and not each.is_chosen):
            continue
        is_partial = scoring.get(each.problem_id) == "partial"
        score = (each.score or 0) if is_partial else 100 * (each.verdict == Verdict.ACCEPTED)
        at = each.created_at.timestamp()
        by_rule = (at, 0.0) if assignment.counts == "last" else (float(score * (each.credit or 0)), -at)
        rank = (each.is_chosen, *by_rule)
        if each.problem_id not in counting or rank > counting[each.problem_id][0]:
            counting[each.problem_id] = (rank, each.id)
    chosen = {submission for _, submission in counting.values()}
    return [replace(each, counts=each.id in chosen) for each in found]
