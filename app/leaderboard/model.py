"""Tables of what accepted solutions and references took, both measured on the same machine."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from app.catalog.model import Revision
from app.database import Base
from app.submissions.model import Judging


class Measurement(Base):
    """What an accepted judging of all cases took: the sum of its calls' times, and the most memory of any.

    `machine` names where it ran; times of two machines are never compared. `revision_id` is the judging's: a
    leaderboard reads one revision's.
    """

    __tablename__ = "measurements"
    __table_args__ = (CheckConstraint("wall_seconds > 0", name="wall_seconds"),)

    judging_id: Mapped[int] = mapped_column(ForeignKey(Judging.id, ondelete="CASCADE"), primary_key=True)
    revision_id: Mapped[UUID] = mapped_column(ForeignKey(Revision.id), index=True)
    machine: Mapped[str]
    wall_seconds: Mapped[float]
    memory_bytes: Mapped[int] = mapped_column(BigInteger)
    measured_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ReferenceMeasurement(Base):
    """The least that the reference took for the same cases on one machine, of `runs` runs."""

    __tablename__ = "reference_measurements"
    __table_args__ = (CheckConstraint("wall_seconds > 0", name="wall_seconds"),)

    revision_id: Mapped[UUID] = mapped_column(ForeignKey(Revision.id), primary_key=True)
    variant: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    machine: Mapped[str] = mapped_column(primary_key=True)
    runs: Mapped[int]
    wall_seconds: Mapped[float]
    memory_bytes: Mapped[int] = mapped_column(BigInteger)
