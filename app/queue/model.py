"""Tables of the queue: the jobs that are not done yet, and the workers that do them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Identity,
    Index,
    Text,
    false,
    func,
    text,
)
from sqlalchemy.orm import Mapped, column_property, mapped_column

from app.catalog.model import Device
from app.database.engine import Base

# A job whose attempt fails runs again, at most so often in all. Three faults in a row may meet an innocent submission;
# five are a sign that it causes them.
MAX_ATTEMPTS = 5
# The priority of background work, which gives way to all other work. See `app.queue.background_work`.
BACKGROUND = -1_000_000
# The priority of every visitor's run, and of nothing else. A worker claims one of them at a time.
VISITOR = BACKGROUND + 1
# The NOTIFY channel of workers. A payload is the queue of a new job, the name of a worker that an admin drains or
# resumes, or CANCELLED.
CHANNEL = "jobs"
CANCELLED = "cancelled"


class Job(Base):
    """Work for a worker: a judging, a verification or a similarity check. The row is deleted when the work ends.

    - `watched`: the ID whose followers hear of the progress: of the submission, the verification or the check.
    - `queue`, `priority`: in each queue, the job with the highest priority is next, then the oldest.
    - `frameworks`: a worker that lacks one of them does not claim it.
    - `is_rationed`: a worker claims no second rationed job while it works on one.
    - `attempt`: how often workers have claimed it, and so the fencing token. `given_back`: attempts that do not count.
    - `lease_until`: `worker` holds the job until then. NULL while the job waits. `is_held`: when the row was read.
    - `started_at`: when the last attempt began.
    - `reason`: the errors of its attempts, for admins.
    """

    __tablename__ = "jobs"
    __table_args__ = (
        CheckConstraint("num_nonnulls(judging_id, verification_id, check_id) = 1", name="one_kind"),
        Index("ix_jobs_claim", "queue", text("priority DESC"), "id"),
        Index("ix_jobs_held", "lease_until", postgresql_where=text("lease_until IS NOT NULL")),
        Index("uq_jobs_judging_id", "judging_id", unique=True, postgresql_where=text("judging_id IS NOT NULL")),
        Index(
            "uq_jobs_verification_id",
            "verification_id",
            unique=True,
            postgresql_where=text("verification_id IS NOT NULL"),
        ),
        Index("uq_jobs_check_id", "check_id", unique=True, postgresql_where=text("check_id IS NOT NULL")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    judging_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("judgings.id", ondelete="CASCADE", onupdate="CASCADE")
    )
    verification_id: Mapped[UUID | None] = mapped_column(ForeignKey("verifications.id", ondelete="CASCADE"))
    check_id: Mapped[UUID | None] = mapped_column(ForeignKey("similarity_checks.id", ondelete="CASCADE"))
    watched: Mapped[UUID]
    queue: Mapped[str]
    frameworks: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list, server_default="{}")
    priority: Mapped[int] = mapped_column(default=0, server_default="0")
    is_rationed: Mapped[bool] = mapped_column(default=False, server_default=false())
    attempt: Mapped[int] = mapped_column(default=0, server_default="0")
    given_back: Mapped[int] = mapped_column(default=0, server_default="0")
    worker: Mapped[str | None]
    started_at: Mapped[datetime | None]
    lease_until: Mapped[datetime | None] = mapped_column()
    reason: Mapped[str | None]
    is_held: Mapped[bool] = column_property(func.coalesce(lease_until > func.now(), false()))


class WorkerRow(Base):
    """A worker that judges. Each heartbeat updates its row, and the row goes when it stops (`app.queue.heartbeat`).

    `is_draining`: an admin has told it to claim no more judgings. `boxes` counts its boxes by state. `metrics` has its
    metrics in Prometheus' text format. `box_failure`: why it can't open boxes now; empty if it can. `lacks`: optional
    frameworks that its boxes do not have.
    """

    __tablename__ = "workers"
    __table_args__ = (CheckConstraint("device IN ('cpu', 'gpu')", name="device"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str]
    host: Mapped[str]
    queues: Mapped[list[str]] = mapped_column(ARRAY(Text))
    slots: Mapped[int]
    device: Mapped[Device] = mapped_column(Text)
    gpus: Mapped[list[str]] = mapped_column(ARRAY(Text))
    versions: Mapped[dict[str, Any]]
    lacks: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list, server_default="{}")
    is_draining: Mapped[bool] = mapped_column(default=False, server_default=false())
    boxes: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    metrics: Mapped[str] = mapped_column(default="", server_default="")
    box_failure: Mapped[str] = mapped_column(default="", server_default="")
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
