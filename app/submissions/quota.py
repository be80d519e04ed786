"""Quotas: how much one user may submit, so that one user can neither hold all workers nor fill the disk."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self
from uuid import UUID

from sqlalchemy.orm import Session

from app.errors import LimitReached
from app.limits import LIMITS_OF, SubmissionKind, SubmissionLimit
from app.policy import Policy
from app.submissions.queue_wait import QueueWaits
from app.submissions.usage import HOUR, MINUTE, Usage, list_judging_seconds, list_sizes

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitLimits:
    """Limits for one user. None stands for no limit.

    `max_pending`: the number of unfinished judgings, and of cancelled submissions per minute. `submitted_mib_per_hour`
    counts sources and custom inputs. `waits`: of the queues, for admission.
    """

    max_pending: int
    judging_seconds_per_hour: int | None = None
    submissions_per_hour: int | None = None
    submitted_mib_per_hour: int | None = None
    max_queue_minutes: int | None = None
    waits: QueueWaits | None = None

    @classmethod
    def of(cls, policy: Policy, waits: QueueWaits) -> Self:
        return cls(
            max_pending=policy.max_pending,
            judging_seconds_per_hour=policy.judging_seconds_per_hour,
            submissions_per_hour=policy.submissions_per_hour,
            submitted_mib_per_hour=policy.submitted_mib_per_hour,
            max_queue_minutes=policy.max_queue_minutes,
            waits=waits,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaCheck:
    """A new submission of a user, and what the user has used. `size`: bytes of the source and the custom inputs."""

    session: Session
    user_id: UUID
    usage: Usage
    limits: SubmitLimits
    size: int


def check_quotas(new: QuotaCheck, kind: SubmissionKind) -> None:
    """Raises LimitReached. The caller has locked the user."""
    for limit, check in _CHECKS.items():
        if limit in LIMITS_OF[kind]:
            check(new)


def _check_unfinished(new: QuotaCheck) -> None:
    count, most = new.usage.unfinished, new.limits.max_pending
    if count >= most:
        raise LimitReached(
            f"{count} of your submissions are not judged yet; the limit is {most}. Submit again when one of them is "
            "done."
        )


def _check_cancelled(new: QuotaCheck) -> None:
    """Otherwise a user who submits and cancels in turn would have no limit."""
    count = new.usage.cancelled
    if count >= new.limits.max_pending:
        text = f"you cancelled {count} submissions of the last minute; submit again in a minute"
        raise LimitReached(text, MINUTE)


def _check_custom_input(new: QuotaCheck) -> None:
    """Each runs the reference solution too, one at a time. Several would hold slots only to wait for each other."""
    if new.usage.unfinished_custom:
        raise LimitReached("your last run with custom inputs is not finished; wait for its result, or cancel it")


def _check_sent(new: QuotaCheck) -> None:
    count, most = new.usage.sent, new.limits.submissions_per_hour
    if most is not None and count >= most:
        at = find_reset(((created_at, 1) for created_at, _ in list_sizes(new.session, new.user_id)), most)
        raise _later(f"you sent {count} submissions in the last hour; the limit is {most}", at)


def _check_sent_bytes(new: QuotaCheck) -> None:
    sent, most = new.usage.sent_bytes, new.limits.submitted_mib_per_hour
    if most is not None and sent + new.size > most * MIB:
        at = find_reset(list_sizes(new.session, new.user_id), most * MIB - new.size + 1)
        text = f"your submissions of the last hour have {sent / MIB:.1f} MiB, and this one {new.size / MIB:.2f} MiB"
        raise _later(f"{text}; the limit is {most} MiB", at)


def _check_judging_seconds(new: QuotaCheck) -> None:
    used, most = new.usage.judging_seconds, new.limits.judging_seconds_per_hour
    if most is not None and used >= most:
        at = find_reset(list_judging_seconds(new.session, new.user_id), most)
        raise _later(f"your submissions of the last hour took {used:.0f} s of judging; the limit is {most} s", at)


_CHECKS: Mapping[SubmissionLimit, Callable[[QuotaCheck], None]] = {
    SubmissionLimit.UNFINISHED: _check_unfinished,
    SubmissionLimit.CANCELLED: _check_cancelled,
    SubmissionLimit.UNFINISHED_CUSTOM_INPUT: _check_custom_input,
    SubmissionLimit.SENT: _check_sent,
    SubmissionLimit.SENT_BYTES: _check_sent_bytes,
    SubmissionLimit.JUDGING_SECONDS: _check_judging_seconds,
}


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
