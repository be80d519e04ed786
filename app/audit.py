"""The audit log: who did what, to what, when, from where, and the values before and after.

An event is written in the transaction that does the thing. The database refuses to change or delete an event
(migration 0014).
"""

import getpass
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, Text, func, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.database.engine import Base
from app.log import request_id

Action = Literal[
    "adjustment.made",
    "adjustment.removed",
    "assignment.changed",
    "assignment.created",
    "assignment.deleted",
    "assignment.notice_given",
    "assignment.revisions_pinned",
    "assignment.released",
    "assignment.withheld",
    "audit.exported",
    "backup.restored",
    "backup.written",
    "comment.added",
    "comment.removed",
    "course.changed",
    "course.created",
    "course.links_made",
    "course.platform_linked",
    "course.platform_unlinked",
    "course.roster_applied",
    "extension.given",
    "extension.removed",
    "identity.linked",
    "identity.removed",
    "invitation.made",
    "invitation.revoked",
    "invitation.used",
    "member.added",
    "member.changed",
    "member.claimed",
    "member.removed",
    "platform.added",
    "platform.approved",
    "platform.changed",
    "platform.disapproved",
    "platform.key_rotated",
    "platform.removed",
    "post.hidden",
    "post.locked",
    "post.reports_dismissed",
    "post.shown",
    "post.spoiler_marked",
    "post.spoiler_unmarked",
    "post.unlocked",
    "problem.availability_changed",
    "problem.published",
    "regrade_request.answered",
    "rejudging.applied",
    "rejudging.cancelled",
    "rejudging.created",
    "retention.removed",
    "session.ended",
    "setting.changed",
    "setting.kept",
    "shared_solution.hidden",
    "shared_solution.reports_dismissed",
    "shared_solution.shown",
    "similar_pair.dismissed",
    "similar_pair.reopened",
    "similarity_check.created",
    "sitting.begun",
    "sitting.continued",
    "sitting.ended",
    "sitting.password_wrong",
    "sitting.resumed",
    "sitting.unlocked",
    "submission.cancelled",
    "submissions.exported",
    "token.created",
    "token.revoked",
    "user.created",
    "user.email_changed",
    "user.erased",
    "user.exported",
    "user.password_changed",
    "user.password_reset",
    "user.queue_cancelled",
    "user.reactivated",
    "user.reset_link_made",
    "user.role_changed",
    "user.signed_out",
    "user.suspended",
    "verification.cancelled",
    "worker.drained",
    "worker.resumed",
]
Kind = Literal[
    "adjustment",
    "assignment",
    "audit",
    "backup",
    "comment",
    "course",
    "extension",
    "identity",
    "invitation",
    "member",
    "platform",
    "post",
    "problem",
    "regrade_request",
    "rejudging",
    "retention",
    "session",
    "setting",
    "shared_solution",
    "similar_pair",
    "similarity_check",
    "sitting",
    "submission",
    "submissions",
    "token",
    "user",
    "verification",
    "worker",
]

MAX_NAME = 64


def read_operator() -> str:
    """Return the name of the person at the server: before sudo, if they used it. The environment is not proof."""
    return "".join(filter(str.isprintable, os.environ.get("SUDO_USER") or _user()))[:MAX_NAME]


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user ID without a name, as in many containers
        return f"user {os.getuid()}"


# The part of Allclose that acted. `retention` removes old rows by itself.
Channel = Literal["page", "api", "command", "worker", "retention"]


class AuditEvent(Base):
    """`actor_id` is None for a command on the server, and for Allclose itself. `operator` is the name on that machine
    of the person who ran the command. `target` is the ID or name of a `target_kind`. `subject_id` is the user that
    the target belongs to.

    `before` and `after` hold the fields that the action changed. They never hold a secret, and no more personal data
    than needed: people may be erased, but these rows may not.
    """

    __tablename__ = "audit_events"
    __table_args__ = (
        CheckConstraint("channel IN ('page', 'api', 'command', 'worker', 'retention')", name="channel"),
        Index("ix_audit_events_actor_id_id", "actor_id", text("id DESC")),
        Index("ix_audit_events_subject_id_id", "subject_id", text("id DESC")),
        Index("ix_audit_events_channel_id", "channel", text("id DESC")),
        Index("ix_audit_events_target_kind_target_id", "target_kind", "target", text("id DESC")),
        Index("ix_audit_events_action_id", "action", text("id DESC")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)
    actor_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    channel: Mapped[Channel] = mapped_column(Text)
    action: Mapped[str]
    target_kind: Mapped[str]
    target: Mapped[str]
    before: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    after: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    address: Mapped[str | None]
    request_id: Mapped[str | None]
    operator: Mapped[str | None]
    subject_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who acts, and from where. `user_id` is None for a command on the server, and for Allclose itself."""

    user_id: UUID | None
    channel: Channel
    address: str | None = None


COMMAND = Actor(user_id=None, channel="command")


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """`action` is `kind.verb`, such as `user.suspended`. `before` and `after` are the fields that changed.

    `subject_id` is the user that the target belongs to.
    """

    action: str
    target: object
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    subject_id: UUID | None = None


def record(session: Session, actor: Actor, act: Act) -> None:
    session.add(
        AuditEvent(
            actor_id=actor.user_id,
            channel=actor.channel,
            action=act.action,
            target_kind=act.action.partition(".")[0],
            target=str(act.target),
            before=dict(act.before) if act.before is not None else None,
            after=dict(act.after) if act.after is not None else None,
            address=actor.address,
            request_id=request_id.get(),
            operator=read_operator() if actor.channel == "command" else None,
            subject_id=act.subject_id,
        )
    )
    session.flush()


def find_last(session: Session, action: Action) -> datetime | None:
    """Return when the action was last done; None if the log has no such event."""
    of_action = select(AuditEvent.at).where(AuditEvent.action == action)
    return session.scalar(of_action.order_by(AuditEvent.id.desc()).limit(1))
