"""What waits and what runs, by queue and kind. Read from the rows that are not done: there are few of them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import ColumnElement, case, func, literal_column, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.catalog.model import Problem
from app.submissions.model import Judging, Submission

Kind = Literal["interactive", "rejudge"]

QUEUES = ("cpu", "gpu")
KINDS: tuple[Kind, ...] = ("interactive", "rejudge")
LONGEST_SHOWN = 20
_IS_OPEN = Judging.state.in_(["queued", "judging"])


class QueueView(BaseModel):
    """`kind`: interactive, where somebody waits for the verdict, or rejudge."""

    model_config = ConfigDict(frozen=True)

    queue: str
    kind: Kind
    depth: int = Field(description="judgings that wait")
    oldest_seconds: float = Field(description="for how long the one waits that has waited longest; 0 where none does")
    running: int = Field(description="judgings that a worker has now")


class WaitingView(BaseModel):
    model_config = ConfigDict(frozen=True)

    judging: int
    submission: UUID
    problem: str
    user: str
    queue: str
    kind: Kind
    priority: int
    attempt: int = Field(description="attempts so far")
    queued_at: datetime
    seconds: float = Field(description="for how long it waits")


class QueueState(BaseModel):
    model_config = ConfigDict(frozen=True)

    queues: list[QueueView]
    longest: list[WaitingView] = Field(description=f"the {LONGEST_SHOWN} that have waited longest")


def read_queue(session: Session) -> QueueState:
    return QueueState(queues=count_queues(session), longest=list_longest(session))


def count_queues(session: Session) -> list[QueueView]:
    """One for each queue and kind, also where nothing waits."""
    waits = Judging.state == "queued"
    oldest = func.coalesce(func.max(_age()).filter(waits), 0)
    counted = (
        select(Judging.queue, _kind(), func.count().filter(waits), oldest, func.count().filter(~waits))
        .where(_IS_OPEN)
        .group_by(Judging.queue, _kind())
    )
    found = {(queue, kind): (depth, age, running) for queue, kind, depth, age, running in session.execute(counted)}
    return [_view(queue, kind, found.get((queue, kind), (0, 0, 0))) for queue, kind in _places(found)]


def list_longest(session: Session) -> list[WaitingView]:
    rows = session.execute(
        select(Judging, Submission.id, Problem.slug, User.username, _kind(), _age())
        .join(Submission, Submission.id == Judging.submission_id)
        .join(Problem, Problem.id == Submission.problem_id)
        .join(User, User.id == Submission.user_id)
        .where(_IS_OPEN, Judging.state == "queued")
        .order_by(Judging.queued_at, Judging.id)
        .limit(LONGEST_SHOWN)
    )
    return [
        WaitingView(
            judging=judging.id,
            submission=submission_id,
            problem=slug,
            user=username,
            queue=judging.queue,
            kind=kind,
            priority=judging.priority,
            attempt=judging.attempt,
            queued_at=judging.queued_at,
            seconds=float(age),
        )
        for judging, submission_id, slug, username, kind, age in rows
    ]


def _places(found: Iterable[tuple[str, Kind]]) -> list[tuple[str, Kind]]:
    usual = [(queue, kind) for queue in QUEUES for kind in KINDS]
    return usual + sorted(set(found) - set(usual))


def _view(queue: str, kind: Kind, counts: tuple[int, float, int]) -> QueueView:
    depth, age, running = counts
    return QueueView(queue=queue, kind=kind, depth=depth, oldest_seconds=float(age), running=running)


def _kind() -> ColumnElement[Kind]:
    # Written out: grouped by, it must be the same expression, which parameters are not.
    names: list[ColumnElement[Kind]] = [literal_column(f"'{kind}'") for kind in KINDS]
    return case((Judging.rejudging_id.is_(None), names[0]), else_=names[1])


def _age() -> ColumnElement[Any]:
    return func.extract("epoch", func.now() - Judging.queued_at)
