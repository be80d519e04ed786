"""Quotas: how much one user may submit, so that one user can neither hold all workers nor fill the disk."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Self
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.errors import LimitReached
from app.policy import Policy
from app.submissions.model import Judging, Submission
from app.submissions.priority import HOUR, MINUTE, count_cancelled, count_unfinished, list_judging_seconds

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitLimits:
    """Limits for one user. None stands for no limit.

    `max_pending`: the number of unfinished judgings, and of cancelled submissions per minute. `submitted_mib_per_hour`
    counts sources and custom inputs.
    """

    max_pending: int
    judging_seconds_per_hour: int | None = None
    submissions_per_hour: int | None = None
    submitted_mib_per_hour: int | None = None
    max_queue_minutes: int | None = None
    waits: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, policy: Policy, waits: Mapping[str, float]) -> Self:
        """`waits`: the estimated seconds in each queue."""
        return cls(
            max_pending=policy.max_pending,
            judging_seconds_per_hour=policy.judging_seconds_per_hour,
            submissions_per_hour=policy.submissions_per_hour,
            submitted_mib_per_hour=policy.submitted_mib_per_hour,
            max_queue_minutes=policy.max_queue_minutes,
            waits=waits,
        )


def check_quotas(session: Session, user_id: UUID, limits: SubmitLimits, *, size: int, has_inputs: bool) -> None:
    """Raises LimitReached. `size`: bytes of the source and the custom inputs. The caller has locked the user."""
    _check_pending(session, user_id, limits)
    if has_inputs:
        _check_custom_inputs(session, user_id)
    _check_sent(session, user_id, limits, size)
    _check_judging_seconds(session, user_id, limits)


def _check_pending(session: Session, user_id: UUID, limits: SubmitLimits) -> None:
    pending = count_unfinished(session, user_id)
    if pending >= limits.max_pending:
        raise LimitReached(
            f"{pending} of your submissions are not judged yet; the limit is {limits.max_pending}. "
            "Submit again when one of them is done."
        )
    # Otherwise a user who submits and cancels in turn would have no limit.
    cancelled = count_cancelled(session, user_id)
    if cancelled >= limits.max_pending:
        text = f"you cancelled {cancelled} submissions of the last minute; submit again in a minute"
        raise LimitReached(text, MINUTE)


def _check_custom_inputs(session: Session, user_id: UUID) -> None:
    # Each runs the reference solution too, one at a time. Several would hold slots only to wait for each other.
    unfinished = (
        select(Submission.id)
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id, Submission.inputs.is_not(None), Judging.state.in_(["queued", "judging"]))
        .where(Judging.rejudging_id.is_(None))
    )
    if session.scalars(unfinished.limit(1)).first() is not None:
        raise LimitReached("your last run with custom inputs is not finished; wait for its result, or cancel it")


def _check_sent(session: Session, user_id: UUID, limits: SubmitLimits, size: int) -> None:
    if limits.submissions_per_hour is None and limits.submitted_mib_per_hour is None:
        return
    characters = func.octet_length(Submission.source) + func.coalesce(func.octet_length(Submission.inputs), 0)
    sent = session.execute(
        select(Submission.created_at, characters)
        .where(Submission.user_id == user_id, Submission.created_at > func.now() - HOUR)
        .order_by(Submission.created_at.desc())
    ).all()
    count = limits.submissions_per_hour
    if count is not None and len(sent) >= count:
        at = find_reset(((created_at, 1) for created_at, _ in sent), count)
        raise _later(f"you sent {len(sent)} submissions in the last hour; the limit is {count}", at)
    mib = limits.submitted_mib_per_hour
    if mib is not None and (total := sum(row[1] for row in sent)) + size > mib * MIB:
        at = find_reset(sent, mib * MIB - size + 1)
        text = f"your submissions of the last hour have {total / MIB:.1f} MiB, and this one {size / MIB:.2f} MiB"
        raise _later(f"{text}; the limit is {mib} MiB", at)


def _check_judging_seconds(session: Session, user_id: UUID, limits: SubmitLimits) -> None:
    allowed = limits.judging_seconds_per_hour
    if allowed is None:
        return
    used = list_judging_seconds(session, user_id, HOUR)
    if (total := sum(seconds for _, seconds in used)) < allowed:
        return
    text = f"your submissions of the last hour took {total:.0f} s of judging; the limit is {allowed} s"
    raise _later(text, find_reset(used, allowed))


def find_reset(used: Iterable[tuple[datetime, float]], amount: float) -> datetime:
    """Return when the use of an hour falls below `amount`, if nothing more is used.

    `used`: times with amounts, the latest first.
    """
    left, at = 0.0, datetime.now(UTC)
    for created_at, each in used:
        left += each
        if left >= amount:
            return created_at + HOUR
        at = created_at + HOUR
    return at


def _later(text: str, at: datetime) -> LimitReached:
    shown = at.astimezone(UTC) + timedelta(minutes=1)
    return LimitReached(f"{text}. Submit again at {shown:%H:%M} UTC.", shown - datetime.now(UTC))
