"""Something that changes, for as long as whoever follows it may see it: every stream of the API and the pages."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.right import Right
from app.accounts.viewer import Viewer
from app.database import Database
from app.errors import NotFound
from app.submissions.progress import Progress

Seen = TypeVar("Seen")


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """`find_viewer` looks up anew who they are, by their session or token; `right`: what it takes to see it."""

    database: Database
    progress: Progress
    find_viewer: Callable[[Session], Viewer | None]
    right: Right

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
