"""Retention: removes old rows by the policy, once per hour, in small batches, in one process at a time.

What was handed in for an assignment is kept as long as its course, which may have a date. A submission is kept while a
judging of it is not done or belongs to an undecided rejudging. Each user's first and last accepted submission to a
problem are kept too: so a solved problem stays solved since the same time, and the last submission can be judged again.
The audit log has no rule.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Identity,
    Select,
    and_,
    delete,
    exists,
    func,
    or_,
    select,
    text,
    tuple_,
)
from sqlalchemy.orm import Mapped, Session, aliased, mapped_column

from app.accounts.mail import Outbox
from app.accounts.model import ApiToken, Invitation, UserSession
from app.admin.course_notice import tell_instructors
from app.audit import Act, Actor, record
from app.authoring.model import Publication, Verification
from app.courses.course import part_with_problems
from app.courses.model import Assignment, Course
from app.database.engine import Base, Database
from app.policy import Policy, read_policy
from app.queue.heartbeat import forget_dead
from app.rejudging.model import Rejudging
from app.submissions.exam_end import settle_sittings
from app.submissions.model import Judging, Submission
from app.submissions.solved import is_solving, recount_if_due
from app.submissions.visitor_run import delete_old_runs
from app.validation import FrozenModel

RUNS_DAYS = 365
BATCH = 200
EVERY = timedelta(hours=1)
# The key of the advisory lock. Nothing else in Allclose may use it.
LOCK = 0x72657461
RETENTION = Actor(user_id=None, channel="retention")
# The most rows counted.
MOST_COUNTED = 10_000
_log = logging.getLogger(__name__)
Duty = Callable[[Database], object]


class RetentionRun(Base):
    """A run of retention. `removed` counts rows by kind, and is written when the run ends."""

    __tablename__ = "retention_runs"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    started_at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)
    finished_at: Mapped[datetime | None]
    removed: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`chosen` selects the IDs of rows to remove, older than `days`, as `setting` says."""

    name: str
    setting: str | None
    days: int
    model: type[Base]
    chosen: Select[Any]


def list_rules(policy: Policy) -> tuple[Rule, ...]:
    """Return the rules that remove rows. A setting without a number of days has no rule."""
    settings: tuple[tuple[str, str | None, int | None, type[Any], Callable[[Any], ColumnElement[bool]]], ...] = (
        ("submissions", "keep_submissions_days", policy.keep_submissions_days, Submission, _old_submissions),
        ("hand_ins", None, 0, Submission, _ended_hand_ins),
        ("courses", None, 0, Course, _ended_courses),
        ("verifications", "keep_verifications_days", policy.keep_verifications_days, Verification, _old_verifications),
        ("sessions", "keep_ended_days", policy.keep_ended_days, UserSession, lambda at: UserSession.expires_at < at),
        ("tokens", "keep_ended_days", policy.keep_ended_days, ApiToken, _ended_tokens),
        ("invitations", "keep_ended_days", policy.keep_ended_days, Invitation, _ended_invitations),
        ("retention_runs", None, RUNS_DAYS, RetentionRun, lambda at: RetentionRun.started_at < at),
    )
    return tuple(
        Rule(
            name=name,
            setting=setting,
            days=days,
            model=model,
            chosen=select(model.id).where(choose(func.now() - timedelta(days=days))),
        )
        for name, setting, days, model, choose in settings
        if days is not None
    )


def _old_submissions(at: Any) -> ColumnElement[bool]:
    is_handed_in = Submission.assignment_id.is_not(None)  # grades are computed from it
    return and_(Submission.created_at < at, ~is_handed_in, ~_is_held(), ~_is_first_or_last_accepted())


def _ended_hand_ins(at: Any) -> ColumnElement[bool]:
    of_course = select(Assignment.id).join(Course, Course.id == Assignment.course_id).where(Course.keep_until < at)
    return and_(Submission.assignment_id.in_(of_course), ~_is_held())


def _ended_courses(at: Any) -> ColumnElement[bool]:
    """With a course go its members, assignments, extensions, sittings and decisions, once no hand-in is left."""
    hand_in = exists().where(Submission.assignment_id == Assignment.id, Assignment.course_id == Course.id)
    return and_(Course.keep_until < at, ~hand_in)


def _is_held() -> ColumnElement[bool]:
    """Whether a judging of the submission is not done, or belongs to an undecided rejudging."""
    undecided = select(Rejudging.id).where(Rejudging.id == Judging.rejudging_id, Rejudging.decision.is_(None)).exists()
    return exists().where(Judging.submission_id == Submission.id, or_(Judging.verdict.is_(None), undecided))


def _is_first_or_last_accepted() -> ColumnElement[bool]:
    """Whether the submission is the user's first or last accepted one to the problem."""
    other, judging = aliased(Submission), aliased(Judging)
    accepted = exists().where(Judging.submission_id == Submission.id, is_solving())
    also_accepted = (
        select(other.id)
        .join(judging, judging.submission_id == other.id)
        .where(other.user_id == Submission.user_id, other.problem_id == Submission.problem_id)
        .where(is_solving(other, judging))
    )
    own = tuple_(Submission.created_at, Submission.id)
    earlier = also_accepted.where(tuple_(other.created_at, other.id) < own).exists()
    later = also_accepted.where(tuple_(other.created_at, other.id) > own).exists()
    return and_(accepted, or_(~earlier, ~later))


def _old_verifications(at: Any) -> ColumnElement[bool]:
    published_by_it = exists().where(Publication.verification_id == Verification.id)
    return and_(Verification.verdict.is_not(None), Verification.finished_at < at, ~published_by_it)


def _ended_tokens(at: Any) -> ColumnElement[bool]:
    """Compare the earlier of both times that is not null, as the index has it."""
    ended: ColumnElement[bool] = func.least(ApiToken.revoked_at, ApiToken.expires_at) < at
    return ended


def _ended_invitations(at: Any) -> ColumnElement[bool]:
    ended: ColumnElement[bool] = func.least(Invitation.used_at, Invitation.revoked_at, Invitation.expires_at) < at
    return ended


def run_if_due(database: Database) -> RetentionRun | None:
    """Run retention. Return None if another process runs it, or it ran within the last hour."""
    with _only_one(database) as is_ours:
        if not is_ours:
            return None
        with database.transaction() as session:
            if _ran_lately(session):
                return None
        return _run(database)


def _run(database: Database) -> RetentionRun:
    with database.transaction() as session:
        run = RetentionRun()
        session.add(run)
        rules = list_rules(read_policy(session))
    removed = {rule.name: _remove_all(database, rule) for rule in rules}
    removed = {name: count for name, count in removed.items() if count}
    with database.transaction() as session:
        run = session.get_one(RetentionRun, run.id)
        run.removed = removed
        run.finished_at = session.scalars(select(func.now())).one()
        if removed:
            record(session, RETENTION, Act(action="retention.removed", target=run.id, after=removed))
    return run


def _remove_all(database: Database, rule: Rule) -> int:
    total = 0
    while True:
        with database.transaction() as session:
            removed = _remove_some(session, rule)
        total += removed
        if removed < BATCH:
            return total


def _remove_some(session: Session, rule: Rule) -> int:
    """Remove a batch. Rows that another transaction has locked wait for the next run."""
    some = rule.chosen.limit(BATCH).with_for_update(skip_locked=True, of=rule.model)
    keys = session.scalars(some).all()
    if rule.model is Course:
        part_with_problems(session, keys)
    session.execute(delete(rule.model).where(rule.model.__table__.c.id.in_(keys)))
    return len(keys)


def _ran_lately(session: Session) -> bool:
    return (
        session.scalar(select(RetentionRun.id).where(RetentionRun.started_at > func.now() - EVERY).limit(1)) is not None
    )


@contextmanager
def _only_one(database: Database) -> Iterator[bool]:
    """Hold a lock of the connection over many transactions. Yield whether this process got it."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        is_ours = bool(connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": LOCK}))
        try:
            yield is_ours
        finally:
            if is_ours:
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": LOCK})


class Due(FrozenModel):
    """Rows that are due for removal after the days of a setting, None for a fixed rule; at most MOST_COUNTED."""

    name: str
    setting: str | None
    days: int
    count: int


class RunView(FrozenModel):
    """Has no end while the run goes on, or if it was interrupted. `removed`: the number of rows by kind."""

    started_at: datetime
    finished_at: datetime | None
    removed: dict[str, Any]


class Retention(FrozenModel):
    due: tuple[Due, ...]
    last_run: RunView | None


def count_due(session: Session, rule: Rule) -> Due:
    some = rule.chosen.limit(MOST_COUNTED).subquery()
    count = session.scalars(select(func.count()).select_from(some)).one()
    return Due(name=rule.name, setting=rule.setting, days=rule.days, count=count)


def read_retention(session: Session) -> Retention:
    last = session.scalars(select(RetentionRun).order_by(RetentionRun.id.desc()).limit(1)).one_or_none()
    return Retention(
        due=tuple(count_due(session, rule) for rule in list_rules(read_policy(session))),
        last_run=RunView(started_at=last.started_at, finished_at=last.finished_at, removed=last.removed)
        if last
        else None,
    )


class Caretaker:
    """A thread of the web process that does its duties at times. Each comes with words for its failure.

    `pauses`: the seconds before the first time, and before each later one.
    """

    def __init__(self, database: Database, duties: Mapping[str, Duty], pauses: tuple[float, float]) -> None:
        self._database, self._duties = database, duties
        self._first_seconds, self._every_seconds = pauses
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._look, name="retention", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread. A duty in progress ends with the process, and is done again after the next start."""
        self._stopping.set()

    def _look(self) -> None:
        pause = self._first_seconds
        while not self._stopping.wait(pause):
            pause = self._every_seconds
            for failure, duty in self._duties.items():
                self._try(failure, duty)

    def _try(self, failure: str, duty: Duty) -> None:
        try:
            duty(self._database)
        except Exception:
            _log.exception("%s. The next try is in %d s.", failure, self._every_seconds)


def list_caretakers(database: Database, outbox: Outbox, base_url: str) -> tuple[Caretaker, ...]:
    """Retention is not done at once, since a start has more urgent work."""
    upkeep: dict[str, Duty] = {
        "Visitors' runs were not deleted": delete_old_runs,
        "The solve rates were not counted": recount_if_due,
        "Instructors were not told that their course ends": partial(tell_instructors, outbox=outbox, base_url=base_url),
        "Old rows were not removed": run_if_due,
        "Workers that died were not forgotten": forget_dead,
    }
    exams = {"The drafts of exams were not handed in": settle_sittings}
    return Caretaker(database, upkeep, (120, 60)), Caretaker(database, exams, (1, 5))
