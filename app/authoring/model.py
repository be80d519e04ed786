"""Tables of verifications and publications.

A verification without a verdict has a job in the queue (`app.queue.model`).
"""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, Text, false, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.accounts.model import User
from app.catalog.model import Availability, Problem, Revision
from app.database.engine import Base
from app.queue.model import Job

State = Literal["queued", "verifying", "done"]
Outcome = Literal["passed", "refused", "failed"]


class Verification(Base):
    """A package that an author has sent. It is published if it passes and `publish` is set.

    `digest` identifies its content. `replaces` is the digest of the revision that it may replace, empty for none, NULL
    for any. `availability` is what the problem gets with the publication; with NULL it keeps its own. An existing
    problem also keeps its own if a user publishes the package after the verification. `step`, `step_done` and
    `step_total` are its progress. `report` is JSON. The verdict `refused` is the package's fault, `failed` is ours or a
    cancellation; `reason` explains it to people.
    """

    __tablename__ = "verifications"
    __table_args__ = (
        CheckConstraint("verdict IN ('passed', 'refused', 'failed')", name="verdict"),
        CheckConstraint("(finished_at IS NULL) = (verdict IS NULL)", name="done_has_verdict"),
        CheckConstraint("verdict = 'passed' OR revision_id IS NULL", name="published_has_passed"),
        CheckConstraint("availability IN ('draft', 'unlisted', 'listed', 'course', 'withdrawn')", name="availability"),
        Index("ix_verifications_user_id_queued_at", "user_id", text("queued_at DESC")),
        Index("ix_verifications_slug_queued_at", "slug", text("queued_at DESC")),
        Index(
            "ix_verifications_revision_id_queued_at",
            "revision_id",
            text("queued_at DESC"),
            postgresql_where=text("revision_id IS NOT NULL"),
        ),
        Index(
            "ix_verifications_passed",
            "slug",
            "digest",
            text("finished_at DESC"),
            postgresql_where=text("verdict = 'passed'"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id))
    slug: Mapped[str]
    files: Mapped[dict[str, Any]]
    digest: Mapped[str]
    replaces: Mapped[str | None]
    publish: Mapped[bool]
    availability: Mapped[Availability | None] = mapped_column(Text)
    is_cancelled: Mapped[bool] = mapped_column(default=False, server_default=false())
    queued_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]
    step: Mapped[str] = mapped_column(default="", server_default="")
    step_done: Mapped[int] = mapped_column(default=0, server_default="0")
    step_total: Mapped[int] = mapped_column(default=0, server_default="0")
    verdict: Mapped[Outcome | None] = mapped_column(Text)
    report: Mapped[str | None]
    reason: Mapped[str | None]
    revision_id: Mapped[UUID | None] = mapped_column(ForeignKey(Revision.id))
    job: Mapped[Job | None] = relationship(lazy="joined", passive_deletes="all")

    @property
    def state(self) -> State:
        if self.verdict is not None:
            return "done"
        return "verifying" if self.job is not None and self.job.lease_until is not None else "queued"


class Publication(Base):
    """A revision became the current one of its problem. `user_id` is None if `allclose serve` read it from its folder.

    `verification_id` is the verification that it passed, None if the revision existed before.
    """

    __tablename__ = "publications"
    __table_args__ = (
        Index("ix_publications_problem_id_id", "problem_id", "id"),
        Index("ix_publications_revision_id_id", "revision_id", "id"),
        Index("ix_publications_user_id_problem_id", "user_id", "problem_id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id))
    revision_id: Mapped[UUID] = mapped_column(ForeignKey(Revision.id))
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    verification_id: Mapped[UUID | None] = mapped_column(ForeignKey(Verification.id))
    published_at: Mapped[datetime] = mapped_column(server_default=func.now())
