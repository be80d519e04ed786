"""SQLAlchemy's base class, engine, sessions and retries. Other code receives a `Session` and never commits."""

import asyncio
import logging
import re
import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import BoundedSemaphore, Event, Lock
from typing import Any, ClassVar, TypeVar
from uuid import UUID

import psycopg
from anyio import to_thread
from sqlalchemy import DateTime, Engine, MetaData, Text, create_engine, event, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import DisconnectionError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolExhausted
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker

from app.errors import LimitReached, Refused

# Detects a dead connection (a pulled cable, a dead firewall) within about a minute. Keepalives detect it while nothing
# is sent, and the user timeout (in ms) while an answer is awaited.
KEEPALIVE = {
    "connect_timeout": "5",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}

# Short-lived connections beyond the pool's size.
OVERFLOW = 2

# The constraint that triggers enforce on every table whose rows belong to one user.
LIVING_OWNER = "living_owner"

SNAPSHOTS = 4
SNAPSHOT_WAIT_SECONDS = 5.0
SOON = timedelta(minutes=1)
# The database ends a snapshot's statement or pause after this time.
SNAPSHOT_SECONDS = 600
_SNAPSHOT_OPTIONS = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}

# A connection that PostgreSQL ends at once reports no code.
_DAMAGE = re.compile(
    "invalid page|zero page|could not (read block|(read|open) (file|directory|relation))|cache lookup failed|"
    "catalog is missing|not a valid data directory"
)
# The operating system's words, after which the files are as good as before.
_REFUSED = re.compile("Permission denied|Too many open files|No space left on device")
_PREFIX = re.compile(".*(FATAL|PANIC): +")
RESTORE = "restore a backup in another place with `allclose admin restore FILE`"

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
    """A user was erased during one of their requests."""

    def __init__(self) -> None:
        super().__init__("this account was erased during the request, so nothing was saved")


class Database:
    """The engine. Entry points open one transaction for each request or step of the worker."""

    def __init__(self, url: str, *, pool_size: int = 5) -> None:
        self.url = url
        # hide_parameters keeps sources and hashes out of logged errors.
        self.engine: Engine = create_engine(
            url,
            pool_size=pool_size,
            max_overflow=OVERFLOW,
            pool_use_lifo=True,  # a connection that is used often has prepared the usual statements
            # Planning a page's statements takes longer than running them. PostgreSQL keeps the plan of a prepared one.
            connect_args=KEEPALIVE | {"prepare_threshold": 1},
            hide_parameters=True,
        )
        event.listen(self.engine, "checkout", _refuse_ended)
        self._separate = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)
        self._snapshots = BoundedSemaphore(SNAPSHOTS)
        self._owners: set[UUID | None] = set()
        self._lock = Lock()

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Open a session that commits at the end of the block, or rolls back on an exception. Raises OwnerErased."""
        try:
            with self._sessions.begin() as session:
                yield session
        except IntegrityError as error:
            if _constraint(error) == LIVING_OWNER:
                raise OwnerErased from error
            raise

    @contextmanager
    def separate_statements(self) -> Iterator[Session]:
        """Open a session whose statements are transactions of their own: no locks are kept, nothing is rolled back."""
        with self._sessions(bind=self._separate) as session:
            yield session

    @contextmanager
    def snapshot(self, owner: UUID | None = None) -> Iterator[Session]:
        """Open a read-only session that sees the database as of one moment. Raises LimitReached.

        Snapshots are few and time-limited: each holds a connection and keeps PostgreSQL from removing old rows. A user,
        the `owner`, has one at a time.
        """
        with self._one_for(owner), self._snapshot() as session:
            yield session

    @contextmanager
    def _one_for(self, owner: UUID | None) -> Iterator[None]:
        with self._lock:
            if owner in self._owners:
                raise LimitReached("your last export is still running; try again when it has ended", SOON)
            self._owners |= {owner} - {None}
        try:
            yield
        finally:
            with self._lock:
                self._owners -= {owner}

    @contextmanager
    def _snapshot(self) -> Iterator[Session]:
        if not self._snapshots.acquire(timeout=SNAPSHOT_WAIT_SECONDS):
            raise LimitReached("too many exports are running; try again in a minute", SOON)
        try:
            with self._sessions.begin() as session:
                session.connection(execution_options=_SNAPSHOT_OPTIONS)
                for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
                    session.execute(text(f"SET LOCAL {setting} = '{SNAPSHOT_SECONDS}s'"))
                yield session
        finally:
            self._snapshots.release()

    def close(self) -> None:
        self.engine.dispose()


def _refuse_ended(connection: "psycopg.Connection[Any]", *_: object) -> None:
    """Let the pool connect again if the server has ended the connection: then its last words can be read.

    A ping (`pool_pre_ping`) would ask the server, which costs as much as a statement. Raises DisconnectionError.
    """
    waiting = select.poll()
    if not connection.closed:
        waiting.register(connection.fileno(), select.POLLIN)
    if connection.closed or waiting.poll(0):
        raise DisconnectionError


def _constraint(error: IntegrityError) -> str | None:
    """Return the name of the violated constraint."""
    return error.orig.diag.constraint_name if isinstance(error.orig, psycopg.Error) else None


def find_damage(error: BaseException | None) -> str | None:
    """Return PostgreSQL's words about damaged files, in one line. None if the error is about something else."""
    if not isinstance(error, psycopg.Error):
        return None
    words = _PREFIX.sub("", str(error).strip().partition("\n")[0])
    is_damage = (error.sqlstate or "").startswith("XX") or (_DAMAGE.search(words) and not _REFUSED.search(words))
    return words if is_damage else None


def is_storable(given: str) -> bool:
    """Return False for a text with NUL or a lone surrogate, which JSON can hold and PostgreSQL can't."""
    return "\0" not in given and given.encode(errors="ignore").decode() == given


def storable(value: Any) -> Any:
    """Replace the characters that PostgreSQL refuses, so that a query for such a text finds nothing."""
    if not isinstance(value, str):
        return value
    return value.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


# For important writes: about ten minutes in all.
DELAYS_SECONDS = (0.0, 1.0, 2.0, 4.0, *(8.0,) * 75)
# For writes that may be lost: covers only a lost connection, which is replaced.
BRIEF_DELAYS_SECONDS = (0.0, 1.0)
# For callers that can't be aborted.
NEVER = Event()

T = TypeVar("T")

_log = logging.getLogger(__name__)


def retry(step: Callable[[], T], abort: Event = NEVER) -> T:
    """Run a whole transaction, and again when the connection is lost.

    The last error is raised after ten minutes, or once `abort` is set.
    """
    return _retry(step, DELAYS_SECONDS, abort)


def retry_briefly(step: Callable[[], T]) -> T:
    """Like `retry`, but with two more tries only."""
    return _retry(step, BRIEF_DELAYS_SECONDS, NEVER)


def _retry(step: Callable[[], T], delays_seconds: Sequence[float], abort: Event) -> T:
    for delay in delays_seconds:
        try:
            return step()
        except (OperationalError, InterfaceError, PoolExhausted) as error:
            _log.warning("The database is away: %s", str(error.__cause__ or error).strip())
            if abort.wait(delay):
                raise
    return step()


# Reads that share a thread and a connection. Others wait: they would keep pages waiting.
MOST_READS = 20


class SharedReads:
    """Runs the reads that wait at the same time one after the other, in one thread and over one connection.

    Many event streams read at the same time, and many calls look a token up. Threads, pings and transactions would cost
    more than the statements, and each thread that computes keeps pages waiting for the interpreter. So no read may wait
    for a lock.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[tuple[Callable[[Session], Any], asyncio.Future[Any]]] = []
        self._task: asyncio.Task[None] | None = None

    async def read(self, read: Callable[[Session], T]) -> T:
        """Return what `read` returns. Each of its statements is a transaction. Raises OperationalError, PoolExhausted.

        Call it in one event loop only.
        """
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((read, answer))
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        return await answer

    async def _run(self) -> None:
        try:
            while self._waiting:
                now, self._waiting = self._waiting[:MOST_READS], self._waiting[MOST_READS:]
                # A client that has left has cancelled its answer.
                wanted = [(read, answer) for read, answer in now if not answer.done()]
                outcomes: list[Any]
                try:
                    outcomes = await to_thread.run_sync(self._read_all, [read for read, _ in wanted])
                except Exception as error:  # no thread can be started
                    outcomes = [error] * len(wanted)
                for (_, answer), outcome in zip(wanted, outcomes, strict=True):
                    if answer.done():
                        continue
                    if isinstance(outcome, Exception):
                        answer.set_exception(outcome)
                    else:
                        answer.set_result(outcome)
        finally:
            self._task = None

    def _read_all(self, reads: Sequence[Callable[[Session], Any]]) -> list[Any]:
        """Return what each returns or raises. Without a database, the remaining ones are not tried."""
        outcomes: list[Any] = []
        with self._database.separate_statements() as session:
            for read in reads:
                try:
                    outcomes.append(read(session))
                except (OperationalError, PoolExhausted) as error:
                    session.rollback()
                    return [*outcomes, *[error] * (len(reads) - len(outcomes))]
                except Exception as error:  # its stream raises it
                    session.rollback()
                    outcomes.append(error)
                session.expunge_all()  # the next one reads its rows again
        return outcomes
