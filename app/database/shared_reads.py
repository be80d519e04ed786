"""Short reads that requests run in the database at the same time, in one thread."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from anyio import to_thread
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolExhausted
from sqlalchemy.orm import Session

from app.database.engine import Database

# Reads that share a thread and a connection. Others wait: they would keep pages waiting.
MOST_READS = 20

Seen = TypeVar("Seen")


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

    async def read(self, read: Callable[[Session], Seen]) -> Seen:
        """Return what `read` returns. Each of its statements is a transaction. Raises OperationalError, PoolExhausted.

        Call it in one event loop only.
        """
        answer: asyncio.Future[Seen] = asyncio.get_running_loop().create_future()
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
