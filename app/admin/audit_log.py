"""Reading and exporting the audit log, with filters, newest first."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, Row, Select, and_, or_, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.user import get_user_id
from app.admin.export import Format, Table, record_export
from app.audit import Action, Actor, AuditEvent, Channel, Kind
from app.database.cursor import PAGE, read_number_cursor, split_page, write_cursor
from app.database.engine import storable
from app.validation import FrozenModel, Moment, check_span

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
    "operator",
    "about",
)
# Kinds of events whose target is a user's ID.
ABOUT_USERS = ("user", "identity")
MAX_SHOWN = 200


class AuditFilters(FrozenModel):
    """An event must match all filters that are given."""

    actor: str | None = Field(None, description="the user name of the actor")
    channel: Channel | None = Field(None, description="the part of Allclose that acted, such as `command`")
    about: str | None = Field(None, description="the user name of the owner of the account or thing")
    action: Action | None = Field(None, description="the action")
    kind: Kind | None = Field(None, description="the kind of the target")
    target: str | None = Field(None, description="with `kind`: the target's ID or name")
    since: Moment | None = Field(None, description="at this time or later")
    until: Moment | None = Field(None, description="before this time")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A field's old and new value as JSON; None if it did not exist."""

    field: str
    old: str | None
    new: str | None


class AuditEntry(FrozenModel):
    id: int
    at: datetime
    actor: str | None = Field(description="a user name; null for a command on the server, and for Allclose itself")
    channel: Channel = Field(
        description="the part of Allclose that acted; `worker` publishes packages, `retention` removes old rows"
    )
    action: str = Field(description="the action, as `kind.verb`", examples=["user.suspended"])
    target_kind: str
    target: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    address: str | None = Field(description="the actor's network address")
    request_id: str | None = Field(description="identifies the request in the server's log")
    operator: str | None = Field(description="for a command: the name of the person who ran it, on that machine")
    about: str | None = Field(description="the user name of the owner of the account or thing")

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return the fields that differ, each shortened to fit a line."""
        before, after = self.before or {}, self.after or {}
        fields = dict.fromkeys((*before, *after))
        found = (Change(field=field, old=_shown(before, field), new=_shown(after, field)) for field in fields)
        return tuple(change for change in found if change.old != change.new)


class AuditPage(BaseModel):
    """`next` is the cursor of the next page; null on the last page."""

    items: tuple[AuditEntry, ...]
    next: str | None


def list_events(session: Session, filters: AuditFilters, cursor: str | None = None, limit: int = PAGE) -> AuditPage:
    """Return a page. Raises NotFound for an unknown user, Invalid for an empty time range, and CursorInvalid."""
    query = _events(session, filters)
    if cursor is not None:
        query = query.where(AuditEvent.id < read_number_cursor(cursor)[1])
    entries, last = split_page(_entries(session, session.execute(query.limit(limit + 1)).all()), limit)
    return AuditPage(items=tuple(entries), next=write_cursor(last.at, last.id) if last else None)


def export_events(session: Session, filters: AuditFilters, format: Format) -> Table:
    return Table(name="audit", format=format, columns=COLUMNS, records=each_event(session, filters))


def record_audit_export(session: Session, actor: Actor, filters: AuditFilters) -> None:
    given = {name: getattr(filters, name) for name in AuditFilters.model_fields}
    record_export(session, actor, "audit.exported", given)


def each_event(session: Session, filters: AuditFilters) -> Iterator[dict[str, Any]]:
    """Yield all events, in chunks. Call it in a snapshot session, or the result mixes several moments."""
    chosen = _events(session, filters)
    after = chosen
    while rows := session.execute(after.limit(CHUNK)).all():
        yield from (entry.model_dump() for entry in _entries(session, rows))
        after = chosen.where(AuditEvent.id < rows[-1][0].id)


def list_actions(session: Session) -> tuple[str, ...]:
    """Return each action that was ever recorded. The index finds one after the other."""
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
    check_span(filters.since, filters.until)
    if filters.actor is not None:
        yield AuditEvent.actor_id == get_user_id(session, filters.actor)
    if filters.about is not None:
        yield _is_about(get_user_id(session, filters.about))
    texts = (
        (AuditEvent.channel, filters.channel),
        (AuditEvent.action, filters.action),
        (AuditEvent.target_kind, filters.kind),
        (AuditEvent.target, filters.target),
    )
    yield from (column == storable(value) for column, value in texts if value is not None)
    if filters.since is not None:
        yield AuditEvent.at >= filters.since
    if filters.until is not None:
        yield AuditEvent.at < filters.until


def _is_about(user_id: UUID) -> ColumnElement[bool]:
    is_target = and_(AuditEvent.target_kind.in_(ABOUT_USERS), AuditEvent.target == str(user_id))
    return or_(AuditEvent.subject_id == user_id, is_target)


def _entries(session: Session, rows: Sequence[Row[AuditEvent, str | None]]) -> list[AuditEntry]:
    subjects = {event.id: _subject_of(event) for event, _ in rows}
    ids = {subject for subject in subjects.values() if subject}
    names = dict(session.execute(select(User.id, User.username).where(User.id.in_(ids))).all())
    found = []
    for event, actor in rows:
        own = {name: getattr(event, name) for name in COLUMNS if name not in ("actor", "about")}
        subject = subjects[event.id]
        found.append(AuditEntry(actor=actor, about=names.get(subject) if subject else None, **own))
    return found


def _subject_of(event: AuditEvent) -> UUID | None:
    if event.subject_id is not None or event.target_kind not in ABOUT_USERS:
        return event.subject_id
    try:
        return UUID(event.target)
    except ValueError:
        return None


def _shown(fields: dict[str, Any], name: str) -> str | None:
    if name not in fields:
        return None
    text = json.dumps(fields[name], ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"
