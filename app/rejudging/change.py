"""A rejudging's changes: old and new verdict and score of each submission, and the cases that differ.

Also the judgings of a submission that rejudgings replaced.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, select
from sqlalchemy.orm import Session, aliased

from app.accounts.model import User
from app.catalog.model import Problem, Revision
from app.database.cursor import MAX_BIGINT, PAGE, CursorInvalid, split_page
from app.judging.verdicts import Verdict
from app.rejudging.decision import NOT_APPLIED
from app.rejudging.model import NEW, OLD, Kind, Rejudging, kind
from app.submissions.model import CaseRow, Judging, Submission
from app.validation import FrozenModel

UNCHANGED = ("same", "waiting", "cancelled")


class Outcome(FrozenModel):
    """The result of one judging on the revision with this number. `verdict` is None while it waits."""

    verdict: Verdict | None
    score: int | None
    revision: int


class CaseChange(FrozenModel):
    """A case whose verdict differs. A side is None if its revision has no such case, or the case did not run."""

    name: str
    old: Verdict | None
    new: Verdict | None


class SubmissionChange(FrozenModel):
    """One submission. `failed`: the new judging is a judge error for this `reason`, and the old verdict stays.

    `problem` is a slug, `user` a name. `cases`: those whose verdict differs, in the problem's order.
    """

    submission: UUID
    problem: str
    user: str
    kind: Kind
    old: Outcome
    new: Outcome
    cases: tuple[CaseChange, ...]
    reason: str | None


class ChangePage(FrozenModel):
    """In the order in which the submissions were sent. `next`: the cursor of the next page."""

    items: tuple[SubmissionChange, ...]
    next: str | None


def list_changes(
    session: Session, rejudging: Rejudging, *, only_changed: bool = False, cursor: str | None = None, limit: int = PAGE
) -> ChangePage:
    """Return a page of changes. Raises CursorInvalid."""
    query = _query().where(NEW.rejudging_id == rejudging.id)
    if only_changed:
        query = query.where(kind().not_in(UNCHANGED))
    if cursor is not None:
        query = query.where(NEW.id > _place(cursor))
    shown, last = split_page(session.execute(query.order_by(NEW.id).limit(limit + 1)).all(), limit)
    cases = _read_cases(session, [judging for row in shown for judging in (row.old, row.new)])
    return ChangePage(
        items=tuple(_change(row, cases) for row in shown),
        next=str(last.new.id) if last else None,
    )


def _query() -> Select[Any]:
    before, after = aliased(Revision), aliased(Revision)
    return (
        select(
            kind().label("kind"),
            OLD,
            NEW,
            Submission.id.label("submission_id"),
            Problem.slug,
            User.username,
            before.number.label("before"),
            after.number.label("after"),
        )
        .join_from(NEW, OLD, OLD.id == NEW.replaces_id)
        .join(Submission, Submission.id == NEW.submission_id)
        .join(Problem, Problem.id == Submission.problem_id)
        .join(User, User.id == Submission.user_id)
        .join(before, before.id == OLD.revision_id)
        .join(after, after.id == NEW.revision_id)
    )


def _place(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 20 and int(cursor) <= MAX_BIGINT):
        raise CursorInvalid(cursor)
    return int(cursor)


Verdicts = dict[str, Verdict]


def _read_cases(session: Session, judgings: Sequence[Judging]) -> dict[int, Verdicts]:
    """Return each judging's verdicts of the last attempt, by case, in the problem's order."""
    ended = [judging.id for judging in judgings if judging.state == "done"]
    columns = select(CaseRow.judging_id, CaseRow.name, CaseRow.verdict).where(CaseRow.judging_id.in_(ended))
    of_last = columns.join(Judging, Judging.id == CaseRow.judging_id).where(CaseRow.attempt == Judging.attempt)
    found: defaultdict[int, Verdicts] = defaultdict(dict)
    for judging_id, name, verdict in session.execute(of_last.order_by(CaseRow.judging_id, CaseRow.position)):
        found[judging_id][name] = Verdict(verdict)
    return found


def _change(row: Row[Any], cases: dict[int, Verdicts]) -> SubmissionChange:
    is_judged = row.kind not in ("waiting", "cancelled", "failed")
    return SubmissionChange(
        submission=row.submission_id,
        problem=row.slug,
        user=row.username,
        kind=row.kind,
        old=Outcome(verdict=row.old.verdict, score=row.old.score, revision=row.before),
        new=Outcome(verdict=row.new.verdict, score=row.new.score, revision=row.after),
        cases=tuple(_differing(cases.get(row.old.id, {}), cases.get(row.new.id, {}))) if is_judged else (),
        reason=row.new.reason if row.kind == "failed" else None,
    )


def _differing(old: Verdicts, new: Verdicts) -> Iterable[CaseChange]:
    for name in {**new, **old}:
        if old.get(name) != new.get(name):
            yield CaseChange(name=name, old=old.get(name), new=new.get(name))


class ReplacedJudging(FrozenModel):
    verdict: Verdict | None
    score: int | None
    replaced_at: datetime


def list_replaced(session: Session, submission_id: UUID) -> tuple[ReplacedJudging, ...]:
    """Return the replaced judgings, oldest first."""
    replaced = (
        select(OLD.verdict, OLD.score, Rejudging.decided_at)
        .join_from(NEW, OLD, OLD.id == NEW.replaces_id)
        .join(Rejudging, Rejudging.id == NEW.rejudging_id)
        .where(NEW.submission_id == submission_id, Rejudging.decision == "applied", NEW.verdict.not_in(NOT_APPLIED))
        .order_by(Rejudging.decided_at, NEW.id)
    )
    return tuple(
        ReplacedJudging(verdict=verdict, score=score, replaced_at=replaced_at)
        for verdict, score, replaced_at in session.execute(replaced)
    )
