"""Live progress for many clients over one database connection.

Workers NOTIFY the channel `progress` with the ID of a submission, verification or rejudging after each change. A
notification only says that the rows may have changed; clients read the rows again, and also every few seconds without
a notification.
"""

import asyncio
import logging
import threading
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TypeVar
from uuid import UUID

from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolExhausted
from sqlalchemy.orm import Session

from app.accounts.permission import Permission, Viewer
from app.database.engine import Database, SharedReads
from app.database.listener import Listener
from app.errors import NotFound

_log = logging.getLogger(__name__)

POLL_SECONDS = 5.0
# Without notifications, all clients of a process together read at most so often. Many clients poll more slowly.
READS_PER_SECOND = 20
# After a notification, a client waits this long for each client of the process, so that many read less often. A judging
# sends several notifications within a second.
PAUSE_SECONDS = 1 / 1000


class Watch:
    """Waits for changes of its subjects. A change between two calls of `changed` is remembered."""

    def __init__(self, poll_seconds: Callable[[], float], pause_seconds: Callable[[], float]) -> None:
        self._poll_seconds, self._pause_seconds = poll_seconds, pause_seconds
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()

    async def changed(self, timeout: float = inf) -> bool:
        """Wait for a change, at most `timeout` or `poll_seconds()` seconds. Read the rows again after it."""
        try:
            async with asyncio.timeout(min(timeout, self._poll_seconds())):
                await self._event.wait()
        except TimeoutError:
            return False
        await asyncio.sleep(self._pause_seconds())
        self._event.clear()
        return True

    def wake(self) -> None:
        """Report a change, from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)


class Progress:
    """The listener of a process. Coroutines of any event loop can watch; event streams run in one loop."""

    def __init__(self, database: Database) -> None:
        self._listener = Listener(database.url, "progress", self._wake)
        self._lock = threading.Lock()
        self._watches: defaultdict[str, set[Watch]] = defaultdict(set)
        self._count = 0
        self.reads = SharedReads(database)

    def poll_seconds(self) -> float:
        """Return the time after which a client reads the rows again without a notification."""
        return max(POLL_SECONDS, self._count / READS_PER_SECOND)

    def pause_seconds(self) -> float:
        """Return the time from a notification until a client reads the rows. Later notifications of that time count."""
        return self._count * PAUSE_SECONDS

    def start(self) -> None:
        self._listener.start()

    def stop(self) -> None:
        self._listener.stop()

    @contextmanager
    def watch(self, *subjects: UUID) -> Iterator[Watch]:
        """Watch submissions, verifications or rejudgings.

        In the block, read the rows, await `watch.changed()`, and read them again.
        """
        watch, keys = Watch(self.poll_seconds, self.pause_seconds), set(map(str, subjects))
        with self._lock:
            for key in keys:
                self._watches[key].add(watch)
            self._count += 1
        try:
            yield watch
        finally:
            with self._lock:
                self._count -= 1
                for key in keys:
                    self._watches[key].discard(watch)
                    if not self._watches[key]:
                        del self._watches[key]

    def _wake(self, subject_id: str | None) -> None:
        with self._lock:
            woken = [self._watches.get(subject_id, set())] if subject_id else list(self._watches.values())
            for watch in set().union(*woken):
                watch.wake()


Seen = TypeVar("Seen")


async def stream_changes(
    progress: Progress, subject: UUID, read: Callable[[Session], Seen | None]
) -> AsyncGenerator[Seen]:
    """Yield what `read` returns, now and after each change, until it is None. Reads are shared, see `SharedReads`.

    While the database does not answer, the stream stays open and reads again later. Use with `aclosing`.
    """
    last: Seen | None = None
    with progress.watch(subject) as watch:
        while True:
            try:
                seen = await progress.reads.read(read)
            except (OperationalError, PoolExhausted) as error:
                _log.warning("A stream of events could not read the database: %s", error)
            else:
                if seen is None:
                    return
                if seen != last:
                    yield seen
                last = seen
            await watch.changed()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeStream:
    """Streams a value to a viewer whenever it changes, while the viewer may see it.

    `find_viewer` looks the viewer up by session or token before each read. `right` is the permission needed.
    """

    progress: Progress
    find_viewer: Callable[[Session], Viewer | None]
    right: Permission

    def stream(self, subject: UUID, read: Callable[[Session, Viewer], Seen]) -> AsyncGenerator[Seen]:
        """Stream what `read` returns, as `stream_changes` does.

        Ends when the session or token ends or lacks the right, or if `read` raises NotFound.
        """
        return stream_changes(self.progress, subject, partial(self._read, read))

    def _read(self, read: Callable[[Session, Viewer], Seen], session: Session) -> Seen | None:
        viewer = self.find_viewer(session)
        if viewer is None or not viewer.may(self.right):
            return None
        try:
            return read(session, viewer)
        except NotFound:
            return None
