"""SQLAlchemy's base class, engine and sessions. Everything else receives a `Session`; queries never commit."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import BoundedSemaphore
from typing import Any, ClassVar

import psycopg
from sqlalchemy import DateTime, Engine, MetaData, Text, create_engine, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker

from app.errors import LimitReached, Refused

# A peer that vanished without a word (a pulled cable, a dead firewall) is noticed in about a minute.
KEEPALIVE = {"connect_timeout": "5", "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3"}

# Connections beyond the pool's size, for a moment.
OVERFLOW = 2

# Held by a trigger on every table whose rows belong to one user.
LIVING_OWNER = "living_owner"

SNAPSHOTS = 2
SNAPSHOT_WAIT_SECONDS = 5.0
# After which the database itself ends a statement of one, or a pause in it.
SNAPSHOT_SECONDS = 600
_OF_ONE_MOMENT = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}

NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: DateTime(timezone=True),
        str: Text,
        dict[str, Any]: JSONB,
    }


class OwnerErased(Refused):
    """A request was under way when its user was erased."""

    def __init__(self) -> None:
        super().__init__("this account was erased meanwhile; nothing more is kept for it")


class Database:
    """One engine; sessions are opened at the edge, one transaction per request or per step of the worker."""

    def __init__(self, url: str, *, pool_size: int = 5) -> None:
        self.url = url
        # A log of what failed would hold sources and hashes otherwise.
        self.engine: Engine = create_engine(
            url,
            pool_size=pool_size,
            max_overflow=OVERFLOW,
            pool_pre_ping=True,
            connect_args=KEEPALIVE,
            hide_parameters=True,
        )
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)
        self._snapshots = BoundedSemaphore(SNAPSHOTS)

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """A session that commits at the end of the block, or rolls back when it raises. Raises OwnerErased."""
        try:
            with self._sessions.begin() as session:
                yield session
        except IntegrityError as error:
            if _constraint(error) == LIVING_OWNER:
                raise OwnerErased from error
            raise

    @contextmanager
    def snapshot(self) -> Iterator[Session]:
        """A session that only reads, and reads all as it was at one moment. Raises LimitReached.

        Few at a time, and none for long: each keeps a connection from everybody else, and old rows from being removed.
        """
        if not self._snapshots.acquire(timeout=SNAPSHOT_WAIT_SECONDS):
            raise LimitReached("other exports are being read now; ask again in a minute")
        try:
            with self._sessions.begin() as session:
                session.connection(execution_options=_OF_ONE_MOMENT)
                for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
                    session.execute(text(f"SET LOCAL {setting} = '{SNAPSHOT_SECONDS}s'"))
                yield session
        finally:
            self._snapshots.release()

    def close(self) -> None:
        self.engine.dispose()


def _constraint(error: IntegrityError) -> str | None:
    """The name of what was violated."""
    return error.orig.diag.constraint_name if isinstance(error.orig, psycopg.Error) else None


def is_storable(given: str) -> bool:
    """False for NUL and for lone surrogates, which JSON can carry and PostgreSQL can't."""
    return "\0" not in given and given.encode(errors="ignore").decode() == given


def storable(value: Any) -> Any:
    """For asking: with a stand-in, texts that PostgreSQL refuses are merely not found."""
    if not isinstance(value, str):
        return value
    return value.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
