"""Waiting and running judgings, by queue and kind. Only unfinished rows are read, and there are few of them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import ColumnElement, Select, case, func, literal_column, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.accounts.model import User
from app.catalog.model import Problem
from app.queue.model import BACKGROUND, VISITOR, Job
from app.submissions.model import Judging, Submission
from app.validation import FrozenModel

Kind = Literal["interactive", "rejudge", "visitor"]

QUEUES = ("cpu", "gpu")
KINDS: tuple[Kind, ...] = ("interactive", "rejudge", "visitor")
MOST_SHOWN = 20
# A student's submission that waits longer needs an admin's attention, here and in the alert `AllcloseQueueSlow`.
LONG_WAIT_SECONDS = 120


class QueueView(FrozenModel):
    """`kind`: interactive if a student waits for the verdict, rejudge, or visitor for a run without an account."""

    queue: str
    kind: Kind
    depth: int = Field(description="waiting judgings")
    oldest_seconds: float = Field(description="the age of the longest waiting judging; 0 if none waits")
    running: int = Field(description="running judgings")

    @property
    def is_slow(self) -> bool:
        """Whether a student has waited too long."""
        return self.kind == "interactive" and self.oldest_seconds > LONG_WAIT_SECONDS


class OpenView(BaseModel):
    """A waiting or running judging."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    judging: int
    submission: UUID
    problem: str
    user: str
    user_id: UUID
    queue: str
    kind: Kind


class WaitingView(OpenView):
    priority: int = Field(description=f"the highest is next; every rejudge has {BACKGROUND} and comes last")
    attempt: int = Field(description="attempts so far")
    queued_at: datetime
    seconds: float = Field(description="the time since it was queued")


class RunningView(OpenView):
    worker: str
    attempt: int = Field(description="the number of this attempt, from 1")
    started_at: datetime = Field(description="when this attempt began")
    seconds: float = Field(
        description="the time since this attempt began; a rejudge pauses while students' judgings need the cores"
    )


class QueueState(FrozenModel):
    queues: list[QueueView]
    longest: list[WaitingView] = Field(description=f"the {MOST_SHOWN} that have waited longest")
    running: list[RunningView] = Field(description=f"the {MOST_SHOWN} that have run longest")


def read_queue(session: Session) -> QueueState:
    return QueueState(queues=count_queues(session), longest=list_longest(session), running=list_running(session))


def count_queues(session: Session) -> list[QueueView]:
    """Return a view of each queue and kind, also of empty ones."""
    waits = Job.lease_until.is_(None)
    oldest = func.coalesce(func.max(_age(Judging.queued_at)).filter(waits), 0)
    counted = (
        select(Job.queue, _kind(), func.count().filter(waits), oldest, func.count().filter(~waits))
        .join(Judging, Judging.id == Job.judging_id)
        .group_by(Job.queue, _kind())
    )
    found = {(queue, kind): (depth, age, running) for queue, kind, depth, age, running in session.execute(counted)}
    return [_view(queue, kind, found.get((queue, kind), (0, 0, 0))) for queue, kind in _places(found)]


def list_longest(session: Session) -> list[WaitingView]:
    waiting = _open(Job.lease_until.is_(None), Judging.queued_at).add_columns(Job.priority, Judging.queued_at)
    return [WaitingView.model_validate(row) for row in session.execute(waiting)]


def list_running(session: Session) -> list[RunningView]:
    """Return the judgings that run longest. Those of a dead worker count until another worker takes them over."""
    running = _open(Job.lease_until.is_not(None), Job.started_at).add_columns(Job.worker, Job.started_at)
    return [RunningView.model_validate(row) for row in session.execute(running)]


def _open(which: ColumnElement[bool], since: InstrumentedAttribute[Any]) -> Select[Any]:
    """Select the judgings that have been in this state longest."""
    return (
        select(
            Judging.id.label("judging"),
            Submission.id.label("submission"),
            Problem.slug.label("problem"),
            User.username.label("user"),
            User.id.label("user_id"),
            Job.queue,
            _kind().label("kind"),
            Job.attempt,
            _age(since).label("seconds"),
        )
        .join(Job, Job.judging_id == Judging.id)
        .join(Submission, Submission.id == Judging.submission_id)
        .join(Problem, Problem.id == Submission.problem_id)
        .join(User, User.id == Submission.user_id)
        .where(which)
        .order_by(since, Judging.id)
        .limit(MOST_SHOWN)
    )


def _places(found: Iterable[tuple[str, Kind]]) -> list[tuple[str, Kind]]:
    # Visitors get no GPU.
    usual = [(queue, kind) for queue in QUEUES for kind in KINDS if (queue, kind) != ("gpu", "visitor")]
    return usual + sorted(set(found) - set(usual))


def _view(queue: str, kind: Kind, counts: tuple[int, float, int]) -> QueueView:
    depth, age, running = counts
    return QueueView(queue=queue, kind=kind, depth=depth, oldest_seconds=float(age), running=running)


def _kind() -> ColumnElement[Kind]:
    # Literals: GROUP BY needs the same expression, and two parameters are never the same.
    names: list[ColumnElement[Kind]] = [literal_column(f"'{kind}'") for kind in KINDS]
    interactive, rejudge, visitor = names
    is_visitor = Job.priority == literal_column(str(VISITOR))
    return case((is_visitor, visitor), (Judging.rejudging_id.is_(None), interactive), else_=rejudge)


def _age(since: InstrumentedAttribute[Any]) -> ColumnElement[Any]:
    return func.extract("epoch", func.now() - since)
