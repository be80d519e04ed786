"""Reading what was done: by whom, to what, when; newest first."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from sqlalchemy import ColumnElement, Select, false, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.administration.export import Format, Table
from app.audit.model import AuditEvent, Channel
from app.cursor import read_number_cursor, write_cursor
from app.database import storable

PAGE = 50
CHUNK = 500
COLUMNS = (
    "id",
    "at",
    "actor",
    "channel",
    "action",
    "target_kind",
    "target",
    "before",
    "after",
    "address",
    "request_id",
)
MAX_SHOWN = 200


class AuditFilters(BaseModel):
    """All that are given must hold."""

    model_config = ConfigDict(frozen=True)

    actor: str | None = Field(None, description="the user name of who did it")
    action: str | None = Field(None, description="what was done, as `setting.changed`")
    kind: str | None = Field(None, description="what kind of thing was changed, as `user`")
    target: str | None = Field(None, description="with `kind`: which one")
    since: AwareDatetime | None = Field(None, description="at this time or later")
    until: AwareDatetime | None = Field(None, description="before this time")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A field before and after, as JSON; None where it was not there."""

    field: str
    old: str | None
    new: str | None


class AuditEntry(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: int
    at: datetime
    actor: str | None = Field(description="a user name; null for a command on the server, and for Allclose by itself")
    channel: Channel = Field(
        description="by what it was done; `worker` publishes what has passed, `retention` removes what is old"
    )
    action: str = Field(description="what was done, as `kind.verb`", examples=["user.suspended"])
    target_kind: str
    target: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    address: str | None = Field(description="the network address that it came from")
    request_id: str | None = Field(description="of the request, as the server's log has it")

    @property
    def changes(self) -> tuple[Change, ...]:
        """For people: the fields that differ, each cut to what fits a line."""
        before, after = self.before or {}, self.after or {}
        fields = dict.fromkeys((*before, *after))
        found = (Change(field=field, old=_shown(before, field), new=_shown(after, field)) for field in fields)
        return tuple(change for change in found if change.old != change.new)


class AuditPage(BaseModel):
    """`next` is the cursor of the page after this one, null at the end."""

    items: tuple[AuditEntry, ...]
    next: str | None


def list_events(session: Session, filters: AuditFilters, cursor: str | None = None) -> AuditPage:
    """Raises CursorInvalid."""
    query = _events(session, filters)
    if cursor is not None:
        query = query.where(AuditEvent.id < read_number_cursor(cursor)[1])
    entries = [_entry(event, username) for event, username in session.execute(query.limit(PAGE + 1))]
    last = entries[PAGE - 1] if len(entries) > PAGE else None
    return AuditPage(items=tuple(entries[:PAGE]), next=write_cursor(last.at, last.id) if last else None)


def export_events(session: Session, filters: AuditFilters, format: Format) -> Table:
    return Table(name="audit", format=format, columns=COLUMNS, records=each_event(session, filters))


def each_event(session: Session, filters: AuditFilters) -> Iterator[dict[str, Any]]:
    """All of them, a few in memory at a time. Whole only in a session that reads all of one moment."""
    chosen = _events(session, filters)
    after = chosen
    while rows := session.execute(after.limit(CHUNK)).all():
        yield from (_entry(event, username).model_dump() for event, username in rows)
        after = chosen.where(AuditEvent.id < rows[-1][0].id)


def list_actions(session: Session) -> tuple[str, ...]:
    """Each that was ever done, found one after the other by the index."""
    found: list[str] = []
    while action := session.scalar(
        select(AuditEvent.action)
        .where(AuditEvent.action > (found[-1] if found else ""))
        .order_by(AuditEvent.action)
        .limit(1)
    ):
        found.append(action)
    return tuple(found)


def _events(session: Session, filters: AuditFilters) -> Select[AuditEvent, str | None]:
    return (
        select(AuditEvent, User.username)
        .outerjoin(User, User.id == AuditEvent.actor_id)
        .where(*_conditions(session, filters))
        .order_by(AuditEvent.id.desc())
    )


def _conditions(session: Session, filters: AuditFilters) -> Iterator[ColumnElement[bool]]:
    if filters.actor is not None:
        actor_id = session.scalar(select(User.id).where(User.username == storable(filters.actor)))
        yield AuditEvent.actor_id == actor_id if actor_id else false()
    texts = (
        (AuditEvent.action, filters.action),
        (AuditEvent.target_kind, filters.kind),
        (AuditEvent.target, filters.target),
    )
    yield from (column == storable(value) for column, value in texts if value is not None)
    if filters.since is not None:
        yield AuditEvent.at >= filters.since
    if filters.until is not None:
        yield AuditEvent.at < filters.until


def _entry(event: AuditEvent, username: str | None) -> AuditEntry:
    own = {name: getattr(event, name) for name in COLUMNS if name != "actor"}
    return AuditEntry(actor=username, **own)


def _shown(fields: dict[str, Any], name: str) -> str | None:
    if name not in fields:
        return None
    text = json.dumps(fields[name], ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"
