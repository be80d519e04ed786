"""Quotas: how much one user may submit, so that one user can neither hold all workers nor fill the disk."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Self
from uuid import UUID

from sqlalchemy.orm import Session

from app.errors import LimitReached
from app.policy import Policy
from app.submissions.forecast import Backlog
from app.submissions.usage import HOUR, MINUTE, Usage, list_judging_seconds, list_sizes

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
    backlogs: Mapping[str, Backlog] = field(default_factory=dict)

    @classmethod
    def of(cls, policy: Policy, backlogs: Mapping[str, Backlog]) -> Self:
        """`backlogs`: of each long queue."""
        return cls(
            max_pending=policy.max_pending,
            judging_seconds_per_hour=policy.judging_seconds_per_hour,
            submissions_per_hour=policy.submissions_per_hour,
            submitted_mib_per_hour=policy.submitted_mib_per_hour,
            max_queue_minutes=policy.max_queue_minutes,
            backlogs=backlogs,
        )


def check_quotas(
    session: Session, user_id: UUID, usage: Usage, limits: SubmitLimits, *, size: int, has_inputs: bool
) -> None:
    """Raises LimitReached. `size`: bytes of the source and the custom inputs. The caller has locked the user."""
    _check_pending(usage, limits)
    if has_inputs and usage.unfinished_custom:
        # Each runs the reference solution too, one at a time. Several would hold slots only to wait for each other.
        raise LimitReached("your last run with custom inputs is not finished; wait for its result, or cancel it")
    _check_sent(session, user_id, usage, limits, size)
    _check_judging_seconds(session, user_id, usage, limits)


def _check_pending(usage: Usage, limits: SubmitLimits) -> None:
    if usage.unfinished >= limits.max_pending:
        raise LimitReached(
            f"{usage.unfinished} of your submissions are not judged yet; the limit is {limits.max_pending}. "
            "Submit again when one of them is done."
        )
    # Otherwise a user who submits and cancels in turn would have no limit.
    if usage.cancelled >= limits.max_pending:
        text = f"you cancelled {usage.cancelled} submissions of the last minute; submit again in a minute"
        raise LimitReached(text, MINUTE)


def _check_sent(session: Session, user_id: UUID, usage: Usage, limits: SubmitLimits, size: int) -> None:
    count, mib = limits.submissions_per_hour, limits.submitted_mib_per_hour
    if count is not None and usage.sent >= count:
        at = find_reset(((created_at, 1) for created_at, _ in list_sizes(session, user_id)), count)
        raise _later(f"you sent {usage.sent} submissions in the last hour; the limit is {count}", at)
    if mib is not None and usage.sent_bytes + size > mib * MIB:
        at = find_reset(list_sizes(session, user_id), mib * MIB - size + 1)
        text = f"your submissions of the last hour have {usage.sent_bytes / MIB:.1f} MiB, and this one "
        raise _later(f"{text}{size / MIB:.2f} MiB; the limit is {mib} MiB", at)


def _check_judging_seconds(session: Session, user_id: UUID, usage: Usage, limits: SubmitLimits) -> None:
    allowed, used = limits.judging_seconds_per_hour, usage.judging_seconds
    if allowed is not None and used >= allowed:
        at = find_reset(list_judging_seconds(session, user_id), allowed)
        raise _later(f"your submissions of the last hour took {used:.0f} s of judging; the limit is {allowed} s", at)


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
