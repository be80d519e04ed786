"""Writing down what somebody did, in the transaction that does it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from app.audit.model import AuditEvent, Channel
from app.audit.operator import read_operator
from app.telemetry.context import request_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who acts, and from where. `user_id` is None for a command on the server's machine, and for Allclose itself."""

    user_id: UUID | None
    channel: Channel
    address: str | None = None


COMMAND = Actor(user_id=None, channel="command")


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """`action` is `kind.verb`, say `user.suspended`; `before` and `after` are the fields that changed.

    `subject_id`: the user whom it is about, where the target is something of theirs.
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
