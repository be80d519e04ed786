"""Live progress for many waiting people over one database connection.

Workers NOTIFY the channel `progress` with a submission's id after each case. Rows are the truth; this only says
"look again", and says so now and then even if nothing was heard.

Something that changes, for as long as whoever follows it may see it: every stream of the API and the pages.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.permission import Permission, Viewer
from app.database.engine import Database
from app.database.listener import Listener
from app.errors import NotFound

LOOK_AGAIN_SECONDS = 5.0


class Watch:
    """Remembers a change that comes between two calls of `changed`, so none is lost while its owner reads."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()

    async def changed(self, timeout: float = LOOK_AGAIN_SECONDS) -> bool:
        """Waits for a change, `timeout` seconds or LOOK_AGAIN_SECONDS, whichever is first: then read the rows again."""
        try:
            async with asyncio.timeout(min(timeout, LOOK_AGAIN_SECONDS)):
                await self._event.wait()
        except TimeoutError:
            return False
        self._event.clear()
        return True

    def wake(self) -> None:
        """May be called from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)


class Progress:
    """Start it once per process, beside the event loop; watch from coroutines of any loop."""

    def __init__(self, database: Database) -> None:
        self._listener = Listener(database.url, "progress", self._wake)
        self._lock = threading.Lock()
        self._watches: defaultdict[str, set[Watch]] = defaultdict(set)

    def start(self) -> None:
        self._listener.start()

    def stop(self) -> None:
        self._listener.stop()

    @contextmanager
    def watch(self, submission_id: UUID) -> Iterator[Watch]:
        """`with progress.watch(id) as watch:` read the rows, await `watch.changed()`, read them again."""
        watch, key = Watch(), str(submission_id)
        with self._lock:
            self._watches[key].add(watch)
        try:
            yield watch
        finally:
            with self._lock:
                self._watches[key].discard(watch)
                if not self._watches[key]:
                    del self._watches[key]

    async def wait(self, submission_id: UUID, timeout: float) -> bool:
        """One wait without memory: what changed before the call is not noticed."""
        with self.watch(submission_id) as watch:
            return await watch.changed(timeout)

    def _wake(self, submission_id: str | None) -> None:
        with self._lock:
            woken = [self._watches.get(submission_id, set())] if submission_id else list(self._watches.values())
            for watch in set().union(*woken):
                watch.wake()


Seen = TypeVar("Seen")


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """`find_viewer` looks up anew who they are, by their session or token; `right`: what it takes to see it."""

    database: Database
    progress: Progress
    find_viewer: Callable[[Session], Viewer | None]
    right: Permission

    async def follow(self, subject: UUID, read: Callable[[Session, Viewer], Seen]) -> AsyncGenerator[Seen]:
        """What `read` returns, now and whenever it has changed; each time in a transaction of its own, in a thread.

        Ends when the session or token has ended or lacks the right, or `read` raises NotFound. Use it with `aclosing`.
        """
        last: Seen | None = None
        with self.progress.watch(subject) as watch:
            while (seen := await asyncio.to_thread(self._read, read)) is not None:
                if seen != last:
                    yield seen
                last = seen
                await watch.changed()

    def _read(self, read: Callable[[Session, Viewer], Seen]) -> Seen | None:
        with self.database.transaction() as session:
            viewer = self.find_viewer(session)
            if viewer is None or not viewer.may(self.right):
                return None
            try:
                return read(session, viewer)
            except NotFound:
                return None
