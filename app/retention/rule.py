"""What is old enough to be removed, by the policy; and what is kept however old it is.

Of submissions: those that are still judged; those that a rejudging, which nobody has decided on yet, judges again; and
of each user and problem the first and the last that was accepted. So who has solved a problem has solved it for good,
at the time when it was so, and what was sent last can be read and judged again. The audit log has no rule.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, func, or_, select, tuple_
from sqlalchemy.orm import aliased

from app.accounts.model import ApiToken, Invitation, UserSession
from app.authoring.model import Publication, Verification
from app.database import Base
from app.policy.policy import Policy
from app.rejudging.model import Rejudging
from app.retention.model import RetentionRun
from app.submissions.model import Judging, Submission
from app.submissions.solved import is_solving

RUNS_DAYS = 365


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`chosen`: the keys of what is older than `days`, and goes. `setting` is the one that says so."""

    name: str
    setting: str | None
    days: int
    model: type[Base]
    chosen: Select[Any]


def list_rules(policy: Policy) -> tuple[Rule, ...]:
    """Those that remove something: what is kept for ever has none."""
    settings: tuple[tuple[str, str | None, int | None, type[Any], Callable[[Any], ColumnElement[bool]]], ...] = (
        ("submissions", "keep_submissions_days", policy.keep_submissions_days, Submission, _old_submissions),
        ("verifications", "keep_verifications_days", policy.keep_verifications_days, Verification, _old_verifications),
        ("sessions", "keep_ended_days", policy.keep_ended_days, UserSession, lambda at: UserSession.expires_at < at),
        ("tokens", "keep_ended_days", policy.keep_ended_days, ApiToken, _ended_tokens),
        ("invitations", "keep_ended_days", policy.keep_ended_days, Invitation, _ended_invitations),
        ("retention_runs", None, RUNS_DAYS, RetentionRun, lambda at: RetentionRun.started_at < at),
    )
    return tuple(
        Rule(
            name=name,
            setting=setting,
            days=days,
            model=model,
            chosen=select(model.id).where(choose(func.now() - timedelta(days=days))),
        )
        for name, setting, days, model, choose in settings
        if days is not None
    )


def _old_submissions(at: Any) -> ColumnElement[bool]:
    return and_(Submission.created_at < at, ~_is_held(), ~_is_first_or_last_accepted())


def _is_held() -> ColumnElement[bool]:
    """A judging of it is not done, or belongs to a rejudging that is still to be decided on."""
    undecided = select(Rejudging.id).where(Rejudging.id == Judging.rejudging_id, Rejudging.decision.is_(None)).exists()
    return exists().where(Judging.submission_id == Submission.id, or_(Judging.state != "done", undecided))


def _is_first_or_last_accepted() -> ColumnElement[bool]:
    """It is accepted, and no other of the same user and problem that is came before; or none came after."""
    other, judging = aliased(Submission), aliased(Judging)
    accepted = exists().where(Judging.submission_id == Submission.id, is_solving())
    also_accepted = (
        select(other.id)
        .join(judging, judging.submission_id == other.id)
        .where(other.user_id == Submission.user_id, other.problem_id == Submission.problem_id)
        .where(is_solving(other, judging))
    )
    own = tuple_(Submission.created_at, Submission.id)
    earlier = also_accepted.where(tuple_(other.created_at, other.id) < own).exists()
    later = also_accepted.where(tuple_(other.created_at, other.id) > own).exists()
    return and_(accepted, or_(~earlier, ~later))


def _old_verifications(at: Any) -> ColumnElement[bool]:
    published_by_it = exists().where(Publication.verification_id == Verification.id)
    return and_(Verification.state == "done", Verification.finished_at < at, ~published_by_it)


def _ended_tokens(at: Any) -> ColumnElement[bool]:
    """As the index of it says it: the earlier of both, of those that are there."""
    ended: ColumnElement[bool] = func.least(ApiToken.revoked_at, ApiToken.expires_at) < at
    return ended


def _ended_invitations(at: Any) -> ColumnElement[bool]:
    ended: ColumnElement[bool] = func.least(Invitation.used_at, Invitation.revoked_at, Invitation.expires_at) < at
    return ended
