"""The problems that a user has solved, and how many students tried and solved each problem.

Lists of problems read the counts of `SolveCount` instead of all submissions. A recount reads every submission, so it
runs every few minutes, in one process at a time. It also sees rejudged, erased and removed submissions.
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, ScalarSelect, Select, and_, distinct, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.accounts.model import User
from app.accounts.permission import AUTHORS
from app.catalog.model import Problem, SolveCount
from app.courses.disclosure import is_withheld
from app.database.engine import Database
from app.judging.verdicts import Verdict
from app.submissions.model import Judging, Submission

EVERY = timedelta(minutes=4)
# The key of the advisory lock. Nothing else in Allclose may use it.
LOCK = 0x736F6C76
# Failures of Allclose and cancelled submissions say nothing about the problem.
LEFT_OUT = (Verdict.JUDGE_ERROR, Verdict.CANCELLED)
# An assignment hides the result from its student.
IS_WITHHELD = is_withheld(Submission.assignment_id, Submission.user_id)


def is_solving(submission: type[Submission] = Submission, judging: type[Judging] = Judging) -> ColumnElement[bool]:
    """Return the condition that a submission's current judging accepted all cases, and its student may know it.

    Runs of the samples don't count.
    """
    is_accepted = and_(submission.mode == "submit", judging.verdict == "accepted", judging.is_current)
    return and_(is_accepted, ~is_withheld(submission.assignment_id, submission.user_id))


def is_telling() -> ColumnElement[bool]:
    """Return the condition that a verdict says something about the problem, and its student may know it."""
    is_judged = and_(Judging.verdict.is_not(None), Judging.verdict.not_in(LEFT_OUT))
    return and_(is_judged, ~IS_WITHHELD)


def solved_at(
    user_id: UUID | ColumnElement[UUID], problem_id: UUID | ColumnElement[UUID] | InstrumentedAttribute[UUID]
) -> ScalarSelect[Any]:
    """Select when the user sent the first accepted submission."""
    own = (Submission.user_id == user_id, Submission.problem_id == problem_id, is_solving())
    first = select(func.min(Submission.created_at)).join(Judging, Judging.submission_id == Submission.id)
    return first.where(*own).scalar_subquery()


def first_solved(user_id: UUID) -> Select[UUID, datetime]:
    """Select `problem_id` and `solved_at` of the problems that the user has solved."""
    return (
        select(Submission.problem_id, func.min(Submission.created_at).label("solved_at"))
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id, is_solving())
        .group_by(Submission.problem_id)
    )


def recount_if_due(database: Database) -> bool:
    """Return whether this process counted."""
    with database.transaction() as session:
        if not session.scalar(select(func.pg_try_advisory_xact_lock(LOCK))) or _was_counted_lately(session):
            return False
        recount(session)
    return True


def recount(session: Session) -> None:
    """Write the counts of every problem, also of those without submissions."""
    counted = (
        select(
            Problem.id,
            func.count(Judging.id),
            func.count(distinct(Submission.user_id)).filter(Judging.id.is_not(None)),
            func.count(distinct(Submission.user_id)).filter(is_solving()),
            func.count(Judging.id).filter(is_solving()),
            func.now(),
        )
        .select_from(Problem)
        .outerjoin(Submission, and_(Submission.problem_id == Problem.id, Submission.mode == "submit", _is_by_student()))
        .outerjoin(Judging, and_(Judging.submission_id == Submission.id, Judging.is_current, is_telling()))
        .group_by(Problem.id)
    )
    columns = ("problem_id", "submissions", "students", "solved", "accepted", "counted_at")
    wanted = insert(SolveCount).from_select(columns, counted)
    fresh = {name: wanted.excluded[name] for name in columns[1:]}
    session.execute(wanted.on_conflict_do_update(index_elements=[SolveCount.problem_id], set_=fresh))


def _is_by_student() -> ColumnElement[bool]:
    """Authors and admins try problems, and do not count as students."""
    return Submission.user_id.in_(select(User.id).where(User.role.not_in(AUTHORS)))


def _was_counted_lately(session: Session) -> bool:
    lately = select(SolveCount.problem_id).where(SolveCount.counted_at > func.now() - EVERY).limit(1)
    return session.scalar(lately) is not None
