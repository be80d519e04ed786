"""Statistics of a problem's last submissions by students: solve rate, effort, mistakes, cases, hints, tolerance.

Submissions of authors and admins do not count: they try the problem, and do not solve it as students.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from statistics import median
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import AUTHORS
from app.catalog.model import Problem
from app.catalog.name import get_problem_id
from app.judging.verdicts import Verdict
from app.learning.model import HintReveal
from app.submissions.model import CaseRow, Judging, Submission
from app.submissions.solved import is_solving, is_telling
from app.validation import FrozenModel

# Older submissions do not count, so that the cost is bounded.
LAST = 1_000
MOST = 10
# The upper bounds of the histograms' bars; a last bar has the rest.
ATTEMPTS = (1, 2, 3, 5, 10)
MINUTES = (5, 15, 30, 60, 240)
SHARES = (0.01, 0.1, 0.5, 1, 2, 10)
# An answer is near the tolerance from half of it to twice of it.
NEAR = (0.5, 2.0)


class VerdictCount(FrozenModel):
    verdict: Verdict
    count: int


class MistakeCount(FrozenModel):
    """How many students made a known mistake. `hint`: its explanation, as students read it."""

    hint: str
    students: int


class CaseCount(FrozenModel):
    """Submissions that have a result for this case. `near`: the answer used 0.5 to 2 times the tolerance."""

    name: str
    failed: int
    judged: int
    near: int


class Bar(FrozenModel):
    """A bar of a histogram: what is above the bar before it, and at most `most`. The last bar has no `most`."""

    most: float | None
    count: int


class HintCount(FrozenModel):
    """How many of these students revealed the hint with this number, from 1."""

    number: int
    students: int


class ProblemStatistics(FrozenModel):
    """Of the last submissions of all cases by students. Without students or solvers, rates and medians are None.

    A solver's attempts and minutes are counted up to the first accepted submission. `shares`: submissions by the
    largest share of the tolerance that an answer used; `near`: those whose share is from 0.5 to 2. `mistakes` and
    `cases` are the MOST most frequent ones.
    """

    submissions: int
    students: int
    solved: int
    solve_rate: float | None
    median_attempts: float | None
    median_minutes: float | None
    attempts: tuple[Bar, ...]
    minutes: tuple[Bar, ...]
    verdicts: tuple[VerdictCount, ...]
    mistakes: tuple[MistakeCount, ...]
    cases: tuple[CaseCount, ...]
    hints: tuple[HintCount, ...]
    shares: tuple[Bar, ...]
    near: int


class _StudentSubmission(NamedTuple):
    user_id: UUID
    created_at: datetime
    judging_id: int
    verdict: str | None
    hint: str | None


def read_problem_statistics(session: Session, slug: str) -> ProblemStatistics:
    """Raises ProblemNotFound."""
    problem_id = get_problem_id(session, slug)
    sent = _read_last(session, problem_id)
    by_student: dict[UUID, list[_StudentSubmission]] = defaultdict(list)
    for each in sent:
        by_student[each.user_id].append(each)
    shares = _read_shares(session, sent)
    efforts = [effort for effort in map(_effort, by_student.values()) if effort is not None]
    return ProblemStatistics(
        submissions=len(sent),
        students=len(by_student),
        solved=len(efforts),
        solve_rate=len(efforts) / len(by_student) if by_student else None,
        median_attempts=median(attempts for attempts, _ in efforts) if efforts else None,
        median_minutes=round(median(minutes for _, minutes in efforts), 1) if efforts else None,
        attempts=_draw(ATTEMPTS, [attempts for attempts, _ in efforts]),
        minutes=_draw(MINUTES, [minutes for _, minutes in efforts]),
        verdicts=tuple(
            VerdictCount(verdict=Verdict(verdict), count=count)
            for verdict, count in Counter(each.verdict for each in sent if each.verdict).most_common()
        ),
        mistakes=_count_mistakes(sent),
        cases=_count_cases(session, sent),
        hints=_count_hints(session, problem_id, by_student),
        shares=_draw(SHARES, shares),
        near=sum(_is_near(share) for share in shares),
    )


def is_solved_by_student(session: Session, slug: str) -> bool:
    """Whether a student has an accepted submission, at any time."""
    accepted = (Judging.submission_id == Submission.id) & is_solving()
    problem_id = select(Problem.id).where(Problem.slug == slug).scalar_subquery()
    solved = (
        select(Submission.id)
        .join(Judging, accepted)
        .join(User, User.id == Submission.user_id)
        .where(Submission.problem_id == problem_id, User.role.not_in(AUTHORS))
        .order_by(Submission.created_at.desc())  # as its index, so that PostgreSQL stops at the last one
    )
    return session.scalar(solved.limit(1)) is not None


def _read_last(session: Session, problem_id: UUID) -> list[_StudentSubmission]:
    """Return the students' last judged submissions of all cases, oldest first."""
    columns = (
        User.id,
        Submission.created_at,
        Judging.id,
        Judging.verdict,
        Judging.hint,
    )
    last = (
        select(Submission.id)
        .join(User, User.id == Submission.user_id)
        .where(Submission.problem_id == problem_id, Submission.mode == "submit", User.role.not_in(AUTHORS))
        .order_by(Submission.created_at.desc(), Submission.id.desc())
        .limit(LAST)
        .cte()
    )
    query = (
        select(*columns)
        .join(last, last.c.id == Submission.id)
        .join(User, User.id == Submission.user_id)
        .join(Judging, (Judging.submission_id == Submission.id) & Judging.is_current)
        .where(is_telling())
        .order_by(Submission.created_at)
    )
    return [_StudentSubmission(*row) for row in session.execute(query)]


def _effort(sent: Sequence[_StudentSubmission]) -> tuple[int, float] | None:
    """Return a student's submissions and minutes up to the first accepted one, or None without one."""
    for number, each in enumerate(sent, 1):
        if each.verdict == Verdict.ACCEPTED:
            return number, (each.created_at - sent[0].created_at).total_seconds() / 60
    return None


def _draw(bounds: Sequence[float], values: Sequence[float]) -> tuple[Bar, ...]:
    """Return a histogram, or nothing without values."""
    places = Counter(bisect_left(bounds, value) for value in values)
    return tuple(Bar(most=most, count=places[place]) for place, most in enumerate((*bounds, None))) if values else ()


def _is_near(share: float) -> bool:
    return NEAR[0] <= share <= NEAR[1]


def _read_shares(session: Session, sent: Sequence[_StudentSubmission]) -> list[float]:
    """Return each submission's largest share of the tolerance, for those whose values were compared."""
    largest = func.max(CaseRow.tolerance_used)
    query = _results_of(sent, largest).group_by(CaseRow.judging_id).having(largest.is_not(None))
    return list(session.scalars(query))


def _results_of(sent: Sequence[_StudentSubmission], *columns: Any) -> Select[Any]:
    """Select from the results of the attempts that gave the verdicts."""
    is_last = (Judging.id == CaseRow.judging_id) & (Judging.attempt == CaseRow.attempt)
    return select(*columns).join(Judging, is_last).where(Judging.id.in_([each.judging_id for each in sent]))


def _count_mistakes(sent: Iterable[_StudentSubmission]) -> tuple[MistakeCount, ...]:
    made = {(each.hint, each.user_id) for each in sent if each.hint}
    counts = Counter(hint for hint, _ in made)
    return tuple(MistakeCount(hint=hint, students=count) for hint, count in counts.most_common(MOST))


def _count_cases(session: Session, sent: Sequence[_StudentSubmission]) -> tuple[CaseCount, ...]:
    failed = func.count().filter(CaseRow.verdict != Verdict.ACCEPTED)
    near = func.count().filter(CaseRow.tolerance_used.between(*NEAR))
    query = _results_of(sent, CaseRow.name, func.count(), failed, near).group_by(CaseRow.name)
    rows = [
        CaseCount(name=name, judged=judged, failed=failed, near=near)
        for name, judged, failed, near in session.execute(query)
    ]
    rows.sort(key=lambda row: (-row.failed / row.judged, -row.near, row.name))
    return tuple(row for row in rows[:MOST] if row.failed or row.near)


def _count_hints(session: Session, problem_id: UUID, students: Iterable[UUID]) -> tuple[HintCount, ...]:
    query = (
        select(HintReveal.number, func.count())
        .where(HintReveal.user_id.in_(list(students)), HintReveal.problem_id == problem_id)
        .group_by(HintReveal.number)
        .order_by(HintReveal.number)
    )
    return tuple(HintCount(number=number, students=count) for number, count in session.execute(query))
