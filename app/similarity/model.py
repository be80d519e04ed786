"""Tables of similar programs: the checks, the pairs that they found, and the fingerprints of submissions.

A check that has not ended has a job in the queue (`app.queue.model`).
"""

from datetime import datetime
from typing import Literal
from uuid import UUID, uuid4

from sqlalchemy import (
    ARRAY,
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    Text,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.accounts.model import User
from app.catalog.model import Problem
from app.courses.model import Assignment
from app.database.engine import Base
from app.queue.model import Job
from app.submissions.model import Submission

Compared = Literal["counting", "all"]
CheckState = Literal["queued", "comparing", "done", "failed"]


class SimilarityCheck(Base):
    """A comparison of the programs for a problem: of an assignment's hand-ins or, without one, of all submissions.

    - `compared`: the submission of each student that counts, or all of them.
    - `step_done`, `step_total`: of its programs, how many have a fingerprint.
    - `programs`: how many were compared. `median_lines`: of them. `unread`: the submissions that have no fingerprint.
    - `histogram`: how many pairs of students there are in each of equal ranges, from 0 to 100 %.
    - `reason`: the errors of its attempts, for admins.
    """

    __tablename__ = "similarity_checks"
    __table_args__ = (
        CheckConstraint("compared IN ('counting', 'all')", name="compared"),
        CheckConstraint("outcome IN ('done', 'failed')", name="outcome"),
        CheckConstraint("(finished_at IS NULL) = (outcome IS NULL)", name="ended_has_outcome"),
        Index("ix_similarity_checks_problem_id", "problem_id", "assignment_id", text("created_at DESC")),
        Index("ix_similarity_checks_assignment_id", "assignment_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id, ondelete="CASCADE"))
    assignment_id: Mapped[UUID | None] = mapped_column(ForeignKey(Assignment.id, ondelete="CASCADE"))
    compared: Mapped[Compared] = mapped_column(Text)
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]
    outcome: Mapped[Literal["done", "failed"] | None] = mapped_column(Text)
    step_done: Mapped[int] = mapped_column(default=0, server_default="0")
    step_total: Mapped[int] = mapped_column(default=0, server_default="0")
    programs: Mapped[int] = mapped_column(default=0, server_default="0")
    median_lines: Mapped[int] = mapped_column(default=0, server_default="0")
    unread: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid), default=list, server_default="{}")
    histogram: Mapped[list[int]] = mapped_column(ARRAY(Integer), default=list, server_default="{}")
    reason: Mapped[str | None]
    job: Mapped[Job | None] = relationship(lazy="joined", passive_deletes="all")

    @property
    def state(self) -> CheckState:
        if self.outcome is not None:
            return self.outcome
        return "comparing" if self.job is not None and self.job.lease_until is not None else "queued"


class SimilarPair(Base):
    """Two students' programs of a check; `left` was sent first. `number`: 1 for the most similar pair.

    `blocks`: what they have in common, as first and last line of `left`, and first and last line of `right`.
    `dismissed_at`: an instructor has looked at it, and nothing follows from it; `note` says why.
    """

    __tablename__ = "similar_pairs"
    __table_args__ = (
        CheckConstraint("similarity BETWEEN 0 AND 100", name="similarity"),
        Index("ix_similar_pairs_left_id", "left_id"),
        Index("ix_similar_pairs_right_id", "right_id"),
    )

    check_id: Mapped[UUID] = mapped_column(ForeignKey(SimilarityCheck.id, ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    left_id: Mapped[UUID] = mapped_column(ForeignKey(Submission.id, ondelete="CASCADE"))
    right_id: Mapped[UUID] = mapped_column(ForeignKey(Submission.id, ondelete="CASCADE"))
    similarity: Mapped[float]
    blocks: Mapped[list[tuple[int, int, int, int]]] = mapped_column(JSONB)
    dismissed_at: Mapped[datetime | None]
    dismissed_by: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    note: Mapped[str] = mapped_column(default="", server_default="")


class Fingerprint(Base):
    """What `sandbox.guest.fingerprint` made of a submission. `parts`: int64 rows; None: unreadable, or too long.

    `lines`: those of the source that are neither empty nor a comment.
    """

    __tablename__ = "fingerprints"

    submission_id: Mapped[UUID] = mapped_column(ForeignKey(Submission.id, ondelete="CASCADE"), primary_key=True)
    version: Mapped[int]
    parts: Mapped[bytes | None]
    lines: Mapped[int]
