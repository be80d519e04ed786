"""The table of what was done: who, what, to what, when, from where, before and after. Rows are only ever added.

The database refuses to change or remove a row (migration 0014), whoever asks.
"""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, Text, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base

# By what it was done; `retention` removes what is old, by itself.
Channel = Literal["page", "api", "command", "worker", "retention"]


class AuditEvent(Base):
    """`actor_id` is None for a command on the server's machine, and for what Allclose does by itself; `operator` is the
    name on that machine of who ran the command. `target` names one of what `target_kind` says; `subject_id` is the user
    whom it was about, where the target is something of theirs.

    `before` and `after` hold the fields that the action changed; never a secret, and no more of a person than needed:
    people may be erased, and these rows may not.
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
