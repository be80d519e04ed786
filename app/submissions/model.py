"""The tables of submissions, judgings, case results and workers. A judging's row is also its job in the queue.

A judging without a verdict has a job in the queue (`app.queue.model`).
"""

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Computed,
    ForeignKey,
    Identity,
    Index,
    Text,
    UniqueConstraint,
    false,
    func,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.accounts.model import User
from app.catalog.model import Problem, Revision
from app.courses.model import Assignment
from app.database.engine import Base
from app.judging.verdicts import Verdict, Visibility
from app.queue.model import Job
from app.submissions.view import Mode, State

_VERDICTS = ", ".join(f"'{verdict}'" for verdict in Verdict)


# Extracts the last attempt's line from `reason`, which `app.queue.lease_loop` writes.
_CAUSE = r"""
    CASE
        WHEN reason IS NULL THEN NULL
        WHEN substring(reason FROM '.*(?:^|\n)attempt [0-9]+: ([^\n]+)') LIKE 'its worker % stopped beating'
        THEN 'WorkerLost: its worker stopped beating'
        ELSE left(regexp_replace(
            substring(reason FROM '.*(?:^|\n)attempt [0-9]+: ([^\n]+)'), '[0-9]+', '#', 'g'
        ), 300)
    END
"""


class Submission(Base):
    """A source sent for one revision of a problem. A row never changes. `inputs`: custom inputs, as YAML.

    `user_id` is None for a visitor's run, which is soon deleted (`visitor_run.py`).
    `assignment_id` is that of a hand-in, whose `created_at` is the time at which it had arrived. `is_draft`: Allclose
    handed in what stood in the editor at the end of an exam.
    """

    __tablename__ = "submissions"
    __table_args__ = (
        CheckConstraint("mode IN ('submit', 'sample')", name="mode"),
        CheckConstraint("inputs IS NULL OR mode = 'sample'", name="own_inputs_are_samples"),
        CheckConstraint("user_id IS NOT NULL OR mode = 'sample'", name="visitors_run_samples"),
        CheckConstraint("assignment_id IS NULL OR mode = 'submit'", name="hand_ins_run_every_case"),
        UniqueConstraint("user_id", "idempotency_key"),
        Index("ix_submissions_user_id_created_at", "user_id", text("created_at DESC")),
        Index("ix_submissions_problem_id_created_at", "problem_id", text("created_at DESC"), text("id DESC")),
        Index("ix_submissions_created_at_id", text("created_at DESC"), text("id DESC")),
        Index(
            "ix_submissions_assignment_id",
            *("assignment_id", "user_id", "problem_id", "created_at", "id"),
            postgresql_where=text("assignment_id IS NOT NULL"),
            postgresql_include=["is_draft"],
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id))
    revision_id: Mapped[UUID] = mapped_column(ForeignKey(Revision.id), index=True)
    source: Mapped[str]
    mode: Mapped[Mode] = mapped_column(Text)
    inputs: Mapped[str | None]
    variant: Mapped[int]
    idempotency_key: Mapped[str | None]
    request_digest: Mapped[str | None]
    assignment_id: Mapped[UUID | None] = mapped_column(ForeignKey(Assignment.id))
    is_draft: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Judging(Base):
    """One evaluation of a submission. A rejudging may use another revision than the submission was sent for.

    - `is_current`: exactly one judging of a submission counts. A rejudging's counts once it is applied.
    - `rejudging_id`, `replaces_id`: the rejudging, and the judging that counted when it started.
    - `request_id`: the log's ID of the request that submitted it.
    - `job`: what a worker still has to do; None once there is a verdict.
    - `attempt`, `worker`, `started_at`: of the attempt that ended it. `latest` has those of the attempt that runs.
    - `reason`: the errors of its attempts, for admins. `cause` is one line of it without numbers, for grouping.
    - `hint`: the known mistake that the submission makes. `hint_pending`: a worker still looks for one.
    - `phases`: where the latest attempt's time went (`phase.py`).
    - `times`: the submission's times beside the reference's, by size of the inputs (`app.judging.efficiency`).
    """

    __tablename__ = "judgings"
    __table_args__ = (
        CheckConstraint(f"verdict IN ({_VERDICTS})", name="verdict"),
        CheckConstraint("(finished_at IS NULL) = (verdict IS NULL)", name="done_has_verdict"),
        CheckConstraint("score BETWEEN 0 AND 100", name="score"),
        Index("ix_judgings_verdict", "verdict", "submission_id", postgresql_where=text("is_current")),
        Index("ix_judgings_current_revision", "revision_id", "submission_id", postgresql_where=text("is_current")),
        Index(
            "uq_judgings_current",
            "submission_id",
            unique=True,
            postgresql_where=text("is_current"),
            postgresql_include=["verdict", "score"],
        ),
        Index("ix_judgings_rejudging_id", "rejudging_id", "id", postgresql_where=text("rejudging_id IS NOT NULL")),
        Index(
            "ix_judgings_cause",
            "cause",
            text("finished_at DESC"),
            postgresql_where=text("verdict = 'judge_error'"),
        ),
        Index("ix_judgings_judge_error", text("finished_at DESC"), postgresql_where=text("verdict = 'judge_error'")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    submission_id: Mapped[UUID] = mapped_column(ForeignKey(Submission.id, ondelete="CASCADE"), index=True)
    revision_id: Mapped[UUID] = mapped_column(ForeignKey(Revision.id))
    is_current: Mapped[bool] = mapped_column(default=True, server_default=true())
    rejudging_id: Mapped[UUID | None] = mapped_column(ForeignKey("rejudgings.id", ondelete="CASCADE"))
    replaces_id: Mapped[int | None] = mapped_column(BigInteger)
    request_id: Mapped[str | None]
    queue: Mapped[str]
    attempt: Mapped[int] = mapped_column(default=0, server_default="0")
    worker: Mapped[str | None]
    queued_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    verdict: Mapped[str | None]
    score: Mapped[int | None]
    hint: Mapped[str | None]
    hint_pending: Mapped[bool] = mapped_column(default=False, server_default=false())
    reason: Mapped[str | None]
    cause: Mapped[str | None] = mapped_column(Computed(_CAUSE, persisted=True))
    phases: Mapped[list[dict[str, Any]] | None] = mapped_column(JSONB)
    times: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    image: Mapped[str | None]
    versions: Mapped[dict[str, Any] | None]
    job: Mapped[Job | None] = relationship(lazy="joined", passive_deletes="all")

    @property
    def state(self) -> State:
        if self.verdict is not None:
            return "done"
        return "judging" if self.job is not None and self.job.lease_until is not None else "queued"

    @property
    def latest(self) -> "Job | Judging":
        """The row with the latest attempt's number, worker, start and errors."""
        return self.job or self


class CaseRow(Base):
    """The result of one case in one attempt. `tolerance_used` is for authors' statistics, never for students.

    `position` is the case's index in the problem. `sequence` is the result's index in order of arrival, and the event
    ID in the stream of results.
    """

    __tablename__ = "case_results"
    __table_args__ = (
        CheckConstraint("visibility IN ('sample', 'hidden')", name="visibility"),
        CheckConstraint(f"verdict IN ({_VERDICTS})", name="verdict"),
    )

    judging_id: Mapped[int] = mapped_column(ForeignKey(Judging.id, ondelete="CASCADE"), primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    sequence: Mapped[int]
    name: Mapped[str]
    visibility: Mapped[Visibility] = mapped_column(Text)
    verdict: Mapped[str]
    wall_seconds: Mapped[float | None]
    memory_bytes: Mapped[int | None] = mapped_column(BigInteger)
    report: Mapped[dict[str, Any]]
    tolerance_used: Mapped[float | None]
