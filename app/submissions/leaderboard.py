"""The leaderboards of a problem's current revision: the accepted solutions that take the least time or memory.

Entries are ranked by a ratio: the solution's cost over the reference's on the same machine. Their inputs may be of
different variants, which cost about the same. Ratios are rounded to two digits, and equal ratios share a place. A user
appears only after opting in. Workers measure the costs (`app.worker.run_cost`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    Row,
    Select,
    Uuid,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Mapped, Session, aliased, mapped_column

from app.accounts.model import User
from app.accounts.permission import Viewer
from app.catalog.access import is_open_to
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.courses.due import require_unlocked
from app.database.cursor import PAGE
from app.database.engine import Base
from app.errors import ProblemNotFound
from app.submissions.model import Judging, Submission
from app.submissions.solved import is_solving

# Smaller amounts can't be told apart from the interpreter's own memory.
MIN_BYTES = 2**20
# With fewer users, a comparison would tell a single user's time.
LEAST_OTHERS = 5


def set_ranked(session: Session, user_id: UUID, *, is_ranked: bool) -> None:
    """Show the user on leaderboards, or hide them."""
    session.execute(update(User).where(User.id == user_id).values(is_ranked=is_ranked))


class Measurement(Base):
    """The cost of an accepted judging of all cases: the total time of its calls, and their peak memory.

    Only times of the same `machine` are compared. `revision_id` is a copy of the judging's, for the index.
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
    """The cost of the reference on one machine, for the cases of the variant that was first accepted there."""

    __tablename__ = "reference_measurements"
    __table_args__ = (CheckConstraint("wall_seconds > 0", name="wall_seconds"),)

    revision_id: Mapped[UUID] = mapped_column(ForeignKey(Revision.id), primary_key=True)
    machine: Mapped[str] = mapped_column(primary_key=True)
    wall_seconds: Mapped[float]
    memory_bytes: Mapped[int] = mapped_column(BigInteger)


# Joins a measurement to the reference's on the same machine.
IS_OF_REFERENCE = and_(
    ReferenceMeasurement.revision_id == Measurement.revision_id,
    ReferenceMeasurement.machine == Measurement.machine,
)

By = Literal["time", "memory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A user's best solution. `submission_id` is None for other users' entries.

    `share`: of what the GPU allows (`app.judging.throughput`); None if it is not known.
    """

    place: int
    username: str
    ratio: float
    share: float | None
    sent_at: datetime
    is_own: bool
    submission_id: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """`own` is the viewer's best solution with its place, even if the viewer is not on the list."""

    problem: str
    title: str
    by: By
    entries: tuple[Entry, ...]
    own: Entry | None
    is_ranked: bool


class _Best(NamedTuple):
    """A user's best solution. Tuples sort by ratio, then by time."""

    ratio: float
    sent_at: datetime
    username: str
    user_id: UUID
    submission_id: UUID
    share: float | None


def read_leaderboard(session: Session, slug: str, viewer: Viewer, by: By, limit: int = PAGE) -> Leaderboard:
    """Return the first `limit` entries. Raises NotFound and AssignmentOpen."""
    current = select(Problem, Revision).join(Revision, IS_CURRENT)
    found = session.execute(current.where(Problem.slug == slug, is_open_to(viewer.id))).one_or_none()
    if found is None:
        raise ProblemNotFound(slug)
    problem, revision = found
    require_unlocked(session, viewer.id, problem.id)
    is_ranked = session.scalars(select(User.is_ranked).where(User.id == viewer.id)).one()
    bests = [_best(row) for row in session.execute(_ranked(revision.id, viewer.id, by))]
    listed = sorted(best for best in bests if is_ranked or best.user_id != viewer.id)
    own = next((best for best in bests if best.user_id == viewer.id), None)
    return Leaderboard(
        problem=slug,
        title=revision.manifest["title"],
        by=by,
        entries=tuple(_entry(best, listed, viewer) for best in listed[:limit]),
        own=_entry(own, listed, viewer) if own else None,
        is_ranked=is_ranked,
    )


def round_ratio(ratio: float) -> float:
    return float(f"{ratio:.2g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRank:
    """A submission's time beside others. `ratio`: to the reference's.

    `others`: the users whose best accepted solution is counted, or 0 if they are fewer than LEAST_OTHERS. `slower`: how
    many of these take longer.
    """

    ratio: float
    others: int
    slower: int


def rank_time(session: Session, submission: Submission) -> TimeRank | None:
    """Compare the submission's time with the best of all other users. Return None until both times are measured.

    The counts show no user's name or time, so they include users who did not opt in.
    """
    known = {"submission_id": submission.id, "user_id": submission.user_id}
    own, others = session.execute(_TIMES, known).one()
    if own is None:
        return None
    ratio = round_ratio(float(own))
    ratios = [round_ratio(float(other)) for other in others or ()]
    counted = ratios if len(ratios) >= LEAST_OTHERS else []
    return TimeRank(ratio=ratio, others=len(counted), slower=sum(other > ratio for other in counted))


def _ranked(revision_id: UUID, viewer_id: UUID, by: By) -> Select[Any]:
    """Select the best solution of each user who opted in, and of the viewer."""
    is_shown = or_(and_(User.is_ranked, User.is_active), User.id == viewer_id)
    return _best_of_each(_measured(revision_id, by).where(is_shown))


def _best_of_each(measured: Select[Any]) -> Select[Any]:
    """Select each user's best solution. The earlier of equal ones wins."""
    best = measured.ext(distinct_on(User.id)).order_by(User.id, text("ratio"), Submission.created_at).subquery()
    return select(best)


def _measured(revision_id: UUID | ColumnElement[UUID], by: By) -> Select[Any]:
    """Select the accepted solutions whose cost and whose reference's cost are known."""
    return (
        select(User.id, User.username, Submission.id.label("submission_id"), Submission.created_at)
        .add_columns(_ratio(by).label("ratio"), Judging.times[("throughput", "share")].as_float().label("share"))
        .select_from(Measurement)
        .join(Judging, Judging.id == Measurement.judging_id)
        .join(Submission, Submission.id == Judging.submission_id)
        .join(User, User.id == Submission.user_id)
        .join(ReferenceMeasurement, IS_OF_REFERENCE)
        .where(Measurement.revision_id == revision_id, is_solving())
    )


def _select_times() -> Select[Any]:
    """Select the ratio of a submission, and if it is measured, the best one of each other user."""
    submission_id, user_id = bindparam("submission_id", type_=Uuid()), bindparam("user_id", type_=Uuid())
    current = aliased(Judging)
    revision_id = select(current.revision_id).where(current.submission_id == submission_id, current.is_current)
    measured = _measured(revision_id.scalar_subquery(), "time")
    own = measured.with_only_columns(_ratio("time")).where(Submission.id == submission_id).scalar_subquery()
    bests = _best_of_each(measured.where(User.id != user_id, User.is_active)).subquery()
    others = select(func.array_agg(bests.c.ratio)).scalar_subquery()
    return select(own, case((own.is_not(None), others)))


def _ratio(by: By) -> Any:
    if by == "time":
        return Measurement.wall_seconds / ReferenceMeasurement.wall_seconds
    own, reference = Measurement.memory_bytes, ReferenceMeasurement.memory_bytes
    return 1.0 * func.greatest(own, MIN_BYTES) / func.greatest(reference, MIN_BYTES)


# Built once, because each accepted submission reads it several times: building takes longer than running.
_TIMES = _select_times()


def _best(row: Row[Any]) -> _Best:
    return _Best(round_ratio(float(row.ratio)), row.created_at, row.username, row.id, row.submission_id, row.share)


def _entry(best: _Best, listed: Sequence[_Best], viewer: Viewer) -> Entry:
    is_own = best.user_id == viewer.id
    return Entry(
        place=1 + sum(other.ratio < best.ratio for other in listed),
        username=best.username,
        ratio=best.ratio,
        share=best.share,
        sent_at=best.sent_at,
        is_own=is_own,
        submission_id=best.submission_id if is_own else None,
    )
