"""The policy: settings that admins change at run time, and every process applies within seconds.

Each setting that differs from its default has a row. Each process reads the policy again every 2 seconds. A change is
checked, stored, and recorded in the audit log with the old value. The module also has the table of signing keys.

To add a setting, add a field to `Policy`, with bounds, default and description, and a row to `docs/configuration.md`.
The page, REST and the audit log include it. Read it with `read_policy(session)` in a transaction, or with
`CurrentPolicy` for each request.
"""

import threading
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from sqlalchemy import ForeignKey, LargeBinary, delete, func, select
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.audit import Act, Actor, record
from app.database.engine import Base, Database, is_storable
from app.errors import Invalid, NotFound
from app.validation import list_wrong

# With less, an admin who has opened a few pages could not open and save the page that raises the limit.
LEAST_REQUESTS = 60
FRESH_SECONDS = 2.0
# Concurrent changes wait for each other, so that each records the true old value.
_LOCK = "LOCK TABLE policy IN SHARE ROW EXCLUSIVE MODE"
MAX_SHOWN = 60


class PolicyRow(Base):
    """A field of `Policy` that differs from its default."""

    __tablename__ = "policy"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[Any] = mapped_column(JSONB)
    changed_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class ServerKey(Base):
    """A signing key of this deployment, made when it is first needed; see `app.accounts.signing_key`."""

    __tablename__ = "server_keys"

    name: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[bytes] = mapped_column(LargeBinary)


SignUpMode = Literal["open", "invitation", "closed"]
Switch = Literal["on", "off"]


class Policy(BaseModel):
    """The settings. A field's default is the value of a setting without a row."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sign_up: SignUpMode = Field(
        "open", description="new accounts: open to everyone, only with an invitation, or closed"
    )
    discussions: Switch = Field(
        "on", description="questions about problems and their answers; off: hidden from everyone, and kept"
    )
    shared_solutions: Switch = Field(
        "on", description="accepted solutions that users share; off: hidden from everyone, and kept"
    )
    visitor_runs: Switch = Field(
        "on", description="visitors run the samples of listed problems without an account; off: they sign in first"
    )
    first_steps: Switch = Field(
        "on", description="the list of first steps on the admin's overview, until all are done; off: hidden"
    )
    max_pending: int = Field(20, ge=1, le=10_000, description="unfinished submissions per user")
    requests_per_minute: int = Field(
        600,
        ge=LEAST_REQUESTS,
        le=1_000_000,
        description="limit of requests per minute, for each user or address",
    )
    judging_seconds_per_hour: int = Field(
        3600, ge=1, le=1_000_000, description="limit of judging seconds per hour, for each user"
    )
    submissions_per_hour: int = Field(
        600, ge=1, le=1_000_000, description="limit of submissions per hour, for each user"
    )
    submitted_mib_per_hour: int = Field(
        8, ge=1, le=1_000_000, description="limit of MiB of sources and custom inputs per hour, for each user"
    )
    max_queue_minutes: int = Field(
        10,
        ge=1,
        le=10_000,
        description="new submissions are refused if they would wait longer than this many minutes; while the queue "
        "fills up, half of it is the limit",
    )
    keep_submissions_days: int | None = Field(
        None,
        ge=1,
        le=36_500,
        description="age in days at which submissions are removed, except each user's first and last accepted one "
        "for each problem; empty: never",
    )
    keep_verifications_days: int | None = Field(
        None,
        ge=1,
        le=36_500,
        description="age in days at which verifications are removed with their packages and reports, except "
        "verifications that published a revision; empty: never",
    )
    keep_ended_days: int | None = Field(
        90,
        ge=1,
        le=36_500,
        description="number of days after which ended sessions, tokens and invitations are removed; empty: never",
    )
    announcement: str = Field(
        "", max_length=500, description="a sentence at the top of every page; empty: no announcement"
    )

    @field_validator("announcement")
    @classmethod
    def _one_line(cls, text: str) -> str:
        if not is_storable(text):
            raise ValueError("it contains a character that can't be stored. Remove it")
        return " ".join(text.split())


class TurnedOff(NotFound):
    """An admin has turned a part of the site off. What is stored stays."""


def read_policy(session: Session) -> Policy:
    """Read the policy without checking it. A value that this version no longer allows stays until the next change."""
    rows = session.execute(select(PolicyRow.name, PolicyRow.value)).all()
    known = {name: value for name, value in rows if name in Policy.model_fields}
    return Policy.model_construct(**known)


class CurrentPolicy:
    """The policy as this process knows it, at most FRESH_SECONDS old: each request needs it, and a query takes 1 ms."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._known: Policy | None = None
        self._read_at = 0.0

    def find_fresh(self) -> Policy | None:
        """Return what `read` would return without asking the database, else None."""
        is_fresh = time.monotonic() - self._read_at < FRESH_SECONDS or self._lock.locked()
        return self._known if is_fresh else None

    def read(self) -> Policy:
        """Return the policy. Do not call it inside a transaction.

        While another thread reads it or the database does not answer, return the last one, or else the defaults.
        """
        known = self.find_fresh()
        if known is not None:
            return known
        try:
            return self.refresh()
        except SQLAlchemyError:
            return self._known or Policy()

    def read_requests_per_minute(self) -> int:
        return self.read().requests_per_minute

    def refresh(self) -> Policy:
        """Read the policy from the database now, after a change."""
        with self._lock:
            asked_at = time.monotonic()
            with self._database.transaction() as session:
                policy = read_policy(session)
            self._known, self._read_at = policy, asked_at
        return policy


class SettingNotFound(NotFound):
    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown setting {name[:MAX_SHOWN]!r}. Allowed: {', '.join(Policy.model_fields)}.")


def change_policy(session: Session, actor: Actor, changes: Mapping[str, Any]) -> Policy:
    """Apply all changes or none. Only differing values are stored and recorded. Raises Invalid."""
    lock_policy(session)
    before = read_policy(session)
    after = _validated(before.model_dump() | dict(changes))
    for name in changes:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            _store(session, actor, name, new)
            _record(session, actor, name, old, new)
    return after


def check_policy(session: Session, changes: Mapping[str, Any]) -> None:
    """Check the changes without applying them. Raises Invalid for the first wrong one."""
    _validated(read_policy(session).model_dump() | dict(changes))


def reset_setting(session: Session, actor: Actor, name: str) -> Policy:
    """Reset a setting to its default. Raises SettingNotFound."""
    if name not in Policy.model_fields:
        raise SettingNotFound(name)
    lock_policy(session)
    before = read_policy(session)
    session.execute(delete(PolicyRow).where(PolicyRow.name == name))
    after = read_policy(session)
    if getattr(before, name) != getattr(after, name):
        _record(session, actor, name, getattr(before, name), getattr(after, name))
    return after


def lock_policy(session: Session) -> None:
    session.connection().exec_driver_sql(_LOCK)


def _store(session: Session, actor: Actor, name: str, value: Any) -> None:
    row = {"name": name, "value": value, "changed_by": actor.user_id}
    put = insert(PolicyRow).values(row)
    news = {"value": put.excluded.value, "changed_by": put.excluded.changed_by, "changed_at": put.excluded.changed_at}
    session.execute(put.on_conflict_do_update(index_elements=["name"], set_=news))


def _record(session: Session, actor: Actor, name: str, old: Any, new: Any) -> None:
    record(session, actor, Act(action="setting.changed", target=name, before={name: old}, after={name: new}))


def _validated(values: Mapping[str, Any]) -> Policy:
    try:
        return Policy.model_validate(values)
    except ValidationError as error:
        wrong = list_wrong(error)[0]
        raise Invalid(wrong.field or "settings", wrong.sentence()) from None
